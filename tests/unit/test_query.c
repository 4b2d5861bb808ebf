/* What a query computes, on histories in memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/text.h"
#include "query/query.h"
#include "tests/unit/fake_reader.h"

#define OFFSET_MS INT64_C(1000000000000)
#define NOW_MS    (OFFSET_MS + 100000)

enum { READS, READ_TIME, TEMP, POWER, USED, SIZE, NAME };

static const char *const power_states[] = {"off", "on", NULL};

/* clang-format off */
static const struct field fields[] = {
	[READS]     = {"reads", UNIT_COUNT, KIND_COUNTER, "Reads.", NULL, 0, NULL},
	[READ_TIME] = {"read_time", UNIT_MILLISECONDS, KIND_COUNTER, "Time of reads.", NULL, 32, NULL},
	[TEMP]      = {"temp", UNIT_MILLICELSIUS, KIND_GAUGE, "Temperature.", NULL, 0, NULL},
	[POWER]     = {"power", UNIT_NONE, KIND_STATE, "Power.", NULL, 0, power_states},
	[USED]      = {"used", UNIT_BYTES, KIND_GAUGE, "Used.", NULL, 0, NULL},
	[SIZE]      = {"size", UNIT_BYTES, KIND_GAUGE, "Size.", NULL, 0, NULL},
	[NAME]      = {"name", UNIT_NONE, KIND_INFO, "Name.", NULL, 0, NULL},
};

static const struct derived derived[] = {
	{"read_bytes", UNIT_BYTES, DERIVE_SCALE, "reads", NULL, 512, 1, "Bytes."},
	{"latency", UNIT_MICROSECONDS, DERIVE_MEAN, "read_time", "reads", 1000, 1, "Latency."},
	{"busy", UNIT_RATIO, DERIVE_SHARE, "read_time", NULL, 1, 1, "Busy."},
	{"queue", UNIT_NONE, DERIVE_AVERAGE, "read_time", NULL, 1, 1, "Queue."},
	{"free", UNIT_BYTES, DERIVE_DIFF, "size", "used", 1, 1, "Free."},
	{"usage", UNIT_RATIO, DERIVE_QUOTIENT, "used", "size", 1, 1, "Usage."},
};
/* clang-format on */

static const struct group groups[] = {{
	.name = "disk",
	.help = "Disks.",
	.period_ms = 1000,
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
	.derived = derived,
	.n_derived = ARRAY_SIZE(derived),
}};

static const struct collector collector = {.name = "disk", .groups = groups, .n_groups = 1};
static const struct collector *const collectors[] = {&collector};
static const struct catalog catalog = {collectors, 1};

/* Of which nobody takes a sample every hour. */
enum { SLOW_READS, SLOW_TEMP, SLOW_CODE };

/* clang-format off */
static const struct field slow_fields[] = {
	[SLOW_READS] = {"reads", UNIT_COUNT, KIND_COUNTER, "Reads.", NULL, 0, NULL},
	[SLOW_TEMP]  = {"temp", UNIT_MILLICELSIUS, KIND_GAUGE, "Temperature.", NULL, 0, NULL},
	[SLOW_CODE]  = {"code", UNIT_NONE, KIND_GAUGE, "A code.", NULL, 0, NULL},
};
/* clang-format on */

static const struct group slow_groups[] = {{
	.name = "slow",
	.help = "Asked for each day.",
	.period_ms = 86400000,
	.fields = slow_fields,
	.n_fields = ARRAY_SIZE(slow_fields),
}};

static const struct collector slow_collector = {
	.name = "slow", .groups = slow_groups, .n_groups = 1};
static const struct collector *const slow_collectors[] = {&slow_collector};
static const struct catalog slow_catalog = {slow_collectors, 1};

static const struct catalog *asked = &catalog;
static struct problem problem;
static char shown[4096];

static void show_item(struct text *text, const struct points_item *item, int64_t from_ms)
{
	switch (item->type) {
	case POINTS_SERIES:
		text_printf(text, "%s/%lld:", item->series->node, (long long)item->series->boot);
		break;
	case POINTS_POINT:
		text_printf(text, " %lld=", (long long)(item->wall_ms - from_ms));
		if (item->has_value)
			decimal_text(text, item->value);
		else
			text_char(text, '-');
		if (item->flag)
			text_printf(text, "!%s", flag_name((enum flag)item->flag));
		break;
	case POINTS_SERIES_END:
		text_str(text, ";");
		break;
	case POINTS_BEFORE:
		text_printf(text, " before %s %lld=", item->series->node,
			    (long long)(item->wall_ms - from_ms));
		decimal_text(text, item->value);
		break;
	case POINTS_DAMAGE:
		text_str(text, " damage");
		break;
	}
}

