#include "model/ufs_dump.h"

#include "base/macros.h"

/* The last word of a text, empty without one. */
static struct slice last_word(struct slice text)
{
	struct slice word = {0}, next;

	while (slice_token(&text, &next))
		word = next;
	return word;
}

/* The only word of a text as a number that is not negative. */
static int64_t number_of(struct slice text)
{
	struct slice word, more;
	int64_t value;

	if (!slice_token(&text, &word) || slice_token(&text, &more) ||
	    parse_i64_slice(word, &value) < 0 || value < 0)
		return UFS_DUMP_ODD;
	return value;
}

static int64_t *find(struct ufs_dump *dump, struct slice name)
{
	if (slice_is(name, "bPreEOLInfo"))
		return &dump->pre_eol_info;
	if (slice_is(name, "bDeviceLifeTimeEstA"))
		return &dump->life_time_a;
	return slice_is(name, "bDeviceLifeTimeEstB") ? &dump->life_time_b : NULL;
}

size_t ufs_dump_parse(struct slice text, struct ufs_dump *ret)
{
	struct ufs_dump dump = {UFS_DUMP_MISSING, UFS_DUMP_MISSING, UFS_DUMP_MISSING};
	struct slice line, left;

	while (slice_line(&text, &line)) {
		int64_t *field, value;

		if (line.len && line.p[line.len - 1] == '\r')
			line.len--;
		if (!slice_until(&line, '=', &left))
			continue;
		field = find(&dump, last_word(left));
		if (!field)
			continue;
		value = number_of(line);
		if (*field != UFS_DUMP_MISSING && *field != value)
			value = UFS_DUMP_ODD;
		*field = value;
	}
	*ret = dump;
	return (size_t)(dump.pre_eol_info >= 0) + (dump.life_time_a >= 0) + (dump.life_time_b >= 0);
}
