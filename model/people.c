#include "model/people.h"

#include <string.h>

#include "base/clock.h"
#include "base/macros.h"

#define DIGITS_SHOWN    4
#define SECONDS_OF_HOUR 3600

/* Prefixes of a base unit, the largest first; the last one takes what is smaller. */
struct scale {
	const char *symbol;
	int exponent; /* the unit is 10^exponent of the base unit */
};

static const struct scale bytes[] = {
	{"EB", 18}, {"PB", 15}, {"TB", 12}, {"GB", 9}, {"MB", 6}, {"kB", 3}, {"B", 0}, {NULL, 0},
};
static const struct scale throughput[] = {
	{"GB/s", 9}, {"MB/s", 6}, {"kB/s", 3}, {"B/s", 0}, {NULL, 0},
};
static const struct scale seconds[] = {{"s", 0}, {"ms", -3}, {"us", -6}, {NULL, 0}};
static const struct scale hertz[] = {{"GHz", 9}, {"MHz", 6}, {"kHz", 3}, {"Hz", 0}, {NULL, 0}};
static const struct scale transfers[] = {{"GT/s", 9}, {"MT/s", 6}, {"T/s", 0}, {NULL, 0}};
static const struct scale bits[] = {{"Gbit/s", 9}, {"Mbit/s", 6}, {"bit/s", 0}, {NULL, 0}};
static const struct scale celsius[] = {{"degC", 0}, {NULL, 0}};
static const struct scale volts[] = {{"V", 0}, {NULL, 0}};
static const struct scale amperes[] = {{"A", 0}, {"mA", -3}, {NULL, 0}};
static const struct scale watts[] = {{"W", 0}, {"mW", -3}, {NULL, 0}};
static const struct scale joules[] = {{"MJ", 6}, {"kJ", 3}, {"J", 0}, {NULL, 0}};
static const struct scale rotations[] = {{"RPM", 0}, {NULL, 0}};
static const struct scale ratio[] = {{"%", -2}, {NULL, 0}};
static const struct scale plain[] = {{"", 0}, {NULL, 0}};

static const struct scale *scales_of(enum unit unit)
{
	static const struct {
		const char *base;
		const struct scale *scales;
	} table[] = {
		{"bytes", bytes},
		{"seconds", seconds},
		{"hertz", hertz},
		{"celsius", celsius},
		{"ratio", ratio},
		{"transfers_per_second", transfers},
		{"bytes_per_second", throughput},
		{"bits_per_second", bits},
		{"volts", volts},
		{"amperes", amperes},
		{"watts", watts},
		{"joules", joules},
		{"revolutions_per_minute", rotations},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(unit_base(unit), table[i].base))
			return table[i].scales;
	return plain;
}

static wide_int power_of_ten(unsigned exponent)
{
	wide_int power = 1;

	while (exponent--)
		power *= 10;
	return power;
}

/* Digits before the point of m * 10^-decimals; 0 below 1, -1 below 0.1, ... */
static int n_digits(wide_int m, int decimals)
{
	int n = 0;

	for (; m; m /= 10)
		n++;
	return n - decimals;
}

/* The largest unit in which the number is at least 1. */
static const struct scale *fitting(const struct scale *scale, wide_int m, int decimals)
{
	while (m && scale[1].symbol && n_digits(m, decimals + scale->exponent) < 1)
		scale++;
	while (!m && scale->exponent > 0)
		scale++;
	return scale;
}

static wide_int rounded(wide_int m, unsigned drop)
{
	wide_int power = power_of_ten(drop);

	return (m + power / 2) / power;
}

/* Writes m * 10^-decimals with DIGITS_SHOWN digits, and with all that it has before the point. */
static void put_rounded(struct text *out, wide_int m, int decimals)
{
	int keep = MIN(MAX(DIGITS_SHOWN - n_digits(m, decimals), 0), DECIMAL_DIGITS);

	if (decimals < 0) {
		m *= power_of_ten((unsigned)-decimals);
		decimals = 0;
	}
	if (decimals > keep) {
		m = rounded(m, (unsigned)(decimals - keep));
		decimals = keep;
	}
	text_fixed(out, m > INT64_MAX ? INT64_MAX : (int64_t)m, (unsigned)decimals);
}

/* What lasted for hours is told in hours: nobody can read 46072800 s. */
static void put_hours(struct text *out, wide_int m, int decimals)
{
	const int more = 4;

	m = (m * power_of_ten((unsigned)more) + SECONDS_OF_HOUR / 2) / SECONDS_OF_HOUR;
	put_rounded(out, m, decimals + more);
	text_str(out, " h");
}

static bool is_hours(enum unit unit, wide_int m, int decimals)
{
	return scales_of(unit) == seconds &&
	       m >= SECONDS_OF_HOUR * power_of_ten((unsigned)decimals);
}

/* A moment is no length of time: 1796097922 s is a date. */
static bool put_date(struct text *out, struct decimal value, enum unit unit)
{
	/* 0001-01-01 to 9999-12-31 */
	static const int64_t min_s = -INT64_C(62135596800), max_s = INT64_C(253402300799);
	char buf[40];
	struct text date = TEXT_IN(buf);
	int64_t wall_s = value.value;

	for (unsigned i = value.decimals; i; i--)
		wall_s /= 10;
	if (unit != UNIT_UNIX_SECONDS || wall_s < min_s || wall_s > max_s)
		return false;
	clock_rfc3339(&date, wall_s * 1000);
	text_printf(out, "%.*sZ", (int)strcspn(buf, ".Z"), buf);
	return true;
}

void people_value(struct text *out, struct decimal value, enum unit unit, bool per_second)
{
	wide_int m = (wide_int)value.value * unit_factor(unit);
	int decimals = (int)(value.decimals + unit_decimals(unit));
	const struct scale *scale;

	if (!per_second && put_date(out, value, unit))
		return;
	if (m < 0) {
		text_char(out, '-');
		m = -m;
	}
	if (!per_second && is_hours(unit, m, decimals)) {
		put_hours(out, m, decimals);
		return;
	}
	scale = fitting(scales_of(unit), m, decimals);
	put_rounded(out, m, decimals + scale->exponent);
	if (scale->symbol[0])
		text_printf(out, " %s", scale->symbol);
	if (per_second)
		text_str(out, "/s");
}
