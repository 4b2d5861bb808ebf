/* PCI functions that carry storage, and the ports above them: links, errors, power.
 * Kernel: Documentation/ABI/testing/sysfs-bus-pci, sysfs-bus-pci-devices-aer_stats,
 * Documentation/PCI/pcieaer-howto.rst, drivers/pci/pci-sysfs.c, drivers/pci/pcie/aspm.c
 *
 * Speed and width of a link come from the configuration space, for which the kernel resumes the
 * device: they are read, and their files opened, only while it is awake. Everything else is a copy
 * of a variable. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/text.h"
#include "model/collector.h"
#include "model/node_file.h"
#include "model/pci.h"
#include "model/pci_carriers.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/sysfs_nodes.h"

enum { GROUP_FUNCTION, GROUP_LINK };

enum {
	POWER_STATE,
	RUNTIME_STATUS,
	AER_CORRECTABLE,
	AER_NONFATAL,
	AER_FATAL,
	ROOT_CORRECTABLE,
	ROOT_NONFATAL,
	ROOT_FATAL,
	L0S_ASPM,
	L1_ASPM,
	L1_1_ASPM,
	L1_2_ASPM,
	AER_KINDS,
	FUNCTION,
	DRIVER,
	IDS,
	PORT,
};

#define N_AER  3
#define N_INFO (PORT - FUNCTION + 1)

static const char *const power_states[] = {"D0",      "D1",    "D2",        "D3hot", "D3cold",
					   "unknown", "error", STATE_OTHER, NULL};
static const char *const runtime_states[] = {"active", "suspended",   "suspending", "resuming",
					     "error",  "unsupported", STATE_OTHER,  NULL};

#define NO_ASPM "CONFIG_PCIEASPM is off, the function has no link above, or Linux is before 5.5"
#define NO_AER  "CONFIG_PCIEAER is off, or the function cannot report errors"
#define NO_ROOT "it is no root port, or CONFIG_PCIEAER is off"

/* clang-format off */
static const struct field fields[] = {
	[POWER_STATE]      = {"power_state", UNIT_NONE, KIND_STATE,
			      "Power state that the kernel put the function into.",
			      .attr = "power_state", .states = power_states, .since = "5.11"},
	[RUNTIME_STATUS]   = {"runtime_status", UNIT_NONE, KIND_STATE,
			      "Runtime power management; unsupported means that it is switched off.",
			      .attr = "power/runtime_status", .states = runtime_states},
	[AER_CORRECTABLE]  = {"aer_correctable", UNIT_COUNT, KIND_COUNTER,
			      "Errors that the link corrected; all 0 is no proof of a clean link, "
			      "since many boards never report any.", .since = "4.19", .absence = NO_AER},
	[AER_NONFATAL]     = {"aer_nonfatal", UNIT_COUNT, KIND_COUNTER,
			      "Errors that cost a transaction; all 0 proves nothing.",
			      .since = "4.19", .absence = NO_AER},
	[AER_FATAL]        = {"aer_fatal", UNIT_COUNT, KIND_COUNTER,
			      "Errors that made the link unusable; all 0 proves nothing.",
			      .since = "4.19", .absence = NO_AER},
	[ROOT_CORRECTABLE] = {"rootport_correctable", UNIT_COUNT, KIND_COUNTER,
			      "Messages of corrected errors that the root port took.",
			      .attr = "aer_rootport_total_err_cor", .since = "4.19", .absence = NO_ROOT},
	[ROOT_NONFATAL]    = {"rootport_nonfatal", UNIT_COUNT, KIND_COUNTER,
			      "Messages of nonfatal errors that the root port took.",
			      .attr = "aer_rootport_total_err_nonfatal", .since = "4.19", .absence = NO_ROOT},
	[ROOT_FATAL]       = {"rootport_fatal", UNIT_COUNT, KIND_COUNTER,
			      "Messages of fatal errors that the root port took.",
			      .attr = "aer_rootport_total_err_fatal", .since = "4.19", .absence = NO_ROOT},
	[L0S_ASPM]         = {"l0s_aspm", UNIT_COUNT, KIND_GAUGE, "Whether the link may rest in L0s: 1 or 0.",
			      .attr = "link/l0s_aspm", .since = "5.5", .absence = NO_ASPM},
	[L1_ASPM]          = {"l1_aspm", UNIT_COUNT, KIND_GAUGE, "Whether the link may rest in L1: 1 or 0.",
			      .attr = "link/l1_aspm", .since = "5.5", .absence = NO_ASPM},
	[L1_1_ASPM]        = {"l1_1_aspm", UNIT_COUNT, KIND_GAUGE, "Whether the link may rest in L1.1: 1 or 0.",
			      .attr = "link/l1_1_aspm", .since = "5.5", .absence = NO_ASPM},
	[L1_2_ASPM]        = {"l1_2_aspm", UNIT_COUNT, KIND_GAUGE,
			      "Whether the link may rest in L1.2, which takes longest to leave.",
			      .attr = "link/l1_2_aspm", .since = "5.5", .absence = NO_ASPM},
	[AER_KINDS]        = {"aer_kinds", UNIT_NONE, KIND_INFO, "Kinds of errors that happened.",
			      .since = "4.19", .absence = "none has happened, or none is counted"},
	[FUNCTION]         = {"function", UNIT_NONE, KIND_INFO, "What it is, by its class code."},
	[DRIVER]           = {"driver", UNIT_NONE, KIND_INFO, "Its driver.",
			      .absence = "it has none"},
	[IDS]              = {"ids", UNIT_NONE, KIND_INFO, "Vendor and device, as lspci -n has them."},
	[PORT]             = {"port", UNIT_NONE, KIND_INFO, "The function above it.",
			      .absence = "it sits in the root complex"},
};

