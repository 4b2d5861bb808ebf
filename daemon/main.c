/* flashscoped: samples this machine, stores it, serves it.
 *
 * Order of start, and in reverse of stop: signals, configuration, lock of the runtime folder,
 * helper, end of all privileges, sampler with its lane, listeners, lock of the database, store,
 * store thread, HTTP thread, loop.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/passed_sockets.h"
#include "daemon/access.h"
#include "daemon/access_retry.h"
#include "daemon/api.h"
#include "daemon/arguments.h"
#include "daemon/chronicle.h"
#include "daemon/claim.h"
#include "daemon/clock_events.h"
#include "daemon/durable.h"
#include "daemon/events.h"
#include "daemon/given_bytes.h"
#include "daemon/heap.h"
#include "daemon/http.h"
#include "daemon/last_boot.h"
#include "daemon/loop.h"
#include "daemon/own_boot_id.h"
#include "daemon/past.h"
#include "daemon/pmsg.h"
#include "daemon/privileges.h"
#include "daemon/reload.h"
#include "daemon/service.h"
#include "daemon/summary.h"
#include "sampling/registry.h"
#include "sampling/wire_helper.h"

#define STOP_EXTEND_MAX_MS 60000

enum { EXIT_STOPPED = 0, EXIT_CANNOT_START = 1, EXIT_USAGE = 2 };

struct flashscoped {
	struct settings settings;
	char boot_id[HW_BOOT_ID_MAX];
	char kernel[128];
	char socket_path[1024];
	bool boot_id_is_own; /* the kernel's cannot be read */
	bool boot_id_is_new; /* and whoever comes next makes another one */
	struct clock_watch clock;
	bool successor; /* of one that was killed and has not ended yet */
	struct store *store;
	struct board *board;
	struct helper_process helper;
	struct pmsg pmsg;
	enum link_state helper_state; /* as it was said last */
	int64_t start_ms;             /* of the event that begins this run */
	bool monitors_down;           /* nobody keeps the UFS monitors */
	struct sampler *sampler;
	struct kernel_log *kernel_log;
	struct last_boot *last_boot;
	struct committer *committer;
	struct http *http;
	int argc;
	char **argv;
	struct service service;
	struct access access;
	int n_passed; /* sockets of the service manager */
	bool wrong_configuration;
	bool token_is_missing;
	struct api api;
};

static const char *option(const struct flashscoped *d, enum option_id id)
{
	return config_text(d->settings.config, id);
}

/* A daemon that has given up its privileges cannot start another one. */
static void look_at_helper(struct flashscoped *d)
{
	if (!helper_reap(&d->helper))
		return;
	sampler_helper_ended(d->sampler);
	log_warning("flashscope-helper: " HELPER_ENDED);
	event_add(d->store, clock_boot_ms(), SEVERITY_WARNING, "helper_down", "",
		  "flashscope-helper: " HELPER_ENDED);
}

static void on_worked(void *arg, const struct collector *collector, const char *node)
{
	struct flashscoped *d = arg;

	store_outcome(d->store, collector->name, node, clock_boot_ms(), outcome_name(OUTCOME_OK),
		      "");
}

static void on_rows(void *arg, const struct group *group, int64_t t_ms, int64_t late_ms,
		    int64_t step_ms, const struct sink *sink)
{
	struct flashscoped *d = arg;

	/* The connection may end a moment before the process does. */
	if (d->helper_state == LINK_DOWN)
		look_at_helper(d);
	store_add(d->store, group, t_ms, late_ms, step_ms, sink);
	board_sampled(d->board, group, sink, on_worked, d);
}

static void on_state(void *arg, const struct collector *collector, const char *node,
		     enum node_state state, int error, int64_t since_ms)
{
	struct flashscoped *d = arg;

	enum node_state was = board_state(d->board, collector, node, state, error, since_ms);
	/* That a node cannot be read is no news when its probe said so. */
	bool news = state == NODE_OK || !board_has_said(d->board, collector, node, state);

