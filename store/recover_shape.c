/* What a row looks like, and by that of which table a page is that none leads to any more. */
#include <ctype.h>
#include <string.h>

#include "base/macros.h"
#include "model/series.h"
#include "store/recover_internal.h"
#include "store/sql.h"

#define ROLLUP "axxxxxxxxxxxx"

static const struct shape shapes[] = {
	{"meta", "aiTi", false},      {"boot", "aTTIIi", true},
	{"node", "atttiiIIi", true},  {"field", "ttITTTITT", true},
	{"tail", "aiitb", true},      {"event", "aiiITTTTTT", true},
	{"mark", "aiiITI", true},     {"info", "aiiittT", true},
	{"flag", "aiiittT", true},    {"fault", "aiiittT", true},
	{"outcome", "aiittTT", true}, {"log_position", "ai", true},
	{"boot_end", "atttt", true},  {"clock_step", "aiiii", true},
	{"measure", "attI", true},    {"minute", ROLLUP, true},
	{"hour", ROLLUP, true},       {"baseline", "aiiii", false},
	{"kept", "tiiiII", false},    {"writer", "iiiiitTTTIIiiII", true, true},
	{"spent", "iii", true, true}, {"cap", "ti", false},
};

const struct shape *shape_named(const char *table)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		if (!strcmp(shapes[i].table, table))
			return &shapes[i];
	return NULL;
}

static bool value_fits(char letter, const struct raw_value *v)
{
	if (isupper((unsigned char)letter) && v->type == RAW_NULL)
		return true;
	switch (letter) {
	case 'a':
		return v->type == RAW_NULL;
	case 'i':
	case 'I':
		return v->type == RAW_INT;
	case 't':
	case 'T':
		return v->type == RAW_TEXT && !memchr(v->p, '\0', v->len);
	case 'b':
		return v->type == RAW_BLOB;
	default:
		return v->type == RAW_NULL || v->type == RAW_INT || v->type == RAW_BLOB;
	}
}

static bool is_rollup(const struct shape *shape)
{
	return !strcmp(shape->columns, ROLLUP);
}

/* Columns that came with a later version may be missing. */
bool shape_fits(const struct shape *shape, const struct raw_row *row)
{
	size_t n = strlen(shape->columns);

	if (row->n > n || row->n + 1 < n ||
	    (row->n < n && strchr("aib", shape->columns[row->n]) &&
	     strcmp(shape->table, "meta") != 0))
		return false;
	for (size_t i = 0; i < row->n; i++)
		if (!value_fits(shape->columns[i], &row->v[i]))
			return false;
	if (is_rollup(shape))
		return row->rowid >= FORMAT_BOOT_FACTOR;
	return shape->columns[0] != 'a' || row->rowid > 0;
}

/* boot, node, t0, step, n, lateness and cells; the id is made of the first three. */
bool chunk_fits(const struct raw_row *row)
{
	int64_t boot = row->v[1].i, node = row->v[2].i, t0_ms = row->v[3].i;
	int64_t second = row->rowid % FORMAT_BOOT_FACTOR / FORMAT_SECOND_FACTOR;

	if (row->n < 8 || row->v[0].type != RAW_NULL)
		return false;
	for (size_t i = 1; i <= 5; i++)
		if (row->v[i].type != RAW_INT)
			return false;
	for (size_t i = 6; i < row->n; i++)
		if (!value_fits('x', &row->v[i]))
			return false;
	return boot >= 1 && boot <= FORMAT_BOOTS_MAX && node >= 1 && node <= FORMAT_NODES_MAX &&
	       t0_ms >= 0 && t0_ms <= FORMAT_TIME_MAX_MS && row->v[4].i >= 1 &&
	       row->v[4].i <= FORMAT_STEP_MAX_MS && row->v[5].i >= 1 &&
	       row->v[5].i <= SERIES_TICKS_MAX && row->rowid / FORMAT_BOOT_FACTOR == boot &&
	       row->rowid % FORMAT_SECOND_FACTOR == node && second >= t0_ms / 1000 &&
	       second <= t0_ms / 1000 + 3600;
}

/* Three tables look alike; what stands in them does not. */
static const char *tell_change(const struct raw_row *row)
{
	static const char *const words[] = {"implausible", "filtered", "cached_at_boot",
					    "reset",       "stale",    "saturated"};
	const struct raw_value *v = &row->v[6];

	if (row->n < 7 || v->type != RAW_TEXT || !v->len)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (v->len == strlen(words[i]) && !memcmp(v->p, words[i], v->len))
			return "flag";
	for (size_t i = 0; i < v->len; i++)
		if (!isupper((unsigned char)v->p[i]) && (!i || !isdigit((unsigned char)v->p[i])))
			return "info";
	return v->p[0] == 'E' && v->len > 2 ? "fault" : "info";
}

/* An hour in minutes or a day in hours: by the ticks in its code. NULL: constant throughout. */
static const char *tell_rollup(struct recovery *rec, const struct raw_row *row)
{
	for (size_t i = 1; i < row->n; i++) {
		const struct raw_value *v = &row->v[i];

		if (v->type != RAW_BLOB)
			continue;
		if (!series_decode((const uint8_t *)v->p, v->len, 60, rec->values, rec->absent))
			return "minute";
		if (!series_decode((const uint8_t *)v->p, v->len, 24, rec->values, rec->absent))
			return "hour";
	}
	return NULL;
}

