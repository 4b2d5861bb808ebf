/* CPU clocks and their limits: /sys/devices/system/cpu/cpufreq/policyN
 * Kernel: Documentation/admin-guide/pm/cpufreq.rst, drivers/cpufreq/cpufreq.c
 *
 * One policy for each clock domain. Kernels before 4.3 have no such directory, only one below each
 * CPU. scaling_cur_freq is what was asked for on most machines, not a measurement, and may lie
 * above scaling_max_freq: that is boost. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/collector.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/sysfs_nodes.h"

#define CPU_DIR  "sys/devices/system/cpu"
#define CPUS_MAX 8192

enum { GROUP_POLICY, GROUP_HARDWARE };

/* clang-format off */
static const struct field fields[] = {
	{"scaling_cur_freq", UNIT_KILOHERTZ, KIND_GAUGE,
	 "Clock that was asked for last, on some machines a mean; above the maximum in boost.",
	 .attr = "scaling_cur_freq"},
	{"scaling_min_freq", UNIT_KILOHERTZ, KIND_GAUGE, "Lower limit now in force.",
	 .attr = "scaling_min_freq"},
	{"scaling_max_freq", UNIT_KILOHERTZ, KIND_GAUGE,
	 "Upper limit now in force: of users, of thermal throttling, of the vendor.",
	 .attr = "scaling_max_freq"},
	{"cpuinfo_min_freq", UNIT_KILOHERTZ, KIND_GAUGE, "Lowest clock of the hardware.",
	 .attr = "cpuinfo_min_freq"},
	{"cpuinfo_max_freq", UNIT_KILOHERTZ, KIND_GAUGE,
	 "Highest clock of the hardware, boost left out on some machines.", .attr = "cpuinfo_max_freq"},
	{"cpuinfo_avg_freq", UNIT_KILOHERTZ, KIND_GAUGE,
	 "Mean clock by the CPU's own counters; EAGAIN while idle.",
	 .attr = "cpuinfo_avg_freq", .since = "6.16"},
	{"total_trans", UNIT_COUNT, KIND_COUNTER, "Changes of the clock (CONFIG_CPU_FREQ_STAT).",
	 .attr = "stats/total_trans", .bits = 32},
	{"governor", UNIT_NONE, KIND_INFO, "What chooses the clock.", .attr = "scaling_governor"},
	{"driver", UNIT_NONE, KIND_INFO, "What sets the clock.", .attr = "scaling_driver"},
	{"affected_cpus", UNIT_NONE, KIND_INFO, "CPUs of the domain that are online.",
	 .attr = "affected_cpus"},
	{"related_cpus", UNIT_NONE, KIND_INFO, "All CPUs of the domain.", .attr = "related_cpus"},
};

static const struct derived derived[] = {
	{"limit_share", UNIT_RATIO, DERIVE_QUOTIENT, "scaling_max_freq", "cpuinfo_max_freq", 1, 1,
	 "Upper limit now in force as a share of the highest clock; below 1 is throttled."},
};

/* Asks the hardware, root only, and another thing on each driver: the true clock of the domain on
 * Qualcomm, the last request elsewhere. So it stands apart and is read rarely. */
static const struct field hardware_fields[] = {
	{"cpuinfo_cur_freq", UNIT_KILOHERTZ, KIND_GAUGE, "Clock as the driver asks the hardware.",
	 .attr = "cpuinfo_cur_freq"},
};
/* clang-format on */

struct cpufreq {
	struct sysfs_nodes policies, hardware;
};

static void cpufreq_close(void *state)
{
	struct cpufreq *c = state;

	sysfs_nodes_done(&c->policies);
	sysfs_nodes_done(&c->hardware);
	free(c);
}

static int cpufreq_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct cpufreq *c = state;

	return sysfs_nodes_sample(hw, group == GROUP_HARDWARE ? &c->hardware : &c->policies, sink);
}

/* An empty directory stays behind where all CPUs of a policy were taken away. */
static bool has_any(struct hw *hw, const char *dir)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (hw_exists(hw, "%s/%s", dir, fields[i].attr))
			return true;
	return false;
}