	if (state == NODE_GONE && *node)
		store_gone(d->store, collector, node, since_ms);
	/* One that went is told by its run, and one that hung until then has not answered again. */
	if (state == NODE_GONE ? was == NODE_HUNG : news)
		event_node_state(d->store, collector, node, state, error, since_ms);
}

static void on_probed(void *arg, const struct collector *collector, const struct probe *probe,
		      int64_t t_ms)
{
	struct flashscoped *d = arg;

	for (size_t i = 1; i < probe->n_items; i++) {
		const struct probe_item *item = &probe->items[i];
		enum node_state state = board_comes_to(d->board, collector, item);

		if (state != NODE_OK)
			event_node_state(d->store, collector, item->node, state, 0, t_ms);
	}
	board_probed(d->board, collector, probe);
	for (size_t i = 0; i < probe->n_items; i++)
		store_outcome(d->store, collector->name, probe->items[i].node, t_ms,
			      outcome_name(probe->items[i].outcome), probe->items[i].reason);
}

/* The process that the helper has for them dies alone, and is started again. */
static void on_monitors(struct flashscoped *d, const struct link_status *status)
{
	bool down = !link_keeps_monitors(status);

	if (down == d->monitors_down)
		return;
	d->monitors_down = down;
	if (down)
		event_add(d->store, clock_boot_ms(), SEVERITY_WARNING, "ufs_switch_down", "",
			  "flashscope-ufs has ended: nobody switches the UFS monitors");
	else
		event_add(d->store, clock_boot_ms(), SEVERITY_INFO, "ufs_switch_up", "",
			  "flashscope-ufs switches the UFS monitors again");
}

/* A helper that goes is more than the state of a collector: nothing that needs it is asked. */
static void on_helper(void *arg, const struct link_status *status)
{
	struct flashscoped *d = arg;

	bool was_up = d->helper_state == LINK_UP;

	d->helper_state = status->state;
	if (status->state == LINK_UP && was_up) {
		on_monitors(d, status);
		return;
	}
	/* What the next one says of them is news. */
	d->monitors_down = false;
	if (status->state == LINK_UP) {
		log_info("flashscope-helper answers");
		event_add(d->store, MAX(status->since_ms, d->start_ms), SEVERITY_INFO, "helper_up",
			  "", "flashscope-helper answers");
		return;
	}
	log_warning("flashscope-helper: %s", status->reason);
	event_add(d->store, status->since_ms, SEVERITY_WARNING, "helper_down", "",
		  "flashscope-helper: %s", status->reason);
	look_at_helper(d);
	kernel_log_without_helper(d->kernel_log);
}

static void on_log(void *arg, int fd, int error)
{
	const struct flashscoped *d = arg;

	kernel_log_take(d->kernel_log, fd, error, clock_boot_ms());
}

static void on_records(void *arg, int fd, int error)
{
	const struct flashscoped *d = arg;

	last_boot_take(d->last_boot, fd, error);
}

/* Boot id and kernel as the root tells them; a recorded tree may have neither. */
static int read_machine(struct flashscoped *d)
{
	CLEANUP(hw_closep) struct hw *hw = NULL;
	struct utsname names;
	int r = hw_open(option(d, OPTION_ROOT), &hw);

	if (r < 0) {
		log_error("the root %s cannot be opened: %s", option(d, OPTION_ROOT),
			  hw_open_problem(r));
		return r;
	}
	if (hw_boot_id(hw, d->boot_id) < 0)
		d->boot_id[0] = '\0';
	if (hw_read_line(hw, d->kernel, sizeof(d->kernel), "proc/sys/kernel/osrelease") < 0)
		d->kernel[0] = '\0';
	if (!*d->kernel && hw_is_live(hw) && uname(&names) == 0)
		snprintf(d->kernel, sizeof(d->kernel), "%s", names.release);
	return 0;
}

