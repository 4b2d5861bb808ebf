/* The store from tick to file: commits, folds, boots, nodes that come again, texts and flags. */
/* label: long single */
#include "tests/support/store_world.h"

#define HOUR_MS INT64_C(3600000)

static void run_ticks(struct store *store, int64_t from_ms, int64_t to_ms, size_t n_nodes)
{
	struct sink sink;

	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = from_ms; t < to_ms; t += 1000) {
		world_tick(store, &sink, t, n_nodes);
		if (t % 60000 == 59000)
			assert_int_equal(store_commit(store, t, false), 0);
	}
	sink_done(&sink);
}

static void assert_ticks(struct store *store, int64_t boot, int64_t from_ms, int64_t to_ms)
{
	struct reader *reader = world_reader(store);
	struct world_seen seen = {.next_ms = from_ms};

	world_check(reader, boot, INT64_MIN / 2, INT64_MAX / 2, &seen);
	assert_int_equal(seen.n_bad, 0);
	assert_int_equal(seen.n_ticks, (to_ms - from_ms) / 1000);
	reader_close(reader);
}

static void assert_shell(const char *sql, const char *expected)
{
	char answer[8192];

	world_shell(sql, answer, sizeof(answer));
	assert_string_equal(answer, expected);
}

static void one_history(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");
	int64_t end_ms = 2 * HOUR_MS + 90000;
	struct store_status status;

	(void)state;
	run_ticks(store, 1000, end_ms, 2);
	assert_ticks(store, 1, 1000, end_ms);
	assert_int_equal(store_commit(store, end_ms, true), 0);
	assert_ticks(store, 1, 1000, end_ms);
	assert_ticks(NULL, 1, 1000, end_ms);
	store_get_status(store, &status);
	assert_true(status.attached);
	assert_string_equal(status.error, "");
	assert_int_equal(status.wal_bytes, 0);
	assert_int_equal(status.n_dropped_ticks, 0);
	assert_shell("SELECT count(*), sum(reads)=sum(t/1000*3+(t/1000%7=0)), max(t), min(t0),"
		     " sum(temp IS NULL)=sum(t/1000%11=5) FROM disk WHERE node='sd0'",
		     "7289|1|7289000|1000|1");
	assert_shell("SELECT n FROM disk_chunk WHERE node=1 ORDER BY id", "3599\n3600");
	assert_shell("PRAGMA integrity_check", "ok");
	assert_shell("SELECT count(*), count(DISTINCT node), max(t) FROM disk_last",
		     "180|2|7289000");
	assert_shell("SELECT grp,node,field,value FROM infos",
		     "disk|sd0|model|X-1\ndisk|sd1|model|X-1");
	assert_shell("SELECT wall FROM disk WHERE node='sd0' AND t0=1000 LIMIT 1",
		     "2026-09-21T14:13:21.000Z");
}

static void memory_only(void **state)
{
	struct store_options options = world_options("boot-a");
	CLEANUP(store_closep) struct store *store = NULL;
	struct store_status status;
	char path[128];
	struct sink sink;

	(void)state;
	snprintf(path, sizeof(path), "%s/missing/a.db", world_folder);
	options.path = path;
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t < 200000; t += 1000) {
		world_tick(store, &sink, t, 1);
		if (t % 60000 == 0)
			assert_true(store_commit(store, t, false) < 0);
	}
	store_get_status(store, &status);
	assert_false(status.attached);
	assert_true(status.n_failed_commits > 0);
	assert_true(strlen(status.error) > 0);
	assert_true(status.tail_bytes > 0);
	assert_ticks(store, 0, 1000, 200000);
	/* The folder appears: all that waited is written. */
	snprintf(path, sizeof(path), "%s/missing", world_folder);
	char command[160];
	snprintf(command, sizeof(command), "mkdir %s", path);
	assert_int_equal(system(command), 0);
	assert_int_equal(store_commit(store, 200000, true), 0);
	store_get_status(store, &status);
	assert_true(status.attached);
	assert_int_equal(status.boot, 1);
	snprintf(world_path, sizeof(world_path), "%s/missing/a.db", world_folder);
	assert_ticks(store, 1, 1000, 200000);
	assert_ticks(NULL, 1, 1000, 200000);
	sink_done(&sink);
}

static void two_boots(void **state)
{
	struct store *store = world_open("boot-a");
	struct boot boots[4];
	CLEANUP(reader_closep) struct reader *reader = NULL;

	(void)state;
	run_ticks(store, 1000, 120000, 1);
	store_close(store);
	/* The same boot, after a crash of the program alone: nothing but committed ticks is there.
	 */
	store = world_open("boot-a");
	run_ticks(store, 120000, 240000, 1);
	assert_ticks(store, 1, 1000, 240000);
	store_close(store);
	store = world_open("boot-b");
	run_ticks(store, 1000, 180000, 1);
	assert_ticks(store, 1, 1000, 240000);
	assert_ticks(store, 2, 1000, 180000);
	store_wall_offset(store, 180000, WALL_OFFSET_MS + 5000);
	assert_int_equal(store_commit(store, 180000, true), 0);
	reader = world_reader(store);
	assert_int_equal(reader_boots(reader, boots, 4), 2);
	assert_string_equal(boots[0].boot_id, "boot-a");
	assert_int_equal(boots[0].first_ms, 1000);
	assert_int_equal(boots[0].last_ms, 239000);
	assert_false(boots[0].current);
	assert_true(boots[1].current);
	assert_int_equal(boots[1].last_ms, 179000);
	assert_int_equal(boots[1].wall_offset_ms, WALL_OFFSET_MS + 5000);
	store_close(store);
	assert_shell("SELECT boot, count(*), max(wall) FROM disk GROUP BY boot",
		     "1|239|2026-09-21T14:17:19.000Z\n2|179|2026-09-21T14:16:24.000Z");
}