static void report(struct hw *hw, struct probe *probe, const char *name, const char *dir)
{
	char cpus[128] = "";
	int r = hw_read_line(hw, cpus, sizeof(cpus), "%s/affected_cpus", dir);
	int hardware = hw_readable(hw, "%s/cpuinfo_cur_freq", dir);
	const char *label = r > 0 ? "CPUs " : "CPUs unknown";

	if (r < 0)
		cpus[0] = '\0';
	if (r == -EBUSY)
		probe_node(probe, name, OUTCOME_DISABLED, "bring one of its CPUs online",
			   "all CPUs of the policy are offline (EBUSY)");
	else if (!hw_exists(hw, "%s/scaling_cur_freq", dir))
		probe_node(probe, name, OUTCOME_OK, "", "%s%s: no scaling_cur_freq", label, cpus);
	else if (hardware == -EACCES || hardware == -EPERM)
		probe_node(probe, name, OUTCOME_OK,
			   "run as root, or with read access to cpuinfo_cur_freq, for the clock "
			   "that the hardware reports",
			   "%s%s: cpuinfo_cur_freq may not be read", label, cpus);
	else
		probe_node(probe, name, OUTCOME_OK, "", "%s%s", label, cpus);
}

/* Marks the CPUs of a list of the kernel: "0-3,8", by older kernels "0 1 2 3". */
static void mark_list(char *list, bool *marks)
{
	struct slice rest = slice_of(list), last, first;
	int64_t from, to;

	for (char *p = list; (p = strchr(p, ','));)
		*p = ' ';
	while (slice_token(&rest, &last)) {
		if (!slice_until(&last, '-', &first))
			first = last;
		if (parse_i64_slice(first, &from) < 0 || parse_i64_slice(last, &to) < 0 || from < 0)
			continue;
		for (int64_t cpu = from; cpu <= to && cpu < CPUS_MAX; cpu++)
			marks[cpu] = true;
	}
}

static void mark_file(struct hw *hw, const char *dir, const char *file, bool *marks)
{
	char list[4096];

	if (hw_read_line(hw, list, sizeof(list), "%s/%s", dir, file) >= 0)
		mark_list(list, marks);
}

static int add_policy(struct hw *hw, struct cpufreq *c, struct probe *probe, const char *name,
		      const char *dir)
{
	int r = sysfs_nodes_add(hw, &c->policies, dir, name, "");

	if (r < 0)
		return r;
	report(hw, probe, name, dir);
	if (hw_readable(hw, "%s/cpuinfo_cur_freq", dir) < 0)
		return 0;
	return sysfs_nodes_add(hw, &c->hardware, dir, name, "");
}

static int add_policies(struct hw *hw, struct cpufreq *c, struct probe *probe, bool *covered)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	char dir[HW_PATH_MAX];
	int r = hw_list(hw, &names, "policy", CPU_DIR "/cpufreq");

	for (size_t i = 0; i < names.n && r >= 0; i++) {
		struct text path = TEXT_IN(dir);

		text_printf(&path, CPU_DIR "/cpufreq/%s", names.v[i]);
		if (!has_any(hw, dir))
			continue;
		mark_file(hw, dir, "related_cpus", covered);
		r = add_policy(hw, c, probe, names.v[i], dir);
	}
	return r;
}

/* Whether the CPU's directory is only another name of one that is known. */
static bool is_known(struct hw *hw, struct hw_names *cpus, size_t index, const char *dir)
{
	char own[HW_PATH_MAX], other[HW_PATH_MAX];

	if (hw_real_path(hw, own, sizeof(own), "%s", dir) < 0)
		return false;
	if (!strncmp(own, CPU_DIR "/cpufreq/", sizeof(CPU_DIR "/cpufreq/") - 1))
		return true;
	for (size_t i = 0; i < index; i++)
		if (hw_real_path(hw, other, sizeof(other), CPU_DIR "/%s/cpufreq", cpus->v[i]) ==
			    0 &&
		    !strcmp(own, other))
			return true;
	return false;
}