static void take_sockets(struct flashscoped *d)
{
	d->n_passed = passed_sockets_take();
	if (d->n_passed < 0) {
		log_warning("the passed sockets cannot be used: %s", strerror(-d->n_passed));
		d->n_passed = 0;
	}
}

static int claim_places(struct flashscoped *d)
{
	const char *dir = option(d, OPTION_RUNTIME_DIR);

	snprintf(d->socket_path, sizeof(d->socket_path), "%s/%s", dir, HTTP_SOCKET_NAME);
	return claim_runtime_dir(dir, &d->successor);
}

static void refuse_database(const char *path, int r)
{
	if (r == -EISDIR)
		log_error("%s is a directory; give a file by --db", path);
	else if (r == -EMEDIUMTYPE)
		log_error("%s is no database of flashscope; it is left alone, give another file "
			  "by --db",
			  path);
	else if (r == -EPROTO)
		log_error("%s was written by a newer flashscope; it is left alone, give another "
			  "file by --db",
			  path);
	else
		log_error("the store cannot be set up: %s", strerror(-r));
}

/* Before anything is made beside it. */
static int look_at_database(struct flashscoped *d)
{
	int r = store_look(option(d, OPTION_DATABASE));

	if (r < 0)
		refuse_database(option(d, OPTION_DATABASE), r);
	return r;
}

/* The runtime folder when nothing that is written there wears anything. */
static const char *memory_folder(const struct flashscoped *d)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/mirror.0", option(d, OPTION_RUNTIME_DIR));
	return durable_is_memory(path) ? option(d, OPTION_RUNTIME_DIR) : NULL;
}

/* Events, and what is read seldom, have the rest. */
#define REST_PERCENT 5

static struct store_shares shares(const struct config *config)
{
	struct store_shares s = {.minute_percent = config_number(config, OPTION_MINUTE_SHARE),
				 .hour_percent = config_number(config, OPTION_HOUR_SHARE)};

	s.raw_percent = 100 - REST_PERCENT - s.minute_percent - s.hour_percent;
	return s;
}

static struct store_options store_options(const struct flashscoped *d)
{
	const struct config *config = d->settings.config;

	return (struct store_options){
		.path = option(d, OPTION_DATABASE),
		.boot_id = d->boot_id,
		.kernel = d->kernel,
		.wall_offset_ms = d->clock.known_ms,
		.size_max_bytes = config_number(config, OPTION_SIZE_MAX),
		.shares = shares(config),
		.tail_max_bytes = config_number(config, OPTION_TAIL_MAX),
		.commit_ms = config_number(config, OPTION_COMMIT_INTERVAL),
		.mirror_dir = config_bool(config, OPTION_MIRROR) ? memory_folder(d) : NULL,
		.digest = wire_digest(registry()),
		.ring_fd = d->pmsg.fd,
	};
}

static void take_pmsg(struct flashscoped *d)
{
	const struct store_options options = store_options(d);

	pmsg_take(&d->pmsg, &options, registry());
}

/* To make a file takes more than many commits, and is spent as they are. */
static int open_store(struct flashscoped *d)
{
	const struct store_options options = store_options(d);
	int64_t before = given_bytes_now(), after;
	int r = store_open(&options, registry(), &d->store);

	if (r < 0) {
		refuse_database(options.path, r);
		return r;
	}
	after = given_bytes_now();
	if (before >= 0 && after > before)
		store_add_spent(d->store, clock_boot_ms(), after - before);
	return 0;
}

/* Before anything else takes memory: the lane process is forked here and keeps what there is. */
static int open_sampler(struct flashscoped *d)
{
	const struct config *config = d->settings.config;
	const struct sampler_options options = {
		.root = option(d, OPTION_ROOT),
		.period_ms = d->settings.period_ms,
		.disabled = d->settings.disabled,
		.rescan_ms = config_number(config, OPTION_RESCAN_INTERVAL),
		.deadline_ms = config_number(config, OPTION_LANE_DEADLINE),
		.all_nodes = config_bool(config, OPTION_PARTITIONS),
		.helper_path = *d->helper.path ? d->helper.path : NULL,
		.helper_off_reason = d->helper.off_reason,
	};
	const struct sampler_callbacks callbacks = {d,         on_rows, on_state,  on_probed,
						    on_helper, on_log,  on_records};
	int r = sampler_open(&options, registry(), &callbacks, &d->sampler);

	if (r < 0)
		log_error("sampling cannot start: %s", strerror(-r));
	return r;
}