static int count_came_and_went(const struct event *event, const struct boot *boot, void *arg)
{
	int *n = arg;

	(void)boot;
	if (!strcmp(event->kind, "node_came"))
		n[0]++;
	if (!strcmp(event->kind, "node_went"))
		n[1]++;
	return 0;
}

static int count_gone(const struct latest_row *row, void *arg)
{
	*(int *)arg += row->gone;
	return 0;
}

static void node_comes_again(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");
	CLEANUP(reader_closep) struct reader *reader = NULL;
	struct world_seen seen = {.next_ms = 1000};
	int n[2] = {0}, gone = 0;

	(void)state;
	run_ticks(store, 1000, 70000, 1);
	run_ticks(store, 70000, 130000, 0);
	assert_int_equal(store_latest(store, count_gone, &gone), 0);
	assert_int_equal(gone, 1);
	run_ticks(store, 130000, 190000, 1);
	reader = world_reader(store);
	world_check(reader, 1, 0, 1000000, &seen);
	assert_int_equal(seen.n_ticks, 129);
	assert_int_equal(seen.n_fresh, 1);
	assert_int_equal(reader_events(reader, 0, INT64_MAX, 100, count_came_and_went, n), 0);
	assert_int_equal(n[0], 1);
	assert_int_equal(n[1], 1);
	assert_int_equal(store_commit(store, 190000, true), 0);
	assert_shell("SELECT name, run, gone, first_ms FROM node ORDER BY run",
		     "sd0|1|1|1000\nsd0|2|0|130000");
	assert_shell("SELECT kind, node FROM events", "node_went|sd0\nnode_came|sd0");
}

static void slow_tick(struct store *store, int64_t t_ms)
{
	struct sink sink;

	assert_int_equal(sink_init(&sink), 0);
	sink_reset(&sink, &world_groups[1]);
	row_set(sink_row(&sink, "sd0", "id0"), 0, 1);
	store_add(store, &world_groups[1], t_ms, 0, 1000, &sink);
	sink_done(&sink);
}

/* A node that was away between two samples, of which only a probe knows, is another run in all
 * groups; said once. */
static void node_away_between_samples(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");
	int gone = 0;

	(void)state;
	run_ticks(store, 1000, 60000, 2);
	slow_tick(store, 60000);
	store_gone(store, &world_collector, "sd0", 60400);
	store_gone(store, &world_collector, "sd0", 60500);
	store_gone(store, &world_collector, "sd7", 60500);
	assert_int_equal(store_latest(store, count_gone, &gone), 0);
	assert_int_equal(gone, 2);
	run_ticks(store, 61000, 120000, 2);
	slow_tick(store, 120000);
	gone = 0;
	assert_int_equal(store_latest(store, count_gone, &gone), 0);
	assert_int_equal(gone, 0);
	assert_int_equal(store_commit(store, 120000, true), 0);
	assert_shell("SELECT name, run, gone, first_ms FROM node ORDER BY name, run",
		     "sd0|1|1|1000\nsd0|2|0|61000\nsd1|1|0|1000");
	assert_shell("SELECT kind, node, t FROM event ORDER BY id",
		     "node_went|sd0|60400\nnode_came|sd0|61000");
}

/* One tick; nodes are "NAME=IDENTITY NAME=IDENTITY". */
static void tick_of(struct store *store, int64_t t_ms, const char *nodes)
{
	char buf[256], *rest = buf, *word;
	struct sink sink;

	assert_int_equal(sink_init(&sink), 0);
	sink_reset(&sink, &world_groups[0]);
	snprintf(buf, sizeof(buf), "%s", nodes);
	while ((word = strsep(&rest, " ")) && *word) {
		char *name = strsep(&word, "=");

		row_set(sink_row(&sink, name, word), READS, t_ms);
	}
	store_add(store, &world_groups[0], t_ms, 0, 1000, &sink);
	sink_done(&sink);
}

struct series_seen {
	char text[256];
};

static int note_series(const struct series_key *key, const struct boot *boot, void *arg)
{
	struct series_seen *seen = arg;
	size_t len = strlen(seen->text);

	(void)boot;
	snprintf(seen->text + len, sizeof(seen->text) - len, "%s=%s ", key->node, key->identity);
	return 0;
}

static void assert_series(struct store *store, const char *node, const char *expected)
{
	CLEANUP(reader_closep) struct reader *reader = world_reader(store);
	struct series_seen seen = {0};

	assert_int_equal(
		reader_series(reader, &world_groups[0], node, 0, INT64_MAX, note_series, &seen), 0);
	assert_string_equal(seen.text, expected);
}

