/* The language of wordings. A pattern stands for the beginning of a text:
 *
 *   a blank        one or more of them
 *   <a|b|>         one of these, tried in this order; nothing, if the last one is empty
 *   $              at the end of a pattern: the text ends here
 *   {name}         a hole: the shortest text of its kind that what comes next follows
 *   {node=mmc}     a name that begins so
 *   anything else  itself
 *
 * A hole is filled once and never tried again with something else, so a match takes time in
 * proportion to the text, whatever the text is. Between a hole and the next one stands a text. */
#include <errno.h>
#include <string.h>

#include "analysis/kernel_rules.h"
#include "base/macros.h"
#include "base/parse.h"

enum hole_kind {
	HOLE_NAME,    /* of a device, driver or function; what it is stays unknown */
	HOLE_NODE,    /* the device that the line is about */
	HOLE_ALIAS,   /* another name of it */
	HOLE_JOURNAL, /* "sda1-8": of a file system, with the number of the inode of its journal */
	HOLE_RPMB,    /* "mmcblk0rpmb" */
	HOLE_FLOPPY,  /* "fd0" */
	HOLE_SECTOR,
	HOLE_BLOCK,
	HOLE_LBA, /* a block of the disk itself */
	HOLE_ERRNO,
	HOLE_SUPPRESSED,
	HOLE_NUMBER,
	HOLE_HEX,
	HOLE_WORD, /* anything but blanks */
	HOLE_ANY,  /* anything, also nothing */
};

static const struct {
	const char *name;
	enum hole_kind kind;
} holes[] = {
	{"any", HOLE_ANY},     {"node", HOLE_NODE},       {"name", HOLE_NAME},
	{"num", HOLE_NUMBER},  {"hex", HOLE_HEX},         {"sector", HOLE_SECTOR},
	{"block", HOLE_BLOCK}, {"errno", HOLE_ERRNO},     {"word", HOLE_WORD},
	{"alias", HOLE_ALIAS}, {"journal", HOLE_JOURNAL}, {"suppressed", HOLE_SUPPRESSED},
	{"rpmb", HOLE_RPMB},   {"floppy", HOLE_FLOPPY},   {"lba", HOLE_LBA},
};

struct hole {
	enum hole_kind kind;
	struct slice begins; /* a name has to begin with it */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_name(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c && strchr("_-.:!/@+#", c));
}

static bool may_hold(enum hole_kind kind, char c, size_t at)
{
	switch (kind) {
	case HOLE_ANY:
		return true;
	case HOLE_WORD:
		return c != ' ';
	case HOLE_HEX:
		return is_hex(c) || (at == 1 && c == 'x');
	case HOLE_NUMBER:
	case HOLE_ERRNO:
		return is_digit(c) || (at == 0 && c == '-');
	case HOLE_SECTOR:
	case HOLE_BLOCK:
	case HOLE_LBA:
	case HOLE_SUPPRESSED:
		return is_digit(c);
	case HOLE_NAME:
	case HOLE_NODE:
	case HOLE_ALIAS:
	case HOLE_JOURNAL:
	case HOLE_RPMB:
	case HOLE_FLOPPY:
		break;
	}
	return is_name(c);
}

/* Reads "{node=mmc}" off the front of a pattern. */
static bool read_hole(const char **pattern, struct hole *ret)
{
	const char *end = strchr(*pattern, '}');
	struct slice inside, name;

	if (!end)
		return false;
	inside = (struct slice){*pattern + 1, (size_t)(end - *pattern) - 1};
	ret->begins = (struct slice){NULL, 0};
	if (slice_until(&inside, '=', &name))
		ret->begins = inside;
	else
		name = inside;
	*pattern = end + 1;
	for (size_t i = 0; i < ARRAY_SIZE(holes); i++) {
		if (slice_is(name, holes[i].name)) {
			ret->kind = holes[i].kind;
			return true;
		}
	}
	return false;
}

/* A text of the pattern, up to its first special character or one of ends. Moves both on. */
static bool take_literal(const char **pattern, const char **text, const char *ends)
{
	const char *p = *pattern, *t = *text;

	for (; *p && !strchr(ends, *p); p++) {
		if (*p != *t)
			return false;
		t++;
		while (*p == ' ' && *t == ' ')
			t++;
	}
	*pattern = p;
	*text = t;
	return true;
}

/* "<a|b|>": moves behind it, and over the one that is there. */
static bool take_choice(const char **pattern, const char **text)
{
	const char *end = strchr(*pattern, '>');
	const char *p = *pattern + 1;

	if (!end)
		return false;
	*pattern = end + 1;
	while (p <= end) {
		const char *t = *text;

		if (take_literal(&p, &t, "|>")) {
			*text = t;
			return true;
		}
		p += strcspn(p, "|>") + 1;
	}
	return false;
}