static int start_sampler(struct flashscoped *d)
{
	int r = sampler_start(d->sampler, clock_boot_ms());

	if (r < 0) {
		log_error("sampling cannot start: %s", strerror(-r));
		return r;
	}

	const struct board_loop account = {.wall_offset_ms = d->clock.known_ms};

	board_update(d->board, d->sampler, &account);
	return 0;
}

/* The token is read while this process may still read what belongs to root. What is wrong in it is
 * for a person to mend; what stands in the way of reading it may go by itself. */
static int open_access(struct flashscoped *d)
{
	char why[512];
	struct text text = TEXT_IN(why);
	int r = access_open(&d->access, d->settings.config, &text);

	if (r == -EINVAL) {
		log_error("%s", why);
		d->wrong_configuration = true;
		return r;
	}
	d->token_is_missing = r < 0;
	if (r < 0)
		log_warning("%s; nobody from elsewhere is let in before it can be read", why);
	return 0;
}

/* Sockets that are passed take the place of the default, and are served where the configuration
 * says so. */
static int find_places(struct flashscoped *d, struct listen_list *listen,
		       struct http_options *options)
{
	const struct config *config = d->settings.config;
	char why[256];
	struct text text = TEXT_IN(why);
	bool wanted = !config_is_set(config, OPTION_LISTEN) && d->n_passed > 0;
	int r = listen_parse(config_text(config, OPTION_LISTEN), listen, &text);

	if (r < 0)
		return r;
	if (wanted)
		listen->n = 0;
	for (size_t i = 0; i < listen->n; i++)
		wanted = wanted || listen->items[i].kind == LISTEN_PASSED;
	*options = (struct http_options){
		.listen = listen,
		.socket_path = d->socket_path,
		.take_over = d->successor,
		.first_passed = PASSED_SOCKETS_FIRST,
		.n_passed = wanted ? d->n_passed : 0,
	};
	if (wanted && !d->n_passed)
		log_warning("no socket was passed (systemd in listen of [http]); start "
			    "flashscoped.socket for it");
	if (!wanted && d->n_passed)
		log_warning("%d sockets were passed, and are not served: listen of [http] lacks "
			    "the word systemd",
			    d->n_passed);
	return 0;
}

/* What was passed is known only now. */
static int check_places(struct flashscoped *d)
{
	char why[512];
	struct text text = TEXT_IN(why);

	for (size_t i = 0; i < d->api.n_places; i++) {
		if (!d->api.places[i].elsewhere ||
		    access_check_open(d->settings.config, d->api.places[i].name, &text) == 0)
			continue;
		log_error("%s", why);
		d->wrong_configuration = true;
		return -EINVAL;
	}
	return 0;
}

static int open_http(struct flashscoped *d)
{
	struct listen_list listen;
	struct http_options options;
	char what[API_PLACE_MAX] = "listen";
	int r = find_places(d, &listen, &options);

	d->api = (struct api){
		.settings = &d->settings,
		.catalog = registry(),
		.access = &d->access,
		.boot_id = d->boot_id,
		.boot_id_is_own = d->boot_id_is_own,
		.kernel = d->kernel,
		.socket_path = d->socket_path,
		.started_ms = clock_boot_ms(),
		.pmsg_error = d->pmsg.error,
	};
	if (r == 0)
		r = http_open(&d->api, &options, &d->http, what);
	if (r == -EADDRINUSE && d->successor) {
		log_warning("%s is still held by the process before; only the socket is served",
			    what);
		listen.n = 0;
		r = http_open(&d->api, &options, &d->http, what);
	}
	if (r < 0) {
		summary_no_http(what, r);
		return r;
	}
	r = check_places(d);
	if (r < 0) {
		http_stop(d->http, NULL, NULL);
		d->http = NULL;
	}
	return r;
}

