/* The recorder: rows go into a bounded tail in memory and from there into the SQLite file.
 *
 * Threads: store_add() and the other functions below may be called from any thread; they never wait
 * for the disk, they take a short lock. store_commit() is called by one thread only, the store
 * thread of the daemon, and is the only one that writes the file. Readers (store/reader.h) have
 * connections of their own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/catalog.h"
#include "model/record.h"

struct store;

#define STORE_SIZE_MIN_BYTES INT64_C(2097152) /* of store_options.size_max_bytes */

/* Of the cap, in percent; what is left is for events, infos and groups that are read seldom. */
struct store_shares {
	int64_t raw_percent, minute_percent, hour_percent;
};

#define STORE_SHARES_DEFAULT                                                                       \
	{                                                                                          \
		60, 25, 10                                                                         \
	}

struct store_options {
	const char *path;
	const char *boot_id;        /* text of the running kernel, "" when unknown */
	const char *kernel;         /* release, for the boot table */
	int64_t wall_offset_ms;     /* wall minus boot clock at start */
	int64_t size_max_bytes;     /* of the file with its companions; oldest chunks go first */
	struct store_shares shares; /* all 0: the default */
	int64_t tail_max_bytes;     /* memory for what cannot be written yet */
	int64_t commit_ms;          /* the interval between commits, sizes the open blocks */
	/* A folder in memory: what was not committed yet is written there as well, and what a run
	 * that was killed has left there is taken over. NULL: none. */
	const char *mirror_dir;
	int64_t digest; /* of the catalog: what another program has left is not read */
	/* The ring (model/ring_log.h) that it is written to as well, one write for each tick of a
	 * group: never blocks, the caller's, and outlives the store. 0: none. */
	int ring_fd;
};

/* Looks at a path before anything is made there. -EISDIR, -EMEDIUMTYPE when it is no flashscope
 * database, -EPROTO when it is from a newer, unknown format; 0 for all else, such as no file yet.
 */
MUST_CHECK int store_look(const char *path);

/* Makes the tail and opens the file, creating or upgrading it. A file that cannot be opened or
 * written is no failure: the store then works in memory and tries again at each commit
 * (store_status). -ENOMEM, -EINVAL for nonsensical options; what store_look() says. */
MUST_CHECK int store_open(const struct store_options *options, const struct catalog *catalog,
			  struct store **ret);

/* What a ring has kept of an earlier boot. */
struct store_past {
	const uint8_t *bytes; /* oldest first */
	size_t len;
	int64_t last_ms; /* that the file has of the boot; what is a day later is not taken */
	uint64_t n_ticks, n_events;
};

/* Before the store of this boot is open: has the file take the ticks and events of that boot that
 * it has not got, in one commit. options are those of the store, with boot id, kernel and offset as
 * the file knows them of that boot. Sets n_ticks and n_events; a file that lacks nothing is not
 * opened. -errno: nothing was taken. */
MUST_CHECK int store_take_past(const struct store_options *options, const struct catalog *catalog,
			       struct store_past *past);

/* Commits nothing by itself; the caller commits first. */
void store_close(struct store *store);
void store_closep(struct store **store);

/* The rows of one tick. t_ms is the planned time on the boot clock, a multiple of step_ms; late_ms
 * how long after it the sample was really taken. Ticks of a group come in order of time. Info
 * texts, flags and faults are taken from the rows and stored when they changed; nodes that came or
 * went since the last tick of the group (not the first) become events. Allocates only for new nodes
 * and new texts.
 */
void store_add(struct store *store, const struct group *group, int64_t t_ms, int64_t late_ms,
	       int64_t step_ms, const struct sink *sink);

/* A node of a collector, by its name, is known to be away since t_ms, whatever its groups listed
 * last: it ends in all of them, and when it is listed again that is a new run of it. */
void store_gone(struct store *store, const struct collector *collector, const char *node,
		int64_t t_ms);

/* Past a bound the oldest pending event is dropped and counted. */
void store_event(struct store *store, const struct event *event);

