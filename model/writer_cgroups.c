#include "model/writer_cgroups.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hw.h"
#include "base/text.h"
#include "model/block.h"
#include "model/writer_devices.h"

#define PATH_BYTES     192
#define NUMBERS_MAX    32
#define FILE_BYTES_MAX 8192

/* Where a group writes to. */
struct place {
	int32_t major, minor;
	struct writer_io last;
	struct writer_io since;    /* with its descendants */
	struct writer_io children; /* of those, what its children have */
	struct writer_io owed;     /* children were read before it: had more than it so far */
	bool is_used;
};

struct group_known {
	char path[PATH_BYTES]; /* below the root, "/system.slice/x" */
	int parent;            /* index of this look, -1: the root */
	unsigned depth;
	/* Its account was not read so far, though it may be older than the look before: what it has
	 * is no news. */
	bool is_baseline;
	struct place places[WRITER_CGROUP_DEVICES];
};

/* A disk by its number. */
struct number {
	int32_t major, minor;
	char name[WRITER_DEVICE_MAX];
	bool is_counted; /* a disk itself; what lies on others counts there again */
};

struct writer_cgroups {
	struct group_known v[WRITER_CGROUPS_MAX];
	/* The look before: those that are found again move to v. */
	struct group_known before[WRITER_CGROUPS_MAX];
	size_t n, n_before;
	struct number numbers[NUMBERS_MAX];
	size_t n_numbers, next_number;
	bool is_complete; /* v has all groups that there were: who is not in it is new */
	bool is_first_done;
	struct writer_cgroups_stats stats;
};

const char *writer_cgroups_root(struct hw *hw, bool *ret_v1)
{
	static const char *const roots[] = {"sys/fs/cgroup", "sys/fs/cgroup/unified",
					    "dev/cg2_bpf"};

	*ret_v1 = hw_exists(hw, "sys/fs/cgroup/blkio") || hw_exists(hw, "dev/blkio");
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		if (hw_exists(hw, "%s/cgroup.controllers", roots[i]))
			return roots[i];
	return NULL;
}

struct writer_cgroups *writer_cgroups_of(struct hw *hw)
{
	return hw_memory(hw, "writer_cgroups", sizeof(struct writer_cgroups));
}

void writer_cgroups_get(const struct writer_cgroups *c, struct writer_cgroups_stats *ret)
{
	*ret = c->stats;
}

static const struct number *number_of(struct writer_cgroups *c, struct hw *hw, int64_t major,
				      int64_t minor)
{
	char name[BLOCK_NAME_MAX];
	struct number *number;

	for (size_t i = 0; i < c->n_numbers; i++)
		if (c->numbers[i].major == major && c->numbers[i].minor == minor)
			return &c->numbers[i];
	if (c->n_numbers < NUMBERS_MAX)
		number = &c->numbers[c->n_numbers++];
	else
		number = &c->numbers[c->next_number++ % NUMBERS_MAX];
	*number = (struct number){.major = (int32_t)major, .minor = (int32_t)minor};
	if (block_name_of(hw, major, minor, name) < 0)
		snprintf(name, sizeof(name), "%lld:%lld", (long long)major, (long long)minor);

	struct text text = text_in(number->name, sizeof(number->name));

	text_str(&text, name);
	number->is_counted = writer_counts_at(hw, name);
	return number;
}

static struct place *place_of(struct group_known *group, int32_t major, int32_t minor)
{
	for (size_t i = 0; i < WRITER_CGROUP_DEVICES; i++) {
		struct place *place = &group->places[i];

		if (place->is_used && place->major == major && place->minor == minor)
			return place;
		if (!place->is_used) {
			*place = (struct place){.major = major, .minor = minor, .is_used = true};
			return place;
		}
	}
	return NULL;
}

static void take_line(struct writer_cgroups *c, struct hw *hw, struct group_known *group,
		      struct slice line)
{
	int64_t major, minor;
	struct writer_io io, more;
	struct place *place;

	if (writer_parse_iostat(line, &major, &minor, &io) < 0 || major > INT32_MAX ||
	    minor > INT32_MAX || !number_of(c, hw, major, minor)->is_counted)
		return;
	place = place_of(group, (int32_t)major, (int32_t)minor);
	if (!place)
		return;
	/* A group of the same name that was made anew begins at 0 again. */
	if (io.written < place->last.written || io.read < place->last.read)
		place->last = (struct writer_io){0};
	more = writer_io_minus(&io, &place->last);
	if (!group->is_baseline)
		place->since = more;
	place->last = io;
}

static void read_group(struct writer_cgroups *c, struct hw *hw, const char *root,
		       struct group_known *group)
{
	char buf[FILE_BYTES_MAX];
	int r = hw_read(hw, buf, sizeof(buf), "%s%s/io.stat", root, group->path);
	struct slice rest = {buf, (size_t)MAX(r, 0)}, line;

	while (r > 0 && slice_line(&rest, &line))
		take_line(c, hw, group, line);
	if (r >= 0 || r == -ENODATA)
		group->is_baseline = false;
}

/* Of the look before, by its path; a new one has written nothing yet. */
static void begin_group(const struct writer_cgroups *c, struct group_known *group,
			bool was_complete)
{
	group->is_baseline = !was_complete;
	for (size_t i = 0; i < c->n_before; i++) {
		if (strcmp(c->before[i].path, group->path) != 0)
			continue;
		memcpy(group->places, c->before[i].places, sizeof(group->places));
		group->is_baseline = c->before[i].is_baseline;
		break;
	}
	for (size_t i = 0; i < WRITER_CGROUP_DEVICES; i++) {
		group->places[i].since = (struct writer_io){0};
		group->places[i].children = (struct writer_io){0};
	}
}

