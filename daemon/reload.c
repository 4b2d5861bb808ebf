#include "daemon/reload.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "daemon/arguments.h"

static void settings_donep(struct settings *settings)
{
	settings_done(settings);
}

/* Index of the group whose period the option is; false when it is another one. */
static bool find_group(const struct settings *settings, size_t id, size_t *ret_group)
{
	for (size_t g = 0; g < catalog_n_groups(settings->catalog); g++) {
		if (settings->group_ids[g] != id)
			continue;
		*ret_group = g;
		return true;
	}
	return false;
}

/* false: it takes a new start. */
static bool take(const struct reload *reload, size_t id, int64_t number)
{
	int64_t now_ms = clock_boot_ms();
	size_t group;

	switch (id) {
	case OPTION_LOG_LEVEL:
		log_max_level((enum log_level)number);
		return true;
	case OPTION_COMMIT_INTERVAL:
		committer_set_interval(reload->committer, number);
		return true;
	case OPTION_RESCAN_INTERVAL:
		sampler_set_rescan(reload->sampler, number, now_ms);
		return true;
	case OPTION_UFS_MONITOR: /* the loop asks for it */
		return true;
	default:
		if (!find_group(reload->settings, id, &group))
			return false;
		sampler_set_period(reload->sampler, group, number, now_ms);
		return true;
	}
}

static bool may_be_taken(const struct settings *settings, size_t id)
{
	size_t group;

	return id == OPTION_LOG_LEVEL || id == OPTION_COMMIT_INTERVAL ||
	       id == OPTION_RESCAN_INTERVAL || id == OPTION_UFS_MONITOR ||
	       find_group(settings, id, &group);
}

/* The text of what was taken before is that of the start, its number is not. */
static bool differs(const struct settings *old, const struct settings *new, size_t id)
{
	if (may_be_taken(old, id))
		return config_number(old->config, id) != config_number(new->config, id);
	return strcmp(config_text(old->config, id), config_text(new->config, id)) != 0;
}

static void name_option(const struct config *config, size_t id, struct text *text)
{
	const struct option_spec *spec = config_spec(config, id);

	text_printf(text, "%s%s of [%s]", text->len ? ", " : "", spec->key, spec->section);
}

static void compare(const struct reload *reload, const struct settings *new)
{
	char taken_buf[600], left_buf[600];
	struct text taken = TEXT_IN(taken_buf), left = TEXT_IN(left_buf);
	struct config *config = reload->settings->config;

	for (size_t id = 0; config_spec(config, id); id++) {
		int64_t number = config_number(new->config, id);

		if (!differs(reload->settings, new, id))
			continue;
		name_option(config, id, may_be_taken(new, id) ? &taken : &left);
		if (take(reload, id, number))
			config_replace_number(config, id, number);
	}
	if (taken.len)
		log_info("taken over: %s", taken_buf);
	if (left.len)
		log_warning("not changed before the next start: %s", left_buf);
	if (!taken.len && !left.len)
		log_info("nothing in the configuration is new");
}

static void read_token(struct access *access)
{
	char why[512];
	struct text text = TEXT_IN(why);

	if (access_reload(access, &text) < 0)
		log_error("the token stays as it was: %s", why);
}

void reload_run(const struct reload *reload)
{
	CLEANUP(settings_donep) struct settings new = {0};

	if (settings_init(&new, reload->settings->catalog) < 0) {
		log_error("the configuration is not read again: out of memory");
		return;
	}
	if (arguments_read_again(reload->argc, reload->argv, &new) < 0) {
		log_error("the configuration stays as it was");
		return;
	}
	compare(reload, &new);
	read_token(reload->access);
}