/* What the kernel's log has told before its record with the number next (>= 0): incidents, which go
 * on. Each takes the place of the event with the same start, collector and node, whatever its kind
 * was, or of one of no node (the machine's) with the same start, collector and kind, which gets the
 * node with it; and stands beside the others when there is none. So whoever tells gives no two of
 * them the same start. Events and position are committed together,
 * so whoever goes on from there tells nothing twice and misses nothing. When the file is attached
 * later and knows a position, events that have nothing newer are dropped: it has them. One that
 * begins with the words {"open":true, in its evidence is still going on, for
 * store_kernel_log_open(); those of earlier boots get false there at the start. urgent: it is worth
 * a commit at once. */
void store_kernel_log(struct store *store, int64_t next, const struct event *events, size_t n,
		      bool urgent);

/* The incidents of this boot that a run before had left open, newest first, at most max of them.
 * They are given once, and only when the file was there before the first store_kernel_log(). */
#define STORE_LOG_OPEN_MAX 32 /* of any table of incidents */
size_t store_kernel_log_open(struct store *store, struct event *events, size_t max);

/* Where to go on: the last position of this boot. -ENOENT when the file knows none, or is not open.
 */
MUST_CHECK int store_kernel_log_next(struct store *store, int64_t *ret_next);

#define BOOT_END_EVIDENCE_MAX 16384

/* How a boot ended, with what it was concluded from. */
struct boot_end_record {
	int64_t boot; /* number in the file */
	char cause[32], certainty[16];
	char text[EVENT_TEXT_MAX];
	char evidence[BOOT_END_EVIDENCE_MAX]; /* JSON object */
};

/* Keeps how an earlier boot of the file ended; written with the next commit, at once. One waits at
 * a time. -ENOMEM. */
MUST_CHECK int store_boot_end(struct store *store, const struct boot_end_record *record);

/* Starts a mark and returns its id, > 0, valid for the file as well; -ENOSPC when too many wait. */
int64_t store_mark_start(struct store *store, const char *label, int64_t t_ms);
/* The same for one that asks for the UFS monitor, at the longest until then (boot clock). */
int64_t store_mark_start_ufs(struct store *store, const char *label, int64_t t_ms,
			     int64_t until_ms);
/* Adds a mark that is already over. Returns as store_mark_start(). */
int64_t store_mark_span(struct store *store, const char *label, int64_t t_ms, int64_t t_end_ms);
/* -ENOENT when there is no such open mark in this boot. */
int store_mark_end(struct store *store, int64_t id, int64_t t_end_ms);
/* Until when an open mark asks for the UFS monitor, also one of a run before in this boot; 0 when
 * none does any more. */
int64_t store_ufs_until_ms(struct store *store, int64_t now_ms);

/* The outcome of a probe, kept when it differs from the last one of the same node ("" is the
 * collector). */
void store_outcome(struct store *store, const char *collector, const char *node, int64_t t_ms,
		   const char *outcome, const char *reason);

/* A better offset of this boot, for all its samples. */
void store_wall_offset(struct store *store, int64_t t_ms, int64_t wall_offset_ms);
/* The one that holds. */
int64_t store_wall_offset_ms(struct store *store);

/* The wall clock was set, as it happened, whether or not the offset was taken over: by that a query
 * knows which times it has shown twice. At most STORE_CLOCK_STEPS wait; what comes then is left
 * out. */
#define STORE_CLOCK_STEPS 64
void store_clock_step(struct store *store, const struct clock_step *step);

/* Writes all that waits, in one transaction (in several after a long time without a disk), and from
 * time to time folds the tail pages into
 * chunks, checkpoints the WAL and deletes the oldest chunks. final: also truncates the WAL, so that
 * the file alone is all. Returns 0, or the error that the status shows; nothing is lost by it as
 * long as the tail has room. */
int store_commit(struct store *store, int64_t t_ms, bool final);

/* t_ms of the store_commit() that is running, 0 when none is. One that has begun long ago waits for
 * a disk that does not answer, and so would a reader. */
int64_t store_committing_ms(struct store *store);

