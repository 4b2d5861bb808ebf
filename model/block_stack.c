#include "model/block_stack.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "base/text.h"
#include "model/dm_target.h"

#define DEPTH_MAX 8

struct walk {
	struct block_stack *stack;
	struct text text, disks;
	bool is_layered; /* the text says more than the name of a device */
};

/* The device with the name that its maker gave it. */
static void describe(struct hw *hw, struct walk *walk, const char *name, const char *dir)
{
	char value[HW_PATH_MAX], uuid[256];
	const char *kind;

	text_str(&walk->text, name);
	if (hw_read_line(hw, value, sizeof(value), "%s/dm/name", dir) >= 0) {
		if (hw_read_line(hw, uuid, sizeof(uuid), "%s/dm/uuid", dir) < 0)
			uuid[0] = '\0';
		text_printf(&walk->text, " %s", value);
		kind = dm_target_of_uuid(uuid).kind;
		if (kind)
			text_printf(&walk->text, " (%s)", kind);
	} else if (hw_read_line(hw, value, sizeof(value), "%s/md/level", dir) >= 0) {
		text_printf(&walk->text, " (%s)", value);
	} else if (hw_read_line(hw, value, sizeof(value), "%s/loop/backing_file", dir) >= 0) {
		text_printf(&walk->text, " (%s)", value);
		walk->is_layered = true;
	}
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = words; (p = strstr(p, word)); p += len)
		if ((p == words || p[-1] == ' ') && (p[len] == '\0' || p[len] == ' '))
			return true;
	return false;
}

static void add_bottom(struct hw *hw, struct walk *walk, const char *name)
{
	char disk[BLOCK_NAME_MAX];

	block_disk_of(hw, name, disk);
	if (strcmp(disk, name) != 0 && !walk->stack->partition[0])
		snprintf(walk->stack->partition, BLOCK_NAME_MAX, "%s", name);
	if (has_word(walk->stack->disks, disk))
		return;
	if (walk->disks.len)
		text_char(&walk->disks, ' ');
	text_str(&walk->disks, disk);
}

/* A tree that is no tree (a ring of slaves) ends at the depth that no real one has. */
static void walk_device(struct hw *hw, struct walk *walk, const char *name, unsigned depth)
{
	CLEANUP(hw_names_done) struct hw_names slaves = {0};
	char dir[HW_PATH_MAX];
	bool is_known = block_dir(hw, name, dir, sizeof(dir)) == 0;

	if (!depth || walk->text.truncated) {
		text_str(&walk->text, "...");
		return;
	}
	if (is_known)
		describe(hw, walk, name, dir);
	else
		text_str(&walk->text, name);
	if (!is_known || hw_list(hw, &slaves, "", "%s/slaves", dir) < 0 || !slaves.n) {
		add_bottom(hw, walk, name);
		return;
	}
	walk->is_layered = true;
	text_str(&walk->text, slaves.n > 1 ? " -> (" : " -> ");
	for (size_t i = 0; i < slaves.n; i++) {
		text_str(&walk->text, i ? " + " : "");
		block_name_of_kobject(slaves.v[i]);
		walk_device(hw, walk, slaves.v[i], depth - 1);
	}
	if (slaves.n > 1)
		text_char(&walk->text, ')');
}

void block_stack_read(struct hw *hw, const char *name, struct block_stack *ret)
{
	struct walk walk = {.stack = ret};

	*ret = (struct block_stack){0};
	walk.text = TEXT_IN(ret->text);
	walk.disks = TEXT_IN(ret->disks);
	walk_device(hw, &walk, name, DEPTH_MAX);
	if (!walk.is_layered)
		ret->text[0] = '\0';
}
