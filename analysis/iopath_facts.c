/* What is told of each layer: a table of metrics, and why some of them are not to be had. */
#include <stdio.h>
#include <string.h>

#include "analysis/iopath_build.h"
#include "base/errno_name.h"
#include "base/parse.h"

struct spec {
	const char *kind;          /* of the layer */
	const char *group, *field; /* of the row that has the layer's name */
	const char *name;          /* of the fact; NULL: as the field */
	const char *why;           /* why it is absent; NULL: then nothing is said */
	enum unit unit;
	bool is_number; /* an info that is one */
};

/* clang-format off */
static const struct spec specs[] = {
	{"dm", "topology", "label", "name", "sysfs does not tell it", UNIT_NONE, false},
	{"dm", "topology", "format", NULL, NULL, UNIT_NONE, false},
	{"dm", "topology", "size", NULL, NULL, UNIT_BYTES, true},
	{"dm", "topology", "number", NULL, NULL, UNIT_NONE, false},
	{"md", "topology", "target", "level", "sysfs does not tell it", UNIT_NONE, false},
	{"md", "topology", "size", NULL, NULL, UNIT_BYTES, true},
	{"md", "topology", "number", NULL, NULL, UNIT_NONE, false},
	{"loop", "topology", "label", "file", "sysfs does not tell it", UNIT_NONE, false},
	{"loop", "topology", "size", NULL, NULL, UNIT_BYTES, true},
	{"loop", "topology", "number", NULL, NULL, UNIT_NONE, false},
	{"zram", "topology", "size", NULL, NULL, UNIT_BYTES, true},
	{"zram", "topology", "number", NULL, NULL, UNIT_NONE, false},
	{"partition", "topology", "partition", "partition_number", NULL, UNIT_NONE, true},
	{"partition", "topology", "label", NULL, NULL, UNIT_NONE, false},
	{"partition", "topology", "size", NULL, NULL, UNIT_BYTES, true},
	{"partition", "topology", "number", NULL, NULL, UNIT_NONE, false},
	{"disk", "topology", "transport", NULL, NULL, UNIT_NONE, false},
	{"disk", "topology", "vendor", NULL, NULL, UNIT_NONE, false},
	{"disk", "topology", "model", NULL, NULL, UNIT_NONE, false},
	{"disk", "topology", "firmware", NULL, NULL, UNIT_NONE, false},
	{"disk", "topology", "size", NULL, NULL, UNIT_BYTES, true},
	{"disk", "topology", "number", NULL, NULL, UNIT_NONE, false},
	{"controller", "topology", "transport", NULL, NULL, UNIT_NONE, false},
	{"controller", "topology", "driver", NULL, NULL, UNIT_NONE, false},
	{"controller", "topology", "speed", "link_speed", NULL, UNIT_NONE, false},
	{"pci", "topology", "vendor", "id", NULL, UNIT_NONE, false},
	{"pci", "topology", "driver", NULL, NULL, UNIT_NONE, false},
};
/* clang-format on */

