#include "daemon/settings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#define DAY_MS (24 * 3600 * 1000LL)

/* A text that lives as long as the settings; NULL without memory. */
PRINTF_LIKE(2, 3) static const char *keep(struct settings *settings, const char *fmt, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, fmt);
	int n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0)
		return NULL;
	settings->texts[settings->n_texts++] = text;
	return text;
}

static int add_enabled(struct settings *settings, size_t c, const char *section)
{
	struct option_spec *spec = &settings->specs[settings->n_specs];
	const struct collector *collector = settings->catalog->collectors[c];

	*spec = (struct option_spec){
		.section = section,
		.key = "enabled",
		.type = OPTION_BOOL,
		.initial = collector->opt_in ? "no" : "yes",
		.help = collector->help,
	};
	if (collector->opt_in)
		spec->help =
			keep(settings, "%s What it risks: %s.", collector->help, collector->opt_in);
	if (!spec->help)
		return -ENOMEM;
	settings->collector_ids[c] = N_OPTIONS + settings->n_specs++;
	return 0;
}

static int add_period(struct settings *settings, size_t g, const struct group *group,
		      const char *section)
{
	struct option_spec *spec = &settings->specs[settings->n_specs];

	*spec = (struct option_spec){
		.section = section,
		.key = keep(settings, "period.%s", group->name),
		.type = OPTION_DURATION,
		.initial =
			keep(settings, group->period_ms % 1000 ? "%ums" : "%us",
			     group->period_ms % 1000 ? group->period_ms : group->period_ms / 1000),
		.min = group_least_ms(group),
		.max = DAY_MS,
		.help = group->help,
	};
	if (!spec->key || !spec->initial)
		return -ENOMEM;
	settings->group_ids[g] = N_OPTIONS + settings->n_specs++;
	return 0;
}

static int add_collector(struct settings *settings, size_t c, size_t *first_group)
{
	const struct collector *collector = settings->catalog->collectors[c];
	const char *section = keep(settings, "collector %s", collector->name);

	if (!section)
		return -ENOMEM;

	int r = add_enabled(settings, c, section);

	for (size_t i = 0; r == 0 && i < collector->n_groups; i++)
		r = add_period(settings, (*first_group)++, &collector->groups[i], section);
	return r;
}

int settings_init(struct settings *settings, const struct catalog *catalog)
{
	size_t n_collectors = catalog->n_collectors, n_groups = catalog_n_groups(catalog);
	size_t group = 0;

	*settings = (struct settings){.catalog = catalog};
	settings->specs = calloc(n_collectors + n_groups + 1, sizeof(*settings->specs));
	settings->texts = calloc(2 * n_collectors + 2 * n_groups + 1, sizeof(*settings->texts));
	settings->group_ids = calloc(n_groups + 1, sizeof(*settings->group_ids));
	settings->collector_ids = calloc(n_collectors + 1, sizeof(*settings->collector_ids));
	settings->period_ms = calloc(n_groups + 1, sizeof(*settings->period_ms));
	settings->disabled = calloc(n_collectors + 1, sizeof(*settings->disabled));
	if (!settings->specs || !settings->texts || !settings->group_ids ||
	    !settings->collector_ids || !settings->period_ms || !settings->disabled)
		return -ENOMEM;
	for (size_t c = 0; c < n_collectors; c++) {
		int r = add_collector(settings, c, &group);

		if (r < 0)
			return r;
	}
	return config_new(settings->specs, settings->n_specs, &settings->config);
}

void settings_done(struct settings *settings)
{
	config_free(settings->config);
	for (size_t i = 0; i < settings->n_texts; i++)
		free(settings->texts[i]);
	free(settings->texts);
	free(settings->specs);
	free(settings->group_ids);
	free(settings->collector_ids);
	free(settings->period_ms);
	free(settings->disabled);
	*settings = (struct settings){0};
}

void settings_apply(struct settings *settings)
{
	for (size_t c = 0; c < settings->catalog->n_collectors; c++)
		settings->disabled[c] = !config_bool(settings->config, settings->collector_ids[c]);
	for (size_t g = 0; g < catalog_n_groups(settings->catalog); g++)
		settings->period_ms[g] = config_number(settings->config, settings->group_ids[g]);
}

int64_t settings_period_ms(const struct settings *settings, size_t group)
{
	return config_number(settings->config, settings->group_ids[group]);
}
