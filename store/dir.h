/* Reading the directory of a tail page: the exact form that store/page.c writes, and -EBADMSG for
 * anything else. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/parse.h"

#define DIR_CELLS_MAX 256

enum dir_cell_type { DIR_ABSENT, DIR_CONSTANT, DIR_BLOB };

struct dir_cell {
	int64_t constant;
	uint32_t offset, len; /* of the blob in the data, from 0, checked against its length */
	uint8_t type;         /* enum dir_cell_type */
};

struct dir_node {
	struct slice group;
	int64_t t0_ms, step_ms;
	size_t n;
	int64_t node;
	size_t n_cells; /* lateness, then the columns that the file had when it was written */
	struct dir_cell cells[DIR_CELLS_MAX];
};

struct dir_reader {
	struct slice rest;
	size_t data_len;
	bool in_group;
	struct dir_node node;
};

void dir_start(struct dir_reader *dir, struct slice text, size_t data_len);
/* 1 with dir->node filled in, 0 at the end, -EBADMSG. */
MUST_CHECK int dir_next(struct dir_reader *dir);

/* Decodes a cell of a page into n values. -EBADMSG. */
MUST_CHECK int dir_decode(const struct dir_cell *cell, const uint8_t *data, size_t n,
			  int64_t *values, uint8_t *absent);