bool iopath_needs(const char *group)
{
	if (!strcmp(group, "mounts") || !strcmp(group, "topology"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		if (!strcmp(specs[i].group, group))
			return true;
	return false;
}

bool iopath_needs_field(const char *group, const char *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		if (!strcmp(specs[i].group, group) && !strcmp(specs[i].field, field))
			return true;
	return false;
}

static struct iopath_fact *add(struct build *build, const char *name, const char *source)
{
	struct iopath_fact *fact = iopaths_add_fact(build->out);

	if (!fact)
		return NULL;
	fact->name = iopaths_text(build->out, "%s", name);
	fact->source = iopaths_text(build->out, "%s", source);
	return fact;
}

void build_missing(struct build *build, const char *name, const char *source, const char *why)
{
	struct iopath_fact *fact = add(build, name, source);

	if (fact)
		fact->why = iopaths_text(build->out, "%s", why);
}

static void add_text(struct build *build, const char *name, const char *source, const char *value)
{
	struct iopath_fact *fact = *value ? add(build, name, source) : NULL;

	if (fact)
		fact->value = iopaths_text(build->out, "%s", value);
}

/* The word of a state, NULL for a number without one. */
static const char *state_word(const struct field *field, int64_t value)
{
	if (field->kind != KIND_STATE || !field->states)
		return NULL;
	for (int64_t i = 0; field->states[i]; i++)
		if (i == value)
			return field->states[i];
	return NULL;
}

static void add_int(struct build *build, const struct spec *spec, const struct field *field,
		    const char *source, int64_t value)
{
	struct iopath_fact *fact = add(build, spec->name ? spec->name : spec->field, source);
	const char *word = state_word(field, value);

	if (!fact)
		return;
	fact->value = word ? iopaths_text(build->out, "%s", word)
			   : iopaths_text(build->out, "%lld", (long long)value);
	fact->is_number = !word;
	fact->unit = word ? UNIT_NONE : field->unit;
}

static void add_info(struct build *build, const struct spec *spec, const char *source,
		     const char *value)
{
	struct iopath_fact *fact = add(build, spec->name ? spec->name : spec->field, source);
	int64_t number;

	if (!fact)
		return;
	fact->unit = spec->unit;
	/* A file from elsewhere may hold anything. */
	fact->is_number = spec->is_number && parse_i64(value, &number) == 0;
	fact->value = fact->is_number ? iopaths_text(build->out, "%lld", (long long)number)
				      : iopaths_text(build->out, "%s", value);
}

static void add_spec(struct build *build, const struct spec *spec, const char *node)
{
	const struct facts_row *row = facts_find(build->facts, spec->group, node);
	struct fact fact = facts_get(build->facts, row, spec->field);
	const char *name = spec->name ? spec->name : spec->field;
	char source[128], why[128];

	snprintf(source, sizeof(source), "%s.%s", spec->group, spec->field);
	switch ((enum value_type)fact.type) {
	case VALUE_TEXT:
		add_info(build, spec, source, fact.text);
		return;
	case VALUE_INT:
		for (size_t i = 0; i < row->group->n_fields; i++)
			if (!strcmp(row->group->fields[i].name, spec->field))
				add_int(build, spec, &row->group->fields[i], source, fact.i);
		return;
	case VALUE_FAULT:
		snprintf(why, sizeof(why), "reading it failed: %s", errno_name((int)fact.i));
		build_missing(build, name, source, why);
		return;
	case VALUE_ABSENT:
		if (row && spec->why)
			build_missing(build, name, source, spec->why);
	}
}

/* The kind of a dm device is in no file of sysfs; a guess is shown as one. */
static void add_target(struct build *build, const struct facts_row *row)
{
	const char *target = facts_text(build->facts, row, "target");
	const char *likely = facts_text(build->facts, row, "likely_target");
	const char *label = facts_text(build->facts, row, "label");
	struct fact fact = facts_get(build->facts, row, "target");
	char why[512];

	if (*target) {
		add_text(build, "target", "topology.target", target);
		return;
	}
	snprintf(why, sizeof(why),
		 "%s%s, and the table is answered to CAP_SYS_ADMIN alone: dmsetup table %s",
		 fact.type == VALUE_FAULT ? "the uuid cannot be read: " : "the uuid does not tell",
		 fact.type == VALUE_FAULT ? errno_name((int)fact.i) : "",
		 *label ? label : row->node);
	build_missing(build, "target", "topology.target", why);
	add_text(build, "likely_target", "topology.likely_target", likely);
}

/* Why the version of the standard is not known. */
static void add_specification(struct build *build, const struct facts_row *row)
{
	static const struct {
		const char *transport, *why;
	} reasons[] = {
		{"ufs", "a descriptor of the device, which a query has to fetch; none is sent"},
		{"nvme", "a part of Identify, a command to the device; none is sent"},
		{"ata", "a part of IDENTIFY DEVICE, a command to the device; none is sent"},
		{"emmc", "the driver gives no EXT_CSD revision"},
		{"sd", "the driver gives no file for it"},
	};
	const char *value = facts_text(build->facts, row, "specification");
	const char *transport = facts_text(build->facts, row, "transport");

	if (*value) {
		add_text(build, "specification", "topology.specification", value);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (!strcmp(reasons[i].transport, transport))
			build_missing(build, "specification", "topology.specification",
				      reasons[i].why);
}

void build_node_facts(struct build *build, const char *node, const struct facts_row *row)
{
	const char *kind = facts_text(build->facts, row, "type");

	if (!row) {
		build_missing(build, "type", "topology.type",
			      "sysfs shows no such device, or it has gone");
		return;
	}
	if (!strcmp(kind, "dm"))
		add_target(build, row);
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		if (!strcmp(specs[i].kind, kind))
			add_spec(build, &specs[i], node);
	if (!strcmp(kind, "disk"))
		add_specification(build, row);
}

void build_mount_facts(struct build *build, const struct mount_view *mount)
{
	const struct facts *facts = build->facts;
	const char *root = facts_text(facts, mount->row, "root");

	add_text(build, "fs_type", "mounts.fs_type", mount->fs_type);
	add_text(build, "source", "mounts.source", facts_text(facts, mount->row, "source"));
	if (strcmp(root, "/") != 0)
		add_text(build, "root", "mounts.root", root);
	add_text(build, "options", "mounts.options", mount->options);
	add_text(build, "super_options", "mounts.super_options", mount->super_options);
	if (build_option(mount->super_options, "inlinecrypt", NULL, 0))
		add_text(build, "inline_encryption", "mounts.super_options", "asked for");
	if (!strcmp(mount->fs_type, "btrfs"))
		build_missing(build, "devices", "mounts.source",
			      "mountinfo names one device of a btrfs, which may have more");
}