/* The answer as text: "vda/1: 2000=4.5 4000=- 6000=1!filtered;", times after the start. */
static const char *ask(const char *metric, const char *agg, const char *from, const char *to,
		       const char *step)
{
	struct query_params params = {
		.metric = metric, .agg = agg, .from = from, .to = to, .step = step};
	struct text text = TEXT_IN(shown);
	struct points_item item;
	struct query *query = NULL;
	int r = query_open(NULL, asked, &params, NOW_MS, &query, &problem);

	if (r < 0) {
		text_printf(&text, "%s: %s", problem.parameter, problem.detail);
		return shown;
	}
	while ((r = query_next(query, &item)) > 0)
		show_item(&text, &item, query_plan(query)->from_wall_ms);
	if (r < 0)
		text_printf(&text, "error %d", r);
	query_close(query);
	return shown;
}

static const char *ask10(const char *metric, const char *agg)
{
	return ask(metric, agg, "1+10000", "1+20000", "5s");
}

/* 21 ticks from 0 to 20 s: reads grow by i, read_time by 2 i ms. */
static struct fake_span *ramp(const char *node)
{
	struct fake_span *span = fake_add(node, 1, 0, 1000, 21);

	for (size_t i = 1; i < span->n; i++) {
		span->values[READS][i] = span->values[READS][i - 1] + (int64_t)i;
		span->values[READ_TIME][i] = span->values[READ_TIME][i - 1] + 2 * (int64_t)i;
	}
	for (size_t i = 0; i < span->n; i++) {
		span->values[TEMP][i] = 20000 + (int64_t)i;
		span->values[POWER][i] = i < 13;
		span->values[USED][i] = (int64_t)i;
		span->values[SIZE][i] = 40;
	}
	return span;
}

static void counters(void **state)
{
	(void)state;
	fake_reset(OFFSET_MS);
	ramp("vda");
	/* increases 11..15 and 16..20, the one of 11 over the edge of the window */
	assert_string_equal(ask10("disk.reads", NULL), "vda/1: 5000=13 10000=18;");
	assert_string_equal(ask10("disk.reads", "rate"), "vda/1: 5000=13 10000=18;");
	assert_string_equal(ask10("disk.reads", "mean"), "vda/1: 5000=13 10000=18;");
	assert_string_equal(ask10("disk.reads", "increase"), "vda/1: 5000=65 10000=90;");
	assert_string_equal(ask10("disk.reads", "sum"), "vda/1: 5000=65 10000=90;");
	assert_string_equal(ask10("disk.reads", "min"), "vda/1: 5000=11 10000=16;");
	assert_string_equal(ask10("disk.reads", "max"), "vda/1: 5000=15 10000=20;");
	assert_string_equal(ask10("disk.reads", "last"), "vda/1: 5000=120 10000=210;");
	assert_string_equal(ask10("disk.read_bytes", NULL), "vda/1: 5000=6656 10000=9216;");
	assert_string_equal(ask10("disk.read_bytes", "last"), "vda/1: 5000=61440 10000=107520;");
}

static void gauges(void **state)
{
	(void)state;
	fake_reset(OFFSET_MS);
	ramp("vda");
	assert_string_equal(ask10("disk.temp", NULL), "vda/1: 5000=20013 10000=20018;");
	assert_string_equal(ask10("disk.temp", "min"), "vda/1: 5000=20011 10000=20016;");
	assert_string_equal(ask10("disk.temp", "max"), "vda/1: 5000=20015 10000=20020;");
	assert_string_equal(ask10("disk.temp", "last"), "vda/1: 5000=20015 10000=20020;");
	assert_string_equal(ask10("disk.temp", "sum"), "vda/1: 5000=100065 10000=100090;");
	assert_string_equal(ask10("disk.power", NULL), "vda/1: 5000=0 10000=0;");
	assert_string_equal(ask10("disk.power", "max"), "vda/1: 5000=1 10000=0;");
	assert_string_equal(ask("disk.temp", NULL, "1+10000", "1+12000", "2s"),
			    "vda/1: 2000=20011.5;");
}

