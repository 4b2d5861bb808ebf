#include "store/dir.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "model/series.h"
#include "store/db.h"

void dir_start(struct dir_reader *dir, struct slice text, size_t data_len)
{
	dir->rest = text;
	dir->data_len = data_len;
	dir->in_group = false;
}

static bool take(struct dir_reader *dir, const char *word)
{
	size_t len = strlen(word);

	if (dir->rest.len < len || memcmp(dir->rest.p, word, len) != 0)
		return false;
	dir->rest.p += len;
	dir->rest.len -= len;
	return true;
}

/* SQLite reads it too, as JSON, which has no zeros in front. */
static bool take_number(struct dir_reader *dir, int64_t *ret)
{
	struct slice s = {.p = dir->rest.p};
	size_t sign;

	while (s.len < dir->rest.len &&
	       (s.p[s.len] == '-' || (s.p[s.len] >= '0' && s.p[s.len] <= '9')))
		s.len++;
	sign = s.len && s.p[0] == '-';
	if (s.len > sign + 1 && s.p[sign] == '0')
		return false;
	if (parse_i64_slice(s, ret) < 0)
		return false;
	dir->rest.p += s.len;
	dir->rest.len -= s.len;
	return true;
}

static bool take_cell(struct dir_reader *dir, struct dir_cell *cell)
{
	int64_t offset, len;

	*cell = (struct dir_cell){.type = DIR_ABSENT};
	if (take(dir, "null"))
		return true;
	if (!take(dir, "[")) {
		cell->type = DIR_CONSTANT;
		return take_number(dir, &cell->constant);
	}
	if (!take_number(dir, &offset) || !take(dir, ",") || !take_number(dir, &len) ||
	    !take(dir, "]") || offset < 1 || len < 1 || offset > (int64_t)dir->data_len ||
	    len > (int64_t)dir->data_len - offset + 1)
		return false;
	cell->type = DIR_BLOB;
	cell->offset = (uint32_t)(offset - 1);
	cell->len = (uint32_t)len;
	return true;
}

static bool take_node(struct dir_reader *dir)
{
	struct dir_node *node = &dir->node;

	if (!take(dir, "[") || !take_number(dir, &node->node))
		return false;
	for (node->n_cells = 0; take(dir, ",");) {
		if (node->n_cells == DIR_CELLS_MAX || !take_cell(dir, &node->cells[node->n_cells]))
			return false;
		node->n_cells++;
	}
	return take(dir, "]");
}

static bool is_group_name(struct slice name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!(name.p[i] >= 'a' && name.p[i] <= 'z') &&
		    !(name.p[i] >= '0' && name.p[i] <= '9') && name.p[i] != '_')
			return false;
	return name.len > 0;
}

static bool take_group(struct dir_reader *dir)
{
	struct dir_node *node = &dir->node;
	int64_t n;

	if (!take(dir, "\"") || !slice_until(&dir->rest, '"', &node->group) ||
	    !is_group_name(node->group) || !take(dir, ":{\"t0\":") ||
	    !take_number(dir, &node->t0_ms) || !take(dir, ",\"step\":") ||
	    !take_number(dir, &node->step_ms) || !take(dir, ",\"n\":") || !take_number(dir, &n) ||
	    !take(dir, ",\"nodes\":["))
		return false;
	if (node->step_ms < 1 || node->step_ms > FORMAT_STEP_MAX_MS || n < 1 ||
	    n > SERIES_TICKS_MAX || node->t0_ms < -FORMAT_TIME_MAX_MS ||
	    node->t0_ms > FORMAT_TIME_MAX_MS)
		return false;
	node->n = (size_t)n;
	dir->in_group = true;
	return true;
}

int dir_next(struct dir_reader *dir)
{
	if (!dir->in_group) {
		if (take(dir, "{}"))
			return dir->rest.len ? -EBADMSG : 0;
		if (!take(dir, "{") || !take_group(dir))
			return -EBADMSG;
		return take_node(dir) ? 1 : -EBADMSG;
	}
	if (take(dir, ","))
		return take_node(dir) ? 1 : -EBADMSG;
	if (!take(dir, "]}"))
		return -EBADMSG;
	if (take(dir, ","))
		return take_group(dir) && take_node(dir) ? 1 : -EBADMSG;
	return take(dir, "}") && !dir->rest.len ? 0 : -EBADMSG;
}

int dir_decode(const struct dir_cell *cell, const uint8_t *data, size_t n, int64_t *values,
	       uint8_t *absent)
{
	if (cell->type == DIR_BLOB)
		return series_decode(data + cell->offset, cell->len, n, values, absent);
	memset(absent, cell->type == DIR_ABSENT, n);
	for (size_t i = 0; i < n; i++)
		values[i] = cell->constant;
	return 0;
}
