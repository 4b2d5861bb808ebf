/* What a probe found, for people: a line for each collector, and below it what is not well. */
#pragma once

#include <stdio.h>

#include "sampling/runner.h"

void probe_list(FILE *out, struct runner *runner);
