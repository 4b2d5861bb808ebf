/* Pressure stall information: /proc/pressure/{cpu,io,memory,irq}
 * Kernel: Documentation/accounting/psi.rst, kernel/sched/psi.c
 *
 * A line "some" (at least one task waited) and a line "full" (all of them did) each. "full" of cpu
 * exists since 5.13 and is always 0 there; irq (since 6.1) has "full" alone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hw.h"
#include "base/parse.h"
#include "model/collector.h"
#include "model/probe.h"
#include "model/reason.h"

enum {
	SOME_AVG10,
	SOME_AVG60,
	SOME_AVG300,
	SOME_TOTAL,
	FULL_AVG10,
	FULL_AVG60,
	FULL_AVG300,
	FULL_TOTAL,
	N_FIELDS
};

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[SOME_AVG10]  = {"some_avg10", UNIT_PERCENT_X100, KIND_GAUGE,
			 "Share of 10 s in which some task waited, by the kernel's running mean."},
	[SOME_AVG60]  = {"some_avg60", UNIT_PERCENT_X100, KIND_GAUGE,
			 "Share of 60 s in which some task waited, by the kernel's running mean."},
	[SOME_AVG300] = {"some_avg300", UNIT_PERCENT_X100, KIND_GAUGE,
			 "Share of 300 s in which some task waited, by the kernel's running mean."},
	[SOME_TOTAL]  = {"some_total", UNIT_MICROSECONDS, KIND_COUNTER,
			 "Time in which some task waited."},
	[FULL_AVG10]  = {"full_avg10", UNIT_PERCENT_X100, KIND_GAUGE,
			 "Share of 10 s in which all tasks waited, by the kernel's running mean."},
	[FULL_AVG60]  = {"full_avg60", UNIT_PERCENT_X100, KIND_GAUGE,
			 "Share of 60 s in which all tasks waited, by the kernel's running mean."},
	[FULL_AVG300] = {"full_avg300", UNIT_PERCENT_X100, KIND_GAUGE,
			 "Share of 300 s in which all tasks waited, by the kernel's running mean."},
	[FULL_TOTAL]  = {"full_total", UNIT_MICROSECONDS, KIND_COUNTER,
			 "Time in which all tasks waited."},
};

/* Microseconds of stall in milliseconds of time. */
static const struct derived derived[] = {
	{"some_share", UNIT_RATIO, DERIVE_SHARE, "some_total", NULL, 1, 1000,
	 "Share of the time in which some task waited."},
	{"full_share", UNIT_RATIO, DERIVE_SHARE, "full_total", NULL, 1, 1000,
	 "Share of the time in which all tasks waited."},
};
/* clang-format on */

static const char *const resources[] = {"cpu", "io", "memory", "irq"};

#define N_RESOURCES ARRAY_SIZE(resources)

struct pressure {
	struct hw_file files[N_RESOURCES]; /* without a path where there is no node */
};

static void pressure_close(void *state)
{
	struct pressure *p = state;

	for (size_t i = 0; i < N_RESOURCES; i++)
		hw_file_close(&p->files[i]);
	free(p);
}

/* The value behind "key=" in a token; false when it is another key. */
static bool take_key(struct slice token, const char *key, struct slice *ret_value)
{
	struct slice name;

	if (!slice_until(&token, '=', &name) || !slice_is(name, key))
		return false;
	*ret_value = token;
	return true;
}

static void set_value(struct row *row, size_t field, struct slice text, unsigned decimals)
{
	const int64_t max_percent = 10000;
	int64_t value = 0;
	int r = parse_fixed_slice(text, decimals, &value);

	row_result(row, field, r == 0 && value < 0 ? -EINVAL : r, value);
	if (r == 0 && decimals && value > max_percent)
		row_flag(row, field, FLAG_IMPLAUSIBLE);
}

/* Keys that are missing stand as absent, keys that nobody knows are passed over. */
static void fill_line(struct row *row, struct slice line)
{
	static const struct {
		const char *key;
		unsigned decimals;
	} keys[] = {{"avg10", 2}, {"avg60", 2}, {"avg300", 2}, {"total", 0}};
	struct slice word, token, value;
	size_t first;

	if (!slice_token(&line, &word))
		return;
	if (slice_is(word, "some"))
		first = SOME_AVG10;
	else if (slice_is(word, "full"))
		first = FULL_AVG10;
	else
		return;
	while (slice_token(&line, &token))
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			if (take_key(token, keys[i].key, &value))
				set_value(row, first + i, value, keys[i].decimals);
}

static void sample_one(struct hw *hw, struct hw_file *file, const char *name, struct sink *sink)
{
	char buf[512];
	int r = hw_file_read_line(hw, file, buf, sizeof(buf));
	struct row *row = sink_row(sink, name, "");
	struct slice rest = {buf, r > 0 ? (size_t)r : 0}, line;

	while (slice_line(&rest, &line))
		fill_line(row, line);
	if (row_has_value(row, N_FIELDS))
		return;
	row_fault(row, SOME_TOTAL, r < 0 ? r : EBADMSG);
}

