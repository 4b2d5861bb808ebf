/* Exact decimal results: value * 10^-decimals. What leaves the query layer; never stored. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define DECIMAL_DIGITS 6

/* Products of two int64 fit. */
__extension__ typedef __int128 wide_int;

struct decimal {
	int64_t value;
	unsigned decimals; /* 0..DECIMAL_DIGITS */
};

/* num / den, rounded half away from zero to at most DECIMAL_DIGITS places, fewer where the result
 * would not fit. false when den is 0 or the quotient does not fit int64. */
bool decimal_quotient(wide_int num, wide_int den, struct decimal *ret);

struct decimal decimal_of(int64_t value);
/* <0, 0, >0 */
int decimal_compare(struct decimal a, struct decimal b);
void decimal_text(struct text *text, struct decimal decimal);
