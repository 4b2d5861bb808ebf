/* What recover() makes of a file that was changed at one place: nothing of the rest is lost by it.
 */
#include "tests/support/recover_world.h"

#define HOURS 3
#define PAGE  4096

static void change(const char *sql)
{
	bad_world_change(bad_path, sql);
}

static int64_t ask(const char *sql)
{
	char answer[32];

	bad_world_ask(sql, answer, sizeof(answer));
	return strtoll(answer, NULL, 10);
}

static void recover_it(void)
{
	bad_world_recover();
	assert_int_equal(ask("SELECT integrity_check='ok' FROM pragma_integrity_check"), 1);
}

static void has_all_samples(void)
{
	assert_true(ask("SELECT count(*) FROM disk_chunk") > 0);
	assert_int_equal(ask("SELECT count(*) FROM (SELECT * FROM o.disk_chunk EXCEPT"
			     " SELECT * FROM main.disk_chunk)"),
			 0);
}

static int start(void **state)
{
	int r = world_start(state);

	bad_world_start();
	bad_world_fill("boot-a", HOURS * 3600000LL, 2, 600000);
	return r;
}

#define WRITERS                                                                                    \
	"WITH c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<3000)"                         \
	" INSERT INTO writer SELECT 1,i/32*3600000,0,i,5,'process','p'||i,"                        \
	" CASE WHEN i%100 THEN NULL ELSE printf('%02000d',i) END,NULL,i,2,i*7,0,1,NULL FROM c;"    \
	"WITH c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<2000)"                         \
	" INSERT OR REPLACE INTO spent SELECT 1,i,i*9 FROM c;"

static void has_all_writers(void)
{
	assert_int_equal(ask("SELECT count(*) FROM writer"), 3000);
	assert_int_equal(ask("SELECT count(*) FROM spent WHERE bytes=hour*9"), 2000);
	assert_int_equal(ask("SELECT count(*) FROM writer WHERE name='p'||n AND id=n AND"
			     " written=n*7 AND source='process' AND until=5 AND syncs IS NULL AND"
			     " unit IS CASE WHEN n%100 THEN NULL ELSE printf('%02000d',n) END"),
			 3000);
}

/* Their rows stand on the pages of an index. */
static void who_writes_is_kept(void **state)
{
	(void)state;
	bad_world_copy();
	change(WRITERS);
	recover_it();
	assert_int_equal(report.n_gaps, 0);
	assert_int_equal(report.n_bad_rows, 0);
	assert_int_equal(report.n_stray_rows, 0);
	has_all_writers();
	has_all_samples();
}

static void write_at(long at, const void *p, size_t len)
{
	FILE *f = fopen(bad_path, "r+");

	assert_non_null(f);
	assert_int_equal(fseek(f, at, SEEK_SET), 0);
	assert_int_equal(fwrite(p, len, 1, f), 1);
	fclose(f);
}

static void who_writes_is_kept_without_a_head(void **state)
{
	static const uint8_t zeros[PAGE];

	(void)state;
	bad_world_copy();
	change(WRITERS);
	write_at(0, zeros, sizeof(zeros));
	recover_it();
	assert_true(report.no_schema);
	has_all_writers();
}

static void put_u32(uint8_t *p, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Each page stands in the list of those that are free. */
static void a_wrong_list_of_free_pages(void **state)
{
	static uint8_t trunk[PAGE];
	uint8_t first[4];
	FILE *f;
	long size;

	(void)state;
	bad_world_copy();
	f = fopen(bad_path, "r");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	fclose(f);

	uint32_t n = (uint32_t)MIN(size / PAGE - 1, PAGE / 4 - 2);

	put_u32(trunk + 4, n);
	for (uint32_t i = 0; i < n; i++)
		put_u32(trunk + 8 + 4 * i, i + 2);
	write_at(size, trunk, sizeof(trunk));
	put_u32(first, (uint32_t)(size / PAGE) + 1);
	write_at(32, first, sizeof(first));
	recover_it();
	has_all_samples();

	/* It cannot be read to its end, nor can the names of tables. */
	put_u32(trunk, UINT32_C(0x7ffffff));
	write_at(size, trunk, sizeof(trunk));
	write_at(100, "\0", 1);
	recover_it();
	has_all_samples();
}

static void a_tail_that_is_no_json(void **state)
{
	static const char *const changes[] = {
		"UPDATE tail SET dir=replace(dir,'\"n\":','\"n\":0')",
		"UPDATE tail SET dir=replace(dir,'\"disk\"','\"di'||char(1)||'k\"')",
		"UPDATE tail SET dir=replace(dir,'\"disk\"','\"di\\k\"')",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		bad_world_copy();
		change(changes[i]);
		recover_it();
		assert_true(report.n_bad_rows > 0);
		has_all_samples();
		assert_true(ask("SELECT count(*) FROM disk_last") >= 0);
	}
}

static void more_folded_than_there_is(void **state)
{
	(void)state;
	bad_world_copy();
	change("UPDATE meta SET folded=folded|1<<40");
	recover_it();
	assert_true(ask("SELECT folded<=(SELECT max(seq) FROM tail) FROM meta"));
}

static void a_clock_beyond_all_times(void **state)
{
	(void)state;
	bad_world_copy();
	change("UPDATE boot SET wall_offset_ms=9223372036854775807;"
	       "UPDATE disk_chunk SET step=0 WHERE rowid%3=0");
	recover_it();
	assert_true(report.n_gaps > 0);
}

static void tables_that_cannot_be(void **state)
{
	static const char *const changes[] = {
		"CREATE TABLE boot_chunk(id INTEGER PRIMARY KEY, boot, node, t0, step, n, late, x)",
		"CREATE TABLE boots_chunk(id INTEGER PRIMARY KEY, boot, node, t0, step, n, late,"
		" x)",
		"CREATE TABLE y_chunk_chunk(id INTEGER PRIMARY KEY, boot, node, t0, step, n, late,"
		" x)",
		"CREATE TABLE a_chunk(id INTEGER PRIMARY KEY, boot, node, t0, step, n, late, xy,"
		" zz); PRAGMA writable_schema=1; UPDATE sqlite_master SET"
		" sql=replace(sql,'zz','XY') WHERE name='a_chunk'",
		"CREATE TABLE a_chunk(id INTEGER PRIMARY KEY, boot, node, t0, step, n, late, x);"
		"PRAGMA writable_schema=1; UPDATE sqlite_master SET name='sqlite_x_chunk',"
		" tbl_name='sqlite_x_chunk' WHERE name='a_chunk'",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		bad_world_copy();
		change(changes[i]);
		recover_it();
		has_all_samples();
		assert_int_equal(ask("SELECT count(*) FROM boots"), 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_writes_is_kept),
		cmocka_unit_test(who_writes_is_kept_without_a_head),
		cmocka_unit_test(a_wrong_list_of_free_pages),
		cmocka_unit_test(a_tail_that_is_no_json),
		cmocka_unit_test(more_folded_than_there_is),
		cmocka_unit_test(a_clock_beyond_all_times),
		cmocka_unit_test(tables_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, start, world_stop);
}