static int pressure_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct pressure *p = state;

	(void)group;
	for (size_t i = 0; i < N_RESOURCES; i++)
		if (p->files[i].path)
			sample_one(hw, &p->files[i], resources[i], sink);
	return 0;
}

/* Whether open succeeds proves nothing: kernels before 5.18 or so have the files and refuse to
 * read them. */
static int open_one(struct hw *hw, struct hw_file *file, const char *name)
{
	char buf[512];
	int r = hw_file_open(hw, file, "proc/pressure/%s", name);

	if (r < 0)
		return r;
	r = hw_file_read_line(hw, file, buf, sizeof(buf));
	if (r == -EOPNOTSUPP || r == -EACCES || r == -EPERM)
		hw_file_close(file);
	return r;
}

static void report_missing(struct hw *hw, struct probe *probe)
{
	bool is_set = option_of(hw, "CONFIG_PSI", NULL) == OPTION_SET;
	const struct need need = {"CONFIG_PSI", NULL, is_set ? OUTCOME_DISABLED : OUTCOME_NO_NODE,
				  "psi=1 on the kernel command line"};

	reason_option(hw, probe, "", &need, "no /proc/pressure (since 4.20, not with psi=0)");
}

static void report_disabled(struct probe *probe)
{
	probe_collector(probe, OUTCOME_DISABLED, "add psi=1 to the kernel command line",
			"/proc/pressure refuses to be read (EOPNOTSUPP): "
			"CONFIG_PSI_DEFAULT_DISABLED without psi=1");
}

static void report_denied(struct probe *probe)
{
	probe_collector(probe, OUTCOME_DENIED,
			"let the user read /proc/pressure (Android: allow the domain to read "
			"proc_pressure_cpu, proc_pressure_io and proc_pressure_mem)",
			"/proc/pressure may not be read");
}

static void report_node(struct hw *hw, struct probe *probe, const char *name, int r)
{
	static const struct need irq = {"CONFIG_IRQ_TIME_ACCOUNTING", NULL, OUTCOME_NO_NODE, ""};

	if (r >= 0)
		probe_node(probe, name, OUTCOME_OK, "", "/proc/pressure/%s", name);
	else if (r == -ENOENT && !strcmp(name, "irq"))
		reason_option(hw, probe, name, &irq, "no /proc/pressure/irq (since 6.1)");
	else if (r == -EOPNOTSUPP)
		probe_node(
			probe, name, OUTCOME_UNSUPPORTED,
			strcmp(name, "irq") != 0
				? "add psi=1 to the kernel command line"
				: "no tsc=noirqtime on the kernel command line (x86), and a "
				  "clock that is stable: the kernel counts no time of interrupts",
			"/proc/pressure/%s: %s", name, strerror(-r));
	else
		reason_error(hw, probe, name, r, "/proc/pressure/%s", name);
}

/* The collector's own outcome when no resource can be read; the first one's error stands for all.
 */
static void report_none(struct hw *hw, struct probe *probe, int r)
{
	if (r == -ENOENT)
		report_missing(hw, probe);
	else if (r == -EOPNOTSUPP)
		report_disabled(probe);
	else if (r == -EACCES || r == -EPERM)
		report_denied(probe);
	else
		reason_error(hw, probe, "", r, "/proc/pressure");
}

static int pressure_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	struct pressure *p = calloc(1, sizeof(*p));
	int r[N_RESOURCES];
	size_t n_open = 0;

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < N_RESOURCES; i++) {
		r[i] = open_one(hw, &p->files[i], resources[i]);
		n_open += p->files[i].path != NULL;
	}
	if (!n_open) {
		report_none(hw, probe, r[0]);
		pressure_close(p);
		return r[0];
	}
	for (size_t i = 0; i < N_RESOURCES; i++)
		report_node(hw, probe, resources[i], r[i]);
	*ret_state = p;
	return 0;
}

static const struct group groups[] = {
	{
		.name = "pressure",
		.help = "Time that tasks waited for CPU, I/O and memory.",
		.cost = COST_F,
		.period_ms = 1000,
		.fields = fields,
		.n_fields = ARRAY_SIZE(fields),
		.derived = derived,
		.n_derived = ARRAY_SIZE(derived),
		.node = "resource: cpu, io, memory, irq",
		.since = "4.20",
		.absence = "the kernel was built without CONFIG_PSI, was started without psi=1, or "
			   "does not count full for it",
	},
};

const struct collector collector_pressure = {
	.name = "pressure",
	.help = "Pressure stall information (PSI).",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = pressure_probe,
	.sample = pressure_sample,
	.close = pressure_close,
};