struct walk {
	struct writer_cgroups *c;
	struct hw *hw;
	const char *root;
	int parent;
};

/* A group without io.stat has none below it either: a controller is handed down. */
static int add_group(void *arg, const char *name, bool is_dir)
{
	struct walk *walk = arg;
	struct writer_cgroups *c = walk->c;
	const char *above = walk->parent < 0 ? "" : c->v[walk->parent].path;
	unsigned depth = walk->parent < 0 ? 1 : c->v[walk->parent].depth + 1;
	struct group_known *group;
	struct text path;

	if (!is_dir)
		return 0;
	if (c->n == WRITER_CGROUPS_MAX || depth > WRITER_CGROUP_DEPTH_MAX) {
		/* One that is too deep never comes up. */
		c->is_complete = c->is_complete && depth > WRITER_CGROUP_DEPTH_MAX;
		c->stats.n_left_out++;
		return 0;
	}
	group = &c->v[c->n];
	*group = (struct group_known){.parent = walk->parent, .depth = depth};
	path = text_in(group->path, sizeof(group->path));
	text_printf(&path, "%s/%s", above, name);
	if (path.truncated) {
		c->stats.n_left_out++;
		return 0;
	}
	if (hw_exists(walk->hw, "%s%s/io.stat", walk->root, group->path))
		c->n++;
	return 0;
}

/* Parents stand before their children. */
static int find_groups(struct writer_cgroups *c, struct hw *hw, const char *root)
{
	struct walk walk = {c, hw, root, -1};
	int r = hw_each(hw, add_group, &walk, "%s", root);

	for (size_t i = 0; r == 0 && i < c->n; i++) {
		int below;

		walk.parent = (int)i;
		below = hw_each(hw, add_group, &walk, "%s%s", root, c->v[i].path);
		/* One that was removed meanwhile has none below it. */
		if (below < 0 && below != -ENOENT && below != -ENODEV)
			c->is_complete = false;
	}
	return r;
}

static void hand_up(struct writer_cgroups *c, const struct group_known *group)
{
	if (group->parent < 0)
		return;
	for (size_t i = 0; i < WRITER_CGROUP_DEVICES && group->places[i].is_used; i++) {
		const struct place *place = &group->places[i];
		struct place *above = place_of(&c->v[group->parent], place->major, place->minor);

		if (above)
			writer_io_add(&above->children, &place->since);
	}
}

static void tell_place(struct writer_cgroups *c, struct hw *hw, const struct group_known *group,
		       struct place *place, struct writer_top *top)
{
	struct writer writer = {.source = WRITER_CGROUP, .id = -1};
	struct writer_io children = place->children, own, too_much;
	struct text device = text_in(writer.device, sizeof(writer.device));
	struct text path = text_in(writer.unit, sizeof(writer.unit));
	char unit[WRITER_UNIT_MAX];
	bool is_slice;

	writer_io_add(&children, &place->owed);
	own = writer_io_minus(&place->since, &children);
	too_much = writer_io_minus(&children, &place->since);
	place->owed = too_much;
	if (writer_io_is_zero(&own))
		return;
	writer_unit_of(group->path, unit, &is_slice);

	struct text name = text_in(writer.name, sizeof(writer.name));

	text_str(&name, is_slice ? WRITER_UNSEEN : unit);
	text_str(&path, group->path);
	text_str(&device, number_of(c, hw, place->major, place->minor)->name);
	writer.io = own;
	writer_io_add(&c->stats.io, &own);
	writer_top_add(top, &writer);
}

static void tell(struct writer_cgroups *c, struct hw *hw, struct writer_top *top)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < WRITER_CGROUP_DEVICES && c->v[i].places[k].is_used; k++)
			tell_place(c, hw, &c->v[i], &c->v[i].places[k], top);
}

int writer_cgroups_look(struct writer_cgroups *c, struct hw *hw, const char *root,
			struct writer_top *top)
{
	bool was_complete = c->is_first_done && c->is_complete;
	size_t n_left_out = c->stats.n_left_out;
	int r;

	memcpy(c->before, c->v, c->n * sizeof(*c->v));
	c->n_before = c->n;
	c->n = 0;
	c->is_complete = true;
	c->stats.n_left_out = 0;
	writer_top_begin(top, WRITER_CGROUP, c->is_first_done);
	r = find_groups(c, hw, root);
	if (r < 0) {
		/* The next look goes on from the one before. */
		memcpy(c->v, c->before, c->n_before * sizeof(*c->v));
		c->n = c->n_before;
		c->is_complete = was_complete;
		c->stats.n_left_out = n_left_out;
		return r;
	}
	for (size_t i = 0; i < c->n; i++)
		begin_group(c, &c->v[i], was_complete);
	/* Children before their parents, which then have what they have. */
	for (size_t i = c->n; i > 0; i--) {
		read_group(c, hw, root, &c->v[i - 1]);
		hand_up(c, &c->v[i - 1]);
	}
	tell(c, hw, top);
	c->stats.n_known = c->n;
	if (!c->n)
		return -ENOENT;
	c->is_first_done = true;
	return 0;
}
