/* Throttling by Qualcomm's hardware, which no node of cpufreq shows: lines "dcvsh-irq-<cpu>" of
 * /proc/interrupts, and /sys/kernel/lmh_stats_<cpu> of kernels that have it
 * Kernel: fs/proc/interrupts.c, kernel/irq/proc.c, drivers/cpufreq/qcom-cpufreq-hw.c
 *
 * The limits management hardware (LMh) lowers a cluster's clock and raises an interrupt, which
 * stays off while it lasts: each one is an episode, however long. scaling_max_freq and
 * time_in_state look as if nothing were. Only such lines are kept; /proc/interrupts takes a lock
 * for each line, so it is of class L, and not read where it has none of them. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/macros.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/collector.h"
#include "model/node_file.h"
#include "model/probe.h"
#include "model/reason.h"

/* A machine of Qualcomm has 100 KiB at most, one with hundreds of CPUs has some MiB, and no LMh. */
#define FILE_BYTES     (64 * 1024)
#define FILE_BYTES_MAX (1024 * 1024)
#define LINES_MAX      32
#define LMH_MAX        32
#define TABLE_BYTES    8192 /* a file of sysfs may be as large as a page */

/* What the counter shows before the first limit. */
#define NO_LIMIT UINT32_MAX

static const char line_prefix[] = "dcvsh-irq-";
static const char lmh_prefix[] = "lmh_stats_";

enum { GROUP_INTERRUPTS, GROUP_LMH };
enum { EPISODES };
enum { FREQ_LIMIT, RESIDENCY, LIMITS, LMH_FIELDS };

/* clang-format off */
static const struct field fields[] = {
	[EPISODES] = {"interrupts", UNIT_COUNT, KIND_COUNTER,
		      "Times that the hardware began to hold the clock down; how long each took is not known. A CPU that goes offline takes its part away."},
};

static const struct field lmh_fields[LMH_FIELDS] = {
	[FREQ_LIMIT] = {"dcvsh_freq_limit", UNIT_KILOHERTZ, KIND_GAUGE,
			"Clock that the hardware allows.",
			.absence = "it has not limited the clock since boot"},
	[RESIDENCY]  = {"residency", UNIT_CENTISECONDS, KIND_COUNTER,
			"Time at any limit, of dcvsh_freq_limit_residency."},
	[LIMITS]     = {"limits", UNIT_COUNT, KIND_COUNTER,
			"Times that a limit was set, of dcvsh_freq_limit_residency."},
};
/* clang-format on */

static const struct group groups[] = {
	[GROUP_INTERRUPTS] =
		{
			.name = "interrupts",
			.help = "Interrupts that tell of throttling by the hardware.",
			.cost = COST_L,
			.period_ms = 10000,
			.fields = fields,
			.n_fields = ARRAY_SIZE(fields),
			.node = "interrupt, by its name: dcvsh-irq- and the first CPU of the "
				"cluster",
			.absence = "the line is gone",
		},
	[GROUP_LMH] =
		{
			.name = "lmh",
			.help = "Limits of the clock by Qualcomm's limits management hardware.",
			.cost = COST_F,
			.period_ms = 1000,
			.fields = lmh_fields,
			.n_fields = LMH_FIELDS,
			.node = "first CPU of a cluster: cpu0",
			.absence = "the kernel does not show it",
		},
};

struct cluster {
	char name[NODE_NAME_MAX];
	struct node_file limit, residency;
};

struct interrupts {
	struct hw_file file; /* without a path where no line is of LMh */
	char *buf;
	size_t buf_size;
	char names[LINES_MAX][NODE_NAME_MAX];
	size_t n_names;
	struct cluster clusters[LMH_MAX];
	size_t n_clusters;
};

static void interrupts_close(void *state)
{
	struct interrupts *s = state;

	hw_file_close(&s->file);
	for (size_t i = 0; i < s->n_clusters; i++) {
		node_file_close(&s->clusters[i].limit);
		node_file_close(&s->clusters[i].residency);
	}
	free(s->buf);
	free(s);
}

/* How many CPUs the head has: "CPU0 CPU1 CPU3". */
static size_t count_cpus(struct slice head)
{
	struct slice token;
	size_t n = 0;

	while (slice_token(&head, &token))
		n++;
	return n;
}

/* The name of LMh's interrupt among those that share the line, which commas set off. */
static bool find_name(struct slice rest, char ret_name[NODE_NAME_MAX])
{
	const size_t len = sizeof(line_prefix) - 1;
	struct slice token;

	while (slice_token(&rest, &token)) {
		if (token.len && token.p[token.len - 1] == ',')
			token.len--;
		if (token.len > len && !memcmp(token.p, line_prefix, len) &&
		    slice_copy(token, ret_name, NODE_NAME_MAX) == 0)
			return true;
	}
	return false;
}

