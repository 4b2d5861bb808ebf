/* Which times a clock has shown twice, against a simulation of it, second by second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "model/record.h"
#include "query/ambiguity.h"
#include "tests/unit/fake_reader.h"

#define N_ROUNDS  3000
#define UP_MAX_S  200
#define SET_MAX_S 300 /* how far the clock is set */
#define WALL_S    3000
#define WALLS     6000
#define YEARS_MS  INT64_C(1796097600000)

static unsigned seed;

static int64_t below(int64_t n)
{
	seed = seed * 1103515245U + 12345U;
	return (int64_t)(seed >> 8) % n;
}

/* How often each second was shown, from boot second first to last. */
static void simulate(int64_t first_s, int64_t last_s, unsigned shown[WALLS])
{
	memset(shown, 0, WALLS * sizeof(*shown));
	for (int64_t s = first_s; s < last_s; s++) {
		int64_t offset_ms = fake.steps[0].before_ms;

		for (size_t i = 0; i < fake.n_steps; i++)
			if (fake.steps[i].t_ms <= s * 1000)
				offset_ms = fake.steps[i].after_ms;
		shown[s + offset_ms / 1000]++;
	}
}

static void make_steps(int64_t last_s)
{
	int64_t offset_ms = WALL_S * 1000, t_s = 0;

	fake.n_steps = 0;
	while (fake.n_steps < 1 + (size_t)below(ARRAY_SIZE(fake.steps))) {
		struct clock_step *step = &fake.steps[fake.n_steps++];

		/* Some come before the first sample, some after the last one. */
		t_s += 1 + below(last_s / 2);
		step->t_ms = t_s * 1000;
		step->before_ms = offset_ms;
		offset_ms += (below(2 * SET_MAX_S) - SET_MAX_S) * 1000;
		offset_ms = MAX(offset_ms, 0);
		step->after_ms = offset_ms;
	}
	fake.boots[0].wall_offset_ms = offset_ms;
}

static bool is_told(const struct ambiguity *found, int64_t wall_s)
{
	bool told = false;

	for (size_t i = 0; i < found->n; i++) {
		bool in = found->items[i].from_wall_ms <= wall_s * 1000 &&
			  found->items[i].to_wall_ms >= (wall_s + 1) * 1000;

		assert_false(told && in);
		told |= in;
	}
	return told;
}

/* What is told was told by somebody who has set the clock back. */
static void check_item(const struct points_ambiguity *item, int64_t from_s, int64_t to_s)
{
	bool is_step = false;

	assert_int_equal(item->why, POINTS_CLOCK_STEP);
	assert_int_equal(item->boot, 1);
	assert_true(item->from_wall_ms <= to_s * 1000 && item->to_wall_ms >= from_s * 1000);
	for (size_t i = 0; i < fake.n_steps; i++)
		is_step |= fake.steps[i].t_ms == item->at_ms &&
			   fake.steps[i].after_ms < fake.steps[i].before_ms;
	assert_true(is_step);
}

static void check_window(int64_t from_s, int64_t to_s, const unsigned shown[WALLS])
{
	struct ambiguity found = {0};

	assert_int_equal(ambiguity_of_steps(NULL, from_s * 1000, to_s * 1000, &found), 0);
	for (int64_t s = from_s; s < to_s; s++)
		if (is_told(&found, s) != (shown[s] > 1))
			fail_msg("seed %u: second %lld was shown %u times", seed, (long long)s,
				 shown[s]);
	for (size_t i = 0; i < found.n; i++)
		check_item(&found.items[i], from_s, to_s);
}

static void each_second_that_was_shown_twice(void **state)
{
	static unsigned shown[WALLS];

	(void)state;
	for (int i = 0; i < N_ROUNDS; i++) {
		int64_t last_s, first_s, from_s;

		seed = (unsigned)i;
		last_s = 20 + below(UP_MAX_S);
		first_s = below(last_s);
		from_s = WALL_S + below(2 * UP_MAX_S) - UP_MAX_S;
		fake_reset(0);
		make_steps(last_s);
		fake.boots[0].first_ms = first_s * 1000;
		fake.boots[0].last_ms = last_s * 1000;
		simulate(first_s, last_s, shown);
		check_window(0, WALLS, shown);
		check_window(from_s, from_s + 1 + below(UP_MAX_S), shown);
	}
}

static struct ambiguity ask(int64_t from_wall_ms, int64_t to_wall_ms)
{
	struct ambiguity found = {0};

	assert_int_equal(ambiguity_of_steps(NULL, from_wall_ms, to_wall_ms, &found), 0);
	return found;
}

