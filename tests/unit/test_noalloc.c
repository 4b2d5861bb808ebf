/* label: nosan */
/* A steady tick takes nothing from the heap, neither in the loop nor in the lane process, with or
 * without a helper.
 *
 * The allocator of this program counts, in a page that the lane shares. The tree has a few nodes of
 * every collector that needs no more than plain files; a live machine is sampled too, where only
 * the loop is asked: its nodes may come and go, which costs. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/packet_socket.h"
#include "sampling/registry.h"
#include "sampling/sampler.h"
#include "sampling/wire_helper.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static _Atomic uint64_t *n_allocations;

static void count(void)
{
	if (n_allocations)
		atomic_fetch_add(n_allocations, 1);
}

void *malloc(size_t size)
{
	count();
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	count();
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	count();
	return __libc_realloc(p, size);
}

#define N_TICKS 100

static char root[64];

static void put(const char *path, const char *text)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}

	FILE *file = fopen(full, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_tree(void)
{
	static const char *const pressure[] = {"cpu", "io", "memory"};
	char path[128];

	snprintf(root, sizeof(root), "/tmp/test_noalloc.XXXXXX");
	assert_non_null(mkdtemp(root));
	put("proc/loadavg", "0.10 0.20 0.30 1/99 1234\n");
	put("proc/uptime", "1000.00 900.00\n");
	put("proc/diskstats", "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n"
			      " 259       0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n");
	put("proc/self/mountinfo", "22 1 8:0 / / rw,noatime - ext4 /dev/sda rw\n");
	put("STATVFS", "/ 4096 1000 500 400 100 50\n");
	for (size_t i = 0; i < ARRAY_SIZE(pressure); i++) {
		snprintf(path, sizeof(path), "proc/pressure/%s", pressure[i]);
		put(path, "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"
			  "full avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
	}
	for (int i = 0; i < 20; i++) {
		snprintf(path, sizeof(path), "sys/class/thermal/thermal_zone%d/temp", i);
		put(path, i == 3 ? "" : "47312\n");
		snprintf(path, sizeof(path), "sys/class/thermal/thermal_zone%d/type", i);
		put(path, "cpu-thermal\n");
	}
	put("sys/block/sda/size", "8192\n");
	put("sys/block/sda/queue/scheduler", "none [mq-deadline]\n");
	put("sys/block/sda/queue/nr_requests", "62\n");
	put("sys/block/sda/sda1/partition", "1\n");
	put("sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "1800000\n");
	put("sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", "1800000\n");
	put("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "schedutil\n");
	put("sys/devices/system/cpu/cpufreq/policy0/affected_cpus", "0 1 2 3\n");
}

static size_t n_lane_groups, n_lane_answers;

static void on_rows(void *arg, const struct group *group, int64_t t_ms, int64_t late_ms,
		    int64_t step_ms, const struct sink *sink)
{
	(void)arg, (void)t_ms, (void)late_ms, (void)step_ms, (void)sink;
	n_lane_answers += group->cost != COST_F;
}

static void wait_for_lane(struct sampler *sampler, size_t n_answers, int timeout_ms)
{
	int64_t until_ms = clock_boot_ms() + timeout_ms;

	while (n_lane_answers < n_answers && clock_boot_ms() < until_ms) {
		struct pollfd fd = {.fd = sampler_lane_fd(sampler), .events = POLLIN};

		poll(&fd, 1, 10);
		sampler_lane_input(sampler);
	}
	/* The end of the answer comes behind the rows. */
	struct pollfd fd = {.fd = sampler_lane_fd(sampler), .events = POLLIN};

	poll(&fd, 1, n_answers < SIZE_MAX ? 5 : 0);
	sampler_lane_input(sampler);
}

/* All groups every second, so that each tick samples everything; ticks of the future. */
static uint64_t allocations_of(const char *of_root, bool no_lane)
{
	static int64_t period_ms[64];
	struct sampler_callbacks callbacks = {.rows = on_rows};
	struct sampler_options options = {
		.root = of_root, .period_ms = period_ms, .no_lane = no_lane};
	struct sampler *sampler;
	uint64_t before;
	int64_t t_ms;

	for (size_t i = 0; i < ARRAY_SIZE(period_ms); i++)
		period_ms[i] = 1000;
	assert_int_equal(sampler_open(&options, registry(), &callbacks, &sampler), 0);
	t_ms = clock_boot_ms();
	assert_int_equal(sampler_start(sampler, t_ms), 0);
	t_ms = t_ms / 1000 * 1000;
	n_lane_answers = 0;
	for (int i = 0; i < 3; i++) {
		sampler_tick(sampler, t_ms += 1000);
		if (!no_lane)
			wait_for_lane(sampler, SIZE_MAX, 300);
	}
	n_lane_groups = n_lane_answers / 3;
	before = atomic_load(n_allocations);
	n_lane_answers = 0;
	for (size_t i = 1; i <= N_TICKS; i++) {
		sampler_tick(sampler, t_ms += 1000);
		if (!no_lane)
			wait_for_lane(sampler, i * n_lane_groups, 200);
	}
	before = atomic_load(n_allocations) - before;
	/* A lane that the machine held up may have missed a few. */
	if (!no_lane)
		assert_true(n_lane_answers >= N_TICKS * n_lane_groups / 2);
	sampler_close(sampler);
	return before;
}

