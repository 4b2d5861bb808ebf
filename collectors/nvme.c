/* NVMe controllers and namespaces: /sys/class/nvme/nvmeN
 * Kernel: drivers/nvme/host/sysfs.c, drivers/nvme/host/multipath.c
 *
 * All of it is what the driver remembers from its last Identify, so it can be read while the
 * controller hangs. Only nuse may send a command to the drive, and is never touched.
 *
 * With multipath the number in nvme0n1 is that of the subsystem, not of a controller, and each
 * controller has a hidden path to it: nvme0c1n1 leads through nvme1. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/text.h"
#include "model/block.h"
#include "model/collector.h"
#include "model/node_file.h"
#include "model/nvme_controller.h"
#include "model/pci.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/sysfs_nodes.h"

#define CLASS_DIR NVME_CLASS_DIR

enum { GROUP_CONTROLLER, GROUP_NAMESPACE };

/* The words of the kernel; what is none of them is STATE_OTHER, with the word beside it. */
static const char *const states[] = {
	"new",  "live",          "resetting", "connecting", "deleting", "deleting (no IO)",
	"dead", "unknown state", STATE_OTHER, NULL,
};

enum { UNKNOWN_WORD = ARRAY_SIZE(states) - 2 };

enum {
	STATE,
	STATE_WORD,
	QUEUE_COUNT,
	SQSIZE,
	CNTLID,
	RESETS,
	COMMAND_ERRORS,
	FIRMWARE,
	NUMA_NODE,
	MODEL,
	SERIAL,
	TRANSPORT,
	ADDRESS,
	SUBSYSNQN,
	CNTRLTYPE,
};

/* clang-format off */
static const struct field controller_fields[] = {
	[STATE]          = {"state", UNIT_NONE, KIND_STATE,
			    "What the driver does with the controller; live is well.", .states = states},
	[STATE_WORD]     = {"state_word", UNIT_NONE, KIND_INFO, "The state as the kernel says it.",
			    .absence = "the state is one of those that are known"},
	[QUEUE_COUNT]    = {"queue_count", UNIT_COUNT, KIND_GAUGE,
			    "Queues of the controller, that for administration included.",
			    .attr = "queue_count"},
	[SQSIZE]         = {"sqsize", UNIT_COUNT, KIND_GAUGE,
			    "Entries of a submission queue less one.", .attr = "sqsize"},
	[CNTLID]         = {"cntlid", UNIT_NONE, KIND_GAUGE,
			    "Number of the controller within its subsystem.", .attr = "cntlid"},
	[RESETS]         = {"resets", UNIT_COUNT, KIND_COUNTER, "Resets by the driver.",
			    .attr = "diag/reset_count", .since = "7.3",
			    .absence = "the kernel does not count them"},
	[COMMAND_ERRORS] = {"command_errors", UNIT_COUNT, KIND_COUNTER,
			    "Commands of administration that failed.",
			    .attr = "diag/command_error_count", .since = "7.3",
			    .absence = "the kernel does not count them"},
	[FIRMWARE]       = {"firmware", UNIT_NONE, KIND_INFO, "Revision of the firmware.",
			    .attr = "firmware_rev"},
	[NUMA_NODE]      = {"numa_node", UNIT_NONE, KIND_GAUGE, "NUMA node of the controller.",
			    .absence = "the machine has one node, or the kernel does not know"},
	[MODEL]          = {"model", UNIT_NONE, KIND_INFO, "Model of the drive."},
	[SERIAL]         = {"serial", UNIT_NONE, KIND_INFO, "Serial number of the drive."},
	[TRANSPORT]      = {"transport", UNIT_NONE, KIND_INFO, "What it is reached by: pcie, tcp, rdma, fc."},
	[ADDRESS]        = {"address", UNIT_NONE, KIND_INFO, "PCI address, or that of the network."},
	[SUBSYSNQN]      = {"subsysnqn", UNIT_NONE, KIND_INFO, "Name of the subsystem."},
	[CNTRLTYPE]      = {"cntrltype", UNIT_NONE, KIND_INFO, "Type: io, discovery or admin.",
			    .since = "5.17"},
};

