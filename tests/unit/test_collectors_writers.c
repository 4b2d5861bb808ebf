/* Who writes: the parsers, ten thousand processes, children, cgroups, users. */
#include "base/text.h"
#include "model/writer_cgroups.h"
#include "model/writer_processes.h"
#include "model/writer_users.h"
#include "model/writers.h"
#include "tests/unit/collector_fixture.h"

#define TOP     0
#define WRITERS 1

static int start(void **state)
{
	static struct fixture f;

	fixture_start(&f);
	*state = &f;
	return 0;
}

/* Twenty thousand files are no work for a disk. */
static int start_in_memory(void **state)
{
	static struct fixture f;

	f = (struct fixture){.made = true};
	snprintf(f.root, sizeof(f.root), "/dev/shm/flashscope-test-XXXXXX");
	if (!mkdtemp(f.root))
		fixture_start(&f);
	*state = &f;
	return 0;
}

static int end(void **state)
{
	fixture_end(*state);
	return 0;
}

static void put_io(const struct fixture *f, int pid, long long read, long long written)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "proc/%d/io", pid);
	snprintf(text, sizeof(text),
		 "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: %lld\n"
		 "write_bytes: %lld\ncancelled_write_bytes: 0\n",
		 read, written);
	put(f, path, text);
}

static void put_process(const struct fixture *f, int pid, int parent, int started, const char *name,
			long long written)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "proc/%d/stat", pid);
	snprintf(text, sizeof(text),
		 "%d (%s) S %d 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 %d 1 2 3\n", pid, name,
		 parent, started);
	put(f, path, text);
	put_io(f, pid, 0, written);
}

static void end_process(const struct fixture *f, int pid)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%d", pid);
	take_away(f, path);
}

/* What the last sample says of a name; -1: nothing. */
static int64_t written_by(const struct fixture *f, enum writer_source source, const char *name)
{
	struct writer writer;
	int64_t sum = -1;

	for (size_t i = 0; i < f->sink.n_rows; i++) {
		assert_int_equal(writer_of_row(&f->sink, f->sink.rows[i], &writer), 0);
		if (writer.source == source && !strcmp(writer.name, name))
			sum = MAX(sum, INT64_C(0)) + writer.io.written;
	}
	return sum;
}

/* It was looked at, and nobody had written. */
static void check_nobody(const struct fixture *f)
{
	struct writer writer;

	assert_int_equal(f->sink.n_rows, 1);
	assert_int_equal(writer_of_row(&f->sink, f->sink.rows[0], &writer), 0);
	assert_true(writer_is_others(&writer) && writer_io_is_zero(&writer.io) && !writer.n);
}

static const char *unit_of(const struct fixture *f, const char *name)
{
	static struct writer writer;

	for (size_t i = 0; i < f->sink.n_rows; i++)
		if (writer_of_row(&f->sink, f->sink.rows[i], &writer) == 0 &&
		    !strcmp(writer.name, name))
			return writer.unit;
	return NULL;
}