/* What a device keeps is its identity: under another name it goes on with its next run, another
 * device under its name begins at 1, and two ways to one device are both there. */
static void a_device_keeps_its_identity(void **state)
{
	static const struct {
		const char *ticks[4]; /* one each second; "" is a second without nodes */
		int commit_after;     /* a tick, besides the one at the end */
		const char *nodes, *events;
	} rows[] = {
		{{"sda=A", "", "sdb=A"},
		 9,
		 "sda|A|1|1\nsdb|A|2|0",
		 "node_went|sda|\nnode_came|sdb|{\"before\":\"sda\"}"},
		{{"sda=A", "", "sdb=A"},
		 1,
		 "sda|A|1|1\nsdb|A|2|0",
		 "node_went|sda|\nnode_came|sdb|{\"before\":\"sda\"}"},
		/* From one tick to the next */
		{{"sda=A", "sdb=A"},
		 0,
		 "sda|A|1|1\nsdb|A|2|0",
		 "node_came|sdb|{\"before\":\"sda\"}\nnode_went|sda|"},
		/* And back again */
		{{"sda=A", "sdb=A", "", "sda=A"},
		 1,
		 "sda|A|1|1\nsdb|A|2|1\nsda|A|3|0",
		 "node_came|sdb|{\"before\":\"sda\"}\nnode_went|sda|\nnode_went|sdb|\n"
		 "node_came|sda|{\"before\":\"sdb\"}"},
		/* The same name, another device */
		{{"sda=A", "sda=B"}, 0, "sda|A|1|1\nsda|B|1|0", "node_came|sda|\nnode_went|sda|"},
		{{"sda=A", "", "sda=B", "sda=B"},
		 9,
		 "sda|A|1|1\nsda|B|1|0",
		 "node_went|sda|\nnode_came|sda|"},
		/* Two that change places */
		{{"sda=A sdb=B", "sda=B sdb=A"},
		 0,
		 "sda|A|1|1\nsdb|B|1|1\nsda|B|2|0\nsdb|A|2|0",
		 "node_came|sda|{\"before\":\"sdb\"}\nnode_came|sdb|{\"before\":\"sda\"}\n"
		 "node_went|sda|\nnode_went|sdb|"},
		/* Two paths to one device, of which one goes and comes back */
		{{"sda=A", "sda=A sdb=A", "sda=A", "sda=A sdb=A"},
		 9,
		 "sda|A|1|0\nsdb|A|1|1\nsdb|A|2|0",
		 "node_came|sdb|\nnode_went|sdb|\nnode_came|sdb|"},
		/* Without an identity the name is all there is. */
		{{"sda=", "", "sdb="}, 9, "sda||1|1\nsdb||1|0", "node_went|sda|\nnode_came|sdb|"},
		{{"sda=", "", "sda="}, 0, "sda||1|1\nsda||2|0", "node_went|sda|\nnode_came|sda|"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CLEANUP(store_closep) struct store *store = world_open("boot-a");

		for (int k = 0; k < 4 && rows[i].ticks[k]; k++) {
			tick_of(store, 1000 * (k + 1), rows[i].ticks[k]);
			if (k == rows[i].commit_after)
				assert_int_equal(store_commit(store, 1000 * (k + 1), false), 0);
		}
		assert_int_equal(store_commit(store, 9000, true), 0);
		assert_shell("SELECT name, identity, run, gone FROM node ORDER BY run, id",
			     rows[i].nodes);
		assert_shell("SELECT kind, node, evidence FROM event ORDER BY id", rows[i].events);
		unlink(world_path);
	}
}

static void a_device_is_found_by_its_identity(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");

	(void)state;
	tick_of(store, 1000, "sda=A sdb=B");
	tick_of(store, 2000, "sda=A sdb=B");
	assert_int_equal(store_commit(store, 2000, false), 0);
	tick_of(store, 3000, "sda=B sdc=A");
	assert_series(store, "A", "sda=A sdc=A ");
	assert_series(store, "sda", "sda=A sda=B ");
	assert_series(store, "B", "sda=B sdb=B ");
	assert_series(store, "", "sda=A sda=B sdb=B sdc=A ");
	assert_series(store, "C", "");
}

static int note_node(const struct node_info *node, void *arg)
{
	struct series_seen *seen = arg;
	size_t len = strlen(seen->text);

	snprintf(seen->text + len, sizeof(seen->text) - len, "%s.%d ", node->name, (int)node->run);
	return 0;
}

/* Of file and memory alike. */
static void nodes_stand_by_their_numbers(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");
	CLEANUP(reader_closep) struct reader *reader = NULL;
	struct series_seen seen = {0};

	(void)state;
	tick_of(store, 1000, "nvme0n10= nvme10n1= nvme0n2=");
	tick_of(store, 2000, "nvme0n10= nvme10n1=");
	assert_int_equal(store_commit(store, 2000, false), 0);
	tick_of(store, 3000, "nvme0n1= nvme2n1= nvme0n2= nvme0n10=");
	reader = world_reader(store);
	assert_int_equal(reader_nodes(reader, NULL, note_node, &seen), 0);
	assert_string_equal(seen.text,
			    "nvme0n1.1 nvme0n2.1 nvme0n2.2 nvme0n10.1 nvme2n1.1 nvme10n1.1 ");
}

/* A zone whose sensor hangs: not even its type can be read then. */
static void identity_unknown(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");
	struct sink sink;

	(void)state;
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= 9000; t += 1000) {
		sink_reset(&sink, &world_groups[0]);
		struct row *row = sink_row(&sink, "sd0", t > 3000 && t < 7000 ? "" : "id0");

		if (t > 3000 && t < 7000)
			row_fault(row, READS, -ETIMEDOUT);
		else
			row_set(row, READS, t);
		store_add(store, &world_groups[0], t, 0, 1000, &sink);
	}
	sink_done(&sink);
	assert_int_equal(store_commit(store, 9000, true), 0);
	assert_shell("SELECT name, identity, run, gone FROM node", "sd0|id0|1|0");
	assert_shell("SELECT count(*) FROM events", "0");
}

