/* Rollups against a naive model: random series (counters that wrap and fall back, gauges with gaps,
 * states, flags, late samples, two boots, nodes that go and come back) are asked at steps of whole
 * minutes and hours, while their samples are there, when these are gone, and when the minutes are
 * gone as well. Every answer is that of the samples. */
/* label: long single */
/* timeout: 300 */
#include <sqlite3.h>

#include "tests/support/store_world.h"

#include "model/derive.h"
#include "query/query.h"

#define STEP_MS    INT64_C(10000)
#define HOUR_MS    INT64_C(3600000)
#define DAY_MS     (24 * HOUR_MS)
#define N_TICKS    11000 /* of the first boot: some 30 hours */
#define N_BOOTS    2
#define N_NODES    2
#define POINTS_MAX 2000

enum { FIELD_READS, FIELD_BUSY, FIELD_HEAT, FIELD_SIZE, FIELD_STATE, N_FIELDS };

static const char *const states[] = {"idle", "busy", "gone", NULL};

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[FIELD_READS] = {"reads", UNIT_COUNT, KIND_COUNTER, "Reads.", NULL, 32, NULL},
	[FIELD_BUSY] = {"busy", UNIT_MILLISECONDS, KIND_COUNTER, "Busy.", NULL, 0, NULL},
	[FIELD_HEAT] = {"heat", UNIT_MILLICELSIUS, KIND_GAUGE, "Heat.", NULL, 0, NULL},
	[FIELD_SIZE] = {"size", UNIT_BYTES, KIND_GAUGE, "Size.", NULL, 0, NULL},
	[FIELD_STATE] = {"state", UNIT_NONE, KIND_STATE, "State.", NULL, 0, states},
};
static const struct derived derived[] = {
	{"read_bytes", UNIT_BYTES, DERIVE_SCALE, "reads", NULL, 512, 1, "Bytes."},
	{"latency", UNIT_MICROSECONDS, DERIVE_MEAN, "busy", "reads", 1000, 1, "Latency."},
	{"busy_share", UNIT_RATIO, DERIVE_SHARE, "busy", NULL, 1, 1, "Share."},
	{"queue", UNIT_RATIO, DERIVE_AVERAGE, "busy", NULL, 1, 1, "Queue."},
	{"heat_of_size", UNIT_RATIO, DERIVE_QUOTIENT, "heat", "size", 1, 1, "Quotient."},
	{"rest", UNIT_RATIO, DERIVE_REST, "heat", "size", 1, 1, "Rest."},
	{"difference", UNIT_BYTES, DERIVE_DIFF, "size", "heat", 1, 1, "Difference."},
};
/* clang-format on */

static const struct group groups[] = {{.name = "disk",
				       .help = "Disks.",
				       .cost = COST_F,
				       .period_ms = STEP_MS,
				       .fields = fields,
				       .n_fields = N_FIELDS,
				       .derived = derived,
				       .n_derived = ARRAY_SIZE(derived)}};
static const struct collector collector = {
	.name = "disk", .help = "Disks.", .groups = groups, .n_groups = 1};
static const struct collector *const collectors[] = {&collector};
static const struct catalog catalog = {collectors, 1};

/* What was sampled. */
struct sample {
	bool there, has[N_FIELDS];
	int64_t late_ms, v[N_FIELDS];
	uint8_t flag[N_FIELDS];
	bool is_new; /* the node came back: a new run */
};

static struct sample samples[N_BOOTS][N_NODES][N_TICKS];
static const size_t n_ticks[N_BOOTS] = {N_TICKS, 1500};
static const char *const node_names[N_NODES] = {"sda", "sdb"};

static uint64_t seed = 88172645463325252U;

static int64_t below(int64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (int64_t)(seed % (uint64_t)n);
}