enum { SPEED, WIDTH, MAX_SPEED, MAX_WIDTH, PORT_MAX_SPEED, PORT_MAX_WIDTH, N_LINK_FILES,
       DT_MAX_SPEED = N_LINK_FILES, ATTAINABLE_SPEED, ATTAINABLE_WIDTH,
       ASPM_POLICY };

#define NO_LINK "the function has no PCIe link, sleeps, or the kernel does not know the speed"
#define NO_PORT_TEXT "there is no port above the function"
#define NO_END_TEXT  "there is no port above the function, or one of both ends is not known"

static const struct field link_fields[] = {
	[SPEED]            = {"current_link_speed", UNIT_MEGATRANSFERS, KIND_GAUGE,
			      "Speed that the lanes now have."},
	[WIDTH]            = {"current_link_width", UNIT_COUNT, KIND_GAUGE, "Lanes in use."},
	[MAX_SPEED]        = {"max_link_speed", UNIT_MEGATRANSFERS, KIND_GAUGE,
			      "Highest speed of the function itself."},
	[MAX_WIDTH]        = {"max_link_width", UNIT_COUNT, KIND_GAUGE, "Lanes that the function has."},
	[PORT_MAX_SPEED]   = {"port_max_link_speed", UNIT_MEGATRANSFERS, KIND_GAUGE,
			      "Highest speed of the port above.", .absence = NO_PORT_TEXT},
	[PORT_MAX_WIDTH]   = {"port_max_link_width", UNIT_COUNT, KIND_GAUGE,
			      "Lanes of the port above.", .absence = NO_PORT_TEXT},
	[DT_MAX_SPEED]     = {"dt_max_link_speed", UNIT_MEGATRANSFERS, KIND_GAUGE,
			      "Limit that the device tree sets for the link (max-link-speed).",
			      .absence = "the device tree sets none, or there is none"},
	[ATTAINABLE_SPEED] = {"attainable_link_speed", UNIT_MEGATRANSFERS, KIND_GAUGE,
			      "Lowest of the maxima of both ends and the device tree.",
			      .absence = NO_END_TEXT},
	[ATTAINABLE_WIDTH] = {"attainable_link_width", UNIT_COUNT, KIND_GAUGE,
			      "Lower of the widths of both ends.", .absence = NO_END_TEXT},
	[ASPM_POLICY]      = {"aspm_policy", UNIT_NONE, KIND_INFO,
			      "Policy by which the kernel lets links rest, for the whole machine.",
			      .absence = "CONFIG_PCIEASPM is off"},
};