static void gaps_and_lateness(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");
	struct sink sink;

	(void)state;
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t < 50000; t += 1000) {
		sink_reset(&sink, &world_groups[0]);
		row_set(sink_row(&sink, "sd0", "id0"), READS, t);
		if (t < 10000 || t > 20000)
			store_add(store, &world_groups[0], t, t == 30000 ? 250 : 3, 1000, &sink);
	}
	sink_done(&sink);
	assert_int_equal(store_commit(store, 50000, true), 0);
	assert_shell("SELECT count(*), sum(reads), max(t) FROM disk", "38|1060000|49000");
	assert_shell("SELECT t, reads FROM disk WHERE t%1000>0", "30250|30000");
}

/* The grid moves by half a step, and the step changes: a chunk knows one grid only. */
static void other_grids(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");
	CLEANUP(reader_closep) struct reader *reader = NULL;
	struct series_key key = {.boot = 1, .node = "sd0", .identity = ""};
	const size_t field = READS;
	struct cursor *cursor;
	struct span span;
	int64_t expected_ms = 1000, step_ms = 1000, n = 0;
	char expected[64];
	struct sink sink;

	(void)state;
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t < 2 * HOUR_MS;
	     t += t == 300000 || t == 1800000 ? step_ms + 500 : step_ms) {
		step_ms = t > HOUR_MS - 600000 ? 2000 : 1000;
		sink_reset(&sink, &world_groups[0]);
		row_set(sink_row(&sink, "sd0", ""), READS, t);
		store_add(store, &world_groups[0], t, 0, step_ms, &sink);
		n++;
		if (t % 60000 < step_ms)
			assert_int_equal(store_commit(store, t, false), 0);
	}
	sink_done(&sink);
	assert_int_equal(store_commit(store, 2 * HOUR_MS, true), 0);
	snprintf(expected, sizeof(expected), "%jd|%jd", (intmax_t)n, (intmax_t)n);
	assert_shell("SELECT count(*), sum(t=reads) FROM disk", expected);
	reader = world_reader(store);
	assert_int_equal(
		cursor_open(reader, &world_groups[0], &key, &field, 1, 0, INT64_MAX, &cursor), 0);
	while (cursor_next(cursor, &span) > 0) {
		for (size_t i = 0; i < span.n; i++, n--) {
			assert_int_equal(span.values[0][i], span.t0_ms + (int64_t)i * span.step_ms);
			assert_true(span.values[0][i] >= expected_ms);
			expected_ms = span.values[0][i] + 1;
		}
	}
	cursor_close(cursor);
	assert_int_equal(n, 0);
}

static int last_flag(const struct info_record *record, void *arg)
{
	snprintf(arg, 64, "%s %s=%s", record->node, record->field, record->value);
	return 0;
}

static void flags(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");
	CLEANUP(reader_closep) struct reader *reader = NULL;
	struct series_key key = {.boot = 1, .node = "sd0", .identity = "id0"};
	const size_t field = TEMP;
	struct cursor *cursor;
	struct span span;
	struct sink sink;
	char last[64] = "";
	size_t flagged = 0, n = 0;

	(void)state;
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= 100000; t += 1000) {
		sink_reset(&sink, &world_groups[0]);
		struct row *row = sink_row(&sink, "sd0", "id0");

		row_set(row, TEMP, t);
		if ((t > 40000 && t <= 50000) || t > 95000)
			row_flag(row, TEMP, FLAG_IMPLAUSIBLE);
		store_add(store, &world_groups[0], t, 0, 1000, &sink);
		if (t == 60000)
			assert_int_equal(store_commit(store, t, false), 0);
	}
	sink_done(&sink);
	reader = world_reader(store);
	assert_int_equal(cursor_open(reader, &world_groups[0], &key, &field, 1, 0, 200000, &cursor),
			 0);
	while (cursor_next(cursor, &span) > 0) {
		n += span.n;
		flagged += span.flag[0] == FLAG_IMPLAUSIBLE ? span.n : 0;
	}
	cursor_close(cursor);
	assert_int_equal(n, 100);
	assert_int_equal(flagged, 15);
	assert_int_equal(reader_infos(reader, INFO_FLAGS, last_flag, last), 0);
	assert_string_equal(last, "sd0 temp=");
}