static void move(int64_t *v, bool moves)
{
	v[FIELD_READS] += moves ? below(3000) : 0;
	if (v[FIELD_READS] >= INT64_C(1) << 32)
		v[FIELD_READS] -= INT64_C(1) << 32;
	v[FIELD_BUSY] += moves ? below(20000) : 0;
	if (below(2500) == 0)
		v[FIELD_BUSY] = below(100);
	v[FIELD_HEAT] += below(201) - 100;
	v[FIELD_SIZE] += below(50) == 0 ? below(100000) : 0;
	v[FIELD_STATE] = below(40) == 0 ? below(3) : v[FIELD_STATE];
}

static void make_node(struct sample *s, size_t n, bool is_second)
{
	int64_t v[N_FIELDS] = {(INT64_C(1) << 32) - 3000000, 0, 40000, 1000000, 0};
	size_t gap[N_FIELDS] = {0}, away = 0;
	uint8_t flag[N_FIELDS] = {0};

	for (size_t i = 0; i < n; i++) {
		bool was_away = away > 0;

		move(v, i / 300 % 3 != 1);
		away = away ? away - 1 : is_second && below(1500) == 0 ? (size_t)below(700) : 0;
		s[i].there = !away;
		s[i].is_new = was_away && !away;
		s[i].late_ms = below(4) == 0 ? 100 + below(2900) : 0; /* less is stored as 0 */
		for (size_t f = 0; f < N_FIELDS; f++) {
			gap[f] = gap[f] ? gap[f] - 1 : below(400) == 0 ? (size_t)below(40) : 0;
			if (below(300) == 0)
				flag[f] = below(2) ? (uint8_t)below(FLAG_SATURATED + 1) : FLAG_NONE;
			s[i].has[f] = s[i].there && !gap[f];
			s[i].v[f] = v[f];
			s[i].flag[f] = flag[f];
		}
	}
}

static int64_t tick_ms(size_t i)
{
	return (int64_t)(i + 1) * STEP_MS;
}

static int64_t offset_of(size_t boot)
{
	return WALL_OFFSET_MS + (int64_t)boot * 3 * DAY_MS;
}

static struct store *open_boot(size_t boot)
{
	struct store_options options = world_options(boot ? "boot-b" : "boot-a");
	struct store *store = NULL;

	options.wall_offset_ms = offset_of(boot);
	assert_int_equal(store_open(&options, &catalog, &store), 0);
	return store;
}

static void add_tick(struct store *store, struct sink *sink, size_t boot, size_t i)
{
	int64_t late_ms = samples[boot][0][i].late_ms;

	sink_reset(sink, &groups[0]);
	for (size_t n = 0; n < N_NODES; n++) {
		const struct sample *s = &samples[boot][n][i];

		if (!s->there)
			continue;
		struct row *row = sink_row(sink, node_names[n], "");

		for (size_t f = 0; f < N_FIELDS; f++) {
			if (!s->has[f])
				continue;
			row_set(row, f, s->v[f]);
			row_flag(row, f, (enum flag)s->flag[f]);
		}
	}
	store_add(store, &groups[0], tick_ms(i), late_ms, STEP_MS, sink);
}

/* A store of the boot with all its ticks; the last ones are not committed. */
static struct store *fill(size_t boot)
{
	struct store *store = open_boot(boot);
	struct sink sink;

	assert_int_equal(sink_init(&sink), 0);
	for (size_t i = 0; i < n_ticks[boot]; i++) {
		add_tick(store, &sink, boot, i);
		if (i % 6 == 5 && i + 10 < n_ticks[boot])
			assert_int_equal(store_commit(store, tick_ms(i), false), 0);
		/* A restart in between, in the midst of an hour. */
		if (i == 4321 && boot == 0) {
			assert_int_equal(store_commit(store, tick_ms(i), true), 0);
			store_close(store);
			store = open_boot(boot);
		}
	}
	sink_done(&sink);
	return store;
}

struct answer {
	bool has_value;
	struct decimal value;
	uint8_t flag;
};

/* What a flag stands for on a tick: a value that is absent keeps the flag that was. The store keeps
 * flags of values alone, so the newest one that came with a value is in force. */
