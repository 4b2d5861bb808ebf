/* A file is cut off at its pages, and its pages are zeroed, overwritten and damaged in one bit,
 * each fifth of them or all (ALL_PAGES): what is made of it opens, and has each row that stood on
 * sound pages. */
/* label: long slow */
/* timeout: 600 */
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "store/raw.h"
#include "store/recover.h"
#include "store/recover_internal.h"
#include "tests/support/store_world.h"

#define HOURS    26
#define PAGE     4096
#define ROWS_MAX 20000

static char bad_path[128], new_path[128];

/* Where each row of a table stands in the sound file. */
struct place {
	const char *table;
	uint32_t page;
	size_t cell;
	int64_t id;
	uint64_t sum;
};

static struct place places[ROWS_MAX];
static size_t n_places;
static uint8_t *sound;
static size_t n_pages;

static const char *const tables[] = {"disk_chunk", "disk_health_chunk", "event", "minute", "hour"};

static uint64_t sum_of(const struct raw_row *row)
{
	uint64_t sum = 14695981039346656037U;

	for (size_t i = 0; i < row->n; i++) {
		sum = (sum ^ (uint64_t)row->v[i].type) * 1099511628211U;
		sum = (sum ^ (uint64_t)row->v[i].i) * 1099511628211U;
		for (size_t k = 0; k < row->v[i].len; k++)
			sum = (sum ^ (uint8_t)row->v[i].p[k]) * 1099511628211U;
	}
	return sum;
}

static sqlite3 *open_conn(const char *path)
{
	sqlite3 *conn = NULL;

	assert_int_equal(sqlite3_open_v2(path, &conn, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	return conn;
}

static int64_t ask(sqlite3 *conn, const char *sql)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL) != SQLITE_OK ||
	    sqlite3_step(stmt) != SQLITE_ROW)
		fail_msg("%s: %s", sql, sqlite3_errmsg(conn));

	int64_t value = sqlite3_column_int64(stmt, 0);

	sqlite3_finalize(stmt);
	return value;
}

static void mark_free(uint32_t page, void *arg)
{
	((bool *)arg)[page] = true;
}

static void bind(sqlite3_stmt *stmt, int i, const struct raw_value *v)
{
	if (v->type == RAW_INT)
		sqlite3_bind_int64(stmt, i, v->i);
	else if (v->type == RAW_BLOB)
		sqlite3_bind_blob(stmt, i, v->p, (int)v->len, SQLITE_STATIC);
}

/* Minutes and hours have the same ids. */
static bool has_row(sqlite3 *conn, const char *table, bool is_rollup, const struct raw_row *row)
{
	static const int columns[] = {1, 2, 4, 9, 10};
	sqlite3_stmt *stmt = NULL;
	char sql[256];

	snprintf(sql, sizeof(sql), "SELECT 1 FROM %s WHERE id=?1%s", table,
		 is_rollup ? " AND count IS ?2 AND sum IS ?3 AND span IS ?4 AND first IS ?5 AND"
			     " last IS ?6"
			   : "");
	assert_int_equal(sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL), SQLITE_OK);
	sqlite3_bind_int64(stmt, 1, row->rowid);
	for (size_t i = 0; is_rollup && i < ARRAY_SIZE(columns); i++)
		bind(stmt, (int)i + 2, &row->v[columns[i]]);

	bool found = sqlite3_step(stmt) == SQLITE_ROW;

	sqlite3_finalize(stmt);
	return found;
}

/* By the table that its rows fit and that has their ids. */
static const char *table_of(sqlite3 *conn, const struct raw_row *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		bool is_chunk = i < 2;

		if (is_chunk ? !chunk_fits(row) || row->n != (i ? 8 : 10)
			     : !shape_fits(shape_named(tables[i]), row))
			continue;
		if (has_row(conn, tables[i], i > 2, row))
			return tables[i];
	}
	return NULL;
}

