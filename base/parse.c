#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/macros.h"

struct slice slice_of(const char *text)
{
	return (struct slice){text, strlen(text)};
}

bool slice_is(struct slice slice, const char *text)
{
	return strlen(text) == slice.len && memcmp(slice.p, text, slice.len) == 0;
}

int slice_copy(struct slice slice, char *buf, size_t size)
{
	if (slice.len >= size)
		return -ENAMETOOLONG;
	memcpy(buf, slice.p, slice.len);
	buf[slice.len] = '\0';
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool slice_token(struct slice *rest, struct slice *ret_token)
{
	const char *p = rest->p, *end = rest->p + rest->len;

	while (p < end && is_blank(*p))
		p++;

	const char *start = p;

	while (p < end && !is_blank(*p))
		p++;
	*rest = (struct slice){p, (size_t)(end - p)};
	if (p == start)
		return false;
	*ret_token = (struct slice){start, (size_t)(p - start)};
	return true;
}

bool slice_until(struct slice *rest, char c, struct slice *ret_part)
{
	const char *hit = rest->len ? memchr(rest->p, c, rest->len) : NULL;

	if (!hit)
		return false;

	size_t len = (size_t)(hit - rest->p);

	*ret_part = (struct slice){rest->p, len};
	*rest = (struct slice){hit + 1, rest->len - len - 1};
	return true;
}

bool slice_line(struct slice *rest, struct slice *ret_line)
{
	if (slice_until(rest, '\n', ret_line))
		return true;
	if (!rest->len)
		return false;
	*ret_line = *rest;
	*rest = (struct slice){rest->p + rest->len, 0};
	return true;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static int parse_magnitude(struct slice digits, unsigned base, uint64_t *ret)
{
	uint64_t value = 0;

	if (!digits.len)
		return -EINVAL;
	for (size_t i = 0; i < digits.len; i++) {
		unsigned digit = (unsigned)digit_of(digits.p[i]);

		if (digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return -ERANGE;
	}
	*ret = value;
	return 0;
}

static int apply_sign(uint64_t magnitude, bool negative, int64_t *ret)
{
	if (magnitude > (uint64_t)INT64_MAX + negative)
		return -ERANGE;
	*ret = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return 0;
}

static bool take_sign(struct slice *slice)
{
	bool negative = slice->len && slice->p[0] == '-';

	if (negative || (slice->len && slice->p[0] == '+')) {
		slice->p++;
		slice->len--;
	}
	return negative;
}

int parse_i64_slice(struct slice slice, int64_t *ret)
{
	bool negative = take_sign(&slice);
	unsigned base = 10;
	uint64_t magnitude;

	if (slice.len > 2 && slice.p[0] == '0' && (slice.p[1] == 'x' || slice.p[1] == 'X')) {
		base = 16;
		slice.p += 2;
		slice.len -= 2;
	}

	int r = parse_magnitude(slice, base, &magnitude);

	return r < 0 ? r : apply_sign(magnitude, negative, ret);
}

int parse_i64(const char *text, int64_t *ret)
{
	struct slice slice = slice_of(text);

	while (slice.len && isspace((unsigned char)slice.p[slice.len - 1]))
		slice.len--;
	return slice.len ? parse_i64_slice(slice, ret) : -ENODATA;
}

int parse_fixed_slice(struct slice slice, unsigned decimals, int64_t *ret)
{
	bool negative = take_sign(&slice);
	struct slice whole = slice, fraction = {NULL, 0};
	uint64_t value;

	if (slice_until(&slice, '.', &whole)) {
		fraction = slice;
		if (!fraction.len)
			return -EINVAL;
	}

	int r = parse_magnitude(whole, 10, &value);

	if (r < 0)
		return r;
	for (size_t i = 0; i < fraction.len; i++)
		if (!isdigit((unsigned char)fraction.p[i]))
			return -EINVAL;
	for (unsigned i = 0; i < decimals; i++) {
		unsigned digit = i < fraction.len ? (unsigned)(fraction.p[i] - '0') : 0;

		if (__builtin_mul_overflow(value, 10U, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return -ERANGE;
	}
	return apply_sign(value, negative, ret);
}

struct suffix {
	const char *text;
	int64_t factor;
};

static int parse_suffixed(const char *text, const struct suffix *suffixes, size_t n_suffixes,
			  int64_t *ret)
{
	struct slice rest = slice_of(text);
	size_t n_digits = 0;
	int64_t value;

	while (n_digits < rest.len && isdigit((unsigned char)rest.p[n_digits]))
		n_digits++;

	int r = parse_i64_slice((struct slice){rest.p, n_digits}, &value);

	if (r < 0)
		return r;
	rest = (struct slice){rest.p + n_digits, rest.len - n_digits};
	for (size_t i = 0; i < n_suffixes; i++) {
		if (!slice_is(rest, suffixes[i].text))
			continue;
		if (__builtin_mul_overflow(value, suffixes[i].factor, &value))
			return -ERANGE;
		*ret = value;
		return 0;
	}
	return -EINVAL;
}

int parse_duration_ms(const char *text, int64_t *ret_ms)
{
	static const struct suffix suffixes[] = {
		{"", 1000},     {"ms", 1},      {"s", 1000},     {"m", 60000},
		{"min", 60000}, {"h", 3600000}, {"d", 86400000},
	};

	return parse_suffixed(text, suffixes, ARRAY_SIZE(suffixes), ret_ms);
}

int parse_size_bytes(const char *text, int64_t *ret_bytes)
{
	static const struct suffix suffixes[] = {
		{"", 1},          {"B", 1},     {"KiB", 1 << 10}, {"MiB", 1 << 20},
		{"GiB", 1 << 30}, {"kB", 1000}, {"MB", 1000000},  {"GB", 1000000000},
	};

	return parse_suffixed(text, suffixes, ARRAY_SIZE(suffixes), ret_bytes);
}