static uint8_t flag_in_force[N_BOOTS][N_NODES][N_TICKS][N_FIELDS];

static void settle_flags(void)
{
	for (size_t b = 0; b < N_BOOTS; b++)
		for (size_t n = 0; n < N_NODES; n++) {
			uint8_t now[N_FIELDS] = {0};

			for (size_t i = 0; i < n_ticks[b]; i++)
				for (size_t f = 0; f < N_FIELDS; f++) {
					const struct sample *s = &samples[b][n][i];

					if (s->is_new)
						now[f] = FLAG_NONE;
					if (s->has[f])
						now[f] = s->flag[f];
					flag_in_force[b][n][i][f] = now[f];
				}
		}
}

/* What the model knows of a bucket; buckets are (from, to]. */
struct naive {
	struct derive_sum sum;
	struct answer min, max, last;
	uint8_t flag;
};

static void extreme(struct naive *b, struct decimal value)
{
	if (!b->min.has_value || decimal_compare(value, b->min.value) < 0)
		b->min = (struct answer){true, value, 0};
	if (!b->max.has_value || decimal_compare(value, b->max.value) > 0)
		b->max = (struct answer){true, value, 0};
}

static uint8_t weightier(uint8_t a, uint8_t b)
{
	if (b == FLAG_RESET && a != FLAG_IMPLAUSIBLE)
		return b;
	return a ? a : b;
}

static void naive_value(struct naive *b, const struct metric *m, const struct derive_point *p,
			uint8_t flag)
{
	struct decimal value;

	if (!p->has_a || !p->has_b)
		return;
	if (flag)
		b->flag = flag;
	if (derive_value(m, p, &value)) {
		b->last = (struct answer){true, value, flag};
		if (!flag_keeps_out((enum flag)flag))
			extreme(b, value);
	}
	if (!flag_keeps_out((enum flag)flag))
		derive_add_value(&b->sum, m, p);
}

static void naive_step(struct naive *b, const struct metric *m, const struct derive_point *before,
		       const struct derive_point *p, uint8_t flag)
{
	struct derive_sum one = {0};
	struct decimal value;

	if (flag)
		b->flag = flag;
	if (flag == FLAG_RESET || derive_add_step(&one, m, before, p) != DERIVE_ADDED)
		return;
	derive_add_step(&b->sum, m, before, p);
	if (!derive_rate(m, &one, &value))
		return;
	b->last = (struct answer){true, value, flag};
	if (!flag_keeps_out((enum flag)flag))
		extreme(b, value);
}

static void model(const struct metric *m, bool counts, size_t boot, size_t node, int64_t from_ms,
		  int64_t step_ms, struct naive *buckets, size_t n)
{
	struct derive_point before = {0};
	bool has_before = false, steps = metric_is_delta(m) && !counts;

	memset(buckets, 0, n * sizeof(*buckets));
	for (size_t i = 0; i < n_ticks[boot]; i++) {
		const struct sample *s = &samples[boot][node][i];
		int64_t t_ms = tick_ms(i), at = (t_ms - from_ms - 1) / step_ms;
		bool inside = t_ms > from_ms && at < (int64_t)n;
		const uint8_t *flags = flag_in_force[boot][node][i];
		uint8_t flag = m->a == m->b ? flags[m->a] : weightier(flags[m->a], flags[m->b]);
		struct derive_point p = {.t_ms = t_ms + samples[boot][0][i].late_ms,
					 .a = s->v[m->a],
					 .b = s->v[m->b],
					 .has_a = s->has[m->a],
					 .has_b = s->has[m->b]};

		if (!s->there)
			continue;
		has_before = has_before && !s->is_new;
		if (!steps) {
			if (inside)
				naive_value(&buckets[at], m, &p, flag);
			continue;
		}
		if (!p.has_a || !p.has_b) {
			has_before = has_before && flag != FLAG_RESET;
		} else if (flag == FLAG_IMPLAUSIBLE) {
			if (inside)
				buckets[at].flag = flag;
		} else {
			if (inside && has_before)
				naive_step(&buckets[at], m, &before, &p, flag);
			before = p;
			has_before = true;
		}
	}
}

