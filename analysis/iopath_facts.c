/* What is told of each layer: a table of metrics, and why some of them are not to be had. */
#include <stdio.h>
#include <string.h>

#include "analysis/iopath_build.h"
#include "base/errno_name.h"
#include "base/parse.h"
#include "model/catalog.h"

struct spec {
	const char *kind, *transport; /* of the layer; transport NULL: any */
	const char *group, *field;    /* of the row that has the layer's name */
	const char *name;             /* of the fact */
	enum {
		IF_ANY,     /* nothing is said of what is absent */
		NEEDED,     /* what is absent is said, with the reason that the field gives; what
			     * was not sampled at all, the probe explains */
		ROW_NEEDED, /* as IF_ANY; that the node was not sampled at all is said */
		AS_NUMBER,  /* as IF_ANY; an info that is a number, in unit */
	} how;
	enum unit unit;
};

/* clang-format off */
static const struct spec specs[] = {
	{"dm", NULL, "topology", "label", "name", NEEDED, UNIT_NONE},
	{"dm", NULL, "topology", "format", "format", IF_ANY, UNIT_NONE},
	{"dm", NULL, "topology", "size", "size", AS_NUMBER, UNIT_BYTES},
	{"dm", NULL, "topology", "number", "number", IF_ANY, UNIT_NONE},
	{"dm", NULL, "blockqueue", "crypto_modes", "inline_encryption", IF_ANY, UNIT_NONE},
	{"md", NULL, "topology", "target", "level", NEEDED, UNIT_NONE},
	{"md", NULL, "topology", "size", "size", AS_NUMBER, UNIT_BYTES},
	{"md", NULL, "topology", "number", "number", IF_ANY, UNIT_NONE},
	{"loop", NULL, "topology", "label", "file", NEEDED, UNIT_NONE},
	{"loop", NULL, "topology", "size", "size", AS_NUMBER, UNIT_BYTES},
	{"loop", NULL, "topology", "number", "number", IF_ANY, UNIT_NONE},
	{"zram", NULL, "topology", "size", "size", AS_NUMBER, UNIT_BYTES},
	{"zram", NULL, "topology", "number", "number", IF_ANY, UNIT_NONE},
	{"partition", NULL, "topology", "partition", "partition_number", AS_NUMBER, UNIT_NONE},
	{"partition", NULL, "topology", "label", "label", IF_ANY, UNIT_NONE},
	{"partition", NULL, "topology", "size", "size", AS_NUMBER, UNIT_BYTES},
	{"partition", NULL, "topology", "number", "number", IF_ANY, UNIT_NONE},
	{"disk", NULL, "topology", "transport", "transport", IF_ANY, UNIT_NONE},
	{"disk", NULL, "topology", "vendor", "vendor", IF_ANY, UNIT_NONE},
	{"disk", NULL, "topology", "model", "model", IF_ANY, UNIT_NONE},
	{"disk", NULL, "topology", "firmware", "firmware", IF_ANY, UNIT_NONE},
	{"disk", NULL, "topology", "size", "size", AS_NUMBER, UNIT_BYTES},
	{"disk", NULL, "topology", "number", "number", IF_ANY, UNIT_NONE},
	{"disk", NULL, "blockqueue", "scheduler", "scheduler", ROW_NEEDED, UNIT_NONE},
	{"disk", NULL, "blockqueue", "hw_queues", "queues", IF_ANY, UNIT_NONE},
	{"disk", NULL, "blockqueue", "hw_queue_depth", "queue_depth", IF_ANY, UNIT_NONE},
	{"disk", NULL, "blockqueue", "write_cache", "cache", IF_ANY, UNIT_NONE},
	{"disk", "ufs", "blockqueue", "crypto_modes", "inline_encryption", NEEDED, UNIT_NONE},
	{"disk", "emmc", "blockqueue", "crypto_modes", "inline_encryption", IF_ANY, UNIT_NONE},
	{"disk", "ufs", "blockqueue", "crypto_keyslots", "key_slots", IF_ANY, UNIT_NONE},
	{"disk", "ufs", "ufs_lu", "queue_depth", "unit_queue_depth", IF_ANY, UNIT_NONE},
	{"controller", NULL, "topology", "transport", "transport", IF_ANY, UNIT_NONE},
	{"controller", NULL, "topology", "driver", "driver", IF_ANY, UNIT_NONE},
	{"controller", NULL, "topology", "speed", "link_speed", IF_ANY, UNIT_NONE},
	{"controller", "ufs", "ufs", "gear", "gear", NEEDED, UNIT_NONE},
	{"controller", "ufs", "ufs_host", "clkscale_enable", "clock_scaling", IF_ANY, UNIT_NONE},
	{"controller", "ufs", "ufs", "cur_freq", "clock", IF_ANY, UNIT_NONE},
	{"controller", "ufs", "ufs", "rate", "rate", IF_ANY, UNIT_NONE},
	{"controller", "ufs", "ufs", "lanes", "lanes", IF_ANY, UNIT_NONE},
	{"controller", "ufs", "ufs", "mode", "power_mode", IF_ANY, UNIT_NONE},
	{"controller", "ufs", "ufs", "link_state", "link_state", IF_ANY, UNIT_NONE},
	{"controller", "ufs", "ufs", "runtime_status", "runtime_status", IF_ANY, UNIT_NONE},
	{"controller", "ufs", "ufs_host", "nr_hw_queues", "queues", IF_ANY, UNIT_NONE},
	{"controller", "ufs", "ufs_host", "can_queue", "commands_at_once", IF_ANY, UNIT_NONE},
	{"controller", "ufs", "ufs_host", "hci_version", "interface_version", IF_ANY, UNIT_NONE},
	{"controller", "mmc", "mmc_host", "timing_spec", "bus_mode", NEEDED, UNIT_NONE},
	{"controller", "mmc", "mmc_host", "clock", "clock", IF_ANY, UNIT_NONE},
	{"controller", "mmc", "mmc_host", "bus_width", "lines", IF_ANY, UNIT_NONE},
	{"controller", "mmc", "mmc_host", "signal_voltage", "signals", IF_ANY, UNIT_NONE},
	{"controller", "mmc", "mmc_host", "bus_rate", "bus_rate", IF_ANY, UNIT_NONE},
	{"controller", "nvme", "nvme", "state", "state", NEEDED, UNIT_NONE},
	{"controller", "nvme", "nvme", "address", "address", IF_ANY, UNIT_NONE},
	{"controller", "nvme", "nvme", "queue_count", "queues", IF_ANY, UNIT_NONE},
	{"pci", NULL, "topology", "vendor", "id", IF_ANY, UNIT_NONE},
	{"pci", NULL, "topology", "driver", "driver", IF_ANY, UNIT_NONE},
	{"pci", NULL, "pcie_link", "current_link_speed", "link_speed", IF_ANY, UNIT_NONE},
	{"pci", NULL, "pcie_link", "current_link_width", "lanes", IF_ANY, UNIT_NONE},
	{"pci", NULL, "pcie_link", "attainable_link_speed", "attainable_speed", IF_ANY, UNIT_NONE},
	{"pci", NULL, "pcie_link", "attainable_link_width", "attainable_lanes", IF_ANY, UNIT_NONE},
	{"pci", NULL, "pcie", "power_state", "power_state", IF_ANY, UNIT_NONE},
	{"pci", NULL, "pcie", "port", "port", IF_ANY, UNIT_NONE},
};
/* clang-format on */

