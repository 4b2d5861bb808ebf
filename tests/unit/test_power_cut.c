/* The power goes at any write of the store, and of what was not flushed any part has reached the
 * disk, sectors in pieces too: every file that is left opens clean and has all that was committed.
 * The writes are recorded once (shim_vfs.h), then made anew up to each cut. POWER_CUTS sets how
 * many cuts there are. */
/* label: long nosan */
/* timeout: 300 */
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/support/shim_vfs.h"
#include "tests/support/store_world.h"

#define N_FILES      4
#define SECTOR_BYTES 512
#define STEP_MS      1000
#define COMMIT_MS    20000
#define N_CUTS       400
#define N_NODES      12

enum op_kind { OP_CREATE, OP_WRITE, OP_TRUNCATE, OP_SYNC, OP_DELETE, OP_PROMISE };

struct op {
	enum op_kind kind;
	size_t file;
	int64_t at; /* offset, size, or the newest tick that was committed */
	int len;
	bool durable; /* of a deletion */
	uint8_t *data;
};

struct recording {
	struct op *ops;
	size_t n, max;
	char names[N_FILES][32]; /* without the folder */
};

/* A file as the disk has it: bytes are durable, what came since its last flush may be lost. */
struct disk_file {
	bool exists;
	uint8_t *bytes;
	int64_t size, max;
	size_t first_pending; /* index of the first operation that may be lost */
};

static struct recording recording;
static uint64_t seed = 0x9e3779b97f4a7c15U;
static char cut_folder[80], cut_path[112];