static void test_parses_io(void **state)
{
	static const struct {
		const char *text;
		int r;
		int64_t read, written;
	} cases[] = {
		{"read_bytes: 1\nwrite_bytes: 2\n", 0, 1, 2},
		{"write_bytes: 9223372036854775807\nread_bytes: 0", 0, 0, INT64_MAX},
		{"", -ENODATA, 0, 0},
		{"read_bytes: 1\n", -ENODATA, 0, 0},
		{"read_bytes: -1\nwrite_bytes: 2\n", -EINVAL, 0, 0},
		{"read_bytes: x\nwrite_bytes: 2\n", -EINVAL, 0, 0},
		{"read_bytes: 99999999999999999999\nwrite_bytes: 2\n", -EINVAL, 0, 0},
		{"read_bytes:\nwrite_bytes:\n", -ENODATA, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct writer_io io;

		assert_int_equal(writer_parse_io(slice_of(cases[i].text), &io), cases[i].r);
		if (cases[i].r < 0)
			continue;
		assert_int_equal(io.read, cases[i].read);
		assert_int_equal(io.written, cases[i].written);
	}
}

static void test_parses_stat(void **state)
{
	static const struct {
		const char *text, *name;
		int64_t parent, start;
	} cases[] = {
		{"7 (sh) S 5 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 99 1", "sh", 5, 99},
		{"7 (a) b (c)) S 5 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 99 1", "a) b (c)", 5, 99},
		{"7 (jbd2/vda1-8) S 2 0 0 0 -1 2097216 1 2 3 4 5 6 7 8 20 0 1 0 50",
		 "[jbd2/vda1-8]", 2, 50},
		{"7 (kworker/u8:2-flush-8:0) I 2 0 0 0 -1 69238880 1 2 3 4 5 6 7 8 20 0 1 0 50",
		 "[kworker]", 2, 50},
		{"7 (" WRITER_OTHERS ") S 5 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 99", "others", 5,
		 99},
		{"7 (" WRITER_UNSEEN ") S 5 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 99",
		 "short-lived or not seen", 5, 99},
		{"7 ((other)) S 5 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 99", "(other)", 5, 99},
		{"7 () S 5 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 99", "", 5, 99},
		{"7 (sh) S 5 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0", NULL, 0, 0},
		{"7 sh S 5", NULL, 0, 0},
		{"(", NULL, 0, 0},
		{"x (sh) S 5 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 99", NULL, 0, 0},
		{"", NULL, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct writer_stat stat;
		int r = writer_parse_stat(slice_of(cases[i].text), &stat);

		assert_int_equal(r, cases[i].name ? 0 : -EINVAL);
		if (!cases[i].name)
			continue;
		assert_string_equal(stat.name, cases[i].name);
		assert_int_equal(stat.parent, cases[i].parent);
		assert_int_equal(stat.start, cases[i].start);
	}
}

static void test_parses_lines(void **state)
{
	struct writer_io io;
	int64_t a, b;

	(void)state;
	assert_int_equal(
		writer_parse_iostat(slice_of("259:1 rbytes=4096 wbytes=8192 rios=1"), &a, &b, &io),
		0);
	assert_int_equal(a, 259);
	assert_int_equal(b, 1);
	assert_int_equal(io.read, 4096);
	assert_int_equal(io.written, 8192);
	/* Only what io.cost says. */
	assert_int_equal(writer_parse_iostat(slice_of("8:0 cost.usage=1"), &a, &b, &io), -ENODATA);
	assert_int_equal(writer_parse_iostat(slice_of("8:0"), &a, &b, &io), -ENODATA);
	assert_int_equal(writer_parse_iostat(slice_of("8:0 rbytes=x wbytes=1"), &a, &b, &io),
			 -EINVAL);
	assert_int_equal(writer_parse_iostat(slice_of("(unknown) rbytes=1 wbytes=1"), &a, &b, &io),
			 -EINVAL);
	assert_int_equal(writer_parse_uid(slice_of("10057 1 2 30 40 5 6 70 80 9 10"), &a, &io), 0);
	assert_int_equal(a, 10057);
	assert_int_equal(io.read, 100);
	assert_int_equal(io.written, 120);
	assert_int_equal(io.syncs, 19);
	assert_int_equal(writer_parse_uid(slice_of("10057 1 2 30 40 5 6 70 80 9"), &a, &io),
			 -EINVAL);
	assert_int_equal(writer_parse_uid(slice_of("10057 1 2 30 40 5 6 70 80 9 10 11"), &a, &io),
			 -EINVAL);
	assert_int_equal(writer_parse_uid(slice_of("task,a:b,1,2,3"), &a, &io), -EINVAL);
	assert_int_equal(writer_parse_uid(slice_of("-1 1 2 30 40 5 6 70 80 9 10"), &a, &io),
			 -EINVAL);
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_names_units(void **state)
{
	static const struct {
		const char *path, *unit;
		bool is_slice;
	} cases[] = {
		{"/system.slice/foo.service", "foo.service", false},
		{"/system.slice/foo.service/worker", "foo.service", false},
		{"/system.slice", "system.slice", true},
		{"/user.slice/user-1000.slice/session-3.scope", "session-3.scope", false},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/a.service", "a.service",
		 false},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice", "user@1000.service",
		 true},
		{"/system.slice/docker-" ID ".scope", "docker-0123456789ab", false},
		{"/docker/" ID, "docker-0123456789ab", false},
		{"/docker/" ID "/system.slice/a", "docker-0123456789ab", false},
		{"/machine.slice/libpod-" ID ".scope/container", "podman-0123456789ab", false},
		{"/kubepods.slice/cri-containerd-" ID ".scope", "containerd-0123456789ab", false},
		{"/kubepods.slice/crio-" ID ".scope", "crio-0123456789ab", false},
		{"/uid_10057/pid_77", "pid_77", false},
		{"/", "", false},
		{"", "", false},
		{"///", "", false},
		{"/user.slice/" WRITER_OTHERS, "others", false},
		{"/" WRITER_UNSEEN, "short-lived or not seen", false},
		{".service", ".service", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char unit[WRITER_UNIT_MAX];
		bool is_slice;

		writer_unit_of(cases[i].path, unit, &is_slice);
		assert_string_equal(unit, cases[i].unit);
		assert_int_equal(is_slice, cases[i].is_slice);
	}
}

/* The first look counts nothing; what comes from then on is told once. */
static void test_processes(void **state)
{
	struct fixture *f = *state;

	put_process(f, 1, 0, 0, "init", 1000);
	put_process(f, 50, 1, 10, "old", 5000);
	put(f, "proc/50/cgroup", "0::/system.slice/old.service\n");
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	check_outcome(f, "process", OUTCOME_OK);
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(f->sink.n_rows, 0);

	put_io(f, 50, 0, 5300);
	put_process(f, 60, 1, 100, "young", 700);
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_PROCESS, "old"), 300);
	assert_string_equal(unit_of(f, "old"), "old.service");
	assert_int_equal(written_by(f, WRITER_PROCESS, "young"), 700);
	assert_int_equal(written_by(f, WRITER_PROCESS, "init"), -1);

	/* Nothing is lost at a new probe. */
	put_io(f, 50, 0, 5400);
	f->collector->close(f->state);
	assert_int_equal(f->collector->probe(f->hw, &f->probe, &f->state), 0);
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_PROCESS, "old"), 100);

	/* The number is another process's now. */
	put_process(f, 50, 1, 200, "other", 40);
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_PROCESS, "other"), 40);
	assert_int_equal(written_by(f, WRITER_PROCESS, "old"), -1);

	assert_int_equal(fixture_sample(f, WRITERS), 0);
	check_value(f, "process", "written", 1140);
	check_value(f, "process", "denied", 0);
}

