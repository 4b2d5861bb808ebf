/* Supplies of storage: /sys/class/regulator
 * Kernel: Documentation/ABI/testing/sysfs-class-regulator, drivers/regulator/core.c
 *
 * A board has a hundred of them, and a read may ask the power chip over a bus while others wait for
 * its lock. So only those are taken that feed a storage device or its slot, which a link to the
 * consumer tells ("30b60000.mmc-vmmc"), and those all when somebody asks for all. regulator.N is
 * numbered anew at each boot; a regulator is known by the name that the board gave it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/macros.h"
#include "base/text.h"
#include "model/collector.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/sysfs_nodes.h"

#define REGULATORS_MAX 128

enum { STATE, STATUS, MICROVOLTS, MICROAMPS, NUM_USERS, TYPE, OPMODE, CONSUMERS, N_FIELDS };

static const char *const states[] = {"disabled", "enabled", "unknown", STATE_OTHER, NULL};
static const char *const statuses[] = {"off",       "on",        "error",   "fast",
				       "normal",    "idle",      "standby", "bypass",
				       "undefined", STATE_OTHER, NULL};

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[STATE]      = {"state", UNIT_NONE, KIND_STATE, "Whether it is switched on.",
			.attr = "state", .states = states},
	[STATUS]     = {"status", UNIT_NONE, KIND_STATE, "What the hardware says of its output.",
			.attr = "status", .states = statuses},
	[MICROVOLTS] = {"microvolts", UNIT_MICROVOLTS, KIND_GAUGE,
			"Voltage that is set; no measurement.", .attr = "microvolts"},
	[MICROAMPS]  = {"microamps", UNIT_MICROAMPERES, KIND_GAUGE,
			"Limit of the current that is set; no measurement.", .attr = "microamps"},
	[NUM_USERS]  = {"num_users", UNIT_COUNT, KIND_GAUGE,
			"Consumers that have switched it on and not off again.", .attr = "num_users"},
	[TYPE]       = {"type", UNIT_NONE, KIND_INFO, "Whether it regulates a voltage or a current.", .attr = "type"},
	[OPMODE]     = {"opmode", UNIT_NONE, KIND_INFO, "How it regulates: fast, normal, idle, standby.",
			.attr = "opmode"},
	[CONSUMERS]  = {"consumers", UNIT_NONE, KIND_INFO, "Devices that it feeds, and by which of their supplies.",
			.absence = "no device has asked for it"},
};
/* clang-format on */

static const struct group groups[] = {
	{
		.name = "regulator",
		.help = "Supplies of storage devices and their slots.",
		.cost = COST_H,
		.period_ms = 60000,
		.fields = fields,
		.n_fields = N_FIELDS,
		.node = "regulator, by its name on the board, with a number where names repeat",
		.absence = "its driver does not show it",
	},
};

struct regulators {
	struct sysfs_nodes nodes;
	char **consumers; /* one for each of nodes, NULL: none */
};

static void regulator_close(void *state)
{
	struct regulators *s = state;

	for (size_t i = 0; i < s->nodes.n; i++)
		free(s->consumers[i]);
	free(s->consumers);
	sysfs_nodes_done(&s->nodes);
	free(s);
}

/* Some kernels print the errno of the driver in place of the voltage. */
static void judge(struct row *row, size_t field)
{
	const struct value *value = &row->values[field];
	const int64_t errno_max = 4095;

	if (value->type != VALUE_INT || value->i >= 0)
		return;
	if (value->i >= -errno_max)
		row_fault(row, field, (int)-value->i);
	else
		row_flag(row, field, FLAG_IMPLAUSIBLE);
}

static int regulator_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct regulators *s = state;
	int r = sysfs_nodes_sample(hw, &s->nodes, sink);

	(void)group;
	for (size_t i = 0; i < s->nodes.n && i < sink->n_rows; i++) {
		judge(sink->rows[i], MICROVOLTS);
		judge(sink->rows[i], MICROAMPS);
		if (s->consumers[i])
			row_text(sink, sink->rows[i], CONSUMERS, s->consumers[i]);
	}
	return r;
}

/* Drivers of storage and of the slots that it is in, by what they are called in device trees. */
static bool is_storage(const char *consumer)
{
	static const char *const words[] = {"mmc", "sdhc", "ufs", "pcie", "sata", "ahci", "nvme"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(consumer, words[i]))
			return true;
	return false;
}