/* Which fixed tables all rows of a page fit. */
struct fitting {
	bool fits[ARRAY_SIZE(shapes)];
	const char *told; /* of those that look alike */
	bool chunks;
	size_t n_rows;
};

static void look_at_row(struct recovery *rec, struct fitting *f)
{
	const struct raw_row *row = rec->row;
	const char *told = NULL;

	f->n_rows++;
	f->chunks &= chunk_fits(row);
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		f->fits[i] = f->fits[i] && shape_fits(&shapes[i], row);
		if (!f->fits[i])
			continue;
		if (is_rollup(&shapes[i]))
			told = tell_rollup(rec, row);
		else if (!strcmp(shapes[i].table, "info"))
			told = tell_change(row);
		else if (!strcmp(shapes[i].table, "clock_step"))
			told = row->rowid < FORMAT_SECOND_FACTOR ? "clock_step" : "baseline";
	}
	/* A text of a device may look like an errno, but not the other way round. */
	if (told && (!f->told || !strcmp(told, "info")))
		f->told = told;
}

static int16_t fixed_table(struct recovery *rec, const struct fitting *f)
{
	const char *name = NULL;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		if (!f->fits[i])
			continue;
		n++;
		name = shapes[i].table;
		if (f->told && !strcmp(f->told, name)) {
			n = 1;
			break;
		}
	}

	struct rec_table *table = n == 1 ? rec_table_named(rec, name, false) : NULL;

	return table ? (int16_t)(table - rec->tables) : NO_TABLE;
}

static bool has_pair(const struct recovery *rec, int16_t table, int64_t node)
{
	for (size_t i = 0; i < rec->n_pairs; i++)
		if (rec->pairs[i].table == table && rec->pairs[i].node == node)
			return true;
	return false;
}

/* Whether the collector that a node belongs to has the group, as far as this program knows it. */
static bool may_have(struct recovery *rec, const struct rec_table *table, int64_t node)
{
	const struct collector *collector;
	const struct group *group;
	int64_t n = 0;

	for (size_t i = 0; (group = catalog_group_at(rec->catalog, i, &collector)); i++) {
		if (strcmp(group->name, table->name) != 0)
			continue;
		if (sql_int(rec->db.conn, &n,
			    "SELECT count(*) FROM node WHERE id=%lld AND collector=%Q",
			    (long long)node, collector->name) < 0)
			return false;
		return n > 0;
	}
	return false;
}

enum how { BY_PAIRS, BY_COLLECTOR, BY_PAIRS_OLDER };

/* Rows of before a column was added are shorter. */
static bool row_is_of(struct recovery *rec, int16_t t, enum how how)
{
	const struct rec_table *table = &rec->tables[t];
	const struct raw_row *row = rec->row;

	if (how == BY_PAIRS_OLDER ? row->n > table->n_columns : row->n != table->n_columns)
		return false;
	return how == BY_COLLECTOR ? may_have(rec, table, row->v[2].i)
				   : has_pair(rec, t, row->v[2].i);
}

static bool page_is_of(struct recovery *rec, uint32_t page, int16_t t, enum how how)
{
	const uint8_t *p = raw_page(rec->raw, page);
	size_t n = p ? raw_page_cells(p, page) : 0;

	for (size_t i = 0; i < n; i++)
		if (!raw_row(rec->raw, page, i, rec->row) && !row_is_of(rec, t, how))
			return false;
	return true;
}

/* The one group whose nodes and columns those of the page are; first by what sound pages tell. */
static int16_t chunk_table(struct recovery *rec, uint32_t page, enum how how)
{
	int16_t found = NO_TABLE;

	for (size_t t = 0; t < rec->n_tables; t++) {
		if (!rec->tables[t].is_chunk || !page_is_of(rec, page, (int16_t)t, how))
			continue;
		if (found != NO_TABLE)
			return NO_TABLE;
		found = (int16_t)t;
	}
	return found;
}

int16_t guess_table(struct recovery *rec, uint32_t page, bool chunks)
{
	const uint8_t *p = raw_page(rec->raw, page);
	size_t n = p ? raw_page_cells(p, page) : 0;
	bool is_index = p && raw_page_kind(p, page) != RAW_TABLE_LEAF;
	struct fitting f = {.chunks = !is_index};
	int16_t table = NO_TABLE;

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		f.fits[i] = shapes[i].is_index == is_index;
	for (size_t i = 0; i < n; i++)
		if (!raw_row(rec->raw, page, i, rec->row))
			look_at_row(rec, &f);
	if (!f.n_rows || f.chunks != chunks)
		return NO_TABLE;
	if (!chunks)
		return fixed_table(rec, &f);
	for (enum how how = BY_PAIRS; how <= BY_PAIRS_OLDER && table == NO_TABLE; how++)
		table = chunk_table(rec, page, how);
	if (table == NO_TABLE)
		rec->report->n_untold_rows += (int64_t)f.n_rows;
	return table;
}