/* An hour of what is read each day would be empty without a word. */
static void before_the_window(void **state)
{
	struct fake_span *span;

	(void)state;
	fake_reset(OFFSET_MS);
	asked = &slow_catalog;
	span = fake_add("vda", 1, 0, 1000, 21);
	for (size_t i = 0; i < span->n; i++) {
		span->values[SLOW_READS][i] = 100 + (int64_t)i;
		span->values[SLOW_TEMP][i] = 20000 + (int64_t)i;
		span->values[SLOW_CODE][i] = (int64_t)i % 4;
	}
	span->absent[SLOW_TEMP][20] = 1;
	assert_string_equal(ask("slow.temp", NULL, "1+50000", "1+60000", "5s"),
			    "vda/1:; before vda -31000=20019");
	assert_string_equal(ask("slow.reads", NULL, "1+50000", "1+60000", "5s"),
			    "vda/1:; before vda -30000=120");
	assert_string_equal(ask("slow.temp", NULL, "1+10000", "1+15000", "5s"),
			    "vda/1: 5000=20013; before vda 0=20010");
	assert_string_equal(ask("slow.code", NULL, "1+10000", "1+15000", "5s"),
			    "vda/1: 5000=3; before vda 0=2");
	assert_string_equal(ask("slow.code", "mean", "1+10000", "1+15000", "5s"),
			    "agg: code has no mean: use min, max, last");
	asked = &catalog;
	assert_string_equal(ask("disk.temp", NULL, "1+50000", "1+60000", "5s"), "vda/1:;");
	/* A newer boot without a value hides none; one that has it does. */
	fake.boots[1] = (struct boot){.id = 2, .wall_offset_ms = OFFSET_MS + 100000};
	fake.n_boots = 2;
	span = fake_add("vda", 2, 0, 1000, 3);
	for (size_t i = 0; i < span->n; i++)
		span->absent[SLOW_TEMP][i] = 1;
	asked = &slow_catalog;
	assert_non_null(strstr(ask("slow.temp", NULL, "2+50000", "2+60000", "5s"),
			       "; before vda -131000=20019"));
	span->absent[SLOW_TEMP][1] = 0;
	span->values[SLOW_TEMP][1] = 7;
	assert_non_null(strstr(ask("slow.temp", NULL, "2+50000", "2+60000", "5s"),
			       "; before vda -49000=7"));
	assert_null(strstr(shown, "20019"));
	asked = &catalog;
}

static void derived_quantities(void **state)
{
	(void)state;
	fake_reset(OFFSET_MS);
	ramp("vda");
	/* 2 ms for each read, 26 ms in a second */
	assert_string_equal(ask10("disk.latency", NULL), "vda/1: 5000=2000 10000=2000;");
	assert_string_equal(ask10("disk.busy", NULL), "vda/1: 5000=0.026 10000=0.036;");
	assert_string_equal(ask10("disk.busy", "max"), "vda/1: 5000=0.03 10000=0.04;");
	assert_string_equal(ask10("disk.queue", "last"), "vda/1: 5000=0.03 10000=0.04;");
	assert_string_equal(ask10("disk.free", NULL), "vda/1: 5000=27 10000=22;");
	assert_string_equal(ask10("disk.free", "min"), "vda/1: 5000=25 10000=20;");
	assert_string_equal(ask10("disk.usage", NULL), "vda/1: 5000=0.325 10000=0.45;");
	assert_string_equal(ask10("disk.usage", "max"), "vda/1: 5000=0.375 10000=0.5;");
}

static void share_is_clamped(void **state)
{
	struct fake_span *span;

	(void)state;
	fake_reset(OFFSET_MS);
	span = fake_add("vda", 1, 0, 1000, 3);
	span->values[READ_TIME][1] = 1500;
	span->values[READ_TIME][2] = 3000;
	assert_string_equal(ask("disk.busy", NULL, "1+0", "1+2000", "2s"), "vda/1: 2000=1;");
	assert_string_equal(ask("disk.queue", NULL, "1+0", "1+2000", "2s"), "vda/1: 2000=1.5;");
	/* nothing was read: there is no latency, and it is not 0 */
	assert_string_equal(ask("disk.latency", NULL, "1+0", "1+2000", "2s"), "vda/1:;");
}

