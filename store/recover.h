/* A new file of what can be read of a damaged one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "model/catalog.h"

#define RECOVER_GAPS_MAX 256

/* Rows that were lost with their pages: a range of the ids of a table. Of a table of samples and
 * rollups these are times. */
struct recover_gap {
	char table[128];
	int64_t from, to; /* ids, INT64_MIN and INT64_MAX: open */
	bool is_found;    /* on other pages, all of it */
	bool has_time;    /* then, wall clock; -1: open */
	int64_t from_wall_ms, to_wall_ms;
};

struct recover_report {
	int64_t n_pages, n_cut_pages, n_unreadable_pages, n_journal_pages;
	bool wants_journal;           /* it is of a kind that has one, and there was none */
	int64_t newer_format;         /* its format, where this program does not know it; 0 */
	bool bad_header;              /* the first page does not say what it is */
	bool no_schema;               /* the first page was lost, or what stands below it */
	int64_t n_rows;               /* that were written */
	int64_t n_stray_rows;         /* of these on pages that no table names any more */
	int64_t n_bad_rows;           /* cells of pages that made no sense */
	int64_t n_bad_values;         /* columns of samples that did not decode */
	int64_t n_untold_rows;        /* samples of which it is not known of what */
	int64_t n_made_up;            /* boots, nodes and measures whose rows were lost */
	int64_t n_boots_without_time; /* boots of these whose time nothing else tells */
	int64_t newest_wall_ms;       /* sample; -1: there is none */
	struct recover_gap gaps[RECOVER_GAPS_MAX];
	size_t n_gaps; /* more than RECOVER_GAPS_MAX are only counted */
};

/* Reads from, with its journal where it has one, and writes to, an empty file. -EMEDIUMTYPE when
 * there is nothing of a flashscope database in it; -errno. */
MUST_CHECK int recover(const char *from, const char *to, const struct catalog *catalog,
		       struct recover_report *ret);