/* Infos that are read once, at the probe: they belong to the drive. */
static const struct {
	size_t field;
	const char *attr;
} constants[] = {
	{MODEL, "model"},         {SERIAL, "serial"},       {TRANSPORT, "transport"},
	{ADDRESS, "address"},     {SUBSYSNQN, "subsysnqn"}, {CNTRLTYPE, "cntrltype"},
};

enum { NSID, SIZE, METADATA_BYTES, NS_COMMAND_RETRIES, NS_COMMAND_ERRORS, N_PATHS, PATHS, WWID, EUI, NGUID, UUID };

static const struct field namespace_fields[] = {
	[NSID]               = {"nsid", UNIT_NONE, KIND_GAUGE,
				"Number of the namespace within its subsystem.", .attr = "nsid"},
	[SIZE]               = {"size", UNIT_SECTORS, KIND_GAUGE,
				"Size in sectors of 512 bytes, whatever the block size.", .attr = "size"},
	[METADATA_BYTES]     = {"metadata_size", UNIT_BYTES, KIND_GAUGE,
				"Metadata that go with each block.", .attr = "metadata_bytes", .since = "6.8"},
	[NS_COMMAND_RETRIES] = {"command_retries", UNIT_COUNT, KIND_COUNTER,
				"Commands that the driver sent once more.",
				.attr = "diag/command_retries_count", .since = "7.3",
				.absence = "the kernel does not count them, or counts by path"},
	[NS_COMMAND_ERRORS]  = {"command_errors", UNIT_COUNT, KIND_COUNTER, "Commands that failed.",
				.attr = "diag/command_error_count", .since = "7.3",
				.absence = "the kernel does not count them, or counts by path"},
	[N_PATHS]            = {"paths", UNIT_COUNT, KIND_GAUGE,
				"Controllers that it can be reached through."},
	[PATHS]              = {"controllers", UNIT_NONE, KIND_INFO,
				"Those controllers, with the hidden path device of each."},
	[WWID]               = {"wwid", UNIT_NONE, KIND_INFO,
				"Identifier that the driver takes: UUID, NGUID, EUI-64, or made of the serial."},
	[EUI]                = {"eui", UNIT_NONE, KIND_INFO, "EUI-64.", .absence = "the drive gives none"},
	[NGUID]              = {"nguid", UNIT_NONE, KIND_INFO, "NGUID.", .absence = "the drive gives none"},
	[UUID]               = {"uuid", UNIT_NONE, KIND_INFO, "UUID.", .absence = "the drive gives none"},
};
/* clang-format on */

#define WORD_MAX 256

struct controller {
	struct node_file state;
	char texts[ARRAY_SIZE(constants)][WORD_MAX]; /* "": absent */
	int64_t numa_node;                           /* -1: none */
};

struct space {
	char paths[512], ids[UUID + 1][128]; /* "": absent */
	int64_t n_paths;
};

struct nvme {
	struct sysfs_nodes controller_nodes, namespace_nodes;
	struct controller *controllers; /* one for each of controller_nodes */
	struct space *spaces;           /* one for each of namespace_nodes */
};

static void nvme_close(void *state)
{
	struct nvme *n = state;

	for (size_t i = 0; i < n->controller_nodes.n; i++)
		node_file_close(&n->controllers[i].state);
	sysfs_nodes_done(&n->controller_nodes);
	sysfs_nodes_done(&n->namespace_nodes);
	free(n->controllers);
	free(n->spaces);
	free(n);
}

/* Returns whether the controller is gone. */
static bool read_state(struct hw *hw, struct controller *c, struct sink *sink, struct row *row)
{
	char word[WORD_MAX];
	int r = node_file_read_line(hw, &c->state, word, sizeof(word));

	if (r < 0) {
		row_result(row, STATE, r, 0);
		return r == -ENODEV;
	}
	for (int i = 0; i < UNKNOWN_WORD; i++) {
		if (strcmp(states[i], word) != 0)
			continue;
		row_set(row, STATE, i);
		return false;
	}
	row_set(row, STATE, UNKNOWN_WORD);
	row_text(sink, row, STATE_WORD, word);
	return false;
}