static void rate_divides_by_the_true_time(void **state)
{
	struct fake_span *span;

	(void)state;
	fake_reset(OFFSET_MS);
	span = fake_add("vda", 1, 0, 1000, 3);
	span->late_ms[2] = 500;
	span->values[READS][1] = 10;
	span->values[READS][2] = 25;
	/* the tick stands in the bucket of its planned time, though it came after its end */
	assert_string_equal(ask("disk.reads", NULL, "1+0", "1+2000", "1s"),
			    "vda/1: 1000=10 2000=10;");
	assert_string_equal(ask("disk.reads", NULL, "1+0", "1+2000", "2s"), "vda/1: 2000=10;");
}

static void gap_counts_in_the_later_bucket(void **state)
{
	struct fake_span *span;

	(void)state;
	fake_reset(OFFSET_MS);
	span = fake_add("vda", 1, 0, 1000, 2);
	span->values[READS][1] = 7;
	span = fake_add("vda", 1, 6000, 1000, 2);
	span->values[READS][0] = 57;
	span->values[READS][1] = 58;
	assert_string_equal(ask("disk.reads", "increase", "1+0", "1+8000", "2s"),
			    "vda/1: 2000=7 4000=- 6000=50 8000=1;");
	/* a rate over the gap knows how long it was */
	assert_string_equal(ask("disk.reads", "rate", "1+0", "1+8000", "2s"),
			    "vda/1: 2000=7 4000=- 6000=10 8000=1;");
	/* and so does the one before the window */
	assert_string_equal(ask("disk.reads", "increase", "1+2000", "1+8000", "2s"),
			    "vda/1: 4000=50 6000=1;");
	/* so does an absent value within a span */
	fake_reset(OFFSET_MS);
	span = fake_add("vda", 1, 0, 1000, 4);
	span->absent[READS][1] = span->absent[READS][2] = 1;
	span->values[READS][1] = span->values[READS][2] = -99;
	span->values[READS][3] = 30;
	assert_string_equal(ask("disk.reads", NULL, "1+0", "1+3000", "1s"), "vda/1: 3000=10;");
}

static void resets_give_no_increase(void **state)
{
	struct fake_span *span;

	(void)state;
	fake_reset(OFFSET_MS);
	span = fake_add("vda", 1, 0, 1000, 4);
	span->values[READS][0] = 100;
	span->values[READS][1] = 110;
	span->values[READS][2] = 3;
	span->values[READS][3] = 8;
	assert_string_equal(ask("disk.reads", "increase", "1+0", "1+3000", "1s"),
			    "vda/1: 1000=10 2000=- 3000=5;");
	assert_string_equal(ask("disk.reads", "rate", "1+0", "1+3000", "3s"), "vda/1: 3000=7.5;");
	/* 32 bits that wrapped are an increase */
	fake_reset(OFFSET_MS);
	span = fake_add("vda", 1, 0, 1000, 2);
	span->values[READ_TIME][0] = INT64_C(4294967290);
	span->values[READ_TIME][1] = 4;
	assert_string_equal(ask("disk.read_time", "increase", "1+0", "1+1000", "1s"),
			    "vda/1: 1000=10;");
}

static void new_run_is_no_baseline(void **state)
{
	struct fake_span *span;

	(void)state;
	fake_reset(OFFSET_MS);
	span = fake_add("sda", 1, 0, 1000, 2);
	span->values[READS][1] = 5;
	span = fake_add("sda", 1, 2000, 1000, 2);
	span->fresh = true;
	span->values[READS][0] = 1000;
	span->values[READS][1] = 1001;
	assert_string_equal(ask("disk.reads", "increase", "1+0", "1+3000", "1s"),
			    "sda/1: 1000=5 2000=- 3000=1;");
}

