#include "model/partitions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct partition {
	int64_t number, start, size;
};

static int by_number(const void *a, const void *b)
{
	const struct partition *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int64_t read_sectors(struct hw *hw, const char *dir, const char *name, const char *attr)
{
	int64_t sectors;

	return hw_read_i64(hw, &sectors, "%s/%s/%s", dir, name, attr) < 0 ? -1 : sectors;
}

/* The directories of partitions begin with the name of the disk. Those of an eMMC's hardware
 * partitions do so as well, and are disks: they have no number. */
static int list(struct hw *hw, const char *dir, struct partition *v, size_t *ret_n)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	const char *slash = strrchr(dir, '/');
	int r = hw_list(hw, &names, slash ? slash + 1 : dir, "%s", dir);
	int64_t number;

	*ret_n = 0;
	for (size_t i = 0; i < names.n && *ret_n < PARTITIONS_MAX; i++) {
		if (hw_read_i64(hw, &number, "%s/%s/partition", dir, names.v[i]) < 0 || number < 1)
			continue;
		v[(*ret_n)++] =
			(struct partition){number, read_sectors(hw, dir, names.v[i], "start"),
					   read_sectors(hw, dir, names.v[i], "size")};
	}
	return r;
}

static void write_sectors(struct text *text, int64_t sectors)
{
	if (sectors < 0)
		text_char(text, '?');
	else
		text_i64(text, sectors);
}

static void write_one(struct text *text, const struct partition *p)
{
	text_i64(text, p->number);
	text_char(text, ':');
	write_sectors(text, p->start);
	text_char(text, '+');
	write_sectors(text, p->size);
}

int partitions_text(struct hw *hw, const char *dir, struct text *text, int64_t *ret_n)
{
	static const char more[] = " ...";
	CLEANUP(freep) struct partition *v = calloc(PARTITIONS_MAX, sizeof(*v));
	size_t n;
	int r = v ? list(hw, dir, v, &n) : -ENOMEM;

	if (r < 0)
		return r;
	qsort(v, n, sizeof(*v), by_number);
	for (size_t i = 0; i < n; i++) {
		size_t len = text->len;

		if (i)
			text_char(text, ' ');
		write_one(text, &v[i]);
		if (text->len + sizeof(more) <= text->size && !text->truncated)
			continue;
		text_rewind(text, len);
		text_str(text, more);
		break;
	}
	*ret_n = (int64_t)n;
	return 0;
}