static void tick_of_temp(struct store *store, struct sink *sink, int64_t t, int error)
{
	sink_reset(sink, &world_groups[0]);
	struct row *row = sink_row(sink, "sd0", "id0");

	row_set(row, READS, t);
	if (error)
		row_fault(row, TEMP, error);
	else
		row_set(row, TEMP, t);
	store_add(store, &world_groups[0], t, 0, 1000, sink);
}

/* A value that failed is told from one that is absent; a fault ends when the value comes, or the
 * next run of the program. */
static void faults(void **state)
{
	struct store *store = world_open("boot-a");
	CLEANUP(reader_closep) struct reader *reader = NULL;
	char last[64] = "";
	struct sink sink;

	(void)state;
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= 9000; t += 1000)
		tick_of_temp(store, &sink, t, t < 3000 ? EINVAL : t < 5000 ? 0 : EIO);
	assert_int_equal(store_commit(store, 9000, false), 0);
	store_close(store);
	assert_shell("SELECT t, grp, node, field, error FROM faults",
		     "1000|disk|sd0|temp|EINVAL\n3000|disk|sd0|temp|\n5000|disk|sd0|temp|EIO");
	store = world_open("boot-a");
	tick_of_temp(store, &sink, 20000, 0);
	assert_int_equal(store_commit(store, 20000, false), 0);
	assert_shell("SELECT t, error FROM faults WHERE t > 5000", "20000|");
	tick_of_temp(store, &sink, 21000, EIO);
	assert_int_equal(store_commit(store, 21000, true), 0);
	store_close(store);
	sink_done(&sink);
	reader = world_reader(NULL);
	assert_int_equal(reader_infos(reader, INFO_FAULTS, last_flag, last), 0);
	assert_string_equal(last, "sd0 temp=EIO");
}

static void tick_of_model(struct store *store, struct sink *sink, int64_t t, const char *model,
			  int error)
{
	sink_reset(sink, &world_groups[0]);
	struct row *row = sink_row(sink, "sd0", "id0");

	row_set(row, READS, t);
	if (error)
		row_fault(row, MODEL, error);
	else if (model)
		row_text(sink, row, MODEL, model);
	store_add(store, &world_groups[0], t, 0, 1000, sink);
}

/* A text that ends is written as ended, also by the next run of the program; the same one is
 * written again when it comes back. What cannot be read has not ended. */
static void texts_end(void **state)
{
	struct store *store = world_open("boot-a");
	struct sink sink;

	(void)state;
	assert_int_equal(sink_init(&sink), 0);
	tick_of_model(store, &sink, 1000, NULL, 0);
	tick_of_model(store, &sink, 2000, "not live", 0);
	tick_of_model(store, &sink, 3000, NULL, EIO);
	tick_of_model(store, &sink, 4000, "not live", 0);
	tick_of_model(store, &sink, 5000, NULL, 0);
	tick_of_model(store, &sink, 6000, NULL, 0);
	tick_of_model(store, &sink, 7000, "not live", 0);
	assert_int_equal(store_commit(store, 8000, false), 0);
	store_close(store);
	assert_shell("SELECT t, value FROM infos", "2000|not live\n5000|\n7000|not live");
	store = world_open("boot-a");
	tick_of_model(store, &sink, 20000, NULL, 0);
	tick_of_model(store, &sink, 21000, NULL, 0);
	assert_int_equal(store_commit(store, 22000, true), 0);
	store_close(store);
	sink_done(&sink);
	assert_shell("SELECT t, value FROM infos WHERE t > 7000", "20000|");
}

/* A field that fails and works by turns does not push infos out. */
static void fault_flood(void **state)
{
	struct store *store = world_open("boot-a");
	struct store_status status;
	struct sink sink;

	(void)state;
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= 4000000; t += 1000)
		tick_of_temp(store, &sink, t, t / 1000 % 2 ? EIO : 0);
	store_get_status(store, &status);
	assert_int_equal(status.n_dropped_events, 0);
	assert_int_equal(store_commit(store, 4000000, true), 0);
	tick_of_temp(store, &sink, 4001000, EROFS);
	assert_int_equal(store_commit(store, 4001000, true), 0);
	sink_done(&sink);
	store_close(store);
	assert_shell("SELECT count(*) BETWEEN 100 AND 600 FROM fault; SELECT error FROM fault"
		     " ORDER BY id DESC LIMIT 1",
		     "1\nEROFS");
}

static int last_mark(const struct mark *mark, const struct boot *boot, void *arg)
{
	(void)boot;
	*(struct mark *)arg = *mark;
	return 0;
}

/* A commit takes one slot here. After a fold those come first that the journal alone has had since
 * its last checkpoint, each sixth commit: what was on them need not be moved into the file any
 * more. */
