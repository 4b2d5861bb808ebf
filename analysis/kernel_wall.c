#include "analysis/kernel_wall.h"

#include <string.h>

#include "base/macros.h"

/* Of a time without a year, until more is known. It has a 29th of February. */
#define YEAR_UNKNOWN 1972
#define SECOND_US    INT64_C(1000000)
#define DAY_S        INT64_C(86400)

struct date {
	int year, month, day, hour, minute, second;
};

static struct slice skip(struct slice s, size_t n)
{
	return (struct slice){s.p + n, s.len - n};
}

static struct slice skip_blanks(struct slice s)
{
	while (s.len && s.p[0] == ' ')
		s = skip(s, 1);
	return s;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool take_char(struct slice *s, const char *any_of)
{
	if (!s->len || !s->p[0] || !strchr(any_of, s->p[0]))
		return false;
	*s = skip(*s, 1);
	return true;
}

/* Takes a number of min to max digits. */
static bool take_digits(struct slice *s, size_t min, size_t max, int *ret)
{
	size_t n = 0;
	int value = 0;

	while (n < max && n < s->len && is_digit(s->p[n]))
		value = value * 10 + (s->p[n++] - '0');
	if (n < min)
		return false;
	*s = skip(*s, n);
	*ret = value;
	return true;
}

static int index_of(struct slice s, const char *words)
{
	for (int i = 0; s.len >= 3 && words[3 * i]; i++)
		if (!memcmp(s.p, words + 3 * (size_t)i, 3))
			return i + 1;
	return 0;
}

int kernel_wall_month(struct slice s)
{
	return index_of(s, "JanFebMarAprMayJunJulAugSepOctNovDec");
}

bool kernel_wall_is_day(struct slice s)
{
	return s.len >= 4 && s.p[3] == ' ' && index_of(s, "MonTueWedThuFriSatSun");
}

static int is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[month - 1] + (month == 2 ? is_leap(year) : 0);
}

static int64_t days_since_1970(const struct date *date)
{
	int64_t years = date->year - 1;
	int64_t days = 365 * (years - 1969) + (years / 4 - years / 100 + years / 400) -
		       (1969 / 4 - 1969 / 100 + 1969 / 400);

	for (int month = 1; month < date->month; month++)
		days += days_in_month(date->year, month);
	return days + date->day - 1;
}

static int64_t seconds_of(const struct date *date)
{
	return days_since_1970(date) * DAY_S + date->hour * 3600 + date->minute * 60 + date->second;
}

static bool is_valid(const struct date *date)
{
	return date->year >= 1970 && date->month >= 1 && date->month <= 12 && date->day >= 1 &&
	       date->day <= days_in_month(date->year, date->month) && date->hour <= 23 &&
	       date->minute <= 59 && date->second <= 60;
}

/* "18:07:14", or "18:07" */
static bool take_clock(struct slice *s, struct date *date)
{
	if (!take_digits(s, 2, 2, &date->hour) || !take_char(s, ":") ||
	    !take_digits(s, 2, 2, &date->minute))
		return false;
	return !take_char(s, ":") || take_digits(s, 2, 2, &date->second);
}

/* ".123456" and ",123456", to the microsecond. */
static int64_t take_fraction(struct slice *s)
{
	int64_t us = 0;

	if (s->len < 2 || !is_digit(s->p[1]) || !take_char(s, ".,"))
		return 0;
	for (size_t i = 0; i < 6; i++) {
		bool has = s->len && is_digit(s->p[0]);

		us = us * 10 + (has ? s->p[0] - '0' : 0);
		if (has)
			*s = skip(*s, 1);
	}
	while (s->len && is_digit(s->p[0]))
		*s = skip(*s, 1);
	return us;
}

/* "Z", "+01:00", "-0530", " UTC". false: the zone is not told. */
static bool take_zone(struct slice s, int *ret_s)
{
	int hours, minutes, sign = s.len && s.p[0] == '-' ? -60 : 60;

	*ret_s = 0;
	if (take_char(&s, "Z") || (s.len >= 4 && !memcmp(s.p, " UTC", 4)))
		return true;
	if (!take_char(&s, "+-") || !take_digits(&s, 2, 2, &hours))
		return false;
	take_char(&s, ":");
	if (!take_digits(&s, 2, 2, &minutes) || hours > 23 || minutes > 59)
		return false;
	*ret_s = sign * (hours * 60 + minutes);
	return true;
}

/* "May 21 18:07:14", "May21 18:07", and a year behind it */
static bool take_named(struct slice *s, struct date *date)
{
	struct slice behind;
	int year;

	date->month = kernel_wall_month(*s);
	if (!date->month)
		return false;
	*s = skip_blanks(skip(*s, 3));
	if (!take_digits(s, 1, 2, &date->day) || !take_char(s, " ") || !take_clock(s, date))
		return false;
	behind = skip_blanks(*s);
	if (behind.p != s->p && take_digits(&behind, 4, 4, &year) &&
	    (!behind.len || behind.p[0] == ' '))
		date->year = year;
	return true;
}

/* "2026-12-01T18:07:14", "2026/12/01 18:07:14", "12-01 18:07:14" */
static bool take_numbers(struct slice *s, struct date *date)
{
	struct slice rest = *s;

	if (take_digits(&rest, 4, 4, &date->year) && take_char(&rest, "-/"))
		*s = rest;
	else
		date->year = YEAR_UNKNOWN;
	return take_digits(s, 2, 2, &date->month) && take_char(s, "-/") &&
	       take_digits(s, 2, 2, &date->day) && take_char(s, "T ") && take_clock(s, date);
}

void kernel_wall_read(struct slice s, struct kernel_message *m)
{
	struct date date = {.year = YEAR_UNKNOWN};
	int64_t us;
	int zone_s;

	if (m->wall_us != KERNEL_TIME_NONE)
		return;
	s = skip_blanks(s);
	if (kernel_wall_is_day(s))
		s = skip_blanks(skip(s, 4));
	if (!take_named(&s, &date) && !take_numbers(&s, &date))
		return;
	if (!is_valid(&date))
		return;
	us = take_fraction(&s);
	m->wall_is_utc = take_zone(s, &zone_s);
	m->wall_has_year = date.year != YEAR_UNKNOWN;
	us += (seconds_of(&date) - zone_s) * SECOND_US;
	m->wall_us = us < 0 ? KERNEL_TIME_NONE : us;
}

void kernel_wall_set(int64_t wall_us, struct kernel_message *m)
{
	m->wall_us = wall_us < 0 ? KERNEL_TIME_NONE : wall_us;
	m->wall_is_utc = m->wall_has_year = true;
}

int64_t kernel_wall_years_later(int64_t wall_us, int n)
{
	const struct date from = {.year = YEAR_UNKNOWN, .month = 1, .day = 1};
	const struct date march = {.year = YEAR_UNKNOWN, .month = 3, .day = 1};
	struct date to = {.year = YEAR_UNKNOWN + n, .month = 1, .day = 1};

	/* Behind February the days of the two years are counted apart. */
	if (wall_us >= seconds_of(&march) * SECOND_US) {
		to.month = 3;
		return wall_us + (seconds_of(&to) - seconds_of(&march)) * SECOND_US;
	}
	return wall_us + (seconds_of(&to) - seconds_of(&from)) * SECOND_US;
}