/* The kernel adds the account of a child to its parent's when that waits for it. */
static void test_children(void **state)
{
	struct fixture *f = *state;

	put_process(f, 1, 0, 0, "init", 0);
	put_process(f, 10, 1, 5, "sh", 100);
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	assert_int_equal(fixture_sample(f, TOP), 0);

	put_process(f, 20, 10, 50, "dd", 8000);
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_PROCESS, "dd"), 8000);
	/* It has written 500 more, and sh has 30 of its own and 2000 of one that was never seen. */
	end_process(f, 20);
	put_io(f, 10, 0, 100 + 8500 + 30 + 2000);
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_PROCESS, "sh"), 2530);

	/* A parent that was read before it took the child over. */
	put_process(f, 21, 10, 60, "dd", 4000);
	assert_int_equal(fixture_sample(f, TOP), 0);
	end_process(f, 21);
	assert_int_equal(fixture_sample(f, TOP), 0);
	check_nobody(f);
	put_io(f, 10, 0, 100 + 8500 + 30 + 2000 + 4000 + 7);
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_PROCESS, "sh"), 7);

	/* One that never takes it over owes nothing for long. */
	put_process(f, 22, 10, 70, "dd", 4000);
	assert_int_equal(fixture_sample(f, TOP), 0);
	end_process(f, 22);
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(fixture_sample(f, TOP), 0);
	put_io(f, 10, 0, 100 + 8500 + 30 + 2000 + 4000 + 7 + 900);
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_PROCESS, "sh"), 900);

	/* Parent and child go between two looks: the first process has both now. */
	put_process(f, 23, 10, 80, "dd", 600);
	assert_int_equal(fixture_sample(f, TOP), 0);
	end_process(f, 23);
	end_process(f, 10);
	put_io(f, 1, 0, 100 + 8500 + 30 + 2000 + 4000 + 7 + 900 + 600);
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_PROCESS, "init"), -1);
}

struct count {
	size_t io, stat, cgroup;
};

static void count_read(void *arg, const char *path, bool contents)
{
	struct count *n = arg;
	const char *end = strrchr(path, '/');

	if (!contents || !end)
		return;
	n->io += !strcmp(end, "/io");
	n->stat += !strcmp(end, "/stat");
	n->cgroup += !strcmp(end, "/cgroup");
}

