/* Reading a file, and the tail of a running store with it, as one history.
 *
 * A reader is one connection; one thread uses it at a time. Transactions are short: none is held
 * between two calls. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/catalog.h"
#include "model/record.h"
#include "model/rollup.h"

struct reader;
struct store;

/* store: of the same file, to see what is not yet committed; NULL for a file alone. Beside a file
 * that nobody has open nothing is made, so that evidence is not touched. With a store the file may
 * be missing. -ENOENT, -EACCES, -EMEDIUMTYPE (no flashscope database), -EPROTO (newer format). */
MUST_CHECK int reader_open(const char *path, struct store *store, const struct catalog *catalog,
			   struct reader **ret);
void reader_close(struct reader *reader);
void reader_closep(struct reader **reader);

/* What went wrong in the last failed call, for people. */
const char *reader_error(const struct reader *reader);

/* Whether the last event is a stop of the daemon. 1, 0, or -ENODATA where there is no event: no
 * daemon began in it, or a copy lacks the journal that has all of them; -errno else. */
MUST_CHECK int reader_was_stopped(struct reader *reader);

/* What a copy lacks beside what its daemon had in memory. */
enum reader_lack_kind {
	READER_LACKS_NOTHING,
	READER_LACKS_JOURNAL, /* it is not beside the file, which was not closed */
	READER_JOURNAL_EMPTY, /* the same, but a file without a byte is there */
	READER_JOURNAL_UNREADABLE,
	READER_JOURNAL_CUT,     /* it ends within a transaction */
	READER_JOURNAL_DAMAGED, /* behind what counts in it there is more, unless that failed */
	READER_LACKS_PAGES,     /* of the file: it is cut off, or the journal that had them is */
};

struct reader_lack {
	enum reader_lack_kind kind;
	int error;  /* errno: why the journal cannot be read */
	uint32_t n; /* commits that are lost (0: all), pages that are missing */
};

/* Of a file alone, without a store. -errno */
MUST_CHECK int reader_lacks(struct reader *reader, struct reader_lack *ret);

/* Reads all of the file and looks whether its trees hold together. -EUCLEAN: they do not; -errno */
MUST_CHECK int reader_check(struct reader *reader);

/* What the newest event says by which what was recorded before is not in this file: it was lost, or
 * damaged and moved aside, while a daemon had it open. 1, 0: there is none, -errno */
MUST_CHECK int reader_lost_before(struct reader *reader, char text[EVENT_TEXT_MAX]);

struct boot {
	int64_t id; /* number in the file */
	char boot_id[40];
	char kernel[128];
	int64_t first_ms, last_ms; /* boot clock of the first and last sample */
	int64_t wall_offset_ms;    /* wall = boot clock + this */
	bool current;              /* of the running store */
};

/* Boots in their order, at most max: the newest. Returns their number or -errno. */
int reader_boots(struct reader *reader, struct boot *boots, size_t max);

/* What boots have left beside their samples. */
struct boot_traces {
	int64_t last_ms; /* boot clock of the last event or mark; 0: there is none */
	bool id_is_own;  /* their boot id was made up, as the kernel's could not be read */
};

/* Of each of boots, as reader_boots() gave them. 0 or -errno */
MUST_CHECK int reader_boot_traces(struct reader *reader, const struct boot *boots, size_t n,
				  struct boot_traces *ret);

/* How earlier boots ended, those that are in the file, in their order. A file of before there were
 * such records has none. */
struct boot_end_record;
int reader_boot_ends(struct reader *reader,
		     int (*visit)(const struct boot_end_record *record, void *arg), void *arg);

/* How often the wall clock was set: boots in their order, their steps in the order of time; those
 * that wait for a commit are among them. Of the boot number and offset are there, and no more. */
int reader_clock_steps(struct reader *reader,
		       int (*visit)(const struct clock_step *step, const struct boot *boot,
				    void *arg),
		       void *arg);

/* The last event of a boot in the file. 1, 0 when it has none, -errno */
int reader_last_event(struct reader *reader, int64_t boot, struct event *ret);

/* A node of a collector as it stands in the file. */
struct node_info {
	int64_t id; /* 0 when it is not in the file yet */
	char collector[NODE_NAME_MAX];
	char name[NODE_NAME_MAX];
	char identity[NODE_IDENTITY_MAX];
	int64_t run; /* 1, and one more each time it came back within a boot; a device with an
		      * identity also under another name */
	int64_t boot, first_ms, last_ms; /* when it was first seen, and last, in its last boot */
	bool gone;
};

/* By collectors, names (nvme0n2 before nvme0n10) and runs. visit returns non-zero to stop; that is
 * returned. */
int reader_nodes(struct reader *reader, const char *collector,
		 int (*visit)(const struct node_info *node, void *arg), void *arg);

/* Events and marks whose span touches from..to (wall clock), in the order of boots and their
 * clocks; when there are more than max, the last of them. What waits for a commit is among them. */
int reader_events(struct reader *reader, int64_t from_wall_ms, int64_t to_wall_ms, size_t max,
		  int (*visit)(const struct event *event, const struct boot *boot, void *arg),
		  void *arg);
int reader_marks(struct reader *reader, int64_t from_wall_ms, int64_t to_wall_ms, size_t max,
		 int (*visit)(const struct mark *mark, const struct boot *boot, void *arg),
		 void *arg);