/* A run found the clock at 1970, which a run before of the same boot had known better. */
static void five_seconds_of_1970(void **state)
{
	const int64_t up_ms = INT64_C(259200000);

	(void)state;
	fake_reset(YEARS_MS);
	fake.boots[0].first_ms = up_ms;
	fake.boots[0].last_ms = up_ms + 3600000;
	fake.steps[0] = (struct clock_step){up_ms + 60000, YEARS_MS, 0};
	fake.steps[1] = (struct clock_step){up_ms + 65000, 0, YEARS_MS};
	fake.n_steps = 2;
	assert_int_equal(ask(YEARS_MS + up_ms, YEARS_MS + up_ms + 3600000).n, 0);
	assert_int_equal(ask(0, YEARS_MS * 2).n, 0);
}

static void two_hours_back_for_33_s(void **state)
{
	const int64_t set_ms = 3 * 3600000;
	struct ambiguity found;

	(void)state;
	fake_reset(YEARS_MS);
	fake.boots[0].last_ms = 5 * 3600000;
	fake.steps[0] = (struct clock_step){set_ms, YEARS_MS, YEARS_MS - 7200000};
	fake.steps[1] = (struct clock_step){set_ms + 33000, YEARS_MS - 7200000, YEARS_MS};
	fake.n_steps = 2;
	found = ask(YEARS_MS, YEARS_MS + 4 * 3600000);
	assert_int_equal(found.n, 1);
	assert_int_equal(found.items[0].at_ms, set_ms);
	assert_int_equal(found.items[0].from_wall_ms, YEARS_MS + set_ms - 7200000);
	assert_int_equal(found.items[0].to_wall_ms, YEARS_MS + set_ms - 7200000 + 33000);
	/* Its samples come as they were shown, and nothing else does. */
	assert_int_equal(ask(YEARS_MS + 2 * 3600000, YEARS_MS + 4 * 3600000).n_spans, 0);
	assert_int_equal(ask(YEARS_MS + 3600000, YEARS_MS + 2 * 3600000).n_spans, 1);
}

/* What lists are told: what was shown twice, what two boots have, and what was called so then. */
static void of_lists(void **state)
{
	struct points_ambiguity items[4];

	(void)state;
	fake_reset(YEARS_MS);
	fake.boots[0].last_ms = 2 * 3600000;
	fake.steps[0] = (struct clock_step){3600000, YEARS_MS + 86400000, YEARS_MS};
	fake.n_steps = 1;
	fake.boots[1] = (struct boot){.id = 2, .wall_offset_ms = YEARS_MS + 3600000};
	fake.boots[1].last_ms = 3600000;
	fake.n_boots = 2;
	assert_int_equal(query_ambiguous(NULL, YEARS_MS, YEARS_MS + 7200000, items, 4), 1);
	assert_int_equal(items[0].why, POINTS_TWO_BOOTS);
	assert_int_equal(items[0].boot, 2);
	assert_int_equal(items[0].other_boot, 1);
	assert_int_equal(items[0].from_wall_ms, YEARS_MS + 3600000);
	assert_int_equal(items[0].to_wall_ms, YEARS_MS + 7200000);
	/* Of tomorrow, that the first boot has shown for an hour. */
	assert_int_equal(
		query_ambiguous(NULL, YEARS_MS + 86400000, YEARS_MS + 2 * 86400000, items, 4), 1);
	assert_int_equal(items[0].why, POINTS_AS_SHOWN);
	assert_int_equal(items[0].boot, 1);
	assert_int_equal(items[0].from_wall_ms, YEARS_MS);
	assert_int_equal(items[0].to_wall_ms, YEARS_MS + 3600000 - 1);
	assert_int_equal(query_ambiguous(NULL, 0, YEARS_MS - 1, items, 4), 0);
	assert_int_equal(query_ambiguous(NULL, INT64_MIN / 4, INT64_MAX / 4, items, 4), 1);
	assert_int_equal(query_ambiguous(NULL, 0, INT64_MAX / 4, items, 0), 0);
}

/* A boot of which nothing was sampled shows nothing. */
static void no_sample(void **state)
{
	(void)state;
	fake_reset(YEARS_MS);
	fake.steps[0] = (struct clock_step){7200000, YEARS_MS, YEARS_MS - 3600000};
	fake.n_steps = 1;
	assert_int_equal(ask(YEARS_MS, YEARS_MS + 7200000).n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_second_that_was_shown_twice),
		cmocka_unit_test(five_seconds_of_1970),
		cmocka_unit_test(two_hours_back_for_33_s),
		cmocka_unit_test(of_lists),
		cmocka_unit_test(no_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
