/* What a probe found, for people: a line for each collector, and below it what is not well. */
#pragma once

#include <stdio.h>

#include "model/collector.h"
#include "sampling/runner.h"

void probe_list(FILE *out, struct runner *runner);

/* What a probe has to say of an item, as it is shown: a collector that could be sampled and is not
 * unless somebody asks for it by name is switched off, and says what it risks. */
struct probe_item probe_shown(const struct collector *collector, const struct probe_item *item);
