/* Rows: what one sample of a group gave. Collectors write them, the other layers read them.
 *
 * A field that is never set is absent: NULL in SQL, no key in JSON, no line for Prometheus. A field
 * that exists and could not be read is a fault with its errno. There are no sentinel values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

#define SINK_FIELDS_MAX   48
#define SINK_ROWS_MAX     512
#define SINK_TEXT_BYTES   (512 * 1024) /* a KiB for each row; what is not used costs no memory */
#define NODE_NAME_MAX     96
#define NODE_IDENTITY_MAX 192
#define INFO_TEXT_MAX     1024

/* A word on a value that is there but not to be trusted as it stands: shown everywhere, stored when
 * it changes, kept out of alarms. */
enum flag {
	FLAG_NONE,
	FLAG_IMPLAUSIBLE,    /* outside of what the quantity can be */
	FLAG_FILTERED,       /* counts only a part */
	FLAG_CACHED_AT_BOOT, /* read by the kernel at start, not now */
	FLAG_RESET,          /* fell back since the last sample */
	FLAG_STALE,          /* older than its period */
	FLAG_SATURATED,      /* at the end of its scale: the true value is as much or more */
};

/* Whether a value with this flag stays out of minima, maxima and means. What is merely old was true
 * when it was read, and may be all that there is. */
bool flag_keeps_out(enum flag flag);

const char *flag_name(enum flag flag);
/* FLAG_NONE for an unknown word. */
enum flag flag_of_name(const char *name);

enum value_type {
	VALUE_ABSENT,
	VALUE_INT,
	VALUE_TEXT,  /* i is an offset into the sink's text */
	VALUE_FAULT, /* i is a positive errno */
};

struct value {
	int64_t i;
	uint8_t type; /* enum value_type */
	uint8_t flag; /* enum flag */
};

struct row {
	char node[NODE_NAME_MAX];
	char identity[NODE_IDENTITY_MAX]; /* survives renumbering; "" when the name is all there is
					   */
	/* The device sleeps, so what would have woken it was not read: the state of the node, which
	 * is no fault. */
	bool suspended;
	struct value values[SINK_FIELDS_MAX];
};

struct group;

struct sink {
	const struct group *group;
	struct row **rows; /* the first n_rows are in use; the rest is kept for later samples */
	size_t n_rows, n_alloc;
	char *text; /* SINK_TEXT_BYTES */
	size_t text_len;
	bool overflow; /* rows or text did not fit and were dropped */
	/* Not all nodes were asked, or have answered: one without a row is not gone. */
	bool partial;
	char *at_node; /* NODE_NAME_MAX bytes or NULL: takes the name of the row being made, for
			* whoever watches a lane from outside */
	struct row spare;
};

MUST_CHECK int sink_init(struct sink *sink);
void sink_done(struct sink *sink);

/* Forgets the rows and starts a sample of group. Keeps the memory. */
void sink_reset(struct sink *sink, const struct group *group);

/* A new row with all fields absent and not suspended. Never NULL: past SINK_ROWS_MAX, or without
 * memory, the row is dropped and overflow set. Names that are too long are cut. */
struct row *sink_row(struct sink *sink, const char *node, const char *identity);

/* Writing. field is an index into the group's table. */
void row_set(struct row *row, size_t field, int64_t value);
void row_flag(struct row *row, size_t field, enum flag flag);
void row_fault(struct row *row, size_t field, int error);
/* The text is copied, cut after INFO_TEXT_MAX - 1 bytes. */
void row_text(struct sink *sink, struct row *row, size_t field, const char *text);

/* FLAG_IMPLAUSIBLE for each negative value, where no quantity can be negative. */
void row_flag_negative(struct row *row, size_t n_fields);

/* The value on r >= 0, the fault on r < 0; -ENOENT leaves the field absent. */
void row_result(struct row *row, size_t field, int r, int64_t value);

/* Reading. */
const char *sink_text(const struct sink *sink, const struct value *value);
/* Whether at least one field has a value. */
bool row_has_value(const struct row *row, size_t n_fields);
/* Whether one of the rows is of a device that sleeps. */
bool sink_has_asleep(const struct sink *sink);
/* The first fault, 0 when there is none. */
int row_first_fault(const struct row *row, size_t n_fields);