/* Links to consumers are DEVICE-SUPPLY and have folders behind them, as others have, too: of_node,
 * device, subsystem, power and children have no minus sign. Returns whether one is of storage. */
static bool find_consumers(struct hw *hw, const char *dir, struct text *out)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	bool is_of_storage = false;

	if (hw_list(hw, &names, "", "%s", dir) < 0)
		return false;
	for (size_t i = 0; i < names.n; i++)
		if (strchr(names.v[i], '-') && hw_exists(hw, "%s/%s/.", dir, names.v[i])) {
			text_printf(out, "%s%s", out->len ? ", " : "", names.v[i]);
			is_of_storage = is_of_storage || is_storage(names.v[i]);
		}
	return is_of_storage;
}

static bool is_known(const struct regulators *s, const char *node)
{
	for (size_t i = 0; i < s->nodes.n; i++)
		if (!strcmp(s->nodes.v[i].name, node))
			return true;
	return false;
}

static void name_node(struct hw *hw, const struct regulators *s, const char *dir,
		      const char *number, char node[NODE_NAME_MAX])
{
	char name[64];
	struct text out = text_in(node, NODE_NAME_MAX);
	size_t len;

	text_str(&out, hw_read_line(hw, name, sizeof(name), "%s/name", dir) > 0 ? name : number);
	len = out.len;
	for (unsigned n = 2; is_known(s, node) && n <= REGULATORS_MAX; n++) {
		text_rewind(&out, len);
		text_printf(&out, "#%u", n);
	}
}

static int add(struct hw *hw, struct regulators *s, struct probe *probe, const char *number)
{
	char dir[HW_PATH_MAX], node[NODE_NAME_MAX], buf[INFO_TEXT_MAX] = "";
	struct text path = TEXT_IN(dir), consumers = TEXT_IN(buf);
	bool is_of_storage;
	int r;

	text_printf(&path, "sys/class/regulator/%s", number);
	is_of_storage = find_consumers(hw, dir, &consumers);
	name_node(hw, s, dir, number, node);
	if (!is_of_storage && !probe->want_all) {
		probe_left_out(probe, node, "--partitions, or [sampling] partitions = yes",
			       "feeds no storage device");
		return 0;
	}
	r = sysfs_nodes_add(hw, &s->nodes, dir, node, "");
	if (r < 0)
		return r;
	s->consumers[s->nodes.n - 1] = consumers.len ? strdup(buf) : NULL;
	probe_node(probe, node, OUTCOME_OK, "", "/%s%s%.128s", dir, consumers.len ? ", feeds " : "",
		   buf);
	sysfs_node_report_denied(probe, &s->nodes, s->nodes.n - 1);
	return 0;
}

static void report_none(struct hw *hw, struct probe *probe, size_t n, int r)
{
	static const struct need need = {"CONFIG_REGULATOR", NULL, OUTCOME_NO_HARDWARE,
					 "enable the driver of the power chip (device tree)"};

	if (r < 0 && r != -ENOENT)
		reason_error(hw, probe, "", r, "/sys/class/regulator");
	else if (n)
		probe_collector(probe, OUTCOME_NO_HARDWARE, "--partitions takes the others",
				"of %zu in /sys/class/regulator none feeds a storage device: no "
				"driver of one has asked for a supply",
				n);
	else if (!reason_no_sysfs(hw, probe, ""))
		reason_option(hw, probe, "", &need, "no regulator in /sys/class/regulator");
}

static void statep(struct regulators **s)
{
	if (*s)
		regulator_close(*s);
}

static int regulator_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct regulators *s = calloc(1, sizeof(*s));
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r;

	if (!s)
		return -ENOMEM;
	s->nodes.group = &groups[0];
	s->consumers = calloc(REGULATORS_MAX, sizeof(*s->consumers));
	if (!s->consumers)
		return -ENOMEM;
	r = hw_list(hw, &names, "regulator.", "sys/class/regulator");
	for (size_t i = 0; i < names.n && s->nodes.n < REGULATORS_MAX && r >= 0; i++)
		r = add(hw, s, probe, names.v[i]);
	if (r == -ENOMEM)
		return r;
	if (!s->nodes.n) {
		report_none(hw, probe, names.n, r);
		return r < 0 ? r : -ENOENT;
	}
	*ret_state = s;
	s = NULL;
	return 0;
}

const struct collector collector_regulator = {
	.name = "regulator",
	.help = "Supplies of storage devices.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = regulator_probe,
	.sample = regulator_sample,
	.close = regulator_close,
};
