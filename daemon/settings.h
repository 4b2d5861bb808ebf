/* The configuration as this daemon understands it: the options of the collectors beside the fixed
 * ones, and what follows from them for the sampler. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "model/catalog.h"

struct settings {
	struct config *config;
	const struct catalog *catalog;
	struct option_spec *specs; /* of the collectors */
	char **texts;              /* what the specs point to */
	size_t n_specs, n_texts;
	size_t *group_ids; /* option of the period, by index of the group in the catalog */
	size_t *collector_ids;
	int64_t *period_ms; /* by group, as of the start; see settings_apply() */
	bool *disabled;     /* by collector */
};

/* -ENOMEM. */
MUST_CHECK int settings_init(struct settings *settings, const struct catalog *catalog);
void settings_done(struct settings *settings);

/* Takes periods and switches from the configuration, once it is complete. */
void settings_apply(struct settings *settings);

/* The period of a group by its index in the catalog, as it is now. */
int64_t settings_period_ms(const struct settings *settings, size_t group);