#define MANY 10000

/* One turn reads no more than it may, and memory holds those that have written. */
static void test_ten_thousand(void **state)
{
	struct fixture *f = *state;
	struct writer_processes_stats stats;
	struct count n = {0};

	for (int i = 1; i <= MANY; i++)
		put_process(f, i, 0, i, "many", 4096 + i);
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	hw_trace(f->hw, count_read, &n);
	for (int turn = 0; turn < 3; turn++) {
		n = (struct count){0};
		assert_int_equal(fixture_sample(f, TOP), 0);
		assert_true(n.io <= WRITER_PROCESSES_AT_ONCE && n.io > 0);
		assert_true(n.stat <= WRITER_PROCESSES_AT_ONCE);
	}
	writer_processes_get(writer_processes_of(f->hw), &stats);
	assert_true(stats.has_looked);
	assert_int_equal(stats.n_turns, 3);
	assert_int_equal(stats.n_seen, MANY);
	assert_true(stats.n_known <= WRITER_PROCESSES_MAX);
	assert_true(stats.n_forgotten > 0 && stats.n_known > WRITER_PROCESSES_MAX / 2);

	/* The largest are still told of, and those that are new; of the old ones that were
	 * forgotten nothing is made up. */
	put_process(f, MANY, 0, MANY, "large", INT64_C(1) << 40);
	put_process(f, MANY + 1, 0, MANY + 1, "new", 77777);
	n = (struct count){0};
	for (int turn = 0; turn < 3; turn++)
		assert_int_equal(fixture_sample(f, TOP), 0);
	assert_true(n.cgroup <= WRITER_TOP_MAX);
	assert_int_equal(written_by(f, WRITER_PROCESS, "new"), 77777);
	assert_int_equal(written_by(f, WRITER_PROCESS, "large"), (INT64_C(1) << 40) - 4096 - MANY);
	assert_int_equal(written_by(f, WRITER_PROCESS, "many"), -1);
}

/* Past the largest there is one row, and no byte is lost. */
static void test_others(void **state)
{
	struct fixture *f = *state;
	char name[32];
	int64_t sum = 0, wanted = 0;
	struct writer writer;

	put_process(f, 1, 0, 0, "init", 0);
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	assert_int_equal(fixture_sample(f, TOP), 0);
	for (int i = 2; i <= 300; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		put_process(f, i, 1, i, name, i * 1000);
		wanted += i * 1000;
	}
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(f->sink.n_rows, WRITER_TOP_MAX + 1);
	for (size_t i = 0; i < f->sink.n_rows; i++) {
		assert_int_equal(writer_of_row(&f->sink, f->sink.rows[i], &writer), 0);
		sum += writer.io.written;
	}
	assert_int_equal(sum, wanted);
	assert_int_equal(written_by(f, WRITER_PROCESS, "p300"), 300000);
	assert_int_equal(written_by(f, WRITER_PROCESS, "p2"), -1);
	assert_true(written_by(f, WRITER_PROCESS, WRITER_OTHERS) > 0);
}

static void put_group(const struct fixture *f, const char *path, const char *io_stat)
{
	char full[256];

	snprintf(full, sizeof(full), "sys/fs/cgroup/%s/io.stat", path);
	put(f, full, io_stat);
}

static void put_root(const struct fixture *f)
{
	put(f, "sys/fs/cgroup/cgroup.controllers", "cpu io memory pids\n");
	put(f, "sys/fs/cgroup/cgroup.subtree_control", "cpu io memory pids\n");
	put(f, "proc/diskstats",
	    "   8       0 sda 1 0 8 0 1 0 16 0 0 0 0\n 253 0 dm-0 1 0 8 0 1 0 16 0 0 0 0\n");
	put(f, "sys/block/sda/dev", "8:0\n");
	put(f, "sys/block/dm-0/dev", "253:0\n");
}

