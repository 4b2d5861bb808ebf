/* How long an answer that is made piece by piece may take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/http_pace.h"

#define BEGIN_MS INT64_C(500000)
#define MINUTE   ((int64_t)HTTP_PACE_MS)

/* Minutes from the first one's end on, in each of which a client takes so many bytes, until it is
 * cut off; at most 10000. */
static int minutes_of(int64_t total_bytes, int64_t bytes_a_minute)
{
	struct http_pace pace;
	int64_t now_ms = BEGIN_MS + MINUTE;

	http_pace_start(&pace, total_bytes, BEGIN_MS);
	for (int n = 0; n < 10000; n++) {
		pace.given_bytes += bytes_a_minute;
		now_ms = http_pace_grant(&pace, 0, now_ms);
		if (!now_ms)
			return n;
	}
	return 10000;
}

static void test_least_pace(void **state)
{
	(void)state;
	assert_int_equal(minutes_of(0, HTTP_PACE_BYTES), 10000);
	assert_int_equal(minutes_of(0, HTTP_PACE_BYTES - 1), 0);
}

static void test_known_length_ends(void **state)
{
	(void)state;
	/* 1 KiB/s is enough for each minute, but not for 128 MiB: 8192 s by 16 KiB/s. */
	assert_int_equal(minutes_of(INT64_C(128) << 20, HTTP_PACE_BYTES), 136);
	/* A small one has ten minutes, the first of which was granted at its start. */
	assert_int_equal(minutes_of(1, HTTP_PACE_BYTES), 9);
}

static void test_last_grant_ends_with_it(void **state)
{
	struct http_pace pace;

	(void)state;
	http_pace_start(&pace, 1, BEGIN_MS);
	pace.given_bytes = HTTP_PACE_BYTES;
	assert_int_equal(http_pace_grant(&pace, 0, BEGIN_MS + HTTP_WHOLE_LEAST_MS - 1),
			 BEGIN_MS + HTTP_WHOLE_LEAST_MS);
	pace.given_bytes += HTTP_PACE_BYTES;
	assert_int_equal(http_pace_grant(&pace, 0, BEGIN_MS + HTTP_WHOLE_LEAST_MS), 0);
}

/* What lies in the socket was not taken; who has all that was made waits for us. */
static void test_socket(void **state)
{
	struct http_pace pace;

	(void)state;
	http_pace_start(&pace, 0, BEGIN_MS);
	pace.given_bytes = HTTP_PACE_BYTES;
	assert_int_equal(http_pace_grant(&pace, 1, BEGIN_MS), 0);
	pace.waits = true;
	assert_int_equal(http_pace_grant(&pace, 1, BEGIN_MS), 0);
	pace.given_bytes = 10;
	assert_int_equal(http_pace_grant(&pace, 0, BEGIN_MS), BEGIN_MS + MINUTE);
}

/* Megabytes at a time, with a rest of minutes between them. */
static void test_leaps(void **state)
{
	struct http_pace pace;
	int64_t until_ms, now_ms = BEGIN_MS + MINUTE;

	(void)state;
	http_pace_start(&pace, 0, BEGIN_MS);
	pace.given_bytes = 2 * HTTP_PACE_BYTES;
	until_ms = http_pace_grant(&pace, 0, now_ms);
	assert_int_equal(until_ms, now_ms + 2 * MINUTE);
	pace.given_bytes += 100 * HTTP_PACE_BYTES;
	now_ms = until_ms;
	until_ms = http_pace_grant(&pace, 0, now_ms);
	assert_int_equal(until_ms, now_ms + HTTP_PACE_AHEAD * MINUTE);
	/* It counts once. */
	pace.given_bytes += HTTP_PACE_BYTES - 1;
	assert_int_equal(http_pace_grant(&pace, 0, until_ms), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_least_pace),
		cmocka_unit_test(test_known_length_ends),
		cmocka_unit_test(test_last_grant_ends_with_it),
		cmocka_unit_test(test_socket),
		cmocka_unit_test(test_leaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
