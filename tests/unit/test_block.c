/* Identities of block devices. */
#include "tests/unit/collector_fixture.h"

#include "base/cleanup.h"
#include "model/block.h"

static const char *identity(struct hw *hw, const char *name)
{
	static char buf[192];

	buf[0] = '\0';
	block_identity(hw, name, false, buf, sizeof(buf));
	return buf;
}

/* A virtio disk is asked for its serial by a command, which it may never answer. */
static void a_device_is_asked_for_its_serial_once(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/class/block/vda/diskseq", "7\n");
	put(&f, "sys/class/block/vda/serial", "A1\n");
	put(&f, "sys/class/block/vdb/serial", "B1\n");

	CLEANUP(hw_closep) struct hw *hw = NULL;

	assert_int_equal(hw_open(f.root, &hw), 0);
	assert_string_equal(identity(hw, "vda"), "serial:A1");
	assert_string_equal(identity(hw, "vdb"), "serial:B1");
	put(&f, "sys/class/block/vda/serial", "A2\n");
	put(&f, "sys/class/block/vdb/serial", "B2\n");
	assert_string_equal(identity(hw, "vda"), "serial:A1");
	/* Without a sequence number nothing tells the next device from this one. */
	assert_string_equal(identity(hw, "vdb"), "serial:B2");
	put(&f, "sys/class/block/vda/diskseq", "8\n");
	assert_string_equal(identity(hw, "vda"), "serial:A2");
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_is_asked_for_its_serial_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
