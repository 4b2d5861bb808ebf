/* The rows of a group as a table for people: base units, counters per second where there is an
 * earlier sample, and what is derived. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "model/collector.h"

struct sample_table {
	const struct collector *collector;
	const struct sink *now;
	const struct row **before; /* by row; NULL where there is no earlier sample */
	int64_t now_ms, before_ms;
};

int sample_table_print(const struct sample_table *table, FILE *out);
