/* What a device was called that is not there any more. What there is: unit.daemon_kernel_log. */
#include "base/cleanup.h"
#include "model/kernel_names.h"
#include "tests/unit/collector_fixture.h"

#define USB "../../devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/host6/target6:0:0/6:0:0:"

static void put_disk(const struct fixture *f, const char *name, int lun)
{
	char path[512], link[256];

	snprintf(link, sizeof(link), USB "%d/block/%s", lun, name);
	snprintf(path, sizeof(path), "sys/devices/%s/dev", link + strlen("../../devices/"));
	put(f, path, "8:16\n");
	snprintf(path, sizeof(path), "sys/class/block/%s", name);
	put_link(f, path, link);
}

/* It is asked for when it has gone, though nobody has asked for it before. */
static void usb_disks_that_went(void **unused)
{
	char out[NODE_NAME_MAX];

	(void)unused;
	for (int n = 1; n <= 2; n++) {
		CLEANUP(hw_closep) struct hw *tree = NULL;
		struct kernel_names *known;
		struct fixture f;

		fixture_start(&f);
		put_disk(&f, "sdb", 0);
		if (n == 2)
			put_disk(&f, "sdc", 1);
		assert_int_equal(hw_open(f.root, &tree), 0);
		assert_int_equal(kernel_names_new(tree, &known), 0);
		assert_string_equal(kernel_names_device(known, 0), "sdb");
		take_away(&f, "sys");
		kernel_names_look_again(known);
		/* Of a reader with two cards neither is the one. */
		assert_int_equal(kernel_names_find(known, "1-1", out), n == 1);
		if (n == 1)
			assert_string_equal(out, "sdb");
		kernel_names_free(known);
		take_away(&f, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(usb_disks_that_went)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