static void test_cgroups(void **state)
{
	struct fixture *f = *state;

	put_root(f);
	put_group(f, "system.slice", "8:0 rbytes=0 wbytes=1000 rios=0 wios=1\n");
	put_group(f, "system.slice/a.service", "8:0 rbytes=0 wbytes=600 rios=0 wios=1\n");
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	check_outcome(f, "cgroup", OUTCOME_OK);
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(f->sink.n_rows, 0);

	/* a 400, b 5000 which is new, 70 of a unit that came and went; dm-0 counts again at sda. */
	put_group(f, "system.slice",
		  "8:0 rbytes=0 wbytes=6470 rios=0 wios=1\n253:0 rbytes=0 wbytes=6470\n");
	put_group(f, "system.slice/a.service", "8:0 rbytes=9 wbytes=1000 rios=0 wios=1\n");
	put_group(f, "system.slice/b.service",
		  "8:0 rbytes=0 wbytes=5000\n253:0 rbytes=0 wbytes=5000\n");
	put(f, "proc/diskstats",
	    "   8       0 sda 1 0 8 0 1 0 56 0 0 0 0\n 253 0 dm-0 1 0 8 0 1 0 56 0 0 0 0\n");
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_CGROUP, "a.service"), 400);
	assert_int_equal(written_by(f, WRITER_CGROUP, "b.service"), 5000);
	assert_int_equal(written_by(f, WRITER_CGROUP, WRITER_UNSEEN), 70);
	assert_int_equal(written_by(f, WRITER_DEVICE, "sda"), 40 * 512);
	assert_int_equal(written_by(f, WRITER_DEVICE, "dm-0"), -1);

	/* A child that was read before its parent has less than that has by then; no byte twice. */
	put_group(f, "system.slice/b.service", "8:0 rbytes=0 wbytes=5300\n");
	put_group(f, "system.slice", "8:0 rbytes=0 wbytes=6470\n");
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_CGROUP, "b.service"), 300);
	put_group(f, "system.slice", "8:0 rbytes=0 wbytes=6770\n");
	assert_int_equal(fixture_sample(f, TOP), 0);
	check_nobody(f);

	/* What a unit writes after its last look stays with the slice. */
	take_away(f, "sys/fs/cgroup/system.slice/b.service");
	put_group(f, "system.slice", "8:0 rbytes=0 wbytes=6800\n");
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_CGROUP, WRITER_UNSEEN), 30);
	assert_string_equal(unit_of(f, WRITER_UNSEEN), "/system.slice");
}

/* Garbage, an empty file, and more groups than there is room for. */
static void test_cgroups_hostile(void **state)
{
	struct fixture *f = *state;
	struct writer_cgroups_stats stats;
	char name[64];

	put_root(f);
	put_group(f, "a", "");
	put_group(
		f, "b",
		"8:0 rbytes=-1 wbytes=5\nrubbish\n8:0 wbytes=\n99999999999:0 rbytes=1 wbytes=1\n");
	for (int i = 0; i < WRITER_CGROUPS_MAX + 20; i++) {
		snprintf(name, sizeof(name), "many/g%d", i);
		put_group(f, name, "8:0 rbytes=0 wbytes=0\n");
	}
	put_group(f, "many", "8:0 rbytes=0 wbytes=0\n");
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(fixture_sample(f, TOP), 0);
	check_nobody(f);
	writer_cgroups_get(writer_cgroups_of(f->hw), &stats);
	assert_int_equal(stats.n_known, WRITER_CGROUPS_MAX);
	assert_int_equal(stats.n_left_out, 23);
}

#define SLID 600

static void take_group(const struct fixture *f, const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "sys/fs/cgroup/%s", path);
	take_away(f, full);
}

/* Past the room there is, one that slides in is as old as the others, and so is one that nobody
 * looked at; only a whole look before tells that a group is new. */
static void test_cgroups_slide_in(void **state)
{
	struct fixture *f = *state;
	struct writer_cgroups_stats stats;
	char name[64], path[512];
	int removed = 0;

	put_root(f);
	for (int i = 0; i < SLID; i++) {
		snprintf(name, sizeof(name), "g%d", i);
		put_group(f, name, "8:0 rbytes=0 wbytes=1000000\n");
	}
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	assert_int_equal(fixture_sample(f, TOP), 0);
	/* Whichever they are in the order of the directory: some were known, some slide in. */
	for (int i = 0; i < SLID; i += 10) {
		snprintf(name, sizeof(name), "g%d", i);
		take_group(f, name);
		removed++;
		if (i % 100)
			continue;
		assert_int_equal(fixture_sample(f, TOP), 0);
		check_nobody(f);
	}
	assert_int_equal(removed, 60);
	for (int i = 1; i < SLID && removed < 120; i += 10, removed++) {
		snprintf(name, sizeof(name), "g%d", i);
		take_group(f, name);
	}
	assert_int_equal(fixture_sample(f, TOP), 0);
	check_nobody(f);

	/* All are known now: what is new is news again, and those that slid in go on. */
	put_group(f, "new", "8:0 rbytes=0 wbytes=300\n");
	for (int i = 0; i < SLID; i++) {
		snprintf(name, sizeof(name), "g%d", i);
		snprintf(path, sizeof(path), "%s/sys/fs/cgroup/%s", f->root, name);
		if (access(path, F_OK) == 0)
			put_group(f, name, "8:0 rbytes=0 wbytes=1000005\n");
	}
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_CGROUP, "new"), 300);
	writer_cgroups_get(writer_cgroups_of(f->hw), &stats);
	assert_int_equal(stats.io.written, 300 + (SLID - removed) * 5);
	assert_int_equal(stats.n_left_out, 0);
}

