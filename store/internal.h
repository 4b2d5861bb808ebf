/* What the files of the store share; nobody outside of store/ includes it.
 *
 * The tail: rows go into the open block of their group, a matrix of ticks. A commit swaps it for an
 * empty one, codes it into a segment and writes the segments as pages of the file. What cannot be
 * written stays as segments in memory. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/catalog.h"
#include "model/record.h"
#include "model/rolling_day.h"
#include "model/series.h"
#include "store/store.h"
#include "store/writers.h"

#define CHUNK_SPAN_MS      INT64_C(3600000)
#define BLOCK_TICKS_MAX    640
#define PENDING_MAX        256  /* events that wait */
#define CHANGES_MAX        1024 /* infos, flags and faults that wait */
#define MARKS_MAX          256  /* open marks and those that wait */
#define OUTCOMES_MAX       2048
#define TAIL_NODES_MAX     4096
#define GONE_KEEP_MS       INT64_C(3600000)
#define MARKS_FROM_UNKNOWN 1000000000

/* One run of a node of a collector. Kept while a member, block, segment or change refers to it. */
struct tail_node {
	struct tail_node *next;
	const struct collector *collector;
	char name[NODE_NAME_MAX];
	char identity[NODE_IDENTITY_MAX];
	int64_t id;  /* in the file, 0: not yet; the commit thread sets it under the lock */
	int64_t run; /* of its device, under whatever name: in the file once id is set; before that
		      * 1, 2.. of this store */
	int64_t first_ms, last_ms;
	bool gone;
	bool superseded; /* a newer run exists */
	bool dirty;      /* the row of the file must be written */
	size_t n_refs;
};

/* A matrix of ticks on a grid. Each node has values and absence for n_columns x cap ticks. */
struct block_node {
	struct tail_node *node;
	int64_t *values;
	uint8_t *absent;
};

struct block {
	int64_t t0_ms, step_ms;
	size_t n, cap; /* ticks */
	size_t n_columns;
	struct block_node *nodes; /* n_nodes are in use; the rest keeps its memory */
	size_t n_nodes, n_alloc;
	int64_t *late_ms;
};

struct coded_cell {
	enum cell kind;
	int64_t constant;
	size_t offset, len; /* of a blob */
};

/* A block in coded form. Cells of a node: lateness first, then its columns in the order of the
 * catalog. */
struct segment {
	struct segment *next;
	size_t group; /* index in the catalog */
	int64_t t0_ms, step_ms;
	size_t n, n_nodes, n_columns;
	struct tail_node **nodes;
	struct coded_cell *cells; /* n_nodes x (1 + n_columns) */
	uint8_t *data;
	size_t size_bytes; /* all memory of it */
};

struct segment_list {
	struct segment *first, *last;
	size_t size_bytes;
};

/* Scratch of the coder, kept between uses. */
struct coder {
	struct coded_cell *cells;
	struct tail_node **nodes;
	uint8_t *data;
	size_t n_cells, n_nodes, cells_alloc, nodes_alloc, data_len, data_alloc;
};

/* A node as one group sees it. */
struct member {
	struct tail_node *node;
	bool present;
	uint64_t seen; /* number of the tick that listed it last */
	int64_t t_ms;
	struct latest_value *values; /* n_fields of the group; texts are owned */
	uint8_t *flags;              /* in force, as last reported */
	int *faults;                 /* the same: errno, 0 for none */
};

struct tail_group {
	const struct collector *collector;
	const struct group *group;
	size_t n_columns;
	size_t column[SINK_FIELDS_MAX]; /* of a field, SIZE_MAX for infos */
	struct member **members;
	size_t n_members, members_alloc;
	uint64_t n_ticks;
	bool listed; /* had a tick with all of its nodes */
	int64_t last_t_ms, step_ms;
	struct block *open, *busy; /* busy: being coded by a commit */
	/* the commit thread's own, of the first group of a collector (vanished.c) */
	bool settling;    /* by the running commit */
	uint64_t settled; /* attach_count of the file that knows which nodes did not come back */
};

enum change_what { CHANGE_INFO, CHANGE_FLAG, CHANGE_FAULT };