/* The newest state of probes, infos, flags and faults as they stand in the file; value "" ends a
 * flag or fault. */
struct info_record {
	const char *collector, *group, *node, *field; /* group and field "" for a probe outcome */
	int64_t boot, t_ms;
	const char *value;  /* text, flag word, name of an errno, or outcome */
	const char *reason; /* of an outcome, else "" */
};

enum info_what { INFO_TEXTS, INFO_FLAGS, INFO_FAULTS, INFO_OUTCOMES };

int reader_infos(struct reader *reader, enum info_what what,
		 int (*visit)(const struct info_record *record, void *arg), void *arg);

/* What the file keeps in each resolution, and what it may take of it (0: not known). Of a file of
 * before there was such an account it is -ENOENT. */
struct store_kept;
MUST_CHECK int reader_kept(struct reader *reader, struct store_kept *ret, size_t n,
			   int64_t *ret_size_max_bytes);

/* One series: a node of a group in one boot. */
struct series_key {
	int64_t boot;
	char node[NODE_NAME_MAX];
	char identity[NODE_IDENTITY_MAX];
};

/* The series of a group that have samples in from..to (wall clock), in the order of boots and node
 * names; node is a name or an identity, under which a device is found whatever its name was, NULL
 * or
 * "" for all. -E2BIG for more than 16384. */
int reader_series(struct reader *reader, const struct group *group, const char *node,
		  int64_t from_wall_ms, int64_t to_wall_ms,
		  int (*visit)(const struct series_key *key, const struct boot *boot, void *arg),
		  void *arg);

#define SPAN_FIELDS_MAX 24

/* A run of ticks on a grid. Arrays belong to the cursor and are valid until its next call. */
struct span {
	int64_t t0_ms, step_ms; /* boot clock; tick i stands at t0_ms + i * step_ms + late_ms[i] */
	size_t n;
	const int64_t *late_ms;
	const int64_t *values[SPAN_FIELDS_MAX];
	const uint8_t *absent[SPAN_FIELDS_MAX];
	uint8_t flag[SPAN_FIELDS_MAX]; /* enum flag, in force for the whole of the span */
	bool fresh; /* a new run of the node: what stands before is no baseline for counters */
};

struct cursor;

/* Spans of one series and up to SPAN_FIELDS_MAX fields that touch from_ms..to_ms (boot clock),
 * oldest first, each tick once, file and tail together. */
int cursor_open(struct reader *reader, const struct group *group, const struct series_key *key,
		const size_t *fields, size_t n_fields, int64_t from_ms, int64_t to_ms,
		struct cursor **ret);
/* 1 with *ret, 0 at the end, -errno (-EBADMSG: a damaged cell; the next call goes on behind it). */
int cursor_next(struct cursor *cursor, struct span *ret);
void cursor_close(struct cursor *cursor);

/* Rollups: what a series did in each minute and hour of the boot clock, also of times whose samples
 * are gone. */
enum resolution { RESOLUTION_MINUTE, RESOLUTION_HOUR };

/* How far each resolution of a series goes, on the boot clock; INT64_MAX as a beginning: it has
 * none, as an end: to the last sample. */
struct series_extent {
	int64_t raw_from_ms;    /* the first sample that is kept */
	int64_t rolled_from_ms; /* before it there are samples and no rollups: the file was made by
				 * a version without them */
	int64_t minute_from_ms; /* no minute is kept that ended before */
	int64_t minute_to_ms;   /* samples behind it are in no rollup yet; on a whole minute */
	int64_t hour_to_ms;     /* hours end here; on a whole hour */
};

/* -errno. */
MUST_CHECK int reader_extent(struct reader *reader, const struct metric *metric,
			     const struct series_key *key, struct series_extent *ret);

/* A run of minutes or hours; point i is the time of point_ms up to end_ms + i * point_ms. Belongs
 * to the cursor, valid until its next call. */
struct rollup_span {
	int64_t end_ms, point_ms;
	size_t n;
	const struct rollup *points; /* those in which nothing was are empty */
};

struct rollup_cursor;

/* The points of a metric that end in (from_ms, to_ms], oldest first. */
MUST_CHECK int rollup_open(struct reader *reader, const struct metric *metric,
			   const struct series_key *key, enum resolution resolution,
			   int64_t from_ms, int64_t to_ms, struct rollup_cursor **ret);
/* As cursor_next(). */
MUST_CHECK int rollup_next(struct rollup_cursor *cursor, struct rollup_span *ret);
void rollup_close(struct rollup_cursor *cursor);

/* The last sample of a series in the chunks of the file that stands before a time: where the
 * increase begins that ends behind it. 1, 0 when there is none, -errno */
MUST_CHECK int reader_last_before(struct reader *reader, const struct group *group,
				  const struct series_key *key, int64_t t_ms, int64_t *ret_t_ms);

/* One who has written in one hour of a boot: what was counted from since_ms to until_ms (boot
 * clock). */
struct writer;
struct writer_record {
	const struct writer *writer;
	const struct boot *boot;
	int64_t t_ms, since_ms, until_ms;
};

/* Those of the hours that touch from..to (wall clock), in the order of boots and hours; the present
 * hour and what waits for a commit are among them. A file of before there were such records has
 * none. */
int reader_writers(struct reader *reader, int64_t from_wall_ms, int64_t to_wall_ms,
		   int (*visit)(const struct writer_record *record, void *arg), void *arg);