static int run_http(struct flashscoped *d)
{
	d->api.store = d->store;
	d->api.board = d->board;
	d->api.committer = d->committer;

	int r = http_run(d->http);

	if (r >= 0 && d->token_is_missing)
		r = access_retry(&d->access);
	if (r < 0)
		log_error("HTTP cannot start: %s", strerror(-r));
	return r;
}

static int start_committer(struct flashscoped *d)
{
	const struct config *config = d->settings.config;
	const struct committer_options options = {
		.path = option(d, OPTION_DATABASE),
		.bound_ms = config_number(config, OPTION_COMMIT_INTERVAL),
		.budget_bytes = config_number(config, OPTION_FLASH_BUDGET),
	};
	int r = committer_start(d->store, &options, &d->committer);

	if (r < 0)
		log_error("the store thread cannot start: %s", strerror(-r));
	return r;
}

static void look_at_past(struct flashscoped *d, struct past *past)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	CLEANUP(hw_closep) struct hw *hw = NULL;

	*past = (struct past){0};
	if (reader_open(option(d, OPTION_DATABASE), NULL, registry(), &reader) < 0)
		return;
	past_read(reader, d->boot_id, past);
	if (hw_open(option(d, OPTION_ROOT), &hw) < 0 ||
	    last_boot_new(reader, d->boot_id_is_new ? "" : d->boot_id, &d->last_boot) < 0)
		return;
	last_boot_look(d->last_boot, hw, *d->helper.path);
}

static void tell_start(struct flashscoped *d, const struct past *past)
{
	if (!past->known_boot)
		chronicle_boot(d->store, d->kernel, d->boot_id, d->boot_id_is_own);
	else
		clock_events_missed(d->store, &d->clock, past->wall_offset_ms);
	past_tell(past, d->store);
	chronicle_recovered(d->store);
	pmsg_tell(&d->pmsg, d->store);
	chronicle_start(d->store);
	d->start_ms = clock_boot_ms();
}

/* One that is not there from the start never goes, and the file has to say so all the same. */
static void tell_helper(struct flashscoped *d)
{
	struct sampler_stats stats;

	sampler_get_stats(d->sampler, &stats);
	if (stats.helper.state == LINK_DOWN && !stats.helper.was_up)
		event_add(d->store, clock_boot_ms(), SEVERITY_INFO, "helper_down", "",
			  "flashscope-helper: %s", stats.helper.reason);
}

static int run_loop(struct flashscoped *d)
{
	const struct reload_options options = {
		.argc = d->argc,
		.argv = d->argv,
		.settings = &d->settings,
		.access = &d->access,
		.sampler = d->sampler,
		.committer = d->committer,
	};
	struct reload *reload = NULL;
	int signal = 0, r = reload_new(&options, &reload);

	if (r < 0)
		return r;

	const struct loop loop = {
		.sampler = d->sampler,
		.store = d->store,
		.board = d->board,
		.committer = d->committer,
		.kernel_log = d->kernel_log,
		.last_boot = d->last_boot,
		.service = &d->service,
		.reload = reload,
		.config = d->settings.config,
		.terminal = isatty(STDIN_FILENO),
		.clock = d->clock,
	};
	r = loop_run(&loop, &signal);
	reload_free(reload);
	if (r < 0)
		log_error("the loop failed: %s", strerror(-r));
	/* Before the stop, which is the last that a file tells of a run. */
	kernel_log_free(d->kernel_log);
	d->kernel_log = NULL;
	if (r == 0)
		chronicle_stop(d->store, sampler_hw(d->sampler), signal);
	return r;
}

