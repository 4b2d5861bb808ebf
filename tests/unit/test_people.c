/* Numbers for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "model/people.h"

static void writes_numbers(void **state)
{
	static const struct {
		struct decimal value;
		enum unit unit;
		bool per_second;
		const char *text;
	} table[] = {
		{{0, 0}, UNIT_BYTES, true, "0 B/s"},
		{{512, 0}, UNIT_BYTES, false, "512 B"},
		{{999, 0}, UNIT_BYTES, false, "999 B"},
		{{1000, 0}, UNIT_BYTES, false, "1 kB"},
		{{4096, 0}, UNIT_BYTES, true, "4.096 kB/s"},
		{{1537123456, 3}, UNIT_BYTES, true, "1.537 MB/s"},
		{{999960, 0}, UNIT_BYTES, false, "1000 kB"},
		{{-1500, 0}, UNIT_BYTES, true, "-1.5 kB/s"},
		{{8, 0}, UNIT_SECTORS, true, "4.096 kB/s"},
		{{2, 0}, UNIT_KIBIBYTES, false, "2.048 kB"},
		{{INT64_MAX, 0}, UNIT_BYTES, false, "9.223 EB"},
		{{INT64_MAX, 0}, UNIT_KIBIBYTES, false, "9445 EB"},
		{{1, 6}, UNIT_BYTES, true, "0.000001 B/s"},
		{{123456, 6}, UNIT_BYTES, true, "0.1235 B/s"},
		{{12345, 3}, UNIT_MILLISECONDS, false, "12.35 ms"},
		{{850, 0}, UNIT_MICROSECONDS, false, "850 us"},
		{{5, 1}, UNIT_MICROSECONDS, false, "0.5 us"},
		{{0, 0}, UNIT_MICROSECONDS, false, "0 s"},
		{{90, 0}, UNIT_SECONDS, false, "90 s"},
		{{3599, 0}, UNIT_SECONDS, false, "3599 s"},
		{{7200, 0}, UNIT_SECONDS, false, "2 h"},
		{{123456, 0}, UNIT_SECONDS, false, "34.29 h"},
		{{-123456, 0}, UNIT_SECONDS, false, "-34.29 h"},
		{{123456, 0}, UNIT_SECONDS, true, "123456 s/s"},
		/* A moment is a date, also as a mean; a change of it is not. */
		{{1796097922, 0}, UNIT_UNIX_SECONDS, false, "2026-12-01T04:05:22Z"},
		{{17960979226, 1}, UNIT_UNIX_SECONDS, false, "2026-12-01T04:05:22Z"},
		{{0, 0}, UNIT_UNIX_SECONDS, false, "1970-01-01T00:00:00Z"},
		{{-1, 0}, UNIT_UNIX_SECONDS, false, "1969-12-31T23:59:59Z"},
		{{3, 0}, UNIT_UNIX_SECONDS, true, "3 s/s"},
		{{12798, 0}, UNIT_HOURS, false, "12798 h"},
		{{1, 0}, UNIT_HOURS, false, "1 h"},
		{{7601, 0}, UNIT_MINUTES, false, "126.7 h"},
		{{INT64_MAX, 0}, UNIT_HOURS, false, "9223372036854775807 h"},
		{{INT64_MAX, 0}, UNIT_NANOSECONDS, false, "2562048 h"},
		{{INT64_MAX, 9}, UNIT_NANOSECONDS, false, "9.223 s"},
		{{41300, 0}, UNIT_MILLICELSIUS, false, "41.3 degC"},
		{{-500, 0}, UNIT_MILLICELSIUS, false, "-0.5 degC"},
		{{400000000, 0}, UNIT_BYTES_PER_SECOND, false, "400 MB/s"},
		{{0, 0}, UNIT_BYTES_PER_SECOND, false, "0 B/s"},
		{{6000000000, 0}, UNIT_BITS_PER_SECOND, false, "6 Gbit/s"},
		{{480000000, 0}, UNIT_BITS_PER_SECOND, false, "480 Mbit/s"},
		{{1500000, 0}, UNIT_BITS_PER_SECOND, false, "1.5 Mbit/s"},
		{{403000000, 0}, UNIT_HERTZ, false, "403 MHz"},
		{{1800000, 0}, UNIT_KILOHERTZ, false, "1.8 GHz"},
		{{26, 3}, UNIT_RATIO, false, "2.6 %"},
		{{1, 0}, UNIT_RATIO, false, "100 %"},
		{{0, 0}, UNIT_RATIO, false, "0 %"},
		{{1234, 0}, UNIT_PERCENT_X100, false, "12.34 %"},
		{{7, 0}, UNIT_PERCENT, false, "7 %"},
		{{152, 0}, UNIT_HUNDREDTHS, false, "1.52"},
		{{1234567, 0}, UNIT_COUNT, false, "1234567"},
		{{1333333, 5}, UNIT_COUNT, true, "13.33/s"},
		{{INT64_MIN, 0}, UNIT_COUNT, false, "-9223372036854775807"},
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct text text = TEXT_IN(buf);

		people_value(&text, table[i].value, table[i].unit, table[i].per_second);
		assert_string_equal(buf, table[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(writes_numbers)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