struct change {
	struct change *next;
	enum change_what what;
	struct tail_node *node;
	const struct group *group;
	size_t field;
	int64_t t_ms;
	char text[]; /* info, word of the flag or name of the errno, "" at the end of these */
};

struct change_list {
	struct change *first, *last;
	size_t n;
};

struct pending_event {
	struct pending_event *next;
	bool goes_on;     /* takes the place of one with the same beginning */
	int64_t log_next; /* of one that goes on: see store_kernel_log() */
	struct event event;
};

struct event_list {
	struct pending_event *first, *last;
	size_t n;
};

struct mark_entry {
	struct mark mark;
	bool dirty; /* differs from the file */
};

struct outcome_entry {
	const char *collector; /* of the catalog */
	char node[NODE_NAME_MAX];
	char outcome[32];
	char reason[256];
	int64_t t_ms;
	bool dirty;
};

struct db;
struct mirror;
struct ring;

struct store {
	const struct catalog *catalog;
	char *path;
	char boot_id[40];
	char kernel[128];
	int64_t size_max_bytes, tail_max_bytes, commit_ms;
	struct store_shares shares;

	pthread_mutex_t lock; /* of all that follows up to the line */
	struct tail_group *groups;
	size_t n_groups;
	struct tail_node *nodes;
	size_t n_nodes;
	struct segment_list sealed, writing; /* writing: in the hands of a commit */
	struct coder coder;                  /* of blocks that are sealed under the lock */
	struct change_list changes, writing_changes;
	struct event_list events, writing_events;
	struct mark_entry *marks;
	size_t n_marks;
	int64_t next_mark_id;
	struct outcome_entry *outcomes;
	size_t n_outcomes;
	int64_t wall_offset_ms;
	int64_t first_ms, last_ms; /* of all samples, TIME_OPEN before the first */
	int64_t committing_ms;     /* see store_committing_ms() */
	bool wall_dirty;
	struct clock_step clock_steps[STORE_CLOCK_STEPS]; /* that wait, oldest first */
	size_t n_clock_steps;
	struct boot_end_record *boot_end; /* that waits to be written; NULL */
	int64_t log_next;                 /* see store_kernel_log(); -1: not known */
	bool log_dirty;
	struct writer_hours writers;
	struct event *log_open; /* see store_kernel_log_open() */
	size_t n_log_open;
	bool urgent;
	bool wants_hour;                   /* see store_want_hour() */
	uint64_t critical[STORE_CRITICAL]; /* see store_take_critical() */
	size_t n_critical;
	struct mirror *mirror; /* NULL: none */
	struct ring *ring;     /* NULL: none */
	struct rolling_day spent;
	int64_t unsaved_bytes, unsaved_hour; /* of spent, since this hour */
	bool spent_loaded, finishing;        /* finishing: the final commit */
	bool wrong_file;                     /* seen at open: never attach */
	struct store_status status;
	uint64_t attach_count; /* one more with each file that was attached */
	/* ---- the commit thread's own */
	struct coder commit_coder;
	struct db *db;
	bool has_samples;  /* a commit had some: without, a file is empty */
	bool checkpointed; /* all of the journal, then */
	int64_t checkpointed_ms;
	int64_t held_since_ms; /* since when a reader holds the journal, 0: nobody does */
	bool moved_aside;      /* a broken file, once */
	bool said_full;        /* no number is left for a new node */
};

/* block.c */
MUST_CHECK int block_new(size_t n_columns, size_t cap, struct block **ret);
void block_free(struct block *block);
/* Forgets ticks and nodes, keeps the memory. */
void block_reset(struct block *block);
/* Whether t_ms is a later tick of the block's grid with room for it. */
bool block_takes(const struct block *block, int64_t t_ms, int64_t step_ms);
/* Opens the tick, absent for all nodes. Returns its index. */
size_t block_tick(struct block *block, int64_t t_ms, int64_t late_ms, int64_t step_ms);
/* The place of a node, looked for at hint first; added when it is new. -ENOMEM. */
MUST_CHECK int block_place(struct block *block, struct tail_node *node, size_t hint,
			   struct block_node **ret);
