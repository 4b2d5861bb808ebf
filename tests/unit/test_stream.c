/* The reference stream is the same on every machine, and looks as it should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/bench/stream.h"

static void checksum(void **state)
{
	static struct stream s;
	uint64_t sum = 14695981039346656037U;
	int64_t moved = 0;

	(void)state;
	stream_start(&s);
	for (int64_t t = 0; t < STREAM_SECONDS; t++) {
		int64_t before = s.v[0];

		stream_tick(&s, t);
		moved += s.v[0] != before;
		sum = stream_checksum(sum, &s);
	}
	assert_in_range(moved, STREAM_SECONDS / 3, STREAM_SECONDS);
	assert_in_range(s.v[102], 20000, 60000);
	if (sum != UINT64_C(18021774213450972315))
		fail_msg("checksum %ju", (uintmax_t)sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(checksum)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