/* A disk that is slow gets its time; one that hangs does not hold up a machine that goes down. */
static void on_held_up(void *arg)
{
	struct flashscoped *d = arg;

	service_held_up(&d->service, clock_boot_ms(), STOP_EXTEND_MAX_MS);
}

int main(int argc, char **argv)
{
	static struct flashscoped d;
	int status = EXIT_CANNOT_START;
	struct past past;

	d.argc = argc;
	d.argv = argv;
	heap_settle(argv);
	log_find_journal();
	service_open(&d.service, clock_boot_ms());
	limits_raise_files();
	loop_block_signals();
	if (settings_init(&d.settings, registry()) < 0) {
		log_error("out of memory");
		goto free_settings;
	}
	switch (arguments_read(argc, argv, &d.settings)) {
	case ARGUMENTS_RUN:
		break;
	case ARGUMENTS_DONE:
		status = EXIT_STOPPED;
		goto free_settings;
	case ARGUMENTS_WRONG:
		status = EXIT_USAGE;
		goto free_settings;
	}
	log_max_level((enum log_level)config_number(d.settings.config, OPTION_LOG_LEVEL));
	log_info("flashscoped " FLASHSCOPE_VERSION);
	take_sockets(&d);
	if (read_machine(&d) < 0 || look_at_database(&d) < 0 || claim_places(&d) < 0)
		goto free_settings;
	d.boot_id_is_own =
		own_boot_id_instead(option(&d, OPTION_RUNTIME_DIR), d.boot_id, &d.boot_id_is_new);
	if (open_access(&d) < 0 || files_give(d.settings.config) < 0)
		goto free_settings;
	helper_start(d.settings.config, d.successor, &d.helper);
	pmsg_open(d.settings.config, &d.pmsg);
	if (privileges_drop(d.settings.config) < 0)
		goto close_sampler;
	if (open_sampler(&d) < 0)
		goto close_sampler;
	/* Before the database: without the port nothing is made. */
	if (open_http(&d) < 0)
		goto close_sampler;
	if (claim_database(option(&d, OPTION_DATABASE)) < 0)
		goto stop_http;
	d.api.in_memory = durable_is_memory(option(&d, OPTION_DATABASE));
	take_pmsg(&d);
	look_at_past(&d, &past);
	clock_events_begin(&d.clock, past.known_boot ? &past.wall_offset_ms : NULL);
	if (board_new(registry(), &d.board) < 0)
		goto stop_http;
	if (open_store(&d) < 0)
		goto stop_http;
	/* Before the helper is said to answer. */
	tell_start(&d, &past);
	if (kernel_log_begin(d.sampler, d.store, *d.helper.path, &d.kernel_log) < 0 ||
	    start_sampler(&d) < 0)
		goto stop_http;
	tell_helper(&d);
	kernel_log_started(d.kernel_log, d.sampler);
	if (start_committer(&d) < 0)
		goto stop_http;
	if (run_http(&d) < 0)
		goto stop_committer;
	summary_log(&d.api);

	if (run_loop(&d) == 0)
		status = EXIT_STOPPED;

	service_stopping(&d.service);
	http_stop(d.http, on_held_up, &d);
	d.http = NULL;
	sampler_close(d.sampler);
	d.sampler = NULL;
stop_committer:
	if (committer_stop(d.committer, on_held_up, &d) < 0) {
		log_error("the last samples could not be written");
		status = EXIT_CANNOT_START;
	}
stop_http:
	if (d.http)
		http_stop(d.http, NULL, NULL);
close_sampler:
	kernel_log_free(d.kernel_log);
	last_boot_free(d.last_boot);
	sampler_close(d.sampler);
	store_close(d.store);
	pmsg_close(&d.pmsg);
	board_free(d.board);
	helper_leave(&d.helper);
free_settings:
	service_close(&d.service);
	access_done(&d.access);
	settings_done(&d.settings);
	return d.wrong_configuration ? EXIT_USAGE : status;
}
