/* The file as the commit thread sees it. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "store/internal.h"
#include "store/journal_pin.h"

#define FORMAT_APPLICATION_ID 0x464c5343 /* "FLSC" */
#define FORMAT_VERSION        2          /* 1: without rollups */
#define FORMAT_NODES_MAX      9999
#define FORMAT_BOOT_FACTOR    INT64_C(10000000000000) /* chunk id: boot, second, node */
#define FORMAT_SECOND_FACTOR  10000
/* What a file may claim; more is damage. Sums of these do not overflow. */
#define FORMAT_BOOTS_MAX      900000
#define FORMAT_TIME_MAX_MS    (INT64_C(1) << 50)
#define FORMAT_STEP_MAX_MS    (INT64_C(1) << 40)
#define TAIL_SLOTS            96
#define TAIL_DIR_MAX_BYTES    65536
#define TAIL_PAYLOAD_BYTES    4040 /* of a record that fills one page and no more */
#define CHECKPOINT_MS         300000
#define DB_BUSY_TIMEOUT_MS    2000

/* The live pages of the tail in the order of time; what is no page of ours is left out. */
#define TAIL_LIVE                                                                                  \
	"SELECT boot, dir, data FROM tail WHERE slot BETWEEN 1 AND %d AND seq>%s"                  \
	" AND length(dir)<=%d ORDER BY seq"

/* A group as the file has it: columns are those of its table, in their order. */
struct file_column {
	char name[NODE_NAME_MAX];
	size_t field; /* of the catalog's group, SIZE_MAX when it has no such field */
};

struct file_group {
	char name[NODE_NAME_MAX];
	size_t index; /* in the catalog, SIZE_MAX: unknown to this program */
	struct file_column *columns;
	size_t n_columns;
	sqlite3_stmt *insert;
	/* of groups that this program knows */
	const struct collector *collector;
	const struct group *group;
	uint16_t *nums; /* of what is rolled up (measure.c), 0: has none */
	size_t n_nums;
};

/* Only the newest events are looked through: what goes on has begun lately, and its row costs no
 * index. One whose row has got out of reach gets another. */
#define EVENTS_BACK "512"

/* Which file it is that was opened. */
enum db_place_of { DB_FILE, DB_JOURNAL, DB_INDEX, DB_PLACES };

struct db_place {
	dev_t dev;
	ino_t ino; /* 0: there was none */
};

struct db {
	sqlite3 *conn;
	int lock_fd;
	struct db_place places[DB_PLACES];
	int64_t boot;
	int64_t size_max_bytes;
	struct store_shares shares;
	int64_t room_pages;  /* more to keep free, after a fold did not fit */
	int64_t folded, seq; /* pages with folded < seq are live */
	int64_t next_slot, n_slots, n_live;
	struct journal_pin pin;
	unsigned n_held;      /* commits that were to go on behind each other */
	int64_t unmoved_slot; /* first one since the journal was moved into the file, 0: none */
	int64_t marks_below;  /* ids of marks that the file knows as given away */
	int64_t live_t0_ms;   /* of the oldest live page, TIME_OPEN: no live page */
	bool fold_first;      /* live pages of an earlier run */
	bool chunks_deleted;  /* by the running transaction */
	bool kept_told;       /* the status has what is kept */
	struct file_group *groups;
	size_t n_groups;
	sqlite3_stmt *write_page;
};

/* db.c. Looks at the file without touching it; what stands in a journal does not count here. 0,
 * -EISDIR, -EMEDIUMTYPE, -EPROTO, -errno */
int db_look(const char *path);
/* What the first page says, of which there are DB_HEADER_BYTES at least. 0, -EMEDIUMTYPE: nothing
 * of a flashscope database; -EPROTO with the format that it has. A page without any mark is one
 * that waits for its first journal: 0. */
#define DB_HEADER_BYTES 108
int db_check_header(const uint8_t *header, int64_t *ret_version);
/* Opens the file unless it is open. A failure is noted in the status, and returned. */
int db_attach(struct store *store);
/* Closes the file; what was known of it is forgotten, so that another one may take its place. */
void db_detach(struct store *store);
/* Notes that ids of marks are given away up to this one, with more to come, before it is needed.
 * Within a transaction. */
MUST_CHECK int db_reserve_marks(struct db *db, int64_t id);
/* At a clean end: ids go on where they stand. */
MUST_CHECK int db_settle_marks(struct store *store);
/* Gives back the memory that is not needed until the next commit. */
void db_rest(struct db *db);
/* Notes the result of an attempt in the status. */
void db_note(struct store *store, int error, const char *detail);
/* Whether a connection of its own finds the file damaged; one that cannot be read is not. Reads all
 * of it. */
bool db_is_damaged(const char *path);
/* Detaches from a damaged file and moves it out of the way. */
void db_move_aside(struct store *store);

/* schema.c. Tables of a new file; tables, columns and views of the catalog's groups. */
MUST_CHECK int schema_create(struct db *db);
/* Those that files of before lack. */
MUST_CHECK int schema_add_tables(struct db *db);
/* Makes a file of an earlier format one of this; with the boot known. */
MUST_CHECK int schema_upgrade(struct db *db);
MUST_CHECK int schema_sync(struct db *db, const struct catalog *catalog);
/* With the boot known: rollups begin with its next hour, what is older is read from samples. */
MUST_CHECK int schema_begin_rollups(struct db *db);
/* The query of a view that is there whatever is sampled; NULL: there is none of the name. */
const char *schema_view(const char *name);
/* The views of one group, whether or not this program knows it. */
MUST_CHECK int schema_views(struct db *db, const struct file_group *group);
void schema_groups_free(struct db *db);
struct file_group *schema_group(struct db *db, const char *name, size_t len);

/* views.c. Appends the SQL of the views of a group. */
struct text;
enum view { VIEW_ROWS, VIEW_TICKS, VIEW_LAST };
void view_name(struct text *text, const struct file_group *group, enum view view);
void view_sql(struct text *text, const struct file_group *group, enum view view);
/* The views minute_rows and minutes, hour_rows and hours. */
struct resolution_spec;
void rollup_rows_sql(struct text *text, const struct resolution_spec *spec);
void rollups_sql(struct text *text, const struct resolution_spec *spec);

/* page.c */
struct page_builder;
MUST_CHECK int page_builder_new(struct db *db, struct page_builder **ret);
void page_builder_freep(struct page_builder **builder);
/* Adds all nodes of a segment; full pages are written. */
MUST_CHECK int page_add(struct page_builder *builder, const struct file_group *group,
			const struct tail_group *tail_group, const struct segment *segment);
/* Writes the last page. */
MUST_CHECK int page_flush(struct page_builder *builder);

/* fold.c. Live pages into chunks, within the running transaction. */
MUST_CHECK int fold(struct db *db);

/* retention.c: within the running transaction */
/* Deletes the oldest, of the resolution that is above its share, until more_pages fit. */
MUST_CHECK int retention_make_room(struct db *db, int64_t more_pages);
/* Bounds events, infos and the rest, and forgets nodes and boots that nothing refers to. */
MUST_CHECK int retention_bound(struct db *db);
/* Pages that the file may have. */
int64_t retention_max_pages(int64_t size_max_bytes);
/* What -wal and -shm may take of the whole. */
int64_t retention_wal_bytes(int64_t size_max_bytes);
/* From this size on commits wait for who keeps the journal from being begun anew. */
int64_t retention_wal_full_bytes(int64_t size_max_bytes);
/* From this size on the journal is begun anew, when all of it is in the file. */
int64_t retention_wal_long_bytes(int64_t size_max_bytes);