static const struct derived link_derived[] = {
	{"link_speed_share", UNIT_RATIO, DERIVE_QUOTIENT, "current_link_speed",
	 "attainable_link_speed", 1, 1, "Speed as a share of what is attainable; below 1 the link "
	 "trained lower, or rests."},
	{"link_width_share", UNIT_RATIO, DERIVE_QUOTIENT, "current_link_width",
	 "attainable_link_width", 1, 1, "Lanes in use as a share of what is attainable."},
};
/* clang-format on */

struct function {
	bool has_link;
	int64_t dt_max_mtps; /* 0: no limit */
	char infos[N_INFO][64];
	struct node_file aer[N_AER];
	struct node_file power_state, runtime_status;
	bool link_opened;
	struct node_file link[N_LINK_FILES];
};

struct pcie {
	struct pci_carriers carriers;
	struct sysfs_nodes nodes;   /* one for each of carriers */
	struct function *functions; /* as well */
	struct node_file policy;
};

static void function_done(struct function *f)
{
	for (size_t i = 0; i < N_AER; i++)
		node_file_close(&f->aer[i]);
	node_file_close(&f->power_state);
	node_file_close(&f->runtime_status);
	for (size_t i = 0; f->link_opened && i < N_LINK_FILES; i++)
		node_file_close(&f->link[i]);
}

static void pcie_close(void *state)
{
	struct pcie *p = state;

	for (size_t i = 0; i < p->nodes.n; i++)
		function_done(&p->functions[i]);
	free(p->functions);
	sysfs_nodes_done(&p->nodes);
	pci_carriers_done(&p->carriers);
	node_file_close(&p->policy);
	free(p);
}

static int read_aer(struct hw *hw, struct node_file *file, int64_t *ret_total, struct text *kinds)
{
	char buf[4096];
	int r = node_file_read(hw, file, buf, sizeof(buf));

	if (r <= 0)
		return r < 0 ? r : -ENODATA;
	return pci_parse_aer((struct slice){buf, (size_t)r}, ret_total, kinds);
}

static void sample_aer(struct hw *hw, struct function *f, struct sink *sink, struct row *row)
{
	char buf[INFO_TEXT_MAX];
	struct text kinds = TEXT_IN(buf);

	for (size_t i = 0; i < N_AER; i++) {
		int64_t total = 0;
		int r = read_aer(hw, &f->aer[i], &total, &kinds);

		row_result(row, AER_CORRECTABLE + i, r, total);
	}
	if (kinds.len)
		row_text(sink, row, AER_KINDS, buf);
}

static bool is_gone(const struct row *row, size_t field)
{
	return row->values[field].type == VALUE_FAULT && row->values[field].i == ENODEV;
}

static int functions_sample(struct pcie *p, struct hw *hw, struct sink *sink)
{
	bool gone = false;

	for (size_t i = 0; i < p->nodes.n; i++) {
		struct function *f = &p->functions[i];
		struct row *row = sysfs_node_sample(hw, &p->nodes, i, sink);

		for (size_t k = 0; k < ARRAY_SIZE(fields); k++)
			if (row->values[k].type == VALUE_INT && row->values[k].i < 0)
				row_flag(row, k, FLAG_IMPLAUSIBLE);
		sample_aer(hw, f, sink, row);
		for (size_t k = 0; k < N_INFO; k++)
			if (f->infos[k][0])
				row_text(sink, row, FUNCTION + k, f->infos[k]);
		gone = gone || is_gone(row, POWER_STATE) || is_gone(row, RUNTIME_STATUS);
	}
	return gone ? -ENODEV : 0;
}

/* 1 when the function is awake, 0 when it sleeps, or -errno as pci_is_awake(). What says nothing
 * about power does not sleep. */
static int is_awake(struct hw *hw, struct function *f)
{
	char state[32], status[32];
	int r_state = node_file_read_line(hw, &f->power_state, state, sizeof(state));
	int r_status = node_file_read_line(hw, &f->runtime_status, status, sizeof(status));

	if (r_state < 0 && r_state != -ENOENT)
		return r_state;
	if (r_status < 0 && r_status != -ENOENT)
		return r_status;
	return pci_is_awake(r_state < 0 ? NULL : state, r_status < 0 ? NULL : status);
}