static void flags_keep_values_out(void **state)
{
	struct fake_span *span;

	(void)state;
	fake_reset(OFFSET_MS);
	span = fake_add("vda", 1, 1000, 1000, 1);
	span->values[TEMP][0] = 20000;
	span = fake_add("vda", 1, 2000, 1000, 1);
	span->values[TEMP][0] = 999000;
	span->flag[TEMP] = FLAG_IMPLAUSIBLE;
	span = fake_add("vda", 1, 3000, 1000, 1);
	span->values[TEMP][0] = 999000;
	span->flag[TEMP] = FLAG_IMPLAUSIBLE;
	assert_string_equal(ask("disk.temp", "max", "1+0", "1+4000", "2s"),
			    "vda/1: 2000=20000!implausible 4000=-!implausible;");
	assert_string_equal(ask("disk.temp", "mean", "1+0", "1+2000", "2s"),
			    "vda/1: 2000=20000!implausible;");
	assert_string_equal(ask("disk.temp", "last", "1+0", "1+4000", "2s"),
			    "vda/1: 2000=999000!implausible 4000=999000!implausible;");
	/* a filtered counter still counts; an implausible one is not even a baseline */
	fake_reset(OFFSET_MS);
	span = fake_add("vda", 1, 0, 1000, 2);
	span->values[READS][1] = 10;
	span->flag[READS] = FLAG_FILTERED;
	span = fake_add("vda", 1, 2000, 1000, 1);
	span->values[READS][0] = 5000000;
	span->flag[READS] = FLAG_IMPLAUSIBLE;
	span = fake_add("vda", 1, 3000, 1000, 1);
	span->values[READS][0] = 14;
	assert_string_equal(ask("disk.reads", "increase", "1+0", "1+3000", "1s"),
			    "vda/1: 1000=10!filtered 2000=-!implausible 3000=4;");
}

/* What was read at boot is the one value that there is; only doubt keeps out. */
static void old_values_count(void **state)
{
	static const struct {
		enum flag flag;
		const char *mean, *max, *counter_max;
	} table[] = {
		{FLAG_NONE, "25000", "30000", "7"},
		{FLAG_CACHED_AT_BOOT, "25000!cached_at_boot", "30000!cached_at_boot",
		 "7!cached_at_boot"},
		{FLAG_STALE, "25000!stale", "30000!stale", "7!stale"},
		{FLAG_IMPLAUSIBLE, "-!implausible", "-!implausible", "-!implausible"},
		{FLAG_FILTERED, "-!filtered", "-!filtered", "-!filtered"},
		{FLAG_RESET, "-!reset", "-!reset", "-!reset"},
	};
	char wanted[96];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		fake_reset(OFFSET_MS);
		for (int t = 1; t <= 2; t++) {
			struct fake_span *span = fake_add("vda", 1, t * 1000, 1000, 1);

			span->values[TEMP][0] = 10000 + t * 10000;
			span->values[READS][0] = t * 7;
			span->flag[TEMP] = span->flag[READS] = (uint8_t)table[i].flag;
		}
		snprintf(wanted, sizeof(wanted), "vda/1: 2000=%s;", table[i].mean);
		assert_string_equal(ask("disk.temp", NULL, "1+0", "1+2000", "2s"), wanted);
		snprintf(wanted, sizeof(wanted), "vda/1: 2000=%s;", table[i].max);
		assert_string_equal(ask("disk.temp", "max", "1+0", "1+2000", "2s"), wanted);
		snprintf(wanted, sizeof(wanted), "vda/1: 2000=%s;", table[i].counter_max);
		assert_string_equal(ask("disk.reads", "max", "1+0", "1+2000", "2s"), wanted);
	}
}

/* A counter that began anew while nobody looked, and has overtaken its old value by now. */
static void a_reset_is_only_a_baseline(void **state)
{
	static const struct {
		const char *metric, *agg, *answer;
	} cases[] = {
		{"disk.reads", "increase", "vda/1: 1000=10 2000=-!reset 3000=7;"},
		{"disk.reads", "rate", "vda/1: 1000=10 2000=-!reset 3000=7;"},
		{"disk.reads", "max", "vda/1: 1000=10 2000=-!reset 3000=7;"},
		{"disk.reads", "last", "vda/1: 1000=1010 2000=5000!reset 3000=5007;"},
		{"disk.read_bytes", "increase", "vda/1: 1000=5120 2000=-!reset 3000=3584;"},
		/* of two fields the one that is filtered does not hide the other's reset */
		{"disk.latency", NULL, "vda/1: 1000=2000 2000=-!reset 3000=2000;"},
	};
	struct fake_span *span;

	(void)state;
	fake_reset(OFFSET_MS);
	span = fake_add("vda", 1, 0, 1000, 2);
	span->values[READS][0] = 1000;
	span->values[READS][1] = 1010;
	span->values[READ_TIME][1] = 20;
	span = fake_add("vda", 1, 2000, 1000, 1);
	span->values[READS][0] = 5000;
	span->values[READ_TIME][0] = 10000;
	span->flag[READS] = FLAG_RESET;
	span->flag[READ_TIME] = FLAG_FILTERED;
	span = fake_add("vda", 1, 3000, 1000, 1);
	span->values[READS][0] = 5007;
	span->values[READ_TIME][0] = 10014;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(ask(cases[i].metric, cases[i].agg, "1+0", "1+3000", "1s"),
				    cases[i].answer);
	/* a bucket around it has what was counted before and after */
	assert_string_equal(ask("disk.reads", "increase", "1+0", "1+3000", "3s"),
			    "vda/1: 3000=17!reset;");
	/* when the other field failed just then, there is none to count from either */
	fake.spans[1].absent[READ_TIME][0] = true;
	assert_string_equal(ask("disk.latency", NULL, "1+0", "1+3000", "3s"), "vda/1: 3000=2000;");
	assert_string_equal(ask("disk.latency", NULL, "1+2000", "1+3000", "1s"), "vda/1:;");
}

