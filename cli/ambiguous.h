/* Says which wall times stand for more than one moment. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "model/points.h"

struct tree;

/* One line for each. prefix: of a command, where they are told beside its output; may be "". */
void ambiguous_print(FILE *out, const char *prefix, const struct points_ambiguity *items, size_t n);

/* The same of the array of GET /api/v1/ambiguous. */
void ambiguous_print_tree(FILE *out, const char *prefix, struct tree *array);