static void slots_of_the_journal(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");

	(void)state;
	run_ticks(store, 1000, HOUR_MS, 2);
	assert_shell("SELECT min(slot),max(slot) FROM tail,meta WHERE seq>folded", "1|60");
	run_ticks(store, HOUR_MS, HOUR_MS + 60000, 2);
	assert_shell("SELECT min(slot),max(slot) FROM tail,meta WHERE seq>folded", "56|56");
	/* Behind the last slot stands the first one. */
	run_ticks(store, HOUR_MS + 60000, 2 * HOUR_MS, 2);
	assert_shell("SELECT count(*),sum(slot<20),sum(slot>55) FROM tail,meta WHERE seq>folded",
		     "60|19|41");
	run_ticks(store, 2 * HOUR_MS, 2 * HOUR_MS + 60000, 2);
	assert_shell("SELECT min(slot),max(slot) FROM tail,meta WHERE seq>folded", "15|15");
	assert_ticks(store, 1, 1000, 2 * HOUR_MS + 60000);
}

/* The views of boots and nodes are right after each commit, not after a fold alone. */
static void spans_in_views(void **state)
{
	struct store *store = world_open("boot-a");
	struct sink sink;

	(void)state;
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= 120000; t += 1000) {
		world_tick(store, &sink, t, t > 60000 ? 1 : 2);
		if (t % 60000 == 0)
			assert_int_equal(store_commit(store, t, false), 0);
		if (t == 60000)
			assert_shell("SELECT boot, first_ms, last_ms FROM boots; SELECT node, gone,"
				     " first_ms, last_ms FROM nodes",
				     "1|1000|60000\nsd0|0|1000|60000\nsd1|0|1000|60000");
	}
	sink_done(&sink);
	store_close(store);
	assert_shell("SELECT boot, first_ms, last_ms, last FROM boots; SELECT node, gone, first_ms,"
		     " last_ms FROM nodes",
		     "1|1000|120000|2026-09-21T14:15:20.000Z\nsd0|0|1000|120000\n"
		     "sd1|1|1000|60000");
	/* The next boot folds the pages of this one. */
	store = world_open("boot-b");
	assert_int_equal(store_commit(store, 1000, true), 0);
	store_close(store);
	assert_shell("SELECT boot, first_ms, last_ms FROM boots", "1|1000|120000\n2||");
}

/* Ids that were given away and not yet written when the program was killed are not given again. */
static void mark_ids(void **state)
{
	int64_t last = 0;

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct store *store = world_open("boot-a");

		for (int n = 0; n < 200; n++) {
			int64_t id = store_mark_span(store, "lost", 1000, 2000);

			assert_true(id > last);
			last = id;
			if (i == 2 && n % 100 == 0)
				assert_int_equal(store_commit(store, 1000, false), 0);
		}
		store_close(store);
	}
	/* After a clean end they go on without a gap. */
	for (int i = 0; i < 3; i++) {
		struct store *store = world_open("boot-a");
		int64_t id = store_mark_span(store, "kept", 1000, 2000);

		assert_true(i ? id == last + 1 : id > last);
		last = id;
		assert_int_equal(store_commit(store, 1000, true), 0);
		store_close(store);
	}
}

/* What a mark asks for outlives a run of the program, in this boot. */
static void marks_that_ask(void **state)
{
	struct store *store = world_open("boot-a");
	int64_t id = store_mark_start_ufs(store, "fio", 5000, 20000);

	(void)state;
	assert_true(id > 0);
	assert_true(store_mark_start_ufs(store, "dd", 5000, 9000) > 0);
	assert_true(store_mark_start(store, "cp", 5000) > 0);
	assert_int_equal(store_ufs_until_ms(store, 6000), 20000);
	assert_int_equal(store_commit(store, 6000, true), 0);
	store_close(store);
	store = world_open("boot-a");
	assert_int_equal(store_commit(store, 7000, true), 0);
	assert_int_equal(store_ufs_until_ms(store, 7000), 20000);
	assert_int_equal(store_ufs_until_ms(store, 20000), 0);
	assert_int_equal(store_mark_end(store, id, 8000), 0);
	assert_int_equal(store_ufs_until_ms(store, 8000), 9000);
	assert_int_equal(store_commit(store, 8000, true), 0);
	store_close(store);
	/* A file of a version that did not keep it. */
	assert_shell("ALTER TABLE mark DROP COLUMN ufs_until", "");
	store = world_open("boot-a");
	assert_int_equal(store_ufs_until_ms(store, 8000), 0);
	assert_int_equal(store_commit(store, 9000, true), 0);
	assert_true(store_mark_start_ufs(store, "fio", 9000, 30000) > 0);
	assert_int_equal(store_commit(store, 9000, true), 0);
	store_close(store);
	store = world_open("boot-b");
	assert_int_equal(store_commit(store, 1000, true), 0);
	assert_int_equal(store_ufs_until_ms(store, 1000), 0);
	store_close(store);
}

