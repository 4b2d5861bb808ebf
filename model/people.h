/* Numbers for people: four digits and a unit of fitting size, "4.096 kB/s", "12.35 ms", "41.3
 * degC". For programs there are the exact ones. */
#pragma once

#include <stdbool.h>

#include "model/decimal.h"
#include "model/unit.h"

/* value in unit, or in unit per second. Counts stand alone or with "/s", ratios in percent,
 * durations from an hour on in hours ("12798 h"). */
void people_value(struct text *out, struct decimal value, enum unit unit, bool per_second);