static void find_places(void)
{
	static bool is_free[100000];
	static struct raw_row row;
	struct raw *raw = NULL;
	sqlite3 *conn = open_conn(world_path);

	assert_int_equal(raw_open(world_path, &raw), 0);
	raw_free_pages(raw, mark_free, is_free);
	for (uint32_t page = 1; page <= n_pages; page++) {
		const uint8_t *p = raw_page(raw, page);
		size_t n = raw_page_kind(p, page) == RAW_TABLE_LEAF && !is_free[page]
				   ? raw_page_cells(p, page)
				   : 0;

		for (size_t i = 0; i < n; i++) {
			if (raw_row(raw, page, i, &row) < 0)
				continue;

			const char *table = table_of(conn, &row);

			assert_true(n_places < ROWS_MAX);
			if (table)
				places[n_places++] =
					(struct place){table, page, i, row.rowid, sum_of(&row)};
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		char sql[64];
		int64_t n = 0;

		snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", tables[i]);
		for (size_t k = 0; k < n_places; k++)
			n += places[k].table == tables[i];
		if (n != ask(conn, sql))
			fail_msg("%s: %lld", sql, (long long)n);
		assert_true(n > 0);
	}
	raw_closep(&raw);
	sqlite3_close(conn);
}

static void make_file(void)
{
	struct store *store = world_open("boot-a");
	struct event event = {.severity = SEVERITY_WARNING};
	struct sink sink;
	struct stat st;

	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= HOURS * 3600000LL; t += 1000) {
		world_tick(store, &sink, t, 2);
		if (t % 600000)
			continue;
		sink_reset(&sink, &world_groups[1]);
		row_set(sink_row(&sink, "sd0", "id0"), 0, t / 3600000);
		store_add(store, &world_groups[1], t, 0, 600000, &sink);
		event.t_ms = event.t_end_ms = t;
		snprintf(event.kind, sizeof(event.kind), "ten_minutes");
		snprintf(event.text, sizeof(event.text), "%0200lld", (long long)t);
		store_event(store, &event);
		assert_int_equal(store_commit(store, t, false), 0);
	}
	assert_int_equal(store_commit(store, HOURS * 3600000LL, true), 0);
	sink_done(&sink);
	store_close(store);
	assert_int_equal(stat(world_path, &st), 0);
	n_pages = (size_t)st.st_size / PAGE;
	sound = malloc((size_t)st.st_size);

	int fd = open(world_path, O_RDONLY);

	assert_int_equal(read(fd, sound, (size_t)st.st_size), st.st_size);
	close(fd);
	find_places();
}

static void write_bad(const uint8_t *p, size_t n)
{
	int fd = open(bad_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, p, n), (ssize_t)n);
	close(fd);
}

static bool is_left(struct raw *raw, const struct place *p)
{
	static struct raw_row row;
	const uint8_t *page = raw_page(raw, p->page);

	return page && raw_page_kind(page, p->page) == RAW_TABLE_LEAF &&
	       raw_row(raw, p->page, p->cell, &row) == 0 && row.rowid == p->id &&
	       sum_of(&row) == p->sum;
}

/* Rows that are as they were in the sound file. */
static size_t n_left(void)
{
	struct raw *raw = NULL;
	size_t n = 0;

	assert_int_equal(raw_open(bad_path, &raw), 0);
	for (size_t i = 0; i < n_places; i++)
		n += is_left(raw, &places[i]);
	raw_closep(&raw);
	return n;
}

