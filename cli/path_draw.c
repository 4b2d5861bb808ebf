/* The drawing of IO paths for people. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/path.h"
#include "cli/table.h"
#include "cli/wrap.h"
#include "model/people.h"

#define WHAT_BYTES 4096

/* Facts that say by themselves what they are. */
static const char *const bare[] = {
	"fs_type", "options", "super_options", "target", "format",        "transport",
	"vendor",  "model",   "size",          "level",  "specification", "gear",
};
/* Facts that are names. */
static const char *const quoted[] = {"name", "label"};
/* Facts that the drawing has no room for; --json has them. */
static const char *const hidden[] = {"number", "source"};

static bool is_one_of(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

static const char *kind_words(const char *kind)
{
	static const struct {
		const char *kind, *words;
	} kinds[] = {
		{"file_system", "file system"},
		{"dm", "device mapper"},
		{"md", "software RAID"},
		{"loop", "loop device"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].kind, kind))
			return kinds[i].words;
	return kind;
}

/* "asked_for" as "asked for". */
static void put_name(struct text *out, const char *name)
{
	for (; *name; name++)
		text_char(out, (char)(*name == '_' ? ' ' : *name));
}

static enum unit unit_named(const char *name)
{
#define X(id, ...) id,
	static const enum unit units[] = {UNIT_LIST(X)};
#undef X

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(unit_name(units[i]), name))
			return units[i];
	return UNIT_NONE;
}

static void put_value(struct text *out, struct tree *fact)
{
	const char *value = tree_text(fact, "value"), *unit = tree_text(fact, "unit");

	if (*value)
		text_str(out, value);
	else if (*unit)
		people_value(out, (struct decimal){.value = tree_i64(fact, "value")},
			     unit_named(unit), false);
	else
		text_i64(out, tree_i64(fact, "value"));
}

/* Whether gear and clock follow the load: then neither tells what the link can do. */
static bool is_scaled(struct tree *facts)
{
	return tree_i64(tree_get(facts, "clock_scaling"), "value") == 1;
}

static void put_scaling(struct text *out, struct tree *facts)
{
	struct tree *clock = tree_get(facts, "clock");

	text_str(out, is_scaled(facts) ? "clocks scaled" : "clocks not scaled");
	if (!clock)
		return;
	text_str(out, " (");
	put_value(out, clock);
	text_char(out, ')');
}

static void put_fact(struct text *out, const char *name, struct tree *facts)
{
	bool is_quoted = is_one_of(name, quoted, ARRAY_SIZE(quoted));
	struct tree *fact = tree_get(facts, name);

	if (is_one_of(name, hidden, ARRAY_SIZE(hidden)) ||
	    (!strcmp(name, "clock") && tree_get(facts, "clock_scaling")))
		return;
	text_str(out, out->len ? ", " : "");
	if (!strcmp(name, "clock_scaling")) {
		put_scaling(out, facts);
		return;
	}
	if (!strcmp(name, "gear") && is_scaled(facts))
		text_str(out, "gear now ");
	/* A guess is no fact. */
	if (!strcmp(name, "likely_target")) {
		text_printf(out, "target not known, likely %s", tree_text(fact, "value"));
		return;
	}
	if (!is_quoted && !is_one_of(name, bare, ARRAY_SIZE(bare))) {
		put_name(out, name);
		text_char(out, ' ');
	}
	text_str(out, is_quoted ? "\"" : "");
	put_value(out, fact);
	text_str(out, is_quoted ? "\"" : "");
}

static int draw_layer(struct table *table, struct tree *layer)
{
	char buf[WHAT_BYTES];
	struct text what = TEXT_IN(buf);
	struct tree *facts = tree_get(layer, "facts");
	const char *name;
	int64_t depth = tree_i64(layer, "depth");
	int r = depth < 0 || depth >= TABLE_DEPTH_MAX ? -EBADMSG
						      : table_line_at(table, (unsigned)depth);

	if (r == 0)
		r = table_cell(table, tree_text(layer, "name"));
	if (r == 0)
		r = table_cell(table, kind_words(tree_text(layer, "kind")));
	for (size_t i = 0; (name = tree_key(facts, i)); i++)
		put_fact(&what, name, facts);
	if (tree_bool(layer, "shared"))
		text_str(&what, "(as above)");
	return r < 0 ? r : table_cell(table, buf);
}

/* What is not known, once each: a disk may stand in many paths. */
struct notes {
	const char **v; /* pairs of node and name; they belong to the document */
	size_t n, alloc;
};

