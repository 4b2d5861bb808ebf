/* A history in memory behind the functions of store/reader.h, for tests of what reads one. */
#pragma once

#include "store/reader.h"

#define FAKE_TICKS_MAX  64
#define FAKE_FIELDS_MAX 8
#define FAKE_SPANS_MAX  64

/* Ticks of one node in one boot, as a chunk of the file. */
struct fake_span {
	const char *node;
	int64_t boot;
	int64_t t0_ms, step_ms;
	size_t n;
	int64_t late_ms[FAKE_TICKS_MAX];
	int64_t values[FAKE_FIELDS_MAX][FAKE_TICKS_MAX];
	uint8_t absent[FAKE_FIELDS_MAX][FAKE_TICKS_MAX];
	uint8_t flag[FAKE_FIELDS_MAX];
	bool fresh, damaged;
};

struct fake_history {
	struct boot boots[4];
	size_t n_boots;
	struct clock_step steps[8]; /* of the first boot */
	size_t n_steps;
	struct fake_span spans[FAKE_SPANS_MAX];
	size_t n_spans;
	int error;         /* of reader_series(), when not 0 */
	size_t n_returned; /* spans that cursors gave */
};

extern struct fake_history fake;

/* Forgets everything; boot 1 with the given offset stays. */
void fake_reset(int64_t wall_offset_ms);
/* A new span of node and boot, to be filled by the caller; all values 0. */
struct fake_span *fake_add(const char *node, int64_t boot, int64_t t0_ms, int64_t step_ms,
			   size_t n);
