/* Values in tables for people: one form for query, sample and latest. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "model/catalog.h"
#include "model/decimal.h"

/* A number of a metric, in base units with four digits; a state by its name. metric may be NULL,
 * then there are no names. per_second: it is a rate. */
void cell_value(struct text *text, const struct metric *metric, struct decimal value,
		enum unit unit, bool per_second);

/* " (stale)"; nothing without a flag. */
void cell_flag(struct text *text, uint8_t flag);
