#include "model/counter.h"

bool counter_increase(int64_t before, int64_t after, unsigned bits, int64_t *ret_increase)
{
	if (after >= before)
		return !__builtin_sub_overflow(after, before, ret_increase);
	if (bits == 0 || bits >= 63)
		return false;

	int64_t range = (int64_t)1 << bits;

	if (before >= range || after < 0 || range - before + after >= range / 2)
		return false;
	*ret_increase = range - before + after;
	return true;
}