/* -ENOMEM; NULL when no node has a value. */
MUST_CHECK int block_code(const struct block *block, struct coder *coder, struct segment **ret);
void coder_done(struct coder *coder);

/* segment.c */
void segment_free(struct segment *segment);
void segments_append(struct segment_list *list, struct segment *segment);
struct segment *segments_take_first(struct segment_list *list);
/* Puts b behind a and leaves it empty. */
void segments_join(struct segment_list *a, struct segment_list *b);
void segments_free(struct segment_list *list);
/* Decodes one cell into n values; a damaged one is -EBADMSG. */
MUST_CHECK int segment_decode(const struct segment *segment, size_t node, size_t cell,
			      int64_t *values, uint8_t *absent);

/* tail.c: with the lock held */
struct tail_group *tail_group_of(struct store *store, const struct group *group);
/* Codes the open block into a segment of sealed, within the bound of the tail. */
void tail_seal(struct store *store, struct tail_group *group);
/* Drops the oldest segments of sealed until the tail is within its bound. */
void tail_bound(struct store *store);
void tail_node_unref(struct tail_node *node);
void member_free(struct tail_group *group, struct member *member);
/* Forgets nodes that are gone since long and that nothing refers to. */
void tail_prune(struct store *store, int64_t t_ms);

/* Of those that go on, of one boot: whether both are the same one. Its kind may have changed; or
 * one of the machine has become a device's. */
bool event_is_same(const struct event *known, const struct event *newer);

/* mirror.c. Opens it and takes over what a run before has left, before anything is sampled.
 * -errno */
MUST_CHECK int mirror_open(struct store *store, const char *dir, int64_t digest, int64_t max_bytes);
void mirror_close(struct store *store);
/* With the lock held: what comes, in its order, and commits. */
void mirror_tick(struct store *store, size_t group, int64_t t_ms, int64_t late_ms, int64_t step_ms,
		 const struct sink *sink);
void mirror_writers(struct store *store); /* after a tick of who writes */
void mirror_event(struct store *store, const struct event *event);
void mirror_gone(struct store *store, const char *collector, const char *node, int64_t t_ms);
void mirror_commit_begins(struct store *store);
void mirror_commit_done(struct store *store);

/* replay.c. The newest tick of each group that the file has of the store's boot, -1: none. The
 * caller's; NULL without memory. */
int64_t *replay_newest(struct store *store);
/* Gives the store what is newer, counted as recovered; the rows of a tick are in the sink. */
struct tick_log_item;
void replay_item(struct store *store, const struct tick_log_item *item, const struct sink *sink,
		 const int64_t *last_ms);

/* ring.c. Writes to a descriptor that is the caller's and outlives the store. */
MUST_CHECK int ring_open(struct store *store, int fd, int64_t digest);
void ring_close(struct store *store);
/* With the lock held: what comes, in its order. */
void ring_tick(struct store *store, size_t group, int64_t t_ms, int64_t late_ms, int64_t step_ms,
	       const struct sink *sink);
void ring_event(struct store *store, const struct event *event);
void ring_gone(struct store *store, const char *collector, const char *node, int64_t t_ms);

/* spent.c: what the file keeps of it. With the lock held: whether it is to be written with this
 * commit. */
struct db;
bool spent_is_due(const struct store *store, int64_t t_ms);
/* Within the transaction; that it was committed, with the lock held; and after find_boot(). */
MUST_CHECK int spent_write(struct store *store, struct db *db, const struct rolling_day *day);
void spent_done(struct store *store, const struct rolling_day *day, int64_t saved_bytes);
MUST_CHECK int spent_load(struct store *store, struct db *db);

/* pending.c: with the lock held */
void pending_event(struct store *store, const struct event *event);
void pending_change(struct store *store, enum change_what what, struct tail_node *node,
		    const struct group *group, size_t field, int64_t t_ms, const char *text);
void events_join(struct event_list *a, struct event_list *b);
void events_free(struct event_list *list);
/* Takes out what tells of nothing but records before next. */
void events_drop_told(struct event_list *list, int64_t next);
void changes_join(struct change_list *a, struct change_list *b);
void changes_free(struct change_list *list);