/* A look at a tree that cannot be listed is none, and the next goes on from the one before. */
static void test_cgroups_unlisted(void **state)
{
	struct fixture *f = *state;
	char from[512], to[512];

	put_root(f);
	put_group(f, "a", "8:0 rbytes=0 wbytes=1000000\n");
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	assert_int_equal(fixture_sample(f, TOP), 0);
	snprintf(from, sizeof(from), "%s/sys/fs/cgroup", f->root);
	snprintf(to, sizeof(to), "%s/sys/fs/gone", f->root);
	assert_int_equal(rename(from, to), 0);
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(f->sink.n_rows, 0);
	assert_int_equal(rename(to, from), 0);
	put_group(f, "a", "8:0 rbytes=0 wbytes=1000070\n");
	put_group(f, "b", "8:0 rbytes=0 wbytes=9\n");
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_CGROUP, "a"), 70);
	assert_int_equal(written_by(f, WRITER_CGROUP, "b"), 9);

	/* One whose account could not be read for once goes on where it was. */
	take_away(f, "sys/fs/cgroup/b/io.stat");
	put(f, "sys/fs/cgroup/b/io.stat/x", "");
	assert_int_equal(fixture_sample(f, TOP), 0);
	take_away(f, "sys/fs/cgroup/b/io.stat");
	put_group(f, "b", "8:0 rbytes=0 wbytes=20\n");
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_CGROUP, "b"), 11);
}

static void test_users(void **state)
{
	struct fixture *f = *state;

	put(f, "proc/uid_io/stats", "0 0 0 0 100 0 0 0 100 0 0\n10057 0 0 0 1000 0 0 0 0 0 0\n");
	put(f, "data/system/packages.list",
	    "com.example.a 10057 0 /data/user/0/a default none\n"
	    "com.example.b 10057 0 /data/user/0/b default none\nrubbish\n");
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	check_outcome(f, "uid", OUTCOME_OK);
	check_outcome(f, "process", OUTCOME_NO_NODE);
	assert_int_equal(fixture_sample(f, TOP), 0);
	put(f, "proc/uid_io/stats",
	    "0 0 0 0 100 0 0 0 150 0 0\ntask,x:y,1,0,0,0,0,0,0,0,0,0,0\n"
	    "10057 0 0 0 1500 0 0 0 500 2 1\n1010057 0 0 0 7 0 0 0 0 0 0\n");
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(written_by(f, WRITER_UID, "com.example.a +1"), 1000);
	assert_int_equal(written_by(f, WRITER_UID, "com.example.a +1 (user 10)"), 7);
	/* Numbers have no names. */
	assert_int_equal(written_by(f, WRITER_UID, ""), 50);
	check_value(f, "uid 10057", "syncs", 3);
	check_absent(f, "uid 10057", "cancelled");
}