/* What of the sound file is still as it was in the bad one is in the new one. */
static void check_new(const char *what, size_t page)
{
	sqlite3 *conn = open_conn(new_path);
	struct raw *raw = NULL;
	sqlite3_stmt *find[ARRAY_SIZE(tables)];

	if (ask(conn, "SELECT integrity_check='ok' FROM pragma_integrity_check LIMIT 1") != 1)
		fail_msg("%s %zu: no sound file", what, page);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		char sql[64];

		snprintf(sql, sizeof(sql), "SELECT 1 FROM %s WHERE id=?", tables[i]);
		assert_int_equal(sqlite3_prepare_v2(conn, sql, -1, &find[i], NULL), SQLITE_OK);
	}
	assert_int_equal(raw_open(bad_path, &raw), 0);
	for (size_t i = 0; i < n_places; i++) {
		const struct place *p = &places[i];
		size_t t = 0;

		if (!is_left(raw, p))
			continue;
		while (tables[t] != p->table)
			t++;
		sqlite3_bind_int64(find[t], 1, p->id);
		if (sqlite3_step(find[t]) != SQLITE_ROW)
			fail_msg("%s %zu: %s lacks %lld of page %u", what, page, p->table,
				 (long long)p->id, p->page);
		sqlite3_reset(find[t]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		sqlite3_finalize(find[i]);
	ask(conn, "SELECT count(*) FROM disk_last");
	raw_closep(&raw);
	sqlite3_close(conn);
}

static void recover_and_check(const char *what, size_t page)
{
	static struct recover_report report;
	struct reader *reader = NULL;
	struct reader_lack lack;
	struct boot boots[4];

	unlink(new_path);
	int r = recover(bad_path, new_path, &world_catalog, &report);

	if (r == -EMEDIUMTYPE && !n_left())
		return;
	if (r < 0)
		fail_msg("%s %zu: %d", what, page, r);
	check_new(what, page);
	assert_int_equal(reader_open(new_path, NULL, &world_catalog, &reader), 0);
	assert_true(reader_boots(reader, boots, 4) >= 1);
	assert_int_equal(reader_lacks(reader, &lack), 0);
	assert_int_equal(lack.kind, READER_LACKS_NOTHING);
	reader_close(reader);
}

static int start(void **state)
{
	int r = world_start(state);

	snprintf(bad_path, sizeof(bad_path), "%s/bad.db", world_folder);
	snprintf(new_path, sizeof(new_path), "%s/new.db", world_folder);
	make_file();
	return r;
}

static void a_sound_file_loses_nothing(void **state)
{
	static struct recover_report report;

	(void)state;
	write_bad(sound, n_pages * PAGE);
	recover_and_check("sound", 0);
	unlink(new_path);
	assert_int_equal(recover(bad_path, new_path, &world_catalog, &report), 0);
	assert_int_equal(report.n_gaps, 0);
	assert_int_equal(report.n_stray_rows, 0);
	assert_int_equal(report.n_bad_rows, 0);
	assert_int_equal(report.n_made_up, 0);

	sqlite3 *conn = open_conn(world_path);
	char sql[512];

	snprintf(sql, sizeof(sql), "ATTACH '%s' AS n", new_path);
	assert_int_equal(sqlite3_exec(conn, sql, NULL, NULL, NULL), SQLITE_OK);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		snprintf(sql, sizeof(sql),
			 "SELECT (SELECT count(*) FROM (SELECT * FROM main.%s EXCEPT SELECT * FROM"
			 " n.%s)) + (SELECT count(*) FROM (SELECT * FROM n.%s EXCEPT SELECT * FROM"
			 " main.%s))",
			 tables[i], tables[i], tables[i], tables[i]);
		assert_int_equal(ask(conn, sql), 0);
	}
	assert_int_equal(ask(conn, "SELECT (SELECT folded FROM meta)=(SELECT folded FROM n.meta)"),
			 1);
	sqlite3_close(conn);
}

/* How far apart the pages are that a sweep spoils: an odd step, since what is done depends on the
 * number of the page. ALL_PAGES, which ./test --full sets, takes each.
 */
static size_t page_step(void)
{
	return getenv("ALL_PAGES") ? 1 : 5;
}

