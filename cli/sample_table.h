/* The rows of a group as a table for people: base units, counters per second where there is an
 * earlier sample, and what is derived. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/collector.h"

/* The value that a field had before its reads failed. */
struct sample_good {
	bool is_known;
	int64_t value, age_ms;
};

/* A row that was not sampled just now. */
struct sample_past {
	int64_t age_ms;
	bool stale; /* older than it should be */
	struct sample_good good[SINK_FIELDS_MAX];
};

struct sample_table {
	const struct collector *collector;
	const struct sink *now;
	const struct row **before; /* by row; NULL where there is no earlier sample */
	int64_t now_ms, before_ms;
	const struct sample_past *past; /* by row; NULL for what was sampled just now */
};

int sample_table_print(const struct sample_table *table, FILE *out);