static void marks(void **state)
{
	struct store *store = world_open("boot-a");
	CLEANUP(reader_closep) struct reader *reader = NULL;
	struct mark mark = {0};
	int64_t id = store_mark_start(store, "fio", 5000);

	(void)state;
	assert_int_equal(id, 1);
	/* Who makes it asks for a commit himself. */
	assert_false(store_urgent(store));
	assert_int_equal(store_mark_end(store, 7, 6000), -ENOENT);
	reader = world_reader(store);
	assert_int_equal(reader_marks(reader, 0, INT64_MAX, 10, last_mark, &mark), 0);
	assert_true(mark.t_end_ms == TIME_OPEN);
	reader_close(reader);
	reader = NULL;
	assert_int_equal(store_commit(store, 6000, true), 0);
	store_close(store);
	/* A later run of the program in the same boot may end it. */
	store = world_open("boot-a");
	assert_int_equal(store_mark_span(store, "dd", 1000, 2000), 2);
	assert_int_equal(store_mark_end(store, id, 9000), 0);
	assert_int_equal(store_mark_end(store, id, 9000), -ENOENT);
	assert_int_equal(store_commit(store, 9000, true), 0);
	reader = world_reader(store);
	assert_int_equal(reader_marks(reader, 0, INT64_MAX, 10, last_mark, &mark), 0);
	assert_string_equal(mark.label, "fio");
	assert_int_equal(mark.t_end_ms, 9000);
	assert_int_equal(store_commit(store, 9000, true), 0);
	store_close(store);
	assert_shell("SELECT id, label, t, t_end FROM mark", "1|fio|5000|9000\n2|dd|1000|2000");
}

static void outcomes_and_events(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");
	struct event event = {.t_ms = 1000, .t_end_ms = 1000, .kind = "boot", .text = "started"};

	(void)state;
	store_event(store, &event);
	assert_false(store_urgent(store));
	event.severity = SEVERITY_WARNING;
	event.t_end_ms = TIME_OPEN;
	snprintf(event.kind, sizeof(event.kind), "clock_step");
	snprintf(event.evidence, sizeof(event.evidence), "{\"by_ms\":5}");
	store_event(store, &event);
	assert_true(store_urgent(store));
	store_outcome(store, "disk", "", 1000, "ok", "");
	store_outcome(store, "disk", "sd9", 1000, "denied", "no right to read");
	store_outcome(store, "disk", "", 2000, "ok", "");
	assert_int_equal(store_commit(store, 2000, true), 0);
	assert_false(store_urgent(store));
	assert_shell("SELECT severity, kind, text, evidence, wall_end FROM events",
		     "info|boot|started||2026-09-21T14:13:21.000Z\n"
		     "warning|clock_step|started|{\"by_ms\":5}|");
	assert_shell("SELECT collector, node, outcome, reason, t FROM outcomes",
		     "disk||ok||1000\ndisk|sd9|denied|no right to read|1000");
}

static struct event incident(int64_t t_ms, int64_t t_end_ms, const char *kind, const char *text)
{
	struct event event = {.t_ms = t_ms, .t_end_ms = t_end_ms, .severity = SEVERITY_ERROR};

	snprintf(event.kind, sizeof(event.kind), "%s", kind);
	snprintf(event.collector, sizeof(event.collector), "kmsg");
	snprintf(event.node, sizeof(event.node), "sd0");
	snprintf(event.text, sizeof(event.text), "%s", text);
	return event;
}

static int note_event(const struct event *event, const struct boot *boot, void *arg)
{
	char *text = arg;
	size_t len = strlen(text);

	(void)boot;
	snprintf(text + len, 256 - len, "%s %s %lld;", event->kind, event->text,
		 (long long)event->t_end_ms);
	return 0;
}

static void assert_events(struct store *store, const char *expected)
{
	struct reader *reader = world_reader(store);
	char text[256] = "";

	assert_int_equal(reader_events(reader, 0, INT64_MAX, 100, note_event, text), 0);
	assert_string_equal(text, expected);
	reader_close(reader);
}

/* One row from beginning to end, in memory and in the file, also while a commit holds it, after one
 * that failed, and whatever the run; the position is committed with it. */
static void events_that_go_on(void **state)
{
	struct store *store = world_open("boot-a");
	struct event event = incident(1000, 1000, "kernel_io", "one");
	int64_t next;

	(void)state;
	assert_int_equal(store_kernel_log_next(store, &next), -ENOENT);
	store_kernel_log(store, 5, &event, 1, false);
	assert_false(store_urgent(store));
	event = incident(1000, 2000, "kernel_media", "two");
	store_kernel_log(store, 6, &event, 1, true);
	assert_true(store_urgent(store));
	assert_events(store, "kernel_media two 2000;");
	assert_int_equal(store_commit(store, 2000, false), 0);
	assert_shell("SELECT boot, next FROM log_position", "1|6");
	event = incident(1000, 3000, "kernel_media", "three");
	store_kernel_log(store, 7, &event, 1, false);
	assert_events(store, "kernel_media three 3000;");
	assert_int_equal(store_commit(store, 3000, false), 0);
	event = incident(4000, 4000, "kernel_io", "another");
	store_kernel_log(store, 8, &event, 1, false);
	assert_int_equal(store_commit(store, 4000, true), 0);
	assert_events(store, "kernel_media three 3000;kernel_io another 4000;");
	store_close(store);

	store = world_open("boot-a");
	assert_int_equal(store_kernel_log_next(store, &next), 0);
	assert_int_equal(next, 8);
	event = incident(4000, 5000, "kernel_gone", "went");
	store_kernel_log(store, 9, &event, 1, false);
	assert_int_equal(store_commit(store, 5000, true), 0);
	assert_shell("SELECT kind, text, t, t_end FROM event ORDER BY id",
		     "kernel_media|three|1000|3000\nkernel_gone|went|4000|5000");
	store_close(store);

	store = world_open("boot-b");
	assert_int_equal(store_kernel_log_next(store, &next), -ENOENT);
	assert_int_equal(store_commit(store, 5000, true), 0);
	store_close(store);
	assert_shell("SELECT count(*) FROM log_position", "0");
}