/* "206: 0 17 0 0 GICv3 37 Level dcvsh-irq-4": the sum over the CPUs of the head, and the name.
 * Returns -ENOENT for other lines, -EBADMSG when a number is none. */
static int parse_line(struct slice line, size_t n_cpus, char ret_name[NODE_NAME_MAX],
		      int64_t *ret_sum)
{
	struct slice number, token;
	int64_t sum = 0, value;

	if (!slice_until(&line, ':', &number) || !find_name(line, ret_name))
		return -ENOENT;
	for (size_t i = 0; i < n_cpus; i++)
		if (!slice_token(&line, &token) || parse_i64_slice(token, &value) < 0 ||
		    value < 0 || __builtin_add_overflow(sum, value, &sum))
			return -EBADMSG;
	*ret_sum = sum;
	return 0;
}

/* The number of the name, n_names for others. */
static size_t number_of(const struct interrupts *s, const char *name)
{
	size_t i = 0;

	while (i < s->n_names && strcmp(s->names[i], name) != 0)
		i++;
	return i;
}

static void sample_lines(struct interrupts *s, struct sink *sink, size_t len)
{
	struct slice rest = {s->buf, len}, line;
	char name[NODE_NAME_MAX];
	size_t n_cpus = slice_line(&rest, &line) ? count_cpus(line) : 0;
	bool is_done[LINES_MAX] = {false};

	while (slice_line(&rest, &line)) {
		int64_t sum = 0;
		int r = parse_line(line, n_cpus, name, &sum);

		size_t i = r == -ENOENT ? s->n_names : number_of(s, name);

		/* Of two lines of one name the first counts. */
		if (i == s->n_names || is_done[i])
			continue;
		is_done[i] = true;
		row_result(sink_row(sink, name, ""), EPISODES, r, sum);
	}
}

static int sample_interrupts(struct interrupts *s, struct hw *hw, struct sink *sink)
{
	int r;

	if (!s->n_names)
		return 0;
	r = hw_file_read_grow(hw, &s->file, &s->buf, &s->buf_size, FILE_BYTES_MAX);
	if (r >= 0) {
		sample_lines(s, sink, (size_t)r);
		return 0;
	}
	for (size_t i = 0; i < s->n_names; i++)
		row_fault(sink_row(sink, s->names[i], ""), EPISODES, r);
	return 0;
}

static void put_limit(struct hw *hw, struct cluster *cluster, struct row *row)
{
	int64_t limit = 0;
	int r = node_file_read_i64(hw, &cluster->limit, &limit);

	if (r == 0 && limit == NO_LIMIT)
		return;
	row_result(row, FREQ_LIMIT, r, limit);
	if (r == 0 && limit < 0)
		row_flag(row, FREQ_LIMIT, FLAG_IMPLAUSIBLE);
}

/* "1785600 250 3": clock in kHz, time in 10 ms, and how often. Other lines are its head. */
static bool parse_limit(struct slice line, int64_t *ret_time, int64_t *ret_count)
{
	struct slice token;
	int64_t v[3];

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		if (!slice_token(&line, &token) || parse_i64_slice(token, &v[i]) < 0 || v[i] < 0)
			return false;
	*ret_time = v[1];
	*ret_count = v[2];
	return !slice_token(&line, &token);
}

/* Empty until there was a first limit, which is no time and no limit. */
static void put_residency(struct hw *hw, struct cluster *cluster, struct row *row)
{
	char buf[TABLE_BYTES];
	int64_t time = 0, count = 0, line_time, line_count;
	struct slice rest, line;
	int r = node_file_read(hw, &cluster->residency, buf, sizeof(buf));

	if (r < 0 && r != -ENODATA) {
		row_result(row, RESIDENCY, r, 0);
		return;
	}
	rest = (struct slice){buf, r > 0 ? (size_t)r : 0};
	while (slice_line(&rest, &line))
		if (parse_limit(line, &line_time, &line_count) &&
		    (__builtin_add_overflow(time, line_time, &time) ||
		     __builtin_add_overflow(count, line_count, &count))) {
			row_fault(row, RESIDENCY, ERANGE);
			return;
		}
	row_set(row, RESIDENCY, time);
	row_set(row, LIMITS, count);
}

static int interrupts_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct interrupts *s = state;

	if (group == GROUP_INTERRUPTS)
		return sample_interrupts(s, hw, sink);
	for (size_t i = 0; i < s->n_clusters; i++) {
		struct row *row = sink_row(sink, s->clusters[i].name, "");

		put_limit(hw, &s->clusters[i], row);
		put_residency(hw, &s->clusters[i], row);
	}
	return 0;
}