static void boots_are_series_of_their_own(void **state)
{
	struct fake_span *span;

	(void)state;
	fake_reset(OFFSET_MS);
	fake.boots[1] = (struct boot){.id = 2, .wall_offset_ms = OFFSET_MS + 5000};
	fake.n_boots = 2;
	span = fake_add("vda", 1, 0, 1000, 3);
	span->values[READS][2] = 4;
	span = fake_add("vda", 2, 0, 1000, 3);
	span->values[READS][1] = 9;
	span->values[READS][2] = 9;
	span = fake_add("vdb", 2, 0, 1000, 3);
	assert_string_equal(ask("disk.reads", "increase", "1+0", "1+10000", "2s"),
			    "vda/1: 2000=4;vda/2: 6000=9 8000=0;vdb/2: 6000=0 8000=0;");
}

static void edges_of_the_window(void **state)
{
	(void)state;
	fake_reset(OFFSET_MS);
	ramp("vda");
	/* a sample at the start is outside, one at the end inside; the last bucket is cut */
	assert_string_equal(ask("disk.temp", "sum", "1+3000", "1+6000", "2s"),
			    "vda/1: 2000=40009 3000=20006;");
	/* nothing before the start: the first sample is only a baseline */
	assert_string_equal(ask("disk.reads", NULL, "1+0", "1+1000", "1s"), "vda/1: 1000=1;");
	assert_string_equal(ask("disk.temp", NULL, "1+50000", "1+60000", "2s"), "vda/1:;");
	/* a step that is longer than the window */
	assert_string_equal(ask("disk.temp", "max", "1+3000", "1+6000", "876000h"),
			    "vda/1: 3000=20006;");
}

static void damage_is_said_and_passed(void **state)
{
	struct fake_span *span;

	(void)state;
	fake_reset(OFFSET_MS);
	fake_add("vda", 1, 0, 1000, 2);
	span = fake_add("vda", 1, 2000, 1000, 2);
	span->damaged = true;
	span = fake_add("vda", 1, 4000, 1000, 1);
	span->values[READS][0] = 6;
	assert_string_equal(ask("disk.reads", NULL, "1+0", "1+4000", "1s"),
			    "vda/1: damage 1000=0 2000=- 3000=- 4000=2;");
}

static void large_values_stay_exact(void **state)
{
	struct fake_span *span;

	(void)state;
	fake_reset(OFFSET_MS);
	span = fake_add("vda", 1, 0, 1000, 3);
	span->values[READS][0] = 0;
	span->values[READS][1] = INT64_MAX - 1;
	span->values[READS][2] = INT64_MAX;
	span->values[TEMP][1] = INT64_MAX;
	span->values[TEMP][2] = INT64_MAX;
	assert_string_equal(ask("disk.reads", "increase", "1+0", "1+2000", "2s"),
			    "vda/1: 2000=9223372036854775807;");
	assert_string_equal(ask("disk.temp", "mean", "1+0", "1+2000", "2s"),
			    "vda/1: 2000=9223372036854775807;");
	/* the sum does not fit: no value rather than a wrong one */
	assert_string_equal(ask("disk.temp", "sum", "1+0", "1+2000", "2s"), "vda/1:;");
}

