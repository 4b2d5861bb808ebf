/* The series codec: one column of a chunk, n ticks of one field, as one cell of the database.
 *
 * A column that is absent throughout is NULL, one that never moved an INTEGER, any other a BLOB.
 * The blob is made so that SQL can read it: hex(blob) is a text of numbers, each ended by a letter.
 * See schema/FORMAT.md for the code. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

#define SERIES_TICKS_MAX 3600

enum cell {
	CELL_ABSENT,
	CELL_CONSTANT,
	CELL_BLOB,
};

/* No blob of n ticks is longer. */
size_t series_bound_bytes(size_t n);

/* values[i] counts only where absent[i] is 0; absent may be NULL when every tick has a value.
 * n is 1..SERIES_TICKS_MAX. blob has room for series_bound_bytes(n). Sets *ret_constant with
 * CELL_CONSTANT, *ret_len with CELL_BLOB. */
enum cell series_encode(const int64_t *values, const uint8_t *absent, size_t n, uint8_t *blob,
			size_t *ret_len, int64_t *ret_constant);

/* Fills values[0..n-1] and absent[0..n-1] (1 where absent; the value there is undefined).
 * -EBADMSG when the blob is no code of n ticks; the arrays are then undefined. */
MUST_CHECK int series_decode(const uint8_t *blob, size_t len, size_t n, int64_t *values,
			     uint8_t *absent);