static void open_link(struct hw *hw, struct pcie *p, size_t node)
{
	static const char *const files[] = {"current_link_speed", "current_link_width",
					    "max_link_speed", "max_link_width"};
	const struct pci_carrier *carrier = &p->carriers.v[node];
	struct function *f = &p->functions[node];

	for (size_t i = 0; i < N_LINK_FILES; i++) {
		size_t of_port = i >= PORT_MAX_SPEED ? 2 : 0;

		if (!of_port)
			node_file_open(hw, &f->link[i], "%s/%s", carrier->dir, files[i]);
		else if (carrier->is_lower_end)
			node_file_open(hw, &f->link[i], "%s/%s", p->carriers.v[carrier->port].dir,
				       files[i - of_port]);
		else
			f->link[i] = node_file_none;
	}
	f->link_opened = true;
}

static bool is_speed(size_t field)
{
	return field == SPEED || field == MAX_SPEED || field == PORT_MAX_SPEED;
}

static int read_link(struct hw *hw, struct function *f, size_t field, int64_t *ret)
{
	char line[64];
	int r = node_file_read_line(hw, &f->link[field], line, sizeof(line));

	if (r < 0)
		return r;
	return is_speed(field) ? pci_parse_speed(line, ret) : pci_parse_width(line, ret);
}

/* Speed and width of one end. All ones in the width say that nothing answers; then the speed, which
 * reads as unknown, has failed as well. */
static void sample_pair(struct hw *hw, struct function *f, size_t speed, struct row *row)
{
	int64_t mtps = 0, lanes = 0;
	int r_speed = read_link(hw, f, speed, &mtps);
	int r_width = read_link(hw, f, speed + 1, &lanes);

	if (r_width == -ENODEV)
		r_speed = r_width;
	/* The register of what has no link is all zeros. */
	if (r_speed == -ENODATA && r_width == 0 && lanes == 0)
		r_width = -ENODATA;
	if (r_speed != -ENODATA)
		row_result(row, speed, r_speed, mtps);
	if (r_width != -ENODATA)
		row_result(row, speed + 1, r_width, lanes);
}

/* The lowest of what both ends can do and, if there is one, a limit: nothing while one end is not
 * known. */
static void set_attainable(struct row *row, size_t field, size_t own, size_t of_port, int64_t limit)
{
	const struct value *a = &row->values[own], *b = &row->values[of_port];

	if (a->type != VALUE_INT || b->type != VALUE_INT)
		return;

	int64_t lowest = MIN(a->i, b->i);

	row_set(row, field, limit ? MIN(lowest, limit) : lowest);
}

static void sample_ends(struct pcie *p, struct hw *hw, size_t node, struct row *row)
{
	const struct pci_carrier *carrier = &p->carriers.v[node];
	struct function *f = &p->functions[node];

	sample_pair(hw, f, SPEED, row);
	sample_pair(hw, f, MAX_SPEED, row);
	if (!carrier->is_lower_end)
		return;
	if (is_awake(hw, &p->functions[carrier->port]) == 1)
		sample_pair(hw, f, PORT_MAX_SPEED, row);
	if (f->dt_max_mtps)
		row_set(row, DT_MAX_SPEED, f->dt_max_mtps);
	set_attainable(row, ATTAINABLE_SPEED, MAX_SPEED, PORT_MAX_SPEED, f->dt_max_mtps);
	set_attainable(row, ATTAINABLE_WIDTH, MAX_WIDTH, PORT_MAX_WIDTH, 0);
}

/* Returns its length, 0 when there is none. The lock of the parameters of all modules is taken for
 * it, which a module that is slow to set one holds: nothing for the fast lane. */
static size_t read_policy(struct hw *hw, struct pcie *p, char *buf, size_t size)
{
	char line[256];
	int r = node_file_read_line(hw, &p->policy, line, sizeof(line));
	struct slice word;

	if (r < 0 || pci_parse_chosen((struct slice){line, (size_t)r}, &word) < 0 ||
	    slice_copy(word, buf, size) < 0)
		return 0;
	return word.len;
}

