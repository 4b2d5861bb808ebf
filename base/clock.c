#include "base/clock.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int (*source)(clockid_t id, struct timespec *ret) = clock_gettime;

void clock_inject(int (*read)(clockid_t id, struct timespec *ret))
{
	source = read ? read : clock_gettime;
}

static int64_t read_us(clockid_t id)
{
	struct timespec t = {0};

	source(id, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_boot_us(void)
{
	return read_us(CLOCK_BOOTTIME);
}

int64_t clock_boot_ms(void)
{
	return clock_boot_us() / 1000;
}

int64_t clock_wall_ms(void)
{
	return read_us(CLOCK_REALTIME) / 1000;
}

int64_t clock_wall_offset_ms(void)
{
	int64_t before_us = clock_boot_us();
	int64_t wall_us = read_us(CLOCK_REALTIME);
	int64_t boot_us = before_us + (clock_boot_us() - before_us) / 2;

	return (wall_us - boot_us) / 1000;
}

int64_t clock_asleep_ms(void)
{
	return (read_us(CLOCK_BOOTTIME) - read_us(CLOCK_MONOTONIC)) / 1000;
}

void clock_read(struct clock_reading *ret)
{
	*ret = (struct clock_reading){
		.boot_ms = clock_boot_ms(),
		.wall_offset_ms = clock_wall_offset_ms(),
		.asleep_ms = clock_asleep_ms(),
	};
}

int clock_sleep_until(int64_t until_ms)
{
	struct timespec t = {until_ms / 1000, until_ms % 1000 * 1000000};

	return -clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &t, NULL);
}

void clock_rfc3339(struct text *text, int64_t wall_ms)
{
	int64_t ms = wall_ms % 1000;
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm tm;
	char buf[32];

	if (ms < 0) {
		ms += 1000;
		seconds--;
	}
	if (!gmtime_r(&seconds, &tm) || !strftime(buf, sizeof(buf), "%Y-%m-%dT%H:%M:%S", &tm)) {
		text_str(text, "?");
		return;
	}
	text_str(text, buf);
	if (ms)
		text_printf(text, ".%03d", (int)ms);
	text_char(text, 'Z');
}

/* Reads up to three digits of a fraction of a second, skips the rest. */
static const char *parse_fraction(const char *s, int *ret_ms)
{
	int ms = 0, scale = 100;

	while (*s >= '0' && *s <= '9') {
		ms += (*s++ - '0') * scale;
		scale /= 10;
	}
	*ret_ms = ms;
	return s;
}

/* Takes exactly n digits off *s; sscanf() would take blanks and signs for digits as well. */
static bool take_digits(const char **s, size_t n, int *ret)
{
	int value = 0;

	for (size_t i = 0; i < n; i++) {
		char c = (*s)[i];

		if (c < '0' || c > '9')
			return false;
		value = value * 10 + (c - '0');
	}
	*s += n;
	*ret = value;
	return true;
}

static bool take_char(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

/* "", "Z", "+01:00", "-0530" */
static int parse_zone(const char *s, int *ret_s)
{
	int hours, minutes, sign = *s == '-' ? -60 : 60;

	*ret_s = 0;
	if (!*s || !strcmp(s, "Z") || !strcmp(s, "z"))
		return 0;
	if (!take_char(&s, '+') && !take_char(&s, '-'))
		return -EINVAL;
	if (!take_digits(&s, 2, &hours))
		return -EINVAL;
	take_char(&s, ':');
	if (!take_digits(&s, 2, &minutes) || *s || hours > 23 || minutes > 59)
		return -EINVAL;
	*ret_s = (hours * 60 + minutes) * sign;
	return 0;
}

static int days_in_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

/* "2026-01-31" */
static bool take_date(const char **s, struct tm *tm)
{
	return take_digits(s, 4, &tm->tm_year) && take_char(s, '-') &&
	       take_digits(s, 2, &tm->tm_mon) && take_char(s, '-') &&
	       take_digits(s, 2, &tm->tm_mday) && tm->tm_year >= 1970 && tm->tm_mon >= 1 &&
	       tm->tm_mon <= 12 && tm->tm_mday >= 1 &&
	       tm->tm_mday <= days_in_month(tm->tm_year, tm->tm_mon);
}

/* "23:59" or "23:59:60" */
static bool take_time(const char **s, struct tm *tm)
{
	if (!take_digits(s, 2, &tm->tm_hour) || !take_char(s, ':') ||
	    !take_digits(s, 2, &tm->tm_min))
		return false;
	if (take_char(s, ':') && !take_digits(s, 2, &tm->tm_sec))
		return false;
	return tm->tm_hour <= 23 && tm->tm_min <= 59 && tm->tm_sec <= 60;
}

int clock_parse_rfc3339(const char *s, int64_t *ret_wall_ms)
{
	struct tm tm = {0};
	int ms = 0, zone_s = 0;

	if (!take_date(&s, &tm))
		return -EINVAL;
	if (take_char(&s, 'T') || take_char(&s, 't') || take_char(&s, ' ')) {
		if (!take_time(&s, &tm))
			return -EINVAL;
		if (take_char(&s, '.'))
			s = parse_fraction(s, &ms);
		if (parse_zone(s, &zone_s) < 0)
			return -EINVAL;
	} else if (*s) {
		return -EINVAL;
	}
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*ret_wall_ms = ((int64_t)timegm(&tm) - zone_s) * 1000 + ms;
	return 0;
}