static int controllers_sample(struct nvme *n, struct hw *hw, struct sink *sink)
{
	bool gone = false;

	for (size_t i = 0; i < n->controller_nodes.n; i++) {
		struct controller *c = &n->controllers[i];
		struct row *row = sysfs_node_sample(hw, &n->controller_nodes, i, sink);

		/* The kernel prints all of them unsigned but for the NUMA node. */
		row_flag_negative(row, ARRAY_SIZE(controller_fields));
		gone = read_state(hw, c, sink, row) || gone;
		if (c->numa_node >= 0)
			row_set(row, NUMA_NODE, c->numa_node);
		for (size_t k = 0; k < ARRAY_SIZE(constants); k++)
			if (c->texts[k][0])
				row_text(sink, row, constants[k].field, c->texts[k]);
	}
	return gone ? -ENODEV : 0;
}

static int namespaces_sample(struct nvme *n, struct hw *hw, struct sink *sink)
{
	bool gone = false;

	for (size_t i = 0; i < n->namespace_nodes.n; i++) {
		const struct space *space = &n->spaces[i];
		struct row *row = sysfs_node_sample(hw, &n->namespace_nodes, i, sink);

		row_flag_negative(row, ARRAY_SIZE(namespace_fields));
		row_set(row, N_PATHS, space->n_paths);
		row_text(sink, row, PATHS, space->paths);
		for (size_t k = WWID; k <= UUID; k++)
			if (space->ids[k][0])
				row_text(sink, row, k, space->ids[k]);
		gone = gone ||
		       (row->values[NSID].type == VALUE_FAULT && row->values[NSID].i == ENODEV);
	}
	return gone ? -ENODEV : 0;
}

static int nvme_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	return group == GROUP_NAMESPACE ? namespaces_sample(state, hw, sink)
					: controllers_sample(state, hw, sink);
}

static void read_text(struct hw *hw, const char *dir, const char *attr, char *buf, size_t size)
{
	if (hw_read_line(hw, buf, size, "%s/%s", dir, attr) < 0)
		buf[0] = '\0';
}

static const char *constant(const struct controller *c, size_t field)
{
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (constants[i].field == field)
			return c->texts[i];
	return "";
}

static const char *or_unknown(const struct controller *c, size_t field)
{
	return *constant(c, field) ? constant(c, field) : "unknown";
}

static void report_controller(struct hw *hw, struct probe *probe, const char *name, const char *dir,
			      const struct controller *c)
{
	int r = hw_readable(hw, "%s/state", dir);

	if (r == 0)
		probe_node(probe, name, OUTCOME_OK, "", "%s, serial %s%s%s", or_unknown(c, MODEL),
			   or_unknown(c, SERIAL), *constant(c, ADDRESS) ? ", at " : "",
			   constant(c, ADDRESS));
	else if (r == -ENOENT)
		probe_node(probe, name, OUTCOME_NO_NODE, "Linux 4.8 and later have it",
			   "there is no /%s/state", dir);
	else if (r == -EACCES || r == -EPERM)
		probe_node(probe, name, OUTCOME_DENIED, denied_advice, "/%s/state may not be read",
			   dir);
	else
		reason_error(hw, probe, name, r, "/%s/state", dir);
}

