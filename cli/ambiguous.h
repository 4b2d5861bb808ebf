/* Says which wall times stand for more than one moment. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "model/points.h"

/* One line for each. prefix: of a command, where they are told beside its output; may be "". */
void ambiguous_print(FILE *out, const char *prefix, const struct points_ambiguity *items, size_t n);