/* What stands at the front of a pattern but a hole. false: the text has something else. */
static bool take_fixed(const char **pattern, const char **text)
{
	if (**pattern == '<')
		return take_choice(pattern, text);
	if (**pattern == '$') {
		++*pattern;
		return !**text;
	}
	return take_literal(pattern, text, "{<$");
}

/* How much of the text a hole takes, -1: nothing fits. No name and no number is as long as a text,
 * so that most patterns are done with one after its first word. */
static long hole_len(const struct hole *hole, const char *next, const char *text)
{
	bool is_text = hole->kind == HOLE_ANY || hole->kind == HOLE_WORD;
	size_t n = 0, max = is_text ? KERNEL_TEXT_MAX : NODE_NAME_MAX;

	while (true) {
		const char *p = next, *t = text + n;

		if ((n || hole->kind == HOLE_ANY) && *next && take_fixed(&p, &t))
			return (long)n;
		if (n == max)
			return -1;
		if (!text[n] || !may_hold(hole->kind, text[n], n))
			break;
		n++;
	}
	/* At its end a pattern lets a hole have what it may hold. */
	return *next || !n ? -1 : (long)n;
}

static bool begins(struct slice s, struct slice with)
{
	return s.len > with.len && (!with.len || !memcmp(s.p, with.p, with.len));
}

static bool all_digits(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_digit(s.p[i]))
			return false;
	return s.len > 0;
}

/* "sda1-8" is sda1, "dm-0-8" is dm-0, and "dm-0" is itself. */
static struct slice without_inode(struct slice name)
{
	size_t n = name.len;

	while (n && is_digit(name.p[n - 1]))
		n--;
	if (n < 2 || n == name.len || name.p[n - 1] != '-' ||
	    slice_is((struct slice){name.p, n - 1}, "dm"))
		return name;
	return (struct slice){name.p, n - 1};
}

static bool is_rpmb(struct slice s)
{
	static const struct slice disk = {"mmcblk", 6};

	return begins(s, disk) && s.len > 10 && !memcmp(s.p + s.len - 4, "rpmb", 4) &&
	       all_digits((struct slice){s.p + 6, s.len - 10});
}

/* Names are bounded by the kernel far below; what is longer is none. */
static bool put_name(struct slice s, char *buf)
{
	return slice_copy(s, buf, NODE_NAME_MAX) == 0;
}

/* One that no int64 holds, as a sector of -1 is printed, is none: the line says the rest all the
 * same. */
static bool put_number(struct slice s, int64_t *ret)
{
	int r = parse_i64_slice(s, ret);

	if (r == -ERANGE)
		*ret = KERNEL_NUMBER_NONE;
	return r == 0 || r == -ERANGE;
}

/* A number without a minus is a code of the driver or the bus, and no errno. */
static bool put_error(struct slice s, int *ret)
{
	int64_t error;

	if (!put_number(s, &error))
		return false;
	*ret = error < 0 && error >= -4095 ? (int)-error : 0;
	return true;
}

static bool fill(const struct hole *hole, struct slice s, struct finding *f)
{
	if (hole->begins.len && !begins(s, hole->begins))
		return false;
	switch (hole->kind) {
	case HOLE_NODE:
		return put_name(s, f->node);
	case HOLE_ALIAS:
		return put_name(s, f->alias);
	case HOLE_JOURNAL:
		return put_name(without_inode(s), f->node);
	case HOLE_RPMB:
		return is_rpmb(s) && put_name(s, f->node);
	case HOLE_FLOPPY:
		return s.len > 2 && !memcmp(s.p, "fd", 2) &&
		       all_digits((struct slice){s.p + 2, s.len - 2}) && put_name(s, f->node);
	case HOLE_SECTOR:
		return put_number(s, &f->sector);
	case HOLE_LBA:
		f->is_lba = true;
		return put_number(s, &f->block);
	case HOLE_BLOCK:
		return put_number(s, &f->block);
	case HOLE_SUPPRESSED:
		if (!put_number(s, &f->suppressed))
			return false;
		f->suppressed = f->suppressed < 0 ? INT64_MAX : f->suppressed;
		return true;
	case HOLE_ERRNO:
		return put_error(s, &f->error);
	case HOLE_NAME:
	case HOLE_NUMBER:
	case HOLE_HEX:
	case HOLE_WORD:
	case HOLE_ANY:
		break;
	}
	return true;
}

bool kernel_pattern_match(const char *pattern, const char *text, struct finding *finding)
{
	while (*pattern) {
		struct hole hole;
		long n;

		if (*pattern != '{') {
			if (!take_fixed(&pattern, &text))
				return false;
			continue;
		}
		if (!read_hole(&pattern, &hole))
			return false;
		n = hole_len(&hole, pattern, text);
		if (n < 0 || !fill(&hole, (struct slice){text, (size_t)n}, finding))
			return false;
		text += n;
	}
	return true;
}