/* An event of the machine becomes a device's, also when it is in the file; one that only begins at
 * the same time does not. */
static void events_that_move(void **state)
{
	for (int is_written = 0; is_written < 2; is_written++) {
		struct store *store = world_open(is_written ? "boot-b" : "boot-a");
		struct event event = incident(1000, 1000, "kernel_hung", "a task");

		(void)state;
		event.node[0] = '\0';
		store_kernel_log(store, 5, &event, 1, false);
		if (is_written)
			assert_int_equal(store_commit(store, 2000, true), 0);
		event = incident(1000, 1000, "kernel_io", "another");
		store_kernel_log(store, 6, &event, 1, false);
		event = incident(1000, 1500, "kernel_hung", "a disk");
		snprintf(event.node, sizeof(event.node), "nvme7");
		store_kernel_log(store, 7, &event, 1, false);
		assert_int_equal(store_commit(store, 3000, true), 0);
		store_close(store);
		assert_shell(is_written ? "SELECT kind,node,text,t_end FROM event WHERE boot=2"
					: "SELECT kind,node,text,t_end FROM event WHERE boot=1",
			     "kernel_hung|nvme7|a disk|1500\nkernel_io|sd0|another|1000");
	}
}

/* A file that was made before it had a place for the position. */
static void a_file_without_position(void **state)
{
	struct store *store = world_open("boot-a");
	int64_t next;

	(void)state;
	store_close(store);
	assert_shell("DROP TABLE log_position", "");
	store = world_open("boot-a");
	assert_int_equal(store_kernel_log_next(store, &next), -ENOENT);
	store_kernel_log(store, 3, NULL, 0, false);
	assert_int_equal(store_commit(store, 5000, true), 0);
	store_close(store);
	assert_shell("SELECT next FROM log_position", "3");
}

/* A node that went while the program was down is gone, as soon as all groups were read once. */
static void vanished_meanwhile(void **state)
{
	struct store *store = world_open("boot-a");
	struct sink sink;

	(void)state;
	run_ticks(store, 1000, 60000, 3);
	assert_int_equal(store_commit(store, 60000, true), 0);
	store_close(store);

	store = world_open("boot-a");
	run_ticks(store, 100000, 110000, 2);
	assert_int_equal(store_commit(store, 110000, false), 0);
	assert_shell("SELECT name,run,gone FROM node ORDER BY id", "sd0|1|0\nsd1|1|0\nsd2|1|0");
	assert_int_equal(sink_init(&sink), 0);
	sink_reset(&sink, &world_groups[1]);
	store_add(store, &world_groups[1], 600000, 0, 600000, &sink);
	sink_done(&sink);
	run_ticks(store, 610000, 620000, 2);
	assert_int_equal(store_commit(store, 620000, false), 0);
	assert_shell("SELECT name,run,gone FROM node ORDER BY id", "sd0|1|0\nsd1|1|0\nsd2|1|1");
	run_ticks(store, 630000, 640000, 3);
	assert_int_equal(store_commit(store, 640000, true), 0);
	assert_shell("SELECT name,run,gone FROM node ORDER BY id",
		     "sd0|1|0\nsd1|1|0\nsd2|1|1\nsd2|2|0");
	store_close(store);
}

/* A restart within a boot is no new run of a node, not even before the first commit. */
static void restart_is_no_run(void **state)
{
	struct store *store = world_open("boot-a");
	struct world_seen seen = {.next_ms = 1000};
	struct reader *reader;

	(void)state;
	run_ticks(store, 1000, 60000, 2);
	assert_int_equal(store_commit(store, 60000, true), 0);
	store_close(store);
	store = world_open("boot-a");
	run_ticks(store, 60000, 70000, 2);
	reader = world_reader(store);
	world_check(reader, 1, 0, INT64_MAX / 2, &seen);
	assert_int_equal(seen.n_ticks, 69);
	assert_int_equal(seen.n_bad, 0);
	assert_int_equal(seen.n_fresh, 0);
	reader_close(reader);
	store_close(store);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, world_start, world_stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_history),
		TEST(memory_only),
		TEST(two_boots),
		TEST(node_comes_again),
		TEST(node_away_between_samples),
		TEST(a_device_keeps_its_identity),
		TEST(a_device_is_found_by_its_identity),
		TEST(nodes_stand_by_their_numbers),
		TEST(identity_unknown),
		TEST(gaps_and_lateness),
		TEST(other_grids),
		TEST(flags),
		TEST(marks),
		TEST(marks_that_ask),
		TEST(mark_ids),
		TEST(faults),
		TEST(texts_end),
		TEST(fault_flood),
		TEST(slots_of_the_journal),
		TEST(spans_in_views),
		TEST(outcomes_and_events),
		TEST(events_that_go_on),
		TEST(events_that_move),
		TEST(a_file_without_position),
		TEST(vanished_meanwhile),
		TEST(restart_is_no_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