static void take_name(struct interrupts *s, struct probe *probe, struct slice line)
{
	char name[NODE_NAME_MAX];
	int64_t sum;

	if (s->n_names >= LINES_MAX || parse_line(line, 0, name, &sum) == -ENOENT ||
	    number_of(s, name) < s->n_names)
		return;
	probe_node(probe, name, OUTCOME_OK, "", "/proc/interrupts");
	memcpy(s->names[s->n_names++], name, sizeof(name));
}

/* Returns what the read of /proc/interrupts did. */
static int find_lines(struct hw *hw, struct interrupts *s, struct probe *probe)
{
	struct slice rest, line;
	int r = hw_file_open(hw, &s->file, "proc/interrupts");

	if (r == 0)
		r = hw_file_read_grow(hw, &s->file, &s->buf, &s->buf_size, FILE_BYTES_MAX);
	rest = (struct slice){s->buf, r > 0 ? (size_t)r : 0};
	while (slice_line(&rest, &line))
		take_name(s, probe, line);
	if (!s->n_names)
		hw_file_close(&s->file);
	return r;
}

static void add_cluster(struct hw *hw, struct interrupts *s, struct probe *probe, const char *name)
{
	const char *cpu = name + sizeof(lmh_prefix) - 1;
	struct cluster *cluster;
	struct text text;

	if (!isdigit((unsigned char)*cpu) || s->n_clusters >= LMH_MAX)
		return;
	cluster = &s->clusters[s->n_clusters];
	text = TEXT_IN(cluster->name);
	text_printf(&text, "cpu%s", cpu);
	node_file_open(hw, &cluster->limit, "sys/kernel/%s/dcvsh_freq_limit", name);
	node_file_open(hw, &cluster->residency, "sys/kernel/%s/dcvsh_freq_limit_residency", name);
	if (node_file_exists(&cluster->limit) || node_file_exists(&cluster->residency))
		s->n_clusters++;
	if (node_file_is_denied(&cluster->limit) || node_file_is_denied(&cluster->residency))
		probe_node(probe, cluster->name, OUTCOME_DENIED,
			   "Android: label /sys/kernel/lmh_stats_* and allow the domain to read it",
			   "/sys/kernel/%s may not be read", name);
	else if (!node_file_exists(&cluster->limit) && !node_file_exists(&cluster->residency))
		probe_node(probe, cluster->name, OUTCOME_NO_NODE,
			   "report it, with what ls shows there and with uname -r",
			   "/sys/kernel/%s has none of the files that are known", name);
	else
		probe_node(probe, cluster->name, OUTCOME_OK, "", "/sys/kernel/%s", name);
}

/* What the read of /proc/interrupts says when there is not one throttle line. */
static void report_none(struct hw *hw, struct probe *probe, int r)
{
	if (r == -EACCES || r == -EPERM)
		probe_collector(probe, OUTCOME_DENIED,
				"Android: allow the domain to read proc_interrupts",
				"/proc/interrupts may not be read");
	else if (r == -E2BIG)
		probe_collector(probe, OUTCOME_UNSUPPORTED, "",
				"/proc/interrupts has more than 1 MiB: a machine of that size has "
				"no throttle interrupts");
	else if (r == -ENOENT)
		reason_no_proc(hw, probe, "", "/proc/interrupts");
	else if (r < 0)
		reason_error(hw, probe, "", r, "/proc/interrupts");
	else
		probe_collector(
			probe, OUTCOME_NO_HARDWARE,
			"on a Qualcomm SoC: CONFIG_ARM_QCOM_CPUFREQ_HW, and the interrupts "
			"dcvsh-irq-N in the device tree's cpufreq node; lmh_stats_N is of "
			"kernels of the vendor",
			"no interrupt dcvsh-irq-* in /proc/interrupts, and no "
			"/sys/kernel/lmh_stats_*: no SoC of Qualcomm, or its driver does not "
			"ask for them");
}

static void statep(struct interrupts **s)
{
	if (*s)
		interrupts_close(*s);
}

static int interrupts_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct interrupts *s = calloc(1, sizeof(*s));
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r;

	if (!s)
		return -ENOMEM;
	s->buf = malloc(FILE_BYTES);
	if (!s->buf)
		return -ENOMEM;
	s->buf_size = FILE_BYTES;
	r = find_lines(hw, s, probe);
	if (hw_list(hw, &names, lmh_prefix, "sys/kernel") >= 0)
		for (size_t i = 0; i < names.n; i++)
			add_cluster(hw, s, probe, names.v[i]);
	if (!s->n_names && !s->n_clusters) {
		report_none(hw, probe, r);
		return r < 0 ? r : -ENOENT;
	}
	*ret_state = s;
	s = NULL;
	return 0;
}

const struct collector collector_interrupts = {
	.name = "interrupts",
	.help = "Throttling by Qualcomm's hardware.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = interrupts_probe,
	.sample = interrupts_sample,
	.close = interrupts_close,
};