static uint64_t next_random(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

/* Recording. */

static bool is_recorded(const char *path)
{
	const char *suffix = path + strlen(world_path);

	return !strncmp(path, world_path, strlen(world_path)) && strcmp(suffix, "-shm") != 0;
}

static size_t file_of(const char *path)
{
	const char *name = path + strlen(world_folder) + 1;

	for (size_t i = 0; i < N_FILES; i++) {
		if (!recording.names[i][0])
			snprintf(recording.names[i], sizeof(recording.names[i]), "%s", name);
		if (!strcmp(recording.names[i], name))
			return i;
	}
	fail_msg("more files than expected: %s", path);
	return 0;
}

static struct op *record(enum op_kind kind)
{
	if (recording.n == recording.max) {
		recording.max = recording.max ? recording.max * 2 : 1024;
		recording.ops = realloc(recording.ops, recording.max * sizeof(struct op));
		assert_non_null(recording.ops);
	}
	recording.ops[recording.n] = (struct op){.kind = kind};
	return &recording.ops[recording.n++];
}

static void on_open(const char *path, bool created, void *arg)
{
	(void)arg;
	if (created && is_recorded(path))
		record(OP_CREATE)->file = file_of(path);
}

static void on_write(const char *path, const void *data, int len, int64_t at, void *arg)
{
	(void)arg;
	if (!is_recorded(path))
		return;

	struct op *op = record(OP_WRITE);

	op->file = file_of(path);
	op->at = at;
	op->len = len;
	op->data = malloc((size_t)len);
	assert_non_null(op->data);
	memcpy(op->data, data, (size_t)len);
}

static void on_truncate(const char *path, int64_t size, void *arg)
{
	(void)arg;
	if (!is_recorded(path))
		return;

	struct op *op = record(OP_TRUNCATE);

	op->file = file_of(path);
	op->at = size;
}

static void on_sync(const char *path, void *arg)
{
	(void)arg;
	if (is_recorded(path))
		record(OP_SYNC)->file = file_of(path);
}

static void on_delete(const char *path, bool durable, void *arg)
{
	(void)arg;
	if (!is_recorded(path))
		return;

	struct op *op = record(OP_DELETE);

	op->file = file_of(path);
	op->durable = durable;
}

/* The event of a commit has its number in the text. */
static void add_event(struct store *store, int64_t t_ms)
{
	struct event event = {.t_ms = t_ms, .t_end_ms = t_ms, .severity = SEVERITY_INFO};

	snprintf(event.kind, sizeof(event.kind), "commit");
	snprintf(event.text, sizeof(event.text), "%lld", (long long)(t_ms / COMMIT_MS));
	store_event(store, &event);
}

static void run(int64_t from_ms, int64_t to_ms, int64_t size_max_bytes, bool final)
{
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;
	struct sink sink;

	options.size_max_bytes = size_max_bytes;
	options.commit_ms = COMMIT_MS;
	assert_int_equal(sink_init(&sink), 0);
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	for (int64_t t = from_ms; t <= to_ms; t += STEP_MS) {
		world_tick(store, &sink, t, N_NODES);
		if (t % COMMIT_MS)
			continue;
		add_event(store, t);
		assert_int_equal(store_commit(store, t, final && t == to_ms), 0);
		record(OP_PROMISE)->at = t;
	}
	store_close(store);
	sink_done(&sink);
}

/* Cutting. */

static void grow(struct disk_file *file, int64_t size)
{
	if (size > file->max) {
		file->max = size * 2;
		file->bytes = realloc(file->bytes, (size_t)file->max);
		assert_non_null(file->bytes);
	}
	if (size > file->size)
		memset(file->bytes + file->size, 0, (size_t)(size - file->size));
	file->size = MAX(file->size, size);
}

static void put(struct disk_file *file, const struct op *op, int from, int len)
{
	grow(file, op->at + from + len);
	memcpy(file->bytes + op->at + from, op->data + from, (size_t)len);
}

static void apply(struct disk_file *file, const struct op *op)
{
	if (op->kind == OP_WRITE) {
		put(file, op, 0, op->len);
	} else if (op->kind == OP_TRUNCATE) {
		grow(file, op->at);
		file->size = op->at;
	} else if (op->kind == OP_CREATE || op->kind == OP_DELETE) {
		file->exists = op->kind == OP_CREATE;
		file->size = 0;
	}
}

/* Of a write each sector on its own. */
static void apply_torn(struct disk_file *file, const struct op *op)
{
	if (op->kind != OP_WRITE) {
		apply(file, op);
		return;
	}
	for (int at = 0; at < op->len; at += SECTOR_BYTES)
		if (next_random(2))
			put(file, op, at, MIN(SECTOR_BYTES, op->len - at));
}

enum loss { LOSS_ALL, LOSS_NONE, LOSS_END, LOSS_SOME, LOSS_TORN, N_LOSSES };

/* What was pending for one file when the power went. */
static void lose(struct disk_file *file, size_t index, size_t cut)
{
	enum loss loss = (enum loss)next_random(N_LOSSES);
	size_t end = file->first_pending + next_random(cut - file->first_pending + 1);

	for (size_t i = file->first_pending; i < cut && loss != LOSS_ALL; i++) {
		const struct op *op = &recording.ops[i];

		if (op->kind == OP_PROMISE || op->file != index)
			continue;
		if (loss == LOSS_END && i >= end)
			break;
		if (loss >= LOSS_SOME && next_random(2))
			continue;
		if (loss == LOSS_TORN)
			apply_torn(file, op);
		else
			apply(file, op);
	}
}

/* Takes an operation into what is durable: a flush, or a deletion that was one. */
static void settle(struct disk_file *file, size_t index, size_t at)
{
	const struct op *op = &recording.ops[at];

	if (op->kind != OP_SYNC && !(op->kind == OP_DELETE && op->durable))
		return;
	for (size_t i = file->first_pending; i <= at; i++)
		if (recording.ops[i].kind != OP_PROMISE && recording.ops[i].file == index)
			apply(file, &recording.ops[i]);
	if (op->kind == OP_SYNC)
		file->exists = true;
	file->first_pending = at + 1;
}

static void write_out(const struct disk_file *file, size_t index)
{
	char name[160];

	snprintf(name, sizeof(name), "%s/%s", cut_folder, recording.names[index]);
	unlink(name);
	if (!file->exists)
		return;

	CLEANUP(closep) int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(
		write(fd, file->bytes ? (const void *)file->bytes : "", (size_t)file->size),
		file->size);
}

static int64_t number(sqlite3 *conn, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	int64_t n = -1;

	if (sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return n;
}

static void check_sound(size_t cut, int64_t promised_ms, bool all_kept)
{
	sqlite3 *conn = NULL;
	int64_t sound, n_events;

	assert_int_equal(sqlite3_open(cut_path, &conn), SQLITE_OK);
	sound = number(conn, "SELECT integrity_check='ok' FROM pragma_integrity_check");
	n_events = number(conn, "SELECT count(DISTINCT text) FROM event WHERE kind='commit'");
	sqlite3_close(conn);
	if (sound != 1)
		fail_msg("cut %zu: the file is damaged", cut);
	if (all_kept && n_events < promised_ms / COMMIT_MS)
		fail_msg("cut %zu: %lld events, %lld were committed", cut, (long long)n_events,
			 (long long)(promised_ms / COMMIT_MS));
}

static int64_t last_tick(size_t cut, bool all_kept)
{
	struct world_seen seen = {.next_ms = STEP_MS, .any_first = !all_kept};
	struct reader *reader = NULL;
	int r = reader_open(cut_path, NULL, &world_catalog, &reader);

	if (r < 0)
		fail_msg("cut %zu: %s", cut, strerror(-r));
	world_check(reader, 1, INT64_MIN / 2, INT64_MAX / 2, &seen);
	reader_close(reader);
	if (seen.n_bad)
		fail_msg("cut %zu: %zu of %zu ticks are not as they were", cut, seen.n_bad,
			 seen.n_ticks);
	return seen.n_ticks ? seen.next_ms - STEP_MS : 0;
}

/* The next daemon goes on with it, and nothing of before is lost by that. */
static void go_on(size_t cut, int64_t last_ms, bool all_kept)
{
	struct store_options options = world_options("boot-b");
	struct store *store = NULL;
	struct store_status status;
	struct sink sink;

	options.path = cut_path;
	assert_int_equal(sink_init(&sink), 0);
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	for (int64_t t = STEP_MS; t <= 3 * COMMIT_MS; t += STEP_MS) {
		world_tick(store, &sink, t, N_NODES);
		if (t % COMMIT_MS == 0 && store_commit(store, t, false) < 0)
			fail_msg("cut %zu: it does not go on", cut);
	}
	store_get_status(store, &status);
	assert_int_equal(status.moved_aside, 0);
	store_close(store);
	sink_done(&sink);
	if (last_ms && last_tick(cut, all_kept) != last_ms)
		fail_msg("cut %zu: less is there after the next start", cut);
}

static void check_cut(struct disk_file *files, size_t cut, int64_t promised_ms, bool all_kept)
{
	struct disk_file lost[N_FILES] = {0};
	int64_t last_ms = 0;
	char name[160];

	snprintf(name, sizeof(name), "%s-shm", cut_path);
	unlink(name);
	for (size_t i = 0; i < N_FILES; i++) {
		lost[i] = files[i];
		lost[i].max = lost[i].size = 0;
		lost[i].bytes = NULL;
		grow(&lost[i], files[i].size);
		if (files[i].size)
			memcpy(lost[i].bytes, files[i].bytes, (size_t)files[i].size);
		lose(&lost[i], i, cut);
		write_out(&lost[i], i);
	}
	if (promised_ms) {
		check_sound(cut, promised_ms, all_kept);
		last_ms = last_tick(cut, all_kept);
		if (last_ms < promised_ms)
			fail_msg("cut %zu: ticks to %lld, committed were those to %lld", cut,
				 (long long)last_ms, (long long)promised_ms);
	}
	if (!promised_ms || cut % 4 == 0)
		go_on(cut, last_ms, all_kept);
	for (size_t i = 0; i < N_FILES; i++)
		free(lost[i].bytes);
}

static void cut_all(bool all_kept)
{
	const char *wanted = getenv("POWER_CUTS");
	size_t n_cuts = wanted ? strtoul(wanted, NULL, 10) : N_CUTS, n_made = 0;
	struct disk_file files[N_FILES] = {0};
	int64_t promised_ms = 0;

	for (size_t i = 0; i < recording.n; i++) {
		const struct op *op = &recording.ops[i];

		/* The first operations, which make the file, are all cut. */
		if (i < 64 || next_random(recording.n) < n_cuts) {
			check_cut(files, i, promised_ms, all_kept);
			n_made++;
		}
		if (op->kind == OP_PROMISE)
			promised_ms = op->at;
		else
			settle(&files[op->file], op->file, i);
	}
	print_message("%zu cuts in %zu operations\n", n_made, recording.n);
	assert_true(n_made > MIN(n_cuts, recording.n) / 2);
	for (size_t i = 0; i < N_FILES; i++)
		free(files[i].bytes);
}

static void forget(void)
{
	for (size_t i = 0; i < recording.n; i++)
		free(recording.ops[i].data);
	free(recording.ops);
	recording = (struct recording){0};
}

/* A file from its first page on: blocks, folds, checkpoints, a run that ended without its last
 * commit, one that went on and ended well. */
static void from_the_first_page(void **state)
{
	(void)state;
	run(STEP_MS, 900000, 128 * MIB, false);
	run(900000 + STEP_MS, 1800000, 128 * MIB, true);
	cut_all(true);
	forget();
}

/* At the cap: the oldest goes while the newest is written. */
static void at_the_cap(void **state)
{
	(void)state;
	run(STEP_MS, 9000000, STORE_SIZE_MIN_BYTES, true);
	cut_all(false);
	forget();
}

static int start(void **state)
{
	const struct shim_observer observer = {.open = on_open,
					       .write = on_write,
					       .truncate = on_truncate,
					       .sync = on_sync,
					       .delete = on_delete};
	int r = world_start(state);

	snprintf(cut_folder, sizeof(cut_folder), "%s/cut", world_folder);
	snprintf(cut_path, sizeof(cut_path), "%s/a.db", cut_folder);
	return r < 0 || mkdir(cut_folder, 0700) < 0 ? -1 : shim_install(&observer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(from_the_first_page, start, world_stop),
		cmocka_unit_test_setup_teardown(at_the_cap, start, world_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