static int links_sample(struct pcie *p, struct hw *hw, struct sink *sink)
{
	char policy[64];
	bool has_policy = read_policy(hw, p, policy, sizeof(policy)) > 0, gone = false;

	for (size_t i = 0; i < p->nodes.n; i++) {
		struct function *f = &p->functions[i];

		if (!f->has_link)
			continue;

		struct row *row = sink_row(sink, p->nodes.v[i].name, p->nodes.v[i].identity);
		int r = is_awake(hw, f);

		row->suspended = r == 0;
		if (r < 0 && r != -ENODATA)
			row_fault(row, SPEED, r);
		gone = gone || r == -ENODEV;
		if (r <= 0)
			continue;
		if (!f->link_opened)
			open_link(hw, p, i);
		sample_ends(p, hw, i, row);
		if (has_policy)
			row_text(sink, row, ASPM_POLICY, policy);
	}
	return gone ? -ENODEV : 0;
}

static int pcie_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	return group == GROUP_LINK ? links_sample(state, hw, sink)
				   : functions_sample(state, hw, sink);
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void read_ids(struct hw *hw, const char *dir, char *buf, size_t size)
{
	char vendor[16], device[16];

	if (hw_read_line(hw, vendor, sizeof(vendor), "%s/vendor", dir) < 0 ||
	    hw_read_line(hw, device, sizeof(device), "%s/device", dir) < 0)
		return;
	snprintf(buf, size, "%s:%s", vendor + (strncmp(vendor, "0x", 2) ? 0 : 2),
		 device + (strncmp(device, "0x", 2) ? 0 : 2));
}

/* What a function that has a link lacks, each as a node of its own. */
static void report_missing(struct hw *hw, struct probe *probe, const struct pcie *p, size_t i)
{
	static const struct need aer = {"CONFIG_PCIEAER", NULL, OUTCOME_UNSUPPORTED,
					"the function cannot report errors, or it is not ours: "
					"pci=noaer, or the firmware keeps AER"};
	static const struct need aspm = {"CONFIG_PCIEASPM", NULL, OUTCOME_NO_NODE, ""};
	const struct function *f = &p->functions[i];
	char part[NODE_NAME_MAX];

	if (!node_file_exists(&f->aer[0])) {
		probe_part(part, p->nodes.v[i].name, "aer");
		reason_option(hw, probe, part, &aer, "no AER counters, aer_dev_* (since 4.19)");
	}
	if (!node_file_exists(&p->policy) && p->carriers.v[i].is_lower_end) {
		probe_part(part, p->nodes.v[i].name, "aspm");
		reason_option(hw, probe, part, &aspm,
			      "no ASPM: there is no /sys/module/pcie_aspm/parameters/policy");
	}
}

static void report(struct hw *hw, struct probe *probe, const struct pcie *p, size_t i)
{
	const struct function *f = &p->functions[i];
	const char *driver = f->infos[DRIVER - FUNCTION];

	probe_node(probe, p->nodes.v[i].name, OUTCOME_OK, "", "%s%s%s%s", f->infos[0],
		   *driver ? ", driver " : "", driver,
		   f->has_link ? "" : "; no PCIe link (current_link_speed, since 4.13)");
	if (f->has_link)
		report_missing(hw, probe, p, i);
	sysfs_node_report_denied(probe, &p->nodes, i);
}

static void open_function(struct hw *hw, struct pcie *p, size_t i)
{
	static const char *const aer[N_AER] = {"aer_dev_correctable", "aer_dev_nonfatal",
					       "aer_dev_fatal"};
	const struct pci_carrier *carrier = &p->carriers.v[i];
	struct function *f = &p->functions[i];
	char path[HW_PATH_MAX];

	f->has_link = hw_exists(hw, "%s/current_link_speed", carrier->dir);
	for (size_t k = 0; k < N_AER; k++)
		node_file_open(hw, &f->aer[k], "%s/%s", carrier->dir, aer[k]);
	node_file_open(hw, &f->power_state, "%s/power_state", carrier->dir);
	node_file_open(hw, &f->runtime_status, "%s/power/runtime_status", carrier->dir);
	snprintf(f->infos[0], sizeof(f->infos[0]), "%s",
		 pci_class_name(pci_class(hw, carrier->dir)));
	if (hw_real_path(hw, path, sizeof(path), "%s/driver", carrier->dir) == 0)
		snprintf(f->infos[DRIVER - FUNCTION], sizeof(f->infos[0]), "%.60s",
			 last_component(path));
	read_ids(hw, carrier->dir, f->infos[IDS - FUNCTION], sizeof(f->infos[0]));
	if (carrier->port != PCI_NO_PORT)
		snprintf(f->infos[PORT - FUNCTION], sizeof(f->infos[0]), "%.60s",
			 last_component(p->carriers.v[carrier->port].dir));
}