static void errors_of_the_reader_come_through(void **state)
{
	(void)state;
	fake_reset(OFFSET_MS);
	ramp("vda");
	fake.error = -EIO;

	struct query_params params = {.metric = "disk.reads"};
	struct query *query = NULL;

	assert_int_equal(query_open(NULL, &catalog, &params, NOW_MS, &query, &problem), -EIO);
	assert_null(query);
}

static void problems(void **state)
{
	static const struct {
		const char *metric, *agg, *from, *to, *step, *shown;
	} table[] = {
		{NULL, NULL, NULL, NULL, NULL, "metric: is missing: write GROUP.QUANTITY"},
		{"", NULL, NULL, NULL, NULL, "metric: is missing: write GROUP.QUANTITY"},
		{"disk.raeds", NULL, NULL, NULL, NULL,
		 "metric: \"disk.raeds\": the group has no such quantity; did you mean "
		 "disk.reads?"},
		{"dsk.latency", NULL, NULL, NULL, NULL,
		 "metric: \"dsk.latency\": there is no such group; did you mean disk.latency?"},
		{"busy", NULL, NULL, NULL, NULL,
		 "metric: \"busy\" is no metric: write GROUP.QUANTITY; did you mean disk.busy?"},
		{"zzzzzzzz", NULL, NULL, NULL, NULL,
		 "metric: \"zzzzzzzz\" is no metric: write GROUP.QUANTITY; flashscope fields lists "
		 "all metrics"},
		{"zzzzzzzz.x", NULL, NULL, NULL, NULL,
		 "metric: \"zzzzzzzz.x\": there is no such group; flashscope fields lists all "
		 "metrics"},
		{"disc.zzzzzz", NULL, NULL, NULL, NULL,
		 "metric: \"disc.zzzzzz\": there is no such group; did you mean the group disk? "
		 "flashscope fields lists all metrics"},
		{"disk.zzzzzz", NULL, NULL, NULL, NULL,
		 "metric: \"disk.zzzzzz\": the group has no such quantity; flashscope fields lists "
		 "all metrics"},
		{"disk.name", NULL, NULL, NULL, NULL,
		 "metric: \"disk.name\" is a text and has no values over time: flashscope sample "
		 "shows it, "
		 "the view infos of a file has its changes"},
		{"disk.temp", "rate", NULL, NULL, NULL,
		 "agg: temp has no rate: use sum, min, mean, max, last"},
		{"disk.power", "mean", NULL, NULL, NULL,
		 "agg: power has no mean: use min, max, last"},
		{"disk.latency", "sum", NULL, NULL, NULL,
		 "agg: latency has no sum: use min, mean, max, last"},
		{"disk.usage", "sum", NULL, NULL, NULL,
		 "agg: usage has no sum: use min, mean, max, last"},
		{"disk.reads", "p99", NULL, NULL, NULL,
		 "agg: \"p99\" is no aggregate: use rate, increase, sum, min, mean, max, last"},
		{"disk.reads", "default", NULL, NULL, NULL,
		 "agg: \"default\" is no aggregate: use rate, increase, sum, min, mean, max, last"},
		{"disk.reads", NULL, "now", "now", NULL,
		 "from: the window is empty: from is not before to"},
		{"disk.reads", NULL, "32503680000", NULL, NULL,
		 "from: the window is empty: from is not before to, which is now when not given"},
		{"disk.reads", NULL, "now", "-1h", NULL,
		 "from: the window is empty: from is not before to"},
		{"disk.reads", NULL, "9+5", NULL, NULL,
		 "from: \"9+5\" names a boot that is not in this file"},
		{"disk.reads", NULL, NULL, "soon", NULL,
		 "to: \"soon\" is no time: write 2026-12-01T04:13:20Z, seconds since 1970, now, "
		 "-1h, or BOOT+MILLISECONDS"},
		{"disk.reads", NULL, NULL, NULL, "0s",
		 "step: \"0s\" is out of range: 1ms to 100 years"},
		{"disk.reads", NULL, NULL, NULL, "-5s",
		 "step: \"-5s\" is no duration: write 500ms, 10s, 5min, 1h"},
		{"disk.reads", NULL, NULL, NULL, "0.5ms",
		 "step: \"0.5ms\" is no duration: write 500ms, 10s, 5min, 1h"},
		{"disk.reads", NULL, NULL, NULL, "99999999999h",
		 "step: \"99999999999h\" is out of range: 1ms to 100 years"},
		{"disk.reads", NULL, "-24h", NULL, "1s",
		 "step: 86400 points are too many, at most 11000 a series: the least step for "
		 "this window is 7855ms"},
	};

	(void)state;
	fake_reset(OFFSET_MS);
	ramp("vda");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		assert_string_equal(ask(table[i].metric, table[i].agg, table[i].from, table[i].to,
					table[i].step),
				    table[i].shown);
	/* the default window ends where to says */
	assert_string_equal(ask("disk.temp", "max", NULL, "1+4000", "1h"), "vda/1: 3600000=20004;");
	/* the step that the problem names is taken */
	assert_string_equal(ask("disk.temp", "max", "-11000s", NULL, "1s"),
			    "vda/1: 10900000=20000 10901000=20001 10902000=20002 10903000=20003 "
			    "10904000=20004 10905000=20005 10906000=20006 10907000=20007 "
			    "10908000=20008 10909000=20009 10910000=20010 10911000=20011 "
			    "10912000=20012 10913000=20013 10914000=20014 10915000=20015 "
			    "10916000=20016 10917000=20017 10918000=20018 10919000=20019 "
			    "10920000=20020;");
}