static struct answer expected(const struct naive *b, const struct metric *m, enum agg agg)
{
	struct answer a = {.flag = b->flag};

	switch (agg) {
	case AGG_MIN:
		a = b->min;
		a.flag = b->flag;
		break;
	case AGG_MAX:
		a = b->max;
		a.flag = b->flag;
		break;
	case AGG_LAST:
		a = b->last;
		break;
	case AGG_INCREASE:
		a.has_value = derive_increase(m, &b->sum, &a.value);
		break;
	case AGG_SUM:
		a.has_value = metric_is_delta(m) ? derive_increase(m, &b->sum, &a.value)
						 : derive_total(m, &b->sum, &a.value);
		break;
	case AGG_DEFAULT:
	case AGG_RATE:
	case AGG_MEAN:
		a.has_value = metric_is_delta(m) ? derive_rate(m, &b->sum, &a.value)
						 : derive_mean(m, &b->sum, &a.value);
		break;
	}
	return a;
}

static size_t n_compared, n_values;

static void compare(const struct points_item *item, const struct answer *e, const char *what)
{
	char got[40], wanted[40];
	struct text g = TEXT_IN(got), w = TEXT_IN(wanted);

	n_compared++;
	n_values += e->has_value;
	if (item->has_value == e->has_value && item->flag == e->flag &&
	    (!e->has_value || decimal_compare(item->value, e->value) == 0))
		return;
	decimal_text(&g, item->value);
	decimal_text(&w, e->value);
	fail_msg("%s at %lld: %s (flag %d) instead of %s (flag %d)", what, (long long)item->boot_ms,
		 item->has_value ? got : "none", item->flag, e->has_value ? wanted : "none",
		 e->flag);
}

/* Asks for a boot of a node from a time on, and compares each bucket. */
static void ask(struct reader *reader, const char *metric_name, const char *agg, size_t boot,
		size_t node, int64_t from_ms, int64_t step_ms, size_t n)
{
	CLEANUP(query_closep) struct query *query = NULL;
	static struct naive buckets[POINTS_MAX];
	char metric[64], from[32], to[32], step[32], what[160];
	struct query_params params = {.metric = metric,
				      .node = node_names[node],
				      .from = from,
				      .to = to,
				      .step = step,
				      .agg = agg};
	struct problem problem = {0};
	struct points_item item;
	size_t next = 0;
	int r;

	snprintf(metric, sizeof(metric), "disk.%s", metric_name);
	snprintf(from, sizeof(from), "%zu+%lld", boot + 1, (long long)from_ms);
	snprintf(to, sizeof(to), "%zu+%lld", boot + 1, (long long)(from_ms + (int64_t)n * step_ms));
	snprintf(step, sizeof(step), "%lldms", (long long)step_ms);
	snprintf(what, sizeof(what), "%s %s of %s in boot %zu, step %s", agg, metric,
		 node_names[node], boot + 1, step);
	r = query_open(reader, &catalog, &params, offset_of(1) + DAY_MS, &query, &problem);
	if (r < 0)
		fail_msg("%s: %d %s: %s", what, r, problem.parameter, problem.detail);

	const struct query_plan *plan = query_plan(query);

	model(&plan->metric, plan->metric.kind == KIND_COUNTER && plan->agg == AGG_LAST, boot, node,
	      from_ms, step_ms, buckets, n);
	while ((r = query_next(query, &item)) > 0) {
		assert_int_not_equal(item.type, POINTS_DAMAGE);
		if (item.type != POINTS_POINT)
			continue;

		size_t at = (size_t)((item.boot_ms - from_ms) / step_ms) - 1;
		struct answer e;

		for (; next < at; next++) {
			e = expected(&buckets[next], &plan->metric, plan->agg);
			if (e.has_value || e.flag)
				fail_msg("%s: bucket %zu is missing", what, next);
		}
		e = expected(&buckets[at], &plan->metric, plan->agg);
		compare(&item, &e, what);
		next = at + 1;
	}
	assert_int_equal(r, 0);
	for (; next < n; next++) {
		struct answer e = expected(&buckets[next], &plan->metric, plan->agg);

		if (e.has_value || e.flag)
			fail_msg("%s: bucket %zu is missing at the end", what, next);
	}
}