static void test_says_what_is_missing(void **state)
{
	struct fixture *f = *state;

	/* Processes without an account, a controller that was not handed down. */
	put(f, "proc/1/stat", "1 (init) S 0");
	put(f, "proc/version", "Linux version 6.1.0\n");
	put(f, "sys/fs/cgroup/cgroup.controllers", "cpu io\n");
	put(f, "sys/fs/cgroup/cgroup.subtree_control", "cpu\n");
	assert_int_equal(fixture_probe(f, "writers", false), -ENOENT);
	/* One is only switched off, so that is what can be done. */
	check_outcome(f, "", OUTCOME_DISABLED);
	assert_non_null(strstr(item_of(f, "")->reason, "who writes: process: "));
	assert_non_null(strstr(item_of(f, "")->reason, "; cgroup: "));
	assert_non_null(strstr(item_of(f, "")->reason, "; uid: only kernels of Android have"));
	assert_null(strchr(item_of(f, "")->reason, '('));
	assert_string_equal(item_of(f, "")->advice, item_of(f, "cgroup")->advice);
	check_outcome(f, "process", OUTCOME_NO_NODE);
	check_outcome(f, "cgroup", OUTCOME_DISABLED);
	assert_non_null(strstr(item_of(f, "process")->advice, "CONFIG_TASK_IO_ACCOUNTING"));
	assert_non_null(strstr(item_of(f, "cgroup")->advice, "DefaultIOAccounting"));

	put(f, "sys/fs/cgroup/cgroup.controllers", "cpu\n");
	put(f, "sys/fs/cgroup/blkio/tasks", "");
	put(f, "proc/uid_io/stats", "0 0 0 0 100 0 0 0 150 0 0\n");
	put(f, "ERRORS", "proc/1/io\tread\tEACCES\n");
	put_io(f, 1, 0, 0);
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	check_outcome(f, "cgroup", OUTCOME_DISABLED);
	assert_non_null(strstr(item_of(f, "cgroup")->reason, "version 1"));
	check_outcome(f, "process", OUTCOME_OK);
	assert_non_null(strstr(item_of(f, "process")->advice, "CAP_SYS_PTRACE"));
	assert_int_equal(fixture_sample(f, TOP), 0);
	assert_int_equal(fixture_sample(f, TOP), 0);
	/* Of an account that nobody may read it is not known that nobody wrote. */
	assert_int_equal(written_by(f, WRITER_PROCESS, WRITER_OTHERS), -1);
	assert_int_equal(written_by(f, WRITER_UID, WRITER_OTHERS), 0);
	assert_int_equal(fixture_sample(f, WRITERS), 0);
	check_value(f, "process", "denied", 1);
}

/* Each process is asked about by itself: a policy may guard the first one from root. */
static void test_says_whose_account_may_be_read(void **state)
{
	struct fixture *f = *state;
	const struct probe_item *item;

	put_io(f, 1, 0, 0);
	put_io(f, 2, 0, 0);
	put_io(f, 3, 0, 0);
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	check_reason(f, "process", "/proc/PID/io");
	assert_string_equal(item_of(f, "process")->advice, "");

	put(f, "ERRORS", "proc/1/io\tread\tEACCES\n");
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	item = item_of(f, "process");
	assert_non_null(strstr(item->reason, "of 2 processes; that of 1 may not"));
	assert_non_null(strstr(item->advice, "SELinux"));

	put(f, "ERRORS",
	    "proc/1/io\tread\tEACCES\nproc/2/io\tread\tEPERM\nproc/3/io\tread\tEACCES\n");
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	item = item_of(f, "process");
	assert_non_null(strstr(item->reason, "of 3 processes none"));
	assert_null(strstr(item->advice, "SELinux"));

	take_away(f, "ERRORS");
	take_away(f, "proc/1");
	assert_int_equal(fixture_probe(f, "writers", false), 0);
	assert_non_null(strstr(item_of(f, "process")->advice, "hidepid"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parses_io),
		cmocka_unit_test(test_parses_stat),
		cmocka_unit_test(test_parses_lines),
		cmocka_unit_test(test_names_units),
		cmocka_unit_test_setup_teardown(test_processes, start, end),
		cmocka_unit_test_setup_teardown(test_children, start, end),
		cmocka_unit_test_setup_teardown(test_ten_thousand, start_in_memory, end),
		cmocka_unit_test_setup_teardown(test_others, start, end),
		cmocka_unit_test_setup_teardown(test_cgroups, start, end),
		cmocka_unit_test_setup_teardown(test_cgroups_hostile, start, end),
		cmocka_unit_test_setup_teardown(test_cgroups_slide_in, start_in_memory, end),
		cmocka_unit_test_setup_teardown(test_cgroups_unlisted, start, end),
		cmocka_unit_test_setup_teardown(test_users, start, end),
		cmocka_unit_test_setup_teardown(test_says_what_is_missing, start, end),
		cmocka_unit_test_setup_teardown(test_says_whose_account_may_be_read, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