static int add_controller(struct hw *hw, struct nvme *n, struct probe *probe, const char *name)
{
	char dir[HW_PATH_MAX], real[HW_PATH_MAX], identity[NODE_IDENTITY_MAX] = "";
	struct controller c = {0}, *grown;

	snprintf(dir, sizeof(dir), CLASS_DIR "/%s", name);

	int r = hw_real_path(hw, real, sizeof(real), "%s", dir);

	if (is_want(r))
		return r;
	if (r < 0 && r != -ETIME) {
		probe_node(probe, name, OUTCOME_NO_NODE, advice_of_error(hw, -ENODEV, "/sys/"),
			   "/%s leads nowhere", dir);
		return 0;
	}
	grown = realloc(n->controllers, (n->controller_nodes.n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	n->controllers = grown;
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		read_text(hw, dir, constants[i].attr, c.texts[i], sizeof(c.texts[i]));
	if (hw_read_i64(hw, &c.numa_node, "%s/numa_node", dir) < 0)
		c.numa_node = -1;
	r = nvme_controller_identity(hw, name, identity, sizeof(identity));
	if (r < 0)
		return r;
	/* Of two that cannot be told apart the second has only its name. */
	for (size_t i = 0; i < n->controller_nodes.n; i++)
		if (!strcmp(n->controller_nodes.v[i].identity, identity))
			identity[0] = '\0';
	report_controller(hw, probe, name, dir, &c);

	r = sysfs_nodes_add(hw, &n->controller_nodes, dir, name, identity);
	if (r < 0)
		return r;
	node_file_open(hw, &c.state, "%s/state", dir);
	n->controllers[n->controller_nodes.n - 1] = c;
	sysfs_node_report_denied(probe, &n->controller_nodes, n->controller_nodes.n - 1);
	return 0;
}

static size_t find_space(const struct nvme *n, const char *name)
{
	size_t i = 0;

	while (i < n->namespace_nodes.n && strcmp(n->namespace_nodes.v[i].name, name) != 0)
		i++;
	return i;
}

/* One more controller that the namespace can be reached through. */
static void add_path(struct space *space, const char *controller, const char *name,
		     const char *disk)
{
	size_t len = strlen(space->paths);
	struct text out = text_in(space->paths + len, sizeof(space->paths) - len);

	text_printf(&out, "%s%s", len ? ", " : "", controller);
	if (strcmp(name, disk) != 0)
		text_printf(&out, " (%s)", name);
	space->n_paths++;
}

/* The file uuid says the NGUID, and complains in the kernel's log, where there is no UUID. The WWID
 * is the UUID where there is one. */
static void read_ids(struct hw *hw, const char *dir, struct space *space)
{
	static const char uuid[] = "uuid.";

	read_text(hw, dir, "wwid", space->ids[WWID], sizeof(space->ids[WWID]));
	read_text(hw, dir, "eui", space->ids[EUI], sizeof(space->ids[EUI]));
	read_text(hw, dir, "nguid", space->ids[NGUID], sizeof(space->ids[NGUID]));
	if (!strncmp(space->ids[WWID], uuid, sizeof(uuid) - 1))
		snprintf(space->ids[UUID], sizeof(space->ids[UUID]), "%s",
			 space->ids[WWID] + sizeof(uuid) - 1);
}

static int add_space(struct hw *hw, struct nvme *n, const char *controller, const char *name,
		     const char *disk)
{
	char dir[HW_PATH_MAX], identity[NODE_IDENTITY_MAX] = "";
	struct space *grown = realloc(n->spaces, (n->namespace_nodes.n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	n->spaces = grown;
	if (block_dir(hw, disk, dir, sizeof(dir)) < 0)
		snprintf(dir, sizeof(dir), CLASS_DIR "/%s/%s", controller, name);

	int r = block_identity(hw, disk, false, identity, sizeof(identity));

	if (r == 0)
		r = sysfs_nodes_add(hw, &n->namespace_nodes, dir, disk, identity);
	if (r < 0)
		return r;
	grown[n->namespace_nodes.n - 1] = (struct space){0};
	read_ids(hw, dir, &grown[n->namespace_nodes.n - 1]);
	return 0;
}

static int add_spaces(struct hw *hw, struct nvme *n, const char *controller)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	char disk[BLOCK_NAME_MAX];
	int r = search_error(hw_list(hw, &names, "nvme", CLASS_DIR "/%s", controller));

	for (size_t i = 0; i < names.n && r >= 0; i++) {
		if (!block_nvme_name(names.v[i], disk))
			continue;

		size_t index = find_space(n, disk);

		if (index == n->namespace_nodes.n)
			r = add_space(hw, n, controller, names.v[i], disk);
		if (r >= 0)
			add_path(&n->spaces[index], controller, names.v[i], disk);
	}
	return r;
}

static int tell_apart(struct hw *hw, struct sysfs_nodes *nodes)
{
	CLEANUP(freep) const char **names = calloc(nodes->n + 1, sizeof(*names));
	CLEANUP(freep) char **identities = calloc(nodes->n + 1, sizeof(*identities));

	if (!names || !identities)
		return -ENOMEM;
	for (size_t i = 0; i < nodes->n; i++) {
		names[i] = nodes->v[i].name;
		identities[i] = nodes->v[i].identity;
	}
	return block_tell_apart(hw, names, identities, nodes->n, NODE_IDENTITY_MAX);
}

static void report_spaces(struct hw *hw, const struct nvme *n, struct probe *probe)
{
	/* The driver has the parameter with the option alone; only without it is there a question.
	 */
	bool no_multipath = !hw_exists(hw, "sys/module/nvme_core/parameters/multipath") &&
			    option_of(hw, "CONFIG_NVME_MULTIPATH", NULL) == OPTION_NOT_SET;

	for (size_t i = 0; i < n->namespace_nodes.n; i++)
		probe_node(probe, n->namespace_nodes.v[i].name, OUTCOME_OK, "", "namespace of %s%s",
			   n->spaces[i].paths,
			   no_multipath ? "; CONFIG_NVME_MULTIPATH is not set: a second port "
					  "is a second disk"
					: "");
}

/* The collector's outcome when there is no controller. r is that of listing the class. */
static void report_none(struct hw *hw, struct probe *probe, int r)
{
	static const struct need driver = {"CONFIG_BLK_DEV_NVME", "nvme", OUTCOME_DISABLED,
					   "dmesg says why the driver left it"};
	static const struct need drive = {
		"CONFIG_BLK_DEV_NVME", NULL, OUTCOME_NO_HARDWARE,
		"if there is one: is the slot powered, does the PCIe link come up (dmesg)?"};
	char address[PCI_ADDRESS_MAX];
	bool on_pci = pci_find_class(hw, PCI_CLASS_NVME, address) == 0;

	if (r == -EACCES || r == -EPERM)
		probe_collector(probe, OUTCOME_DENIED,
				"Android: allow the domain to read the class nvme in sysfs",
				"/" CLASS_DIR " may not be listed");
	else if (r < 0 && r != -ENOENT)
		reason_error(hw, probe, "", r, "/" CLASS_DIR);
	else if (on_pci)
		reason_option(hw, probe, "", &driver, "the NVMe controller at %s has no driver",
			      address);
	else
		reason_option(hw, probe, "", &drive,
			      "no NVMe controller: /" CLASS_DIR
			      " is not there or empty, and no PCI function is one");
}

static void statep(struct nvme **n)
{
	if (*n)
		nvme_close(*n);
}

static const struct group groups[] = {
	[GROUP_CONTROLLER] =
		{
			.name = "nvme",
			.help = "State and make of NVMe controllers.",
			.cost = COST_F,
			.period_ms = 1000,
			.fields = controller_fields,
			.n_fields = ARRAY_SIZE(controller_fields),
			.node = "NVMe controller by its name, kept apart by serial and model",
			.absence = "the kernel does not have the file yet",
		},
	[GROUP_NAMESPACE] =
		{
			.name = "nvme_namespace",
			.help = "Namespaces of NVMe drives, and the controllers they go through.",
			.cost = COST_F,
			.period_ms = 10000,
			.fields = namespace_fields,
			.n_fields = ARRAY_SIZE(namespace_fields),
			.node = "block device of the namespace, with the identity that diskstats "
				"has",
			.absence = "the kernel does not have the file yet",
		},
};

static int nvme_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct nvme *n = calloc(1, sizeof(*n));
	CLEANUP(hw_names_done) struct hw_names names = {0};

	if (!n)
		return -ENOMEM;
	n->controller_nodes.group = &groups[GROUP_CONTROLLER];
	n->namespace_nodes.group = &groups[GROUP_NAMESPACE];

	int r = hw_list(hw, &names, "nvme", CLASS_DIR);

	if (r < 0 || !names.n) {
		report_none(hw, probe, r);
		return r < 0 ? r : -ENOENT;
	}
	for (size_t i = 0; i < names.n && r >= 0; i++) {
		r = add_controller(hw, n, probe, names.v[i]);
		if (r >= 0)
			r = add_spaces(hw, n, names.v[i]);
	}
	if (r >= 0)
		r = tell_apart(hw, &n->namespace_nodes);
	if (r < 0)
		return r;
	report_spaces(hw, n, probe);
	*ret_state = n;
	n = NULL;
	return 0;
}

const struct collector collector_nvme = {
	.name = "nvme",
	.help = "NVMe drives.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = nvme_probe,
	.sample = nvme_sample,
	.close = nvme_close,
};