static const struct {
	const char *metric, *aggs[7];
} questions[] = {
	{"reads", {"rate", "increase", "min", "max", "last", "sum"}},
	{"busy", {"rate", "increase", "min", "max", "last"}},
	{"heat", {"mean", "min", "max", "sum", "last"}},
	{"state", {"last", "min", "max"}},
	{"read_bytes", {"rate", "increase", "min", "max", "last"}},
	{"latency", {"mean", "min", "max", "last"}},
	{"busy_share", {"mean", "min", "max", "last"}},
	{"queue", {"mean", "min", "max", "last"}},
	{"heat_of_size", {"mean", "min", "max", "last"}},
	{"rest", {"mean", "min", "max", "last"}},
	{"difference", {"mean", "min", "max", "last"}},
};

static void ask_all(struct reader *reader, size_t boot, int64_t from_ms, int64_t step_ms)
{
	int64_t window_ms = tick_ms(n_ticks[boot] - 1) + step_ms - from_ms;
	size_t n = MIN((size_t)(window_ms / step_ms), POINTS_MAX);

	for (size_t q = 0; q < ARRAY_SIZE(questions); q++)
		for (size_t a = 0; questions[q].aggs[a]; a++)
			for (size_t node = 0; node < N_NODES; node++)
				ask(reader, questions[q].metric, questions[q].aggs[a], boot, node,
				    from_ms, step_ms, n);
}

static void make_samples(void)
{
	for (size_t b = 0; b < N_BOOTS; b++)
		for (size_t n = 0; n < N_NODES; n++)
			make_node(samples[b][n], n_ticks[b], n == 1);
	settle_flags();
}

static struct reader *open_reader(struct store *store)
{
	struct reader *reader = NULL;

	assert_int_equal(reader_open(world_path, store, &catalog, &reader), 0);
	return reader;
}

static void forget(const char *sql)
{
	char answer[256];

	world_shell(sql, answer, sizeof(answer));
	assert_string_equal(answer, "");
}

static void answers_are_those_of_the_samples(void **state)
{
	struct store *store;
	struct reader *reader;

	(void)state;
	make_samples();
	store = fill(0);
	reader = open_reader(store);
	ask_all(reader, 0, 0, 60000);
	ask_all(reader, 0, 3 * HOUR_MS, HOUR_MS);
	ask_all(reader, 0, 7 * 60000, 17 * 60000);
	reader_close(reader);
	assert_int_equal(store_commit(store, tick_ms(n_ticks[0] - 1), true), 0);
	store_close(store);

	store = fill(1);
	reader = open_reader(store);
	ask_all(reader, 1, 0, 300000);
	/* Steps that no rollup has come from samples. */
	ask_all(reader, 0, 0, 70000);

	/* Samples of the first day are gone, then its minutes up to noon. */
	forget("DELETE FROM disk_chunk WHERE id<10000000000000+86400*10000");
	ask_all(reader, 0, 0, 60000);
	ask_all(reader, 0, 60000, 120000);
	ask_all(reader, 0, 0, HOUR_MS);
	ask_all(reader, 1, 0, 60000);
	forget("DELETE FROM minute WHERE id<10000000000000+12*100000000");
	ask_all(reader, 0, 0, HOUR_MS);
	ask_all(reader, 0, 2 * HOUR_MS, 3 * HOUR_MS);
	ask_all(reader, 0, 12 * HOUR_MS, 60000);
	reader_close(reader);
	store_close(store);
	print_message("%zu points, %zu of them with a value\n", n_compared, n_values);
	assert_true(n_values > 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(answers_are_those_of_the_samples, world_start,
						world_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
