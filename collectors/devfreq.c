/* Clocks of memory, buses, GPU, NPU and UFS: /sys/class/devfreq, and Qualcomm's bus_dcvs
 * Kernel: Documentation/ABI/testing/sysfs-class-devfreq, drivers/devfreq/devfreq.c
 *
 * cur_freq asks the driver, which may ask the clock, where target_freq and min_freq wait for a lock
 * that is held while the clock is changed (with UFS, until its queue is empty). So all of it is for
 * a lane. Kernels of Qualcomm's that scale the DDR by themselves have it below the CPUs, in kHz. */
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

#define DEVICES_MAX 64
#define BUS_DIR     "sys/devices/system/cpu/bus_dcvs"

enum { GROUP_DEVFREQ, GROUP_BUS };

/* clang-format off */
static const struct field fields[] = {
	{"cur_freq", UNIT_HERTZ, KIND_GAUGE,
	 "Clock now: of the hardware where the driver asks it, else what was set last.",
	 .attr = "cur_freq"},
	{"target_freq", UNIT_HERTZ, KIND_GAUGE, "Clock that was set last.", .attr = "target_freq"},
	{"min_freq", UNIT_HERTZ, KIND_GAUGE, "Lower limit now in force.", .attr = "min_freq"},
	{"max_freq", UNIT_HERTZ, KIND_GAUGE,
	 "Upper limit now in force: of users, of thermal throttling, of the vendor.",
	 .attr = "max_freq"},
	{"governor", UNIT_NONE, KIND_INFO, "What chooses the clock.", .attr = "governor"},
	{"available_frequencies", UNIT_NONE, KIND_INFO, "Clocks there are, in Hz.",
	 .attr = "available_frequencies"},
};

static const struct field bus_fields[] = {
	{"cur_freq", UNIT_KILOHERTZ, KIND_GAUGE, "Clock that was asked for last.", .attr = "cur_freq"},
	{"boost_freq", UNIT_KILOHERTZ, KIND_GAUGE, "Lower limit that software asks for.",
	 .attr = "boost_freq"},
	{"hw_min_freq", UNIT_KILOHERTZ, KIND_GAUGE, "Lowest clock of the hardware.",
	 .attr = "hw_min_freq"},
	{"hw_max_freq", UNIT_KILOHERTZ, KIND_GAUGE, "Highest clock of the hardware.",
	 .attr = "hw_max_freq"},
};
/* clang-format on */

static const struct group groups[] = {
	[GROUP_DEVFREQ] =
		{
			.name = "devfreq",
			.help = "Clocks that the kernel scales: memory, buses, GPU, NPU, UFS.",
			.cost = COST_H,
			.period_ms = 1000,
			.fields = fields,
			.n_fields = ARRAY_SIZE(fields),
			.node = "devfreq device, by its name",
			.absence = "the driver or the governor does not show it",
		},
	[GROUP_BUS] =
		{
			.name = "bus_dcvs",
			.help = "Clocks of memory and caches by Qualcomm's bus_dcvs.",
			.cost = COST_H,
			.period_ms = 1000,
			.fields = bus_fields,
			.n_fields = ARRAY_SIZE(bus_fields),
			.node = "bus, by its name: DDR, LLCC, L3",
			.absence = "the kernel does not show it",
		},
};

struct devfreq {
	struct sysfs_nodes devices, buses;
};

static void devfreq_close(void *state)
{
	struct devfreq *d = state;

	sysfs_nodes_done(&d->devices);
	sysfs_nodes_done(&d->buses);
	free(d);
}

static int devfreq_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct devfreq *d = state;
	int r = sysfs_nodes_sample(hw, group == GROUP_BUS ? &d->buses : &d->devices, sink);

	for (size_t i = 0; i < sink->n_rows; i++)
		row_flag_negative(sink->rows[i], sink->group->n_fields);
	return r;
}