/* A helper that answers each group that it is asked for with a row; in this process, from memory
 * that it has before. */
static struct {
	int listen_fd, fd;
	size_t n_asked;
	struct sink sink;
	struct wire_tick tick;
	uint8_t packet[WIRE_MESSAGE_MAX];
} helper;

static void helper_say(size_t len)
{
	assert_int_equal(send(helper.fd, helper.packet, len, 0), (ssize_t)len);
}

static void helper_answer(size_t group, int64_t t_ms)
{
	struct wire_rows head = {.group = group, .t_ms = t_ms, .at_ms = t_ms};
	size_t next = 0;

	sink_reset(&helper.sink, catalog_group_at(registry(), group, NULL));
	row_set(sink_row(&helper.sink, "a_device", "of some identity"), 0, t_ms);
	helper_say(wire_put_rows(helper.packet, &head, &helper.sink, &next));
}

static void helper_serve(void)
{
	ssize_t n;

	while ((n = recv(helper.fd, helper.packet, sizeof(helper.packet), MSG_DONTWAIT)) > 0) {
		if (wire_get_tick(helper.packet, (size_t)n, registry(), &helper.tick) < 0)
			continue;
		helper.n_asked += helper.tick.n_groups;
		for (size_t i = 0; i < helper.tick.n_groups; i++)
			helper_answer(helper.tick.groups[i].group, helper.tick.groups[i].t_ms);
	}
}

static void helper_come(void)
{
	struct wire_hello hello = {.version = FLASHSCOPE_VERSION,
				   .digest = wire_digest(registry())};

	helper.fd = accept(helper.listen_fd, NULL, NULL);
	assert_true(helper.fd >= 0);
	helper_say(wire_put_hello(helper.packet, &hello));
	for (size_t i = 0; i < registry()->n_collectors; i++) {
		struct wire_probed head = {.collector = i};
		struct probe probe;
		size_t next = 0;

		if (!collector_is_helped(registry()->collectors[i]))
			continue;
		assert_int_equal(probe_init(&probe), 0);
		probe_node(&probe, "a_device", OUTCOME_OK, "", "there");
		helper_say(wire_put_probed(helper.packet, &head, &probe, &next));
		probe_done(&probe);
	}
}

static void nor_with_a_helper(void **state)
{
	static int64_t period_ms[WIRE_GROUPS_MAX];
	char path[128];
	struct sampler_options options = {.root = root,
					  .period_ms = period_ms,
					  .no_lane = true,
					  .deadline_ms = 1,
					  .helper_path = path};
	struct sampler *sampler;
	uint64_t before;
	int64_t t_ms;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(period_ms); i++)
		period_ms[i] = 1000;
	snprintf(path, sizeof(path), "%s/helper.sock", root);
	helper.listen_fd = packet_socket_listen(path, geteuid());
	assert_true(helper.listen_fd >= 0);
	assert_int_equal(sink_init(&helper.sink), 0);
	assert_int_equal(
		sampler_open(&options, registry(), &(struct sampler_callbacks){0}, &sampler), 0);
	t_ms = clock_boot_ms();
	assert_int_equal(sampler_start(sampler, t_ms), 0);
	helper_come();
	t_ms = t_ms / 1000 * 1000;
	for (int i = 0; i < 3; i++) {
		sampler_helper_input(sampler);
		sampler_tick(sampler, t_ms += 1000);
		helper_serve();
	}
	helper.n_asked = 0;
	before = atomic_load(n_allocations);
	for (int i = 0; i < N_TICKS; i++) {
		sampler_helper_input(sampler);
		sampler_tick(sampler, t_ms += 1000);
		helper_serve();
	}
	assert_int_equal(atomic_load(n_allocations), before);
	assert_true(helper.n_asked >= N_TICKS); /* it had its part in it */
	sampler_close(sampler);
	sink_done(&helper.sink);
	close(helper.fd);
	close(helper.listen_fd);
}

static void the_counter_counts(void **state)
{
	uint64_t before = atomic_load(n_allocations);
	void *volatile p = malloc(1);

	(void)state;
	free(p);
	assert_true(atomic_load(n_allocations) > before);
}

static void a_steady_tick_allocates_nothing(void **state)
{
	(void)state;
	assert_int_equal(allocations_of(root, false), 0);
	assert_true(n_lane_groups > 0); /* the lane had its part in it */
}

static void nor_without_a_lane(void **state)
{
	(void)state;
	assert_int_equal(allocations_of(root, true), 0);
}

static void nor_on_this_machine(void **state)
{
	(void)state;
	assert_int_equal(allocations_of("/", true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_counter_counts),
		cmocka_unit_test(a_steady_tick_allocates_nothing),
		cmocka_unit_test(nor_without_a_lane),
		cmocka_unit_test(nor_with_a_helper),
		cmocka_unit_test(nor_on_this_machine),
	};
	char command[128];
	int r;

	n_allocations = mmap(NULL, sizeof(*n_allocations), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (n_allocations == MAP_FAILED)
		return 1;
	make_tree();
	r = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) == 0 ? r : 1;
}