/* Of a CPU that no policy covers: its own directory, or why there is none. */
static int add_cpu(struct hw *hw, struct cpufreq *c, struct probe *probe, struct hw_names *cpus,
		   size_t index, bool is_offline)
{
	const char *name = cpus->v[index];
	char dir[HW_PATH_MAX], advice[PROBE_TEXT_MAX];
	struct text path = TEXT_IN(dir), command = TEXT_IN(advice);

	text_printf(&path, CPU_DIR "/%s/cpufreq", name);
	if (has_any(hw, dir))
		return is_known(hw, cpus, index, dir) ? 0 : add_policy(hw, c, probe, name, dir);
	text_printf(&command, "echo 1 > /" CPU_DIR "/%s/online", name);
	if (is_offline)
		probe_node(probe, name, OUTCOME_DISABLED, advice, "the CPU is offline");
	return 0;
}

static int add_cpus(struct hw *hw, struct cpufreq *c, struct probe *probe, const bool *covered)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	CLEANUP(freep) bool *offline = calloc(CPUS_MAX, sizeof(*offline));
	int r = offline ? hw_list(hw, &names, "cpu", CPU_DIR) : -ENOMEM;
	int64_t cpu;

	if (r >= 0)
		mark_file(hw, CPU_DIR, "offline", offline);
	for (size_t i = 0; i < names.n && r >= 0; i++) {
		if (!isdigit((unsigned char)names.v[i][3]) || parse_i64(names.v[i] + 3, &cpu) < 0 ||
		    cpu >= CPUS_MAX || covered[cpu])
			continue;
		r = add_cpu(hw, c, probe, &names, i, offline[cpu]);
	}
	return r;
}

static void report_none(struct hw *hw, struct probe *probe, int r)
{
	static const struct need need = {
		"CONFIG_CPU_FREQ", NULL, OUTCOME_NO_HARDWARE,
		"load the driver of the clocks (virtual machines have none)"};

	if (r == -EACCES || r == -EPERM)
		probe_collector(probe, OUTCOME_DENIED,
				"Android: allow the domain to read sysfs_devices_system_cpu",
				"/sys/devices/system/cpu may not be listed");
	else if (hw_exists(hw, CPU_DIR))
		reason_option(hw, probe, "", &need, "no driver has registered a cpufreq policy");
	else
		probe_collector(probe, OUTCOME_NO_NODE, advice_no_folder(hw, "mount sysfs on /sys"),
				"there is no /sys/devices/system/cpu");
}

static void statep(struct cpufreq **c)
{
	if (*c)
		cpufreq_close(*c);
}

static const struct group groups[] = {
	[GROUP_POLICY] =
		{
			.name = "cpufreq",
			.help = "Clocks of the CPUs and their limits.",
			.cost = COST_F,
			.period_ms = 1000,
			.fields = fields,
			.n_fields = ARRAY_SIZE(fields),
			.derived = derived,
			.n_derived = ARRAY_SIZE(derived),
			.node = "clock domain of CPUs, policyN by its first CPU",
			.absence = "the kernel was built without CONFIG_CPU_FREQ, the driver lacks "
				   "the field, or all CPUs are offline",
		},
	[GROUP_HARDWARE] =
		{
			.name = "cpufreq_hardware",
			.help = "Clocks of the CPUs as the hardware reports them.",
			.cost = COST_H,
			.period_ms = 10000,
			.fields = hardware_fields,
			.n_fields = ARRAY_SIZE(hardware_fields),
			.node = "clock domain of CPUs, policyN by its first CPU",
			.absence = "the driver cannot ask the hardware, or we are not root",
		},
};

static int cpufreq_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct cpufreq *c = calloc(1, sizeof(*c));
	CLEANUP(freep) bool *covered = calloc(CPUS_MAX, sizeof(*covered));

	if (!c || !covered)
		return -ENOMEM;
	c->policies.group = &groups[GROUP_POLICY];
	c->hardware.group = &groups[GROUP_HARDWARE];

	int r = add_policies(hw, c, probe, covered);

	if (r != -ENOMEM)
		r = add_cpus(hw, c, probe, covered);
	if (r == -ENOMEM)
		return r;
	if (!c->policies.n) {
		report_none(hw, probe, r);
		return r < 0 ? r : -ENOENT;
	}
	*ret_state = c;
	c = NULL;
	return 0;
}

const struct collector collector_cpufreq = {
	.name = "cpufreq",
	.help = "CPU clocks.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = cpufreq_probe,
	.sample = cpufreq_sample,
	.close = cpufreq_close,
};