static void report(struct hw *hw, struct probe *probe, const char *name, const char *dir)
{
	char governor[64] = "";
	int64_t freq;
	int r = hw_read_i64(hw, &freq, "%s/cur_freq", dir);

	if (hw_read_line(hw, governor, sizeof(governor), "%s/governor", dir) < 0)
		governor[0] = '\0';
	if (r == 0)
		probe_node(probe, name, OUTCOME_OK, "", "/%s%s%s", dir,
			   governor[0] ? ", governor " : "", governor);
	else if (r == -EACCES || r == -EPERM)
		probe_node(probe, name, OUTCOME_DENIED, denied_advice,
			   "/%s/cur_freq may not be read", dir);
	else
		reason_error(hw, probe, name, r, "/%s/cur_freq", dir);
}

/* The identity is the device behind it, since names end in numbers that change. */
static int add(struct hw *hw, struct sysfs_nodes *nodes, struct probe *probe, const char *parent,
	       const char *name)
{
	static const char top[] = "sys/devices/";
	char dir[HW_PATH_MAX], path[HW_PATH_MAX], identity[NODE_IDENTITY_MAX] = "";
	struct text out = TEXT_IN(dir), id = TEXT_IN(identity);

	text_printf(&out, "%s/%s", parent, name);
	if (out.truncated)
		return 0;
	if (hw_real_path(hw, path, sizeof(path), "%s/device", dir) == 0)
		text_printf(&id, "device:%s",
			    strncmp(path, top, sizeof(top) - 1) ? path : path + sizeof(top) - 1);
	report(hw, probe, name, dir);
	return MIN(sysfs_nodes_add(hw, nodes, dir, name, identity), 0);
}

/* Of bus_dcvs the folders only: they have a clock. */
static int add_all(struct hw *hw, struct sysfs_nodes *nodes, struct probe *probe,
		   const char *parent)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = hw_list(hw, &names, "", "%s", parent);
	size_t n_left_out = 0;

	for (size_t i = 0; i < names.n && r >= 0; i++) {
		if (names.v[i][0] == '.' || !hw_exists(hw, "%s/%s/cur_freq", parent, names.v[i]))
			continue;
		if (nodes->n < DEVICES_MAX)
			r = add(hw, nodes, probe, parent, names.v[i]);
		else
			n_left_out++;
	}
	if (n_left_out)
		probe_node(probe, "more", OUTCOME_UNSUPPORTED, "",
			   "%zu of /%s beyond the first %d are left out", n_left_out, parent,
			   DEVICES_MAX);
	return r;
}

static void report_none(struct hw *hw, struct probe *probe, int r)
{
	static const struct need need = {"CONFIG_PM_DEVFREQ", NULL, OUTCOME_NO_HARDWARE,
					 "enable the driver that scales the memory or the bus"};

	if (r < 0 && r != -ENOENT)
		probe_collector(probe, outcome_of_error(r),
				r == -EACCES || r == -EPERM
					? "Android: allow the domain to read sysfs_devfreq"
					: "",
				"/sys/class/devfreq: %s", strerror(-r));
	else if (!reason_no_sysfs(hw, probe, ""))
		reason_option(hw, probe, "", &need,
			      "no driver scales a clock: /sys/class/devfreq is not there or empty");
}

static void statep(struct devfreq **d)
{
	if (*d)
		devfreq_close(*d);
}

static int devfreq_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct devfreq *d = calloc(1, sizeof(*d));
	int r, of_bus;

	if (!d)
		return -ENOMEM;
	d->devices.group = &groups[GROUP_DEVFREQ];
	d->buses.group = &groups[GROUP_BUS];
	r = add_all(hw, &d->devices, probe, "sys/class/devfreq");
	if (r == -ENOMEM)
		return r;
	of_bus = add_all(hw, &d->buses, probe, BUS_DIR);
	if (of_bus == -ENOMEM)
		return of_bus;
	if (!d->devices.n && !d->buses.n) {
		report_none(hw, probe, r);
		return r < 0 ? r : -ENOENT;
	}
	*ret_state = d;
	d = NULL;
	return 0;
}

const struct collector collector_devfreq = {
	.name = "devfreq",
	.help = "Clocks of memory, buses, GPU, NPU and UFS.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = devfreq_probe,
	.sample = devfreq_sample,
	.close = devfreq_close,
};
