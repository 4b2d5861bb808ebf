/* The process that keeps the UFS monitors, on a recorded tree, where it writes nothing. */
#include <poll.h>

#include "helper/ufs_watch.h"
#include "tests/unit/collector_fixture.h"

#define HOST    "sys/devices/platform/soc/1d84000.ufshc"
#define BOOT_ID "0a0a0a0a-1111-2222-3333-444444444444\n"

static void put_host(struct fixture *f)
{
	fixture_start(f);
	put(f, HOST "/monitor/monitor_enable", "1\n");
	put(f, HOST "/host0/scsi_host/host0/nr_hw_queues", "1\n");
	put(f, "proc/sys/kernel/random/boot_id", BOOT_ID);
}

static void receive(struct ufs_watch *watch, struct wire_monitored *ret)
{
	struct pollfd in = {.fd = watch->fd, .events = POLLIN};

	assert_int_equal(poll(&in, 1, 5000), 1);
	assert_true(ufs_watch_receive(watch, ret));
}

/* What one before has left on is wanted: the first that is said is after the order, not before. */
static void recalled_stays_on(void **unused)
{
	const struct wire_monitor on = {.policy = UFS_MONITOR_ON};
	struct ufs_watch watch = UFS_WATCH_NONE;
	struct wire_monitored said;
	char memory[300];
	struct fixture f;

	(void)unused;
	put_host(&f);
	put(&f, "memory", BOOT_ID HOST "\n");
	snprintf(memory, sizeof(memory), "%s/memory", f.root);
	assert_int_equal(ufs_watch_tell(&watch, f.root, memory, &on), 0);
	receive(&watch, &said);
	assert_int_equal(said.n_hosts, 1);
	assert_int_equal(said.n_wanted, 1);
	assert_int_equal(said.n_on, 1);
	assert_int_equal(said.n_ours, 1);
	ufs_watch_stop(&watch);
	fixture_end(&f);
}

/* It holds neither what the helper has open nor its socket: the helper's end is noticed. */
static void ends_with_the_helper(void **unused)
{
	const struct wire_monitor on = {.policy = UFS_MONITOR_ON};
	struct ufs_watch watch = UFS_WATCH_NONE;
	struct wire_monitored said;
	struct fixture f;
	int ends[2];
	char c;

	(void)unused;
	put_host(&f);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(ufs_watch_tell(&watch, f.root, NULL, &on), 0);
	receive(&watch, &said);
	close(ends[1]);
	assert_int_equal(read(ends[0], &c, 1), 0);
	close(ends[0]);
	ufs_watch_stop(&watch);
	assert_int_equal(watch.fd, -1);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recalled_stays_on),
		cmocka_unit_test(ends_with_the_helper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