/* field NULL: any of the group. */
static bool is_told(const char *group, const char *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		if (!strcmp(specs[i].group, group) && (!field || !strcmp(specs[i].field, field)))
			return true;
	return false;
}

bool iopath_needs(const char *group)
{
	return !strcmp(group, "mounts") || !strcmp(group, "topology") || is_told(group, NULL);
}

bool iopath_needs_field(const char *group, const char *field)
{
	return is_told(group, field);
}

bool iopath_metric(size_t index, const char **ret_group, const char **ret_field)
{
	if (index >= ARRAY_SIZE(specs))
		return false;
	*ret_group = specs[index].group;
	*ret_field = specs[index].field;
	return true;
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
	struct iopath_fact *fact = add(build, spec->name, source);
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
	struct iopath_fact *fact = add(build, spec->name, source);
	int64_t number;

	if (!fact)
		return;
	fact->unit = spec->unit;
	/* A file from elsewhere may hold anything. */
	fact->is_number = spec->how == AS_NUMBER && parse_i64(value, &number) == 0;
	fact->value = fact->is_number ? iopaths_text(build->out, "%lld", (long long)number)
				      : iopaths_text(build->out, "%s", value);
}

static void add_spec(struct build *build, const struct spec *spec, const char *node)
{
	const struct facts_row *row = facts_find(build->facts, spec->group, node);
	struct fact fact = facts_get(build->facts, row, spec->field);
	const struct field *field;
	char source[128], why[128];
	size_t index;

	snprintf(source, sizeof(source), "%s.%s", spec->group, spec->field);
	if (!row && (spec->how == NEEDED || spec->how == ROW_NEEDED)) {
		snprintf(why, sizeof(why), "no sample of it so far; flashscope probe %s tells why",
			 spec->group);
		build_missing(build, spec->name, source, why);
	}
	if (!row || group_find_field(row->group, spec->field, &index) < 0)
		return;
	field = &row->group->fields[index];
	switch ((enum value_type)fact.type) {
	case VALUE_TEXT:
		add_info(build, spec, source, fact.text);
		return;
	case VALUE_INT:
		add_int(build, spec, field, source, fact.i);
		return;
	case VALUE_FAULT:
		snprintf(why, sizeof(why), "reading it failed: %s", errno_name((int)fact.i));
		build_missing(build, spec->name, source, why);
		return;
	case VALUE_ABSENT:
		if (spec->how == NEEDED)
			build_missing(build, spec->name, source, field_absence(row->group, field));
	}
}

static bool is_for(const struct spec *spec, const char *kind, const char *transport)
{
	return !strcmp(spec->kind, kind) &&
	       (!spec->transport || !strcmp(spec->transport, transport));
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
		if (is_for(&specs[i], kind, facts_text(build->facts, row, "transport")))
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