/* Set when something waits that should be committed at once: an event of warning or worse. Who
 * makes a mark asks for a commit of his own. */
bool store_urgent(struct store *store);

/* The next commit writes who wrote in the hour that goes on, too, which is written from time to
 * time only: for a copy that is to have all. */
void store_want_hour(struct store *store);

/* Critical events, each by what causes it: kind, collector and node as one number. Takes those that
 * came since it was asked last, at most max of them; of more than STORE_CRITICAL the newest are not
 * told. */
#define STORE_CRITICAL 16
size_t store_take_critical(struct store *store, uint64_t *causes, size_t max);

/* What commits have written, which the file keeps over restarts: added up over 24 hours. It is
 * written with a commit once an hour has passed or STORE_SPENT_BYTES have come, and with the final
 * one, so a loss of power forgets no more than that. */
#define STORE_SPENT_BYTES (INT64_C(1) << 20)
void store_add_spent(struct store *store, int64_t t_ms, int64_t bytes);
int64_t store_spent_bytes(struct store *store, int64_t now_ms);

/* What is kept in one resolution. */
#define STORE_N_KEPT 4

struct store_kept {
	const char *name; /* raw, minute, hour; slow: samples of groups that are read seldom */
	int64_t bytes, share_bytes; /* share_bytes -1: not known, of a file alone */
	int64_t oldest_wall_ms;     /* 0: there is none */
	int64_t bytes_per_day;      /* written of late, per day of sampling; 0: not known yet */
};

struct store_status {
	bool attached;          /* the file is open */
	char error[256];        /* of the last commit or open; "" when it went well */
	int64_t last_commit_ms; /* boot clock, 0: none yet */
	uint64_t n_commits, n_failed_commits;
	int64_t commit_cpu_us; /* CPU time of all commits */
	int64_t file_bytes, wal_bytes, size_max_bytes;
	int64_t tail_bytes, tail_max_bytes; /* waiting in memory */
	uint64_t n_dropped_ticks, n_dropped_events;
	int mirror_error; /* -errno: why there is none; 0 also when none is wanted */
	bool mirrored;
	int64_t mirror_bytes;
	uint64_t n_not_mirrored;                        /* ticks and events that did not fit */
	uint64_t n_recovered_ticks, n_recovered_events; /* of a run before that was killed */
	int64_t recovered_last_ms; /* the newest of these ticks; 0: there are none */
	bool in_ring;              /* what comes is written to a ring as well */
	int64_t ring_bytes;        /* written there in all */
	uint64_t n_not_in_ring;    /* ticks and events that it did not take */
	int64_t boot;              /* number of this boot in the file, 0 while not attached */
	int64_t moved_aside;       /* suffix .broken-N of a damaged database, 0: none was */
	uint64_t n_mishaps; /* the open file, or its journal, was removed, replaced or emptied */
	char mishap[256];   /* the last of these, as its event says it */
	int64_t oldest_wall_ms; /* of the oldest sample or rollup, 0 when there is none */
	struct store_kept kept[STORE_N_KEPT]; /* names are NULL before the first commit */
};

void store_get_status(struct store *store, struct store_status *ret);

/* The same without the sizes of the files, which are 0: it never asks a disk. */
void store_peek_status(struct store *store, struct store_status *ret);

/* The newest value of every field, from memory. */
struct latest_value {
	struct value value; /* the last good one for VALUE_INT; for texts see text */
	const char *text;
	int64_t t_ms; /* of that value */
	int fault;    /* errno of the newest sample, 0 when it was good; VALUE_ABSENT as value when
		       * there never was a good one */
};

struct latest_row {
	const struct group *group;
	size_t group_index;
	const char *node, *identity;
	int64_t t_ms; /* of the newest sample of the node */
	int64_t step_ms;
	bool gone;
	const struct latest_value *values; /* group->n_fields */
};

/* Calls visit for each group and node under the lock, in the order of catalog and node numbers:
 * visit must be quick and must not call the store. Stops when visit returns non-zero and returns
 * that. */
int store_latest(struct store *store, int (*visit)(const struct latest_row *row, void *arg),
		 void *arg);
