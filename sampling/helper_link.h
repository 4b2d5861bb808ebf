/* The daemon's side of the socket to flashscope-helper: connects, and again when it is gone, asks
 * for what is due and takes the answers. Never waits for it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sampling/wire.h"
#include "sampling/wire_helper.h"

#define LINK_PATH_MAX 256

enum link_state {
	LINK_OFF,  /* not wanted */
	LINK_DOWN, /* cannot be reached, or has gone; the reason says why */
	LINK_UP,
};

const char *link_state_name(enum link_state state);

struct link;

struct link_events {
	void *arg;
	void (*rows)(void *arg, const struct wire_rows *head, const struct sink *sink);
	/* The callee may take the items and leave an empty probe. */
	void (*probed)(void *arg, size_t collector, int error, struct probe *probe);
	void (*node)(void *arg, const struct wire_node *node);
	/* It came up or went down, or while it is up: nobody keeps the UFS monitors, or somebody
	 * does again (link_keeps_monitors()): link_status(). */
	void (*changed)(void *arg);
	/* The kernel's log: a descriptor, which is the callee's, or error as -errno. May be NULL.
	 */
	void (*log)(void *arg, int fd, int error);
	/* The same for what a kernel before has left. */
	void (*records)(void *arg, int fd, int error);
};

struct link_status {
	enum link_state state;
	int64_t since_ms; /* boot clock */
	char path[LINK_PATH_MAX];
	char reason[WIRE_TEXT_MAX]; /* of LINK_OFF and LINK_DOWN, else "" */
	uint64_t n_connects;
	bool was_up, ended;          /* ended: see link_ended() */
	struct wire_monitor monitor; /* what it is told to do with UFS monitors */
	/* What it said last of its workers, and of the monitors; zero unless LINK_UP. */
	struct wire_account account;
	struct wire_monitored monitored;
};

struct link_options {
	const struct catalog *catalog; /* outlives the link */
	const char *path;              /* of the socket; NULL: LINK_OFF */
	const char *off_reason;        /* why, when it is off */
};

/* Connects to nothing yet. -ENAMETOOLONG, -ENOMEM. */
MUST_CHECK int link_open(const struct link_options *options, const struct link_events *events,
			 struct link **ret);
void link_close(struct link *link);

/* Said of a helper that this daemon has started, when all its processes have ended. */
#define HELPER_ENDED "all of it has ended; a restart of flashscoped starts another one"

/* The helper that was started for this link has ended: said for as long as nobody answers. */
void link_ended(struct link *link);

/* Connects when it is time to, and gives up one that does not answer. */
void link_check(struct link *link, int64_t now_ms);

/* Takes what has come so far. */
void link_receive(struct link *link, int64_t now_ms);

/* Asks for samples; what cannot be sent is not answered. */
void link_request(struct link *link, const struct wire_tick *tick, int64_t now_ms);
void link_rescan(struct link *link, int64_t now_ms);

/* What shall become of the UFS monitors, now and after each connection; sent when it changes. */
void link_monitor(struct link *link, const struct wire_monitor *monitor, int64_t now_ms);

/* Whether the kernel's log is wanted: asked for now and after each connection. */
void link_want_log(struct link *link, bool wanted, int64_t now_ms);
/* The same for what a kernel before has left. */
void link_want_records(struct link *link, bool wanted, int64_t now_ms);

/* To be watched for input, -1 without a connection. */
int link_fd(const struct link *link);

/* When link_check() has something to do; INT64_MAX for never. */
int64_t link_due_ms(const struct link *link);

const struct link_status *link_status(const struct link *link);

/* Whether what it said last is not that the process which keeps the UFS monitors has ended. */
bool link_keeps_monitors(const struct link_status *status);

/* Whether nothing more is to be expected soon: it is not connected, or has told of all of its
 * collectors. */
bool link_is_settled(const struct link *link);

/* Whether the helper has told what its last probe of the collector found. */
bool link_has_told(const struct link *link, size_t collector);

/* Whether the helper samples the collector: its last probe there found something. */
bool link_serves(const struct link *link, size_t collector);

/* Whether it has said that the node hangs, and not yet that it answers again. */
bool link_hangs(const struct link *link, size_t collector, const char *node);
