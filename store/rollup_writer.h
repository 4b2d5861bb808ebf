/* What the writers of rollups share. Private to store/. */
#pragma once

#include "store/rollup.h"

struct rollup_flag {
	size_t field;
	int64_t t_ms;
	uint8_t flag;
};

struct rollup_column {
	int64_t values[SERIES_TICKS_MAX];
	uint8_t absent[SERIES_TICKS_MAX];
};

struct rollup_writer {
	struct db *db;
	sqlite3_stmt *get[2], *put[2]; /* by enum resolution */
	sqlite3_stmt *get_baseline, *put_baseline, *drop_baseline;
	const struct file_group *group; /* whose measures these are */
	struct measure *measures;
	size_t n_measures;
	struct rollup_flag *flags; /* of the node and group at hand */
	size_t n_flags;
	int64_t late[SERIES_TICKS_MAX];
	struct rollup_column a, second;
	const struct rollup_column *b; /* a or second */
	size_t column;                 /* what a has, 0: nothing */
	struct rollup_row row, old;
};

/* A row that is not there is empty. */
MUST_CHECK int rollup_get_row(struct rollup_writer *w, enum resolution resolution,
			      const struct measure *m, int64_t id, struct rollup_row *ret);
MUST_CHECK int rollup_put_row(struct rollup_writer *w, enum resolution resolution,
			      const struct measure *m, int64_t id, const struct rollup_row *row);
