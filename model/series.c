#include "model/series.h"

#include <errno.h>
#include <stdbool.h>

/* The letters of the code; a number is ended by one of them. */
enum {
	END_UP = 0xA, /* of the header as well: the common divisor */
	END_DOWN = 0xB,
	END_SAME = 0xC,
	END_ABSENT = 0xD,
	END_PLUS = 0xE,
	END_MINUS = 0xF,
};

#define NUMBER_NIBBLES_MAX 20 /* 19 digits and the letter */
#define NUMBER_DIGITS_MAX  19

size_t series_bound_bytes(size_t n)
{
	return (n + 1) * NUMBER_NIBBLES_MAX / 2 + 1;
}

struct nibbles {
	uint8_t *p;
	size_t n;
};

static void put_nibble(struct nibbles *out, unsigned nibble)
{
	if (out->n & 1)
		out->p[out->n / 2] = (uint8_t)(out->p[out->n / 2] | nibble);
	else
		out->p[out->n / 2] = (uint8_t)(nibble << 4);
	out->n++;
}

static void put_number(struct nibbles *out, uint64_t number, unsigned letter)
{
	uint8_t digits[NUMBER_NIBBLES_MAX];
	size_t n = 0;

	if (number == 1) {
		put_nibble(out, letter);
		return;
	}
	do {
		digits[n++] = (uint8_t)(number % 10);
		number /= 10;
	} while (number);
	while (n)
		put_nibble(out, digits[--n]);
	put_nibble(out, letter);
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* false where the step does not fit, or is the one that has no opposite: then the value itself is
 * written. */
static bool step_of(int64_t before, int64_t after, int64_t *ret)
{
	return !__builtin_sub_overflow(after, before, ret) && *ret != INT64_MIN;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

struct shape {
	size_t n_present;
	bool moved;
	int64_t first;
	uint64_t divisor; /* of all steps, at least 1 */
};

static struct shape shape_of(const int64_t *values, const uint8_t *absent, size_t n)
{
	struct shape shape = {0};
	int64_t last = 0, step;

	for (size_t i = 0; i < n; i++) {
		if (absent && absent[i])
			continue;
		if (!shape.n_present++) {
			shape.first = last = values[i];
			continue;
		}
		if (values[i] == last)
			continue;
		shape.moved = true;
		if (shape.divisor != 1 && step_of(last, values[i], &step))
			shape.divisor = gcd(magnitude(step), shape.divisor);
		last = values[i];
	}
	if (!shape.divisor)
		shape.divisor = 1;
	return shape;
}

static void put_value(struct nibbles *out, int64_t value)
{
	put_number(out, magnitude(value), value < 0 ? END_MINUS : END_PLUS);
}

static void put_step(struct nibbles *out, int64_t last, int64_t value, uint64_t divisor)
{
	int64_t step;

	if (step_of(last, value, &step))
		put_number(out, magnitude(step) / divisor, step < 0 ? END_DOWN : END_UP);
	else
		put_value(out, value);
}

/* Ticks from i on that are like tick i: absent, or equal to last. */
static size_t run_of(const int64_t *values, const uint8_t *absent, size_t i, size_t n, int64_t last)
{
	bool gap = absent && absent[i];
	size_t k = i + 1;

	while (k < n && (absent && absent[k]) == gap && (gap || values[k] == last))
		k++;
	return k - i;
}

static size_t put_series(const int64_t *values, const uint8_t *absent, size_t n, uint64_t divisor,
			 uint8_t *blob)
{
	struct nibbles out = {.p = blob};
	bool started = false;
	int64_t last = 0;
	size_t k;

	put_number(&out, divisor, END_UP);
	for (size_t i = 0; i < n; i += k) {
		k = 1;
		if (absent && absent[i]) {
			k = run_of(values, absent, i, n, last);
			put_number(&out, k, END_ABSENT);
			continue;
		}
		if (!started) {
			put_value(&out, values[i]);
		} else if (values[i] == last) {
			k = run_of(values, absent, i, n, last);
			put_number(&out, k, END_SAME);
		} else {
			put_step(&out, last, values[i], divisor);
		}
		started = true;
		last = values[i];
	}
	/* A byte is two nibbles; the last low one is already the digit 0. */
	return (out.n + 1) / 2;
}

enum cell series_encode(const int64_t *values, const uint8_t *absent, size_t n, uint8_t *blob,
			size_t *ret_len, int64_t *ret_constant)
{
	struct shape shape = shape_of(values, absent, n);

	if (!shape.n_present)
		return CELL_ABSENT;
	if (shape.n_present == n && !shape.moved) {
		*ret_constant = shape.first;
		return CELL_CONSTANT;
	}
	*ret_len = put_series(values, absent, n, shape.divisor, blob);
	return CELL_BLOB;
}

struct decoder {
	const uint8_t *blob;
	size_t pos, end; /* in nibbles */
	size_t i, n;     /* ticks made, and wanted */
	int64_t *values;
	uint8_t *absent;
	uint64_t divisor;
	int64_t last;
	bool started;
};

/* 1 with a number and its letter, 0 at the end (padding included), -EBADMSG. */
static inline int next_number(struct decoder *d, uint64_t *ret_number, unsigned *ret_letter)
{
	size_t start = d->pos;
	uint64_t number = 0;

	while (d->pos < d->end) {
		unsigned byte = d->blob[d->pos >> 1];
		unsigned nibble = d->pos & 1 ? byte & 15 : byte >> 4;

		if (nibble >= END_UP) {
			*ret_number = d->pos == start ? 1 : number;
			*ret_letter = nibble;
			d->pos++;
			return 1;
		}
		if (d->pos - start == NUMBER_DIGITS_MAX)
			return -EBADMSG;
		number = number * 10 + nibble;
		d->pos++;
	}
	return number || d->pos - start > 1 ? -EBADMSG : 0;
}

static int take_run(struct decoder *d, uint64_t k, bool gap)
{
	if (!k || k > d->n - d->i || (!gap && !d->started))
		return -EBADMSG;
	for (size_t end = d->i + k; d->i < end; d->i++) {
		d->values[d->i] = d->last;
		d->absent[d->i] = gap;
	}
	return 0;
}

static int take_value(struct decoder *d, uint64_t number, unsigned letter)
{
	if (number > (uint64_t)INT64_MAX + (letter == END_MINUS))
		return -EBADMSG;
	d->last = (int64_t)(letter == END_MINUS ? 0 - number : number);
	d->started = true;
	return take_run(d, 1, false);
}

static int take_step(struct decoder *d, uint64_t k, unsigned letter)
{
	int64_t step;

	if (__builtin_mul_overflow(k, d->divisor, &step))
		return -EBADMSG;
	if (letter == END_DOWN ? __builtin_sub_overflow(d->last, step, &d->last)
			       : __builtin_add_overflow(d->last, step, &d->last))
		return -EBADMSG;
	return take_run(d, 1, false);
}

static inline int take(struct decoder *d, uint64_t number, unsigned letter)
{
	if (d->i == d->n)
		return -EBADMSG;
	if (letter >= END_PLUS)
		return take_value(d, number, letter);
	if (letter >= END_SAME)
		return take_run(d, number, letter == END_ABSENT);
	return take_step(d, number, letter);
}

int series_decode(const uint8_t *blob, size_t len, size_t n, int64_t *values, uint8_t *absent)
{
	struct decoder d = {
		.blob = blob, .end = 2 * len, .n = n, .values = values, .absent = absent};
	uint64_t number;
	unsigned letter;
	int r = next_number(&d, &d.divisor, &letter);

	if (r <= 0 || letter != END_UP || !d.divisor)
		return -EBADMSG;
	while ((r = next_number(&d, &number, &letter)) > 0) {
		r = take(&d, number, letter);
		if (r < 0)
			return r;
	}
	return r < 0 || d.i != n ? -EBADMSG : 0;
}
