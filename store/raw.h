/* The pages of an SQLite file that may be damaged, read without SQLite: from its journal those that
 * this has committed, the rest from the file. Nothing is written, nothing is locked, and everything
 * found is checked. Layout: https://www.sqlite.org/fileformat2.html. Private to store/. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "store/wal_scan.h"

#define RAW_PAGE_BYTES  4096
#define RAW_COLUMNS_MAX 512
#define RAW_PAGES_MAX   (UINT32_C(1) << 23)

enum raw_kind {
	RAW_INDEX_INNER = 2,
	RAW_TABLE_INNER = 5,
	RAW_INDEX_LEAF = 10,
	RAW_TABLE_LEAF = 13,
	RAW_OTHER = 0, /* free, the rest of a long row, or damaged */
};

struct raw;

#define RAW_PATH_BYTES (PATH_MAX + 8)

/* The path of a file's journal ("-wal") or of the index of it ("-shm"): beside the file itself,
 * where path is a link to it. false: too long. */
bool raw_companion(const char *path, const char *suffix, char ret[RAW_PATH_BYTES]);

/* -errno; -EFBIG for more than RAW_PAGES_MAX pages. */
MUST_CHECK int raw_open(const char *path, struct raw **ret);
void raw_closep(struct raw **raw);
/* From here on pages are those of the file alone. */
void raw_leave_journal(struct raw *raw);

struct raw_size {
	uint32_t n_pages;      /* that are there */
	uint32_t n_cut;        /* more that the file should have */
	uint32_t n_in_journal; /* of those that are there */
	uint32_t n_missing;    /* that should be there, and are in neither */
	bool journal;          /* there is one */
	int journal_error;     /* why it cannot be opened: errno, 0 where there is none */
	struct wal_scan wal;   /* where there is one */
	bool wants_journal;    /* it is of a kind that has one, and there is none */
	uint32_t n_unreadable; /* so far */
};

void raw_get_size(const struct raw *raw, struct raw_size *ret);

/* A page, from 1; valid until the next call. NULL when it is not there or cannot be read. */
const uint8_t *raw_page(struct raw *raw, uint32_t page);

/* What a page is by its head. */
enum raw_kind raw_page_kind(const uint8_t *p, uint32_t page);
/* Number of its cells, at most what fits. */
size_t raw_page_cells(const uint8_t *p, uint32_t page);

/* The child below a cell of an inner page, and the greatest rowid in it, of an index INT64_MAX; the
 * cell behind the last one is the child on the right, with INT64_MAX. -EBADMSG. */
MUST_CHECK int raw_child(const uint8_t *p, uint32_t page, size_t cell, uint32_t *ret_child,
			 int64_t *ret_last);

enum raw_type { RAW_NULL, RAW_INT, RAW_REAL, RAW_TEXT, RAW_BLOB };

struct raw_value {
	enum raw_type type;
	int64_t i;
	const char *p;
	size_t len;
};

struct raw_row {
	int64_t rowid;
	struct raw_value v[RAW_COLUMNS_MAX];
	size_t n;
};

/* The row in a cell of a leaf of a table, or of any page of an index, with rowid 0; its texts are
 * valid until the next call. The page is read again. -EBADMSG: it is damaged, or goes on on a page
 * that is. */
MUST_CHECK int raw_row(struct raw *raw, uint32_t page, size_t cell, struct raw_row *ret);

/* Calls visit for the pages that hold nothing, as far as the list of them can be followed. false:
 * it ends early. */
bool raw_free_pages(struct raw *raw, void (*visit)(uint32_t page, void *arg), void *arg);
