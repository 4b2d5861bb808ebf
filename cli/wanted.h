/* What the words of a command line ask for: collectors, groups, and metrics ("GROUP.METRIC"). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "model/sink.h"

struct wanted {
	bool (*fields)[SINK_FIELDS_MAX]; /* by group and field */
};

/* Nothing is wanted at first. -ENOMEM. */
MUST_CHECK int wanted_open(struct wanted *wanted);
void wanted_done(struct wanted *wanted);

/* A collector and a group may have one name: then all of the collector. -EINVAL for a word that is
 * none of them, and it is said on stderr what there is. */
int wanted_take(struct wanted *wanted, const char *command, const char *word);

/* Each word of a command line, all collectors when there is none. -EINVAL as above. */
int wanted_take_words(struct wanted *wanted, const char *command, int n, char **words);

/* All groups of a collector, by its index. */
void wanted_take_collector(struct wanted *wanted, size_t collector);

/* Whether any field of a group is wanted. */
bool wanted_has_group(const struct wanted *wanted, size_t group);

/* Whether any group of a collector is, by its index. */
bool wanted_has_collector(const struct wanted *wanted, size_t collector);