static int open_for(const char *node, const char *from, struct query **ret)
{
	struct query_params params = {.metric = "disk.reads", .node = node, .from = from};

	return query_open(NULL, &catalog, &params, NOW_MS, ret, &problem);
}

static void nodes(void **state)
{
	struct query *query = NULL;
	struct points_item item;

	(void)state;
	fake_reset(OFFSET_MS);
	assert_int_equal(open_for("vdb", NULL, &query), -EINVAL);
	assert_string_equal(problem.detail, "disk has no nodes, so no \"vdb\"");
	ramp("vda");
	assert_int_equal(open_for("vdz", NULL, &query), -EINVAL);
	assert_string_equal(problem.parameter, "node");
	assert_string_equal(problem.detail, "disk never had a node \"vdz\"; it knows vda");
	/* known, but without samples in the window */
	fake.spans[0].t0_ms = 200000;
	assert_int_equal(open_for("vda", NULL, &query), 0);
	assert_int_equal(query_next(query, &item), 0);
	query_close(query);
}

static void default_step(void **state)
{
	static const struct {
		const char *from;
		int64_t step_ms;
	} table[] = {
		{"", 12000}, {"-10s", 1000}, {"-301s", 2000}, {"-1d", 288000}, {"-1ms", 1000},
	};
	struct query *query = NULL;

	(void)state;
	fake_reset(OFFSET_MS);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		assert_int_equal(open_for(NULL, table[i].from, &query), 0);
		assert_int_equal(query_plan(query)->step_ms, table[i].step_ms);
		query_close(query);
	}
}

static void head(void **state)
{
	struct query *query = NULL;
	struct points_head h;

	(void)state;
	fake_reset(OFFSET_MS);
	assert_int_equal(open_for(NULL, NULL, &query), 0);
	query_head(query, &h);
	assert_string_equal(h.metric, "disk.reads");
	assert_string_equal(h.agg, "rate");
	assert_string_equal(h.kind, "counter");
	assert_true(h.per_second);
	assert_int_equal(h.to_wall_ms - h.from_wall_ms, 3600000);
	query_close(query);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters),
		cmocka_unit_test(gauges),
		cmocka_unit_test(before_the_window),
		cmocka_unit_test(derived_quantities),
		cmocka_unit_test(share_is_clamped),
		cmocka_unit_test(rate_divides_by_the_true_time),
		cmocka_unit_test(gap_counts_in_the_later_bucket),
		cmocka_unit_test(resets_give_no_increase),
		cmocka_unit_test(new_run_is_no_baseline),
		cmocka_unit_test(flags_keep_values_out),
		cmocka_unit_test(old_values_count),
		cmocka_unit_test(a_reset_is_only_a_baseline),
		cmocka_unit_test(boots_are_series_of_their_own),
		cmocka_unit_test(edges_of_the_window),
		cmocka_unit_test(damage_is_said_and_passed),
		cmocka_unit_test(large_values_stay_exact),
		cmocka_unit_test(errors_of_the_reader_come_through),
		cmocka_unit_test(problems),
		cmocka_unit_test(nodes),
		cmocka_unit_test(default_step),
		cmocka_unit_test(head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