static void cut_at_pages(void **state)
{
	(void)state;
	for (size_t n = 2; n < n_pages; n += page_step()) {
		write_bad(sound, n * PAGE - (n % 2 ? 0 : PAGE / 2));
		recover_and_check("cut at", n);
	}
}

/* Each sweep begins at another page; the first page has a turn in all of them. */
static void spoil(const char *what, void (*change)(uint8_t *p, size_t page))
{
	static size_t n_sweeps;
	uint8_t *bad = malloc(n_pages * PAGE);
	size_t step = page_step(), next;

	for (size_t page = 1; page <= n_pages; page = next) {
		next = page == 1 ? 2 + n_sweeps % step : page + step;
		memcpy(bad, sound, n_pages * PAGE);
		change(bad + (page - 1) * PAGE, page);
		write_bad(bad, n_pages * PAGE);
		recover_and_check(what, page);
	}
	n_sweeps++;
	free(bad);
}

static void zero(uint8_t *p, size_t page)
{
	(void)page;
	memset(p, 0, PAGE);
}

static void garbage(uint8_t *p, size_t page)
{
	uint64_t x = page * 2654435761U + 88172645463325252U;

	for (size_t i = 0; i < PAGE; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		p[i] = (uint8_t)x;
	}
}

static void flip(uint8_t *p, size_t page)
{
	p[page * 7919 % PAGE] ^= (uint8_t)(1U << page % 8);
}

/* The head of the page, where it says what it is and where its cells are. */
static void flip_head(uint8_t *p, size_t page)
{
	p[page % 12] ^= (uint8_t)(1U << page % 8);
}

/* A page that was written to the place of another one. */
static void misplaced(uint8_t *p, size_t page)
{
	memcpy(p, sound + page * 31 % n_pages * PAGE, PAGE);
}

static void pages_zeroed(void **state)
{
	(void)state;
	spoil("zeroed", zero);
}

static void pages_garbage(void **state)
{
	(void)state;
	spoil("garbage in", garbage);
}

static void pages_flipped(void **state)
{
	(void)state;
	spoil("a bit of", flip);
	spoil("the head of", flip_head);
}

static void pages_misplaced(void **state)
{
	(void)state;
	spoil("misplaced", misplaced);
}

/* A third of all pages at once, the first among them. */
static void many_pages(void **state)
{
	uint8_t *bad = malloc(n_pages * PAGE);

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		memcpy(bad, sound, n_pages * PAGE);
		for (size_t page = 1; page <= n_pages; page++)
			if (page == 1 || page * (i + 3) % 7 < 2)
				garbage(bad + (page - 1) * PAGE, page);
		write_bad(bad, n_pages * PAGE);
		recover_and_check("many", i);
	}
	free(bad);
}

static void nothing_is_no_database(void **state)
{
	static struct recover_report report;
	static uint8_t nothing[20 * PAGE];

	(void)state;
	for (int i = 0; i < 4; i++) {
		unlink(new_path);
		if (i == 1)
			memset(nothing, 0xa5, sizeof(nothing));
		if (i == 2)
			garbage(nothing, 3);
		write_bad(nothing, i == 3 ? 0 : sizeof(nothing));
		assert_int_equal(recover(bad_path, new_path, &world_catalog, &report),
				 -EMEDIUMTYPE);
	}
	assert_int_equal(recover("/nonexistent", new_path, &world_catalog, &report), -ENOENT);
	assert_int_equal(recover(world_folder, new_path, &world_catalog, &report), -EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_file_loses_nothing),
		cmocka_unit_test(nothing_is_no_database),
		cmocka_unit_test(many_pages),
		cmocka_unit_test(cut_at_pages),
		cmocka_unit_test(pages_zeroed),
		cmocka_unit_test(pages_garbage),
		cmocka_unit_test(pages_flipped),
		cmocka_unit_test(pages_misplaced),
	};

	return cmocka_run_group_tests(tests, start, world_stop);
}
