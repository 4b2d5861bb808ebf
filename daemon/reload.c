#include "daemon/reload.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "daemon/arguments.h"
#include "daemon/detached.h"

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
static bool take(const struct reload_options *reload, size_t id, int64_t number)
{
	int64_t now_ms = clock_boot_ms();
	size_t group;

	switch (id) {
	case OPTION_LOG_LEVEL:
		log_max_level((enum log_level)number);
		return true;
	case OPTION_COMMIT_INTERVAL:
		committer_set_bound(reload->committer, number);
		return true;
	case OPTION_FLASH_BUDGET:
		committer_set_budget(reload->committer, number);
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
	       id == OPTION_FLASH_BUDGET || id == OPTION_RESCAN_INTERVAL ||
	       id == OPTION_UFS_MONITOR || find_group(settings, id, &group);
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

static void compare(const struct reload_options *reload, const struct settings *new)
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

/* What a thread reads. It may outlive whoever asked for it. */
struct reading {
	struct reload_options options;
	struct settings settings;
	struct access access; /* the token as its file has it now */
	int r, token_r;       /* of the configuration, of the token */
	char why[512];        /* the token cannot be read */
	pthread_mutex_t lock;
	bool is_done, is_left; /* left: nobody waits any more */
	int done_fd;
};

struct reload {
	struct reload_options options;
	struct reading *reading; /* NULL: nothing is read */
	bool again;
};

static void free_reading(struct reading *reading)
{
	settings_done(&reading->settings);
	access_done(&reading->access);
	closep(&reading->done_fd);
	pthread_mutex_destroy(&reading->lock);
	free(reading);
}

static void *run(void *arg)
{
	struct reading *reading = arg;
	const struct reload_options *options = &reading->options;
	struct text why = TEXT_IN(reading->why);
	const uint64_t one = 1;
	bool is_left;

	reading->r = options->read(options->argc, options->argv, &reading->settings);
	if (reading->r == 0)
		reading->token_r = access_reload(&reading->access, &why);
	pthread_mutex_lock(&reading->lock);
	reading->is_done = true;
	is_left = reading->is_left;
	if (!is_left && write(reading->done_fd, &one, sizeof(one)) < 0)
		log_error("the configuration was read, and nobody is told: %s", strerror(errno));
	pthread_mutex_unlock(&reading->lock);
	if (is_left)
		free_reading(reading);
	return NULL;
}

static int start_reading(struct reload *reload)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	int r;

	if (!reading)
		return -ENOMEM;
	reading->options = reload->options;
	pthread_mutex_init(&reading->lock, NULL);
	access_copy(reload->options.access, &reading->access);
	reading->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = reading->done_fd < 0 ? -errno : 0;
	if (!r)
		r = settings_init(&reading->settings, reload->options.settings->catalog);
	if (!r)
		r = detached_start(run, reading);
	if (r < 0) {
		free_reading(reading);
		return r;
	}
	reload->reading = reading;
	return 0;
}

bool reload_begin(struct reload *reload)
{
	int r;

	if (reload->reading) {
		reload->again = true;
		return true;
	}
	r = start_reading(reload);
	if (r < 0)
		log_error("the configuration is not read again: %s", strerror(-r));
	return r == 0;
}

int reload_fd(const struct reload *reload)
{
	return reload->reading ? reload->reading->done_fd : -1;
}

static void take_over(const struct reload *reload, const struct reading *reading)
{
	if (reading->r < 0) {
		log_error("the configuration stays as it was");
		return;
	}
	compare(&reload->options, &reading->settings);
	if (reading->token_r < 0)
		log_error("the token stays as it was: %s", reading->why);
	else
		access_take(reload->options.access, &reading->access);
}

/* Both sides see the end of the reading in one order: who comes second frees it. */
static bool leave(struct reading *reading)
{
	bool is_done;

	pthread_mutex_lock(&reading->lock);
	is_done = reading->is_done;
	reading->is_left = true;
	pthread_mutex_unlock(&reading->lock);
	return is_done;
}

bool reload_finish(struct reload *reload)
{
	struct reading *reading = reload->reading;
	bool again = reload->again;

	/* Whoever told is still about to unlock it. */
	pthread_mutex_lock(&reading->lock);
	pthread_mutex_unlock(&reading->lock);
	take_over(reload, reading);
	free_reading(reading);
	reload->reading = NULL;
	reload->again = false;
	if (again)
		(void)reload_begin(reload);
	return !reload->reading;
}

int reload_new(const struct reload_options *options, struct reload **ret)
{
	struct reload *reload = calloc(1, sizeof(*reload));

	if (!reload)
		return -ENOMEM;
	reload->options = *options;
	if (!reload->options.read)
		reload->options.read = arguments_read_again;
	*ret = reload;
	return 0;
}

void reload_free(struct reload *reload)
{
	if (!reload)
		return;
	if (reload->reading && leave(reload->reading))
		free_reading(reload->reading);
	free(reload);
}
