#include "model/decimal.h"

struct decimal decimal_of(int64_t value)
{
	return (struct decimal){.value = value};
}

static wide_int divide_rounded(wide_int num, wide_int den)
{
	wide_int half = den / 2;

	return num < 0 ? (num - half) / den : (num + half) / den;
}

bool decimal_quotient(wide_int num, wide_int den, struct decimal *ret)
{
	if (den == 0)
		return false;
	if (den < 0) {
		num = -num;
		den = -den;
	}
	for (unsigned decimals = DECIMAL_DIGITS;; decimals--) {
		wide_int scaled = num;
		bool fits = true;

		for (unsigned i = 0; i < decimals; i++)
			fits = fits && !__builtin_mul_overflow(scaled, (wide_int)10, &scaled);
		scaled = divide_rounded(scaled, den);
		if (fits && scaled >= INT64_MIN && scaled <= INT64_MAX) {
			*ret = (struct decimal){(int64_t)scaled, decimals};
			return true;
		}
		if (decimals == 0)
			return false;
	}
}

static wide_int aligned(struct decimal d)
{
	wide_int value = d.value;

	for (unsigned i = d.decimals; i < DECIMAL_DIGITS; i++)
		value *= 10;
	return value;
}

int decimal_compare(struct decimal a, struct decimal b)
{
	wide_int x = aligned(a), y = aligned(b);

	return (x > y) - (x < y);
}

void decimal_text(struct text *text, struct decimal decimal)
{
	text_fixed(text, decimal.value, decimal.decimals);
}