static void notes_done(struct notes *notes)
{
	free(notes->v);
}

/* Whether it was said already; else it is now. */
static bool is_noted(struct notes *notes, const char *node, const char *name)
{
	for (size_t i = 0; i < notes->n; i += 2)
		if (!strcmp(notes->v[i], node) && !strcmp(notes->v[i + 1], name))
			return true;
	if (notes->n == notes->alloc) {
		void *grown = reallocarray(notes->v, notes->alloc * 2 + 64, sizeof(*notes->v));

		if (!grown)
			return false;
		notes->v = grown;
		notes->alloc = notes->alloc * 2 + 64;
	}
	notes->v[notes->n++] = node;
	notes->v[notes->n++] = name;
	return false;
}

static void say_note(const char *node, const char *name, const char *why, bool first)
{
	char buf[WHAT_BYTES];
	struct text head = TEXT_IN(buf);

	if (first)
		puts("\nNot known:");
	text_printf(&head, "  %s ", node);
	put_name(&head, name);
	text_str(&head, ": ");
	wrap_print(stdout, wrap_width(stdout), 6, buf, why);
}

static void say_missing(struct tree *layer, struct notes *notes)
{
	struct tree *missing = tree_get(layer, "missing");
	const char *node = tree_text(layer, "name"), *name;

	for (size_t i = 0; (name = tree_key(missing, i)); i++) {
		bool first = !notes->n;

		if (!is_noted(notes, node, name))
			say_note(node, name, tree_text(tree_get(missing, name), "why"), first);
	}
}

static void say_all_missing(struct tree *paths)
{
	CLEANUP(notes_done) struct notes notes = {0};

	for (size_t i = 0; i < tree_n(paths); i++) {
		struct tree *layers = tree_get(tree_at(paths, i), "layers");

		for (size_t k = 0; k < tree_n(layers); k++)
			say_missing(tree_at(layers, k), &notes);
	}
}

static void say_others(struct tree *mounts)
{
	for (size_t i = 1; i < tree_n(mounts); i++) {
		fputs(i == 1 ? "also mounted on: " : ", ", stdout);
		cli_put_text(stdout, tree_text(tree_at(mounts, i), "mount_point"));
	}
	if (tree_n(mounts) > 1)
		putchar('\n');
}

static int draw_path(struct tree *path)
{
	CLEANUP(table_closep) struct table *table = NULL;
	struct tree *layers = tree_get(path, "layers"), *mounts = tree_get(path, "mounts");
	int r = table_open(&table);

	if (r == 0)
		r = table_column(table, "LAYER", TABLE_TREE);
	if (r == 0)
		r = table_column(table, "KIND", TABLE_TEXT);
	if (r == 0)
		r = table_column(table, "WHAT", TABLE_WRAP);
	for (size_t i = 0; i < tree_n(layers) && r == 0; i++)
		r = draw_layer(table, tree_at(layers, i));
	if (r == 0)
		r = table_print(table, stdout);
	if (r < 0)
		return r;
	say_others(mounts);
	if (!tree_n(mounts))
		puts("not mounted");
	return 0;
}

static void say_diskless(struct tree *list)
{
	for (size_t i = 0; i < tree_n(list); i++) {
		fputs(i ? ", " : "\nOn no disk: ", stdout);
		cli_put_text(stdout, tree_text(tree_at(list, i), "mount_point"));
		fputs(" (", stdout);
		cli_put_text(stdout, tree_text(tree_at(list, i), "fs_type"));
		putchar(')');
	}
	if (tree_n(list))
		putchar('\n');
}

/* That a name has a place to lie in is no proof that there is such a file. */
static void say_taken(struct tree *document)
{
	const char *from = tree_text(document, "taken_from");

	if (!*from)
		return;
	cli_put_text(stdout, tree_text(document, "of"));
	fputs(": not looked for, taken to lie in ", stdout);
	cli_put_text(stdout, from);
	fputs("\n\n", stdout);
}

int path_draw(struct tree *document)
{
	struct tree *paths = tree_get(document, "paths");
	int r = 0;

	say_taken(document);
	for (size_t i = 0; i < tree_n(paths) && r == 0; i++) {
		if (i)
			putchar('\n');
		r = draw_path(tree_at(paths, i));
	}
	if (r < 0)
		return r;
	say_all_missing(paths);
	say_diskless(tree_get(document, "without_disk"));
	if (tree_bool(document, "truncated"))
		puts("\nThere is more than can be shown.");
	return 0;
}
