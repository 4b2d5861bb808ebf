/* Who reads and writes: how the collector `writers` tells it, how the store keeps it, and how it is
 * answered.
 *
 * Writers come and go by the thousand, so they are no nodes of a series. The rows of the group
 * writers_top are what was accounted since its tick before; whoever keeps them adds them up by
 * hour, and the rest beyond the largest is one row (WRITER_OTHERS). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "model/writer_parse.h"

enum writer_source {
	WRITER_PROCESS, /* /proc/PID/io */
	WRITER_CGROUP,  /* io.stat */
	WRITER_UID,     /* /proc/uid_io/stats */
	WRITER_DEVICE,  /* /proc/diskstats: what the disks have written, whoever it was */
	N_WRITER_SOURCES
};

/* "process", "cgroup", "uid", "device". */
const char *writer_source_name(enum writer_source source);
/* N_WRITER_SOURCES for an unknown word. */
enum writer_source writer_source_named(const char *name);

#define WRITER_DEVICE_MAX 32

struct writer {
	enum writer_source source;
	char name[WRITER_NAME_MAX];     /* process, unit or package; "" of a user without one */
	char unit[WRITER_UNIT_MAX];     /* of a process its unit, of a cgroup its path */
	char device[WRITER_DEVICE_MAX]; /* where a cgroup knows it, else "" */
	int64_t id;                     /* pid of one of them, or uid; -1: none */
	int64_t n;                      /* processes of that name that were seen at once */
	struct writer_io io;
};

bool writer_is_same(const struct writer *a, const struct writer *b);
bool writer_is_others(const struct writer *writer);
/* Adds b, which is the same, to a. */
void writer_merge(struct writer *a, const struct writer *b);
/* Whether a has written less than b, or as much and read less. */
bool writer_is_smaller(const struct writer *a, const struct writer *b);

struct sink;
struct row;
struct group;

/* The fields of the group writers_top. */
enum {
	WRITER_FIELD_WRITTEN,
	WRITER_FIELD_READ,
	WRITER_FIELD_CANCELLED,
	WRITER_FIELD_SYNCS,
	WRITER_FIELD_PROCESSES,
	WRITER_FIELD_ID,
	WRITER_FIELD_SOURCE,
	WRITER_FIELD_NAME,
	WRITER_FIELD_UNIT,
	WRITER_FIELD_DEVICE,
	WRITER_FIELDS
};

void writer_to_row(const struct writer *writer, struct sink *sink);
/* -EINVAL when the row is no such thing. */
MUST_CHECK int writer_of_row(const struct sink *sink, const struct row *row, struct writer *ret);

/* ---- The answer */

#define WRITERS_ROWS_MAX 4096

enum writers_by { WRITERS_BY_ANY, WRITERS_BY_PROCESS, WRITERS_BY_UNIT, WRITERS_BY_UID };

/* "process", "unit", "uid"; "" is any. -EINVAL */
MUST_CHECK int writers_by_named(const char *name, enum writers_by *ret);
const char *writers_by_name(enum writers_by by);

/* What the answer is worth. */
enum writers_state {
	WRITERS_COUNTED,     /* there are writers */
	WRITERS_NONE,        /* it was counted, and nobody wrote */
	WRITERS_NOT_COUNTED, /* nobody looked, or there is no such account: reason */
	WRITERS_OUTSIDE,     /* it was counted, but not in the window: reason */
	N_WRITERS_STATES
};

/* "counted", "none", "not_counted", "outside". */
const char *writers_state_name(enum writers_state state);

/* Of the window, when nobody counted. */
#define WRITERS_GAPS_MAX 16
struct writers_gap {
	int64_t from_ms, to_ms; /* wall clock */
};

struct writers_report {
	enum writers_by by;
	enum writers_state state;
	char reason[256]; /* "" when it was counted */
	int64_t window_from_ms, window_to_ms;
	/* Before the first account and between two: the first ones, and the sum of all. */
	struct writers_gap gaps[WRITERS_GAPS_MAX];
	size_t n_gaps;
	int64_t uncounted_ms;
	/* What was counted: whole hours of the boot clock, so from the first to the last that the
	 * window touches; wall clock in ms. */
	int64_t from_ms, to_ms;
	size_t n_hours;
	bool is_cut; /* they reach beyond the window */
	bool has[N_WRITER_SOURCES];
	struct writer *rows; /* the largest first; owned */
	size_t n;
	struct writer_io total; /* of the rows */
	struct writer *devices; /* owned */
	size_t n_devices;
	struct writer_io written; /* by the devices; only with has[WRITER_DEVICE] */
};

void writers_report_done(struct writers_report *report);