/* Carrier i. */
static int add_function(struct hw *hw, struct pcie *p, size_t i)
{
	const char *dir = p->carriers.v[i].dir;
	char identity[NODE_IDENTITY_MAX];
	struct function *f = &p->functions[i];

	open_function(hw, p, i);
	f->dt_max_mtps = pci_carrier_speed_limit(hw, &p->carriers, i);
	pci_identity(dir, f->infos[IDS - FUNCTION], identity, sizeof(identity));

	int r = sysfs_nodes_add(hw, &p->nodes, dir, last_component(dir), identity);

	/* The nodes tell how many functions there are to close. */
	if (r < 0)
		function_done(f);
	return r;
}

/* The collector's outcome when there is no function. r: how many there are in all, or -errno. */
static void report_none(struct hw *hw, struct probe *probe, int r)
{
	static const struct need pci = {"CONFIG_PCI", NULL, OUTCOME_NO_HARDWARE, ""};

	if (r == -EACCES || r == -EPERM)
		probe_collector(probe, OUTCOME_DENIED,
				"Android: allow the domain to read the bus pci in sysfs",
				"/sys/bus/pci/devices may not be listed");
	else if (r < 0 && r != -ENOENT)
		reason_error(hw, probe, "", r, "/sys/bus/pci/devices");
	else if (r < 0)
		reason_option(hw, probe, "", &pci,
			      "no PCI: there is no /sys/bus/pci/devices, and no disk on PCI");
	else if (r == 0)
		probe_collector(probe, OUTCOME_NO_HARDWARE,
				"does the driver of the host bridge find its link (dmesg)?",
				"no PCI function: /sys/bus/pci/devices is empty");
	else
		probe_collector(probe, OUTCOME_NO_HARDWARE, "",
				"none of %d PCI functions carries storage", r);
}

static void statep(struct pcie **p)
{
	if (*p)
		pcie_close(*p);
}

static const struct group groups[] = {
	[GROUP_FUNCTION] =
		{
			.name = "pcie",
			.help = "Power, errors and ASPM of PCI functions that carry storage and of "
				"the ports above them.",
			.cost = COST_F,
			.period_ms = 10000,
			.fields = fields,
			.n_fields = ARRAY_SIZE(fields),
			.node = "PCI function by its address, kept apart by its place",
			.absence = "the kernel does not have the file",
		},
	[GROUP_LINK] =
		{
			.name = "pcie_link",
			.help = "Links of these functions; nothing of one that sleeps is read.",
			.cost = COST_H,
			.period_ms = 10000,
			.fields = link_fields,
			.n_fields = ARRAY_SIZE(link_fields),
			.derived = link_derived,
			.n_derived = ARRAY_SIZE(link_derived),
			.node = "PCI function by its address, kept apart by its place",
			.since = "4.13",
			.absence = NO_LINK,
		},
};

static int pcie_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct pcie *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->nodes.group = &groups[GROUP_FUNCTION];
	node_file_open(hw, &p->policy, "sys/module/pcie_aspm/parameters/policy");

	int r = pci_carriers_find(hw, &p->carriers), n = p->carriers.n_on_bus;

	if (r < 0)
		return r;
	if (!p->carriers.n) {
		report_none(hw, probe, n);
		return n < 0 ? n : -ENOENT;
	}
	p->functions = calloc(p->carriers.n, sizeof(*p->functions));
	if (!p->functions)
		return -ENOMEM;
	for (size_t i = 0; i < p->carriers.n && r >= 0; i++)
		r = add_function(hw, p, i);
	if (r < 0)
		return r;
	for (size_t i = 0; i < p->nodes.n; i++)
		report(hw, probe, p, i);
	*ret_state = p;
	p = NULL;
	return 0;
}

const struct collector collector_pcie = {
	.name = "pcie",
	.help = "PCI functions that carry storage.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = pcie_probe,
	.sample = pcie_sample,
	.close = pcie_close,
};
