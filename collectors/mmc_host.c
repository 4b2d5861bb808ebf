/* Hosts of MMC and SD cards: /sys/kernel/debug/mmcN/ios and err_stats
 * Kernel: drivers/mmc/core/debugfs.c and core.c (mmc_rescan), drivers/mmc/host/sdhci.c
 *
 * debugfs is for root, and is not there in production builds of Android. Other files of the
 * directory are dangerous or ask the card (clock, ext_csd, status), and are never opened. The
 * counters of errors are filled by sdhci and cqhci alone, other drivers always show 0; the search
 * for cards causes time-outs, so only what comes later counts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/block.h"
#include "model/collector.h"
#include "model/mmc.h"
#include "model/node_file.h"
#include "model/probe.h"
#include "model/reason.h"

#define DEBUG_DIR "sys/kernel/debug"

enum {
	CLOCK,
	ACTUAL_CLOCK,
	BUS_WIDTH,
	POWER_MODE,
	TIMING_SPEC,
	SIGNAL_VOLTAGE,
	BUS_RATE,
	CAPPED,
	DISK,
	ERRORS, /* the first of MMC_N_ERRORS, in the order of enum mmc_error */
	N_FIELDS = ERRORS + MMC_N_ERRORS
};

#define ERROR_BITS 32
#define ASLEEP     "the card is suspended, and is not woken for it"
#define NO_MODE    "no card, or it is suspended or switched off while it is idle"
#define NO_ERRORS  "a kernel before 6.0"

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[CLOCK]          = {"clock", UNIT_HERTZ, KIND_GAUGE,
			    "Clock that was asked for; 0 when it is gated or off.",
			    .absence = ASLEEP},
	[ACTUAL_CLOCK]   = {"actual_clock", UNIT_HERTZ, KIND_GAUGE,
			    "Clock that the host could make of it.",
			    .absence = "the driver does not tell, the clock is off, or the card is "
				       "suspended"},
	[BUS_WIDTH]      = {"bus_width", UNIT_COUNT, KIND_GAUGE, "Data lines in use.",
			    .absence = NO_MODE},
	[POWER_MODE]     = {"power_mode", UNIT_NONE, KIND_STATE, "Supply of the card.",
			    .states = mmc_power_words, .absence = ASLEEP},
	[TIMING_SPEC]    = {"timing_spec", UNIT_NONE, KIND_STATE, "Mode of the bus.",
			    .states = mmc_timing_words, .absence = NO_MODE},
	[SIGNAL_VOLTAGE] = {"signal_voltage", UNIT_NONE, KIND_STATE, "Level of the signals.",
			    .states = mmc_voltage_words, .absence = NO_MODE},
	[BUS_RATE]       = {"bus_rate", UNIT_BYTES_PER_SECOND, KIND_GAUGE,
			    "What the bus can carry: clock, lines and edges.", .absence = NO_MODE},
	[CAPPED]         = {"capped", UNIT_COUNT, KIND_GAUGE,
			    "Whether an UHS card runs at 25 MB/s or below, 1 or 0.",
			    .absence = "no SD card with an UHS speed grade, or its mode is not known"},
	[DISK]           = {"disk", UNIT_NONE, KIND_INFO, "Block device of the card.",
			    .absence = "no card, or no block driver has taken it"},
#define ERROR_FIELD(id, name, help)                                                                \
	[ERRORS + (id)]  = {name, UNIT_COUNT, KIND_COUNTER, help, .bits = ERROR_BITS,             \
			    .since = "6.0", .absence = NO_ERRORS}
	ERROR_FIELD(MMC_ERROR_CMD_TIMEOUT, "cmd_timeouts",
		    "Commands without an answer; back to 0 at each search for cards."),
	ERROR_FIELD(MMC_ERROR_CMD_CRC, "cmd_crc_errors", "Answers with a bad checksum."),
	ERROR_FIELD(MMC_ERROR_DATA_TIMEOUT, "data_timeouts", "Transfers that did not end."),
	ERROR_FIELD(MMC_ERROR_DATA_CRC, "data_crc_errors", "Transfers with a bad checksum."),
	ERROR_FIELD(MMC_ERROR_AUTO_CMD, "auto_cmd_errors",
		    "Errors of commands that the host adds itself."),
	ERROR_FIELD(MMC_ERROR_ADMA, "adma_errors", "Errors of the host's DMA."),
	ERROR_FIELD(MMC_ERROR_TUNING, "tuning_errors", "Failures to find a sampling point."),
	ERROR_FIELD(MMC_ERROR_CMDQ_RED, "cmdq_red_errors",
		    "Command queue: answers with an error bit."),
	ERROR_FIELD(MMC_ERROR_CMDQ_GCE, "cmdq_gce_errors",
		    "Command queue: general crypto errors."),
	ERROR_FIELD(MMC_ERROR_CMDQ_ICCE, "cmdq_icce_errors",
		    "Command queue: invalid crypto configurations."),
	ERROR_FIELD(MMC_ERROR_REQUEST_TIMEOUT, "request_timeouts",
		    "Requests that the host gave up."),
	ERROR_FIELD(MMC_ERROR_CMDQ_REQUEST_TIMEOUT, "cmdq_request_timeouts",
		    "Requests of the command queue that the host gave up."),
	ERROR_FIELD(MMC_ERROR_ICE_CONFIG, "ice_config_errors",
		    "Failures to set up inline encryption."),
	ERROR_FIELD(MMC_ERROR_CONTROLLER_TIMEOUT, "controller_timeouts",
		    "Times that the controller did not do as it was told."),
	ERROR_FIELD(MMC_ERROR_UNEXPECTED_IRQ, "unexpected_irqs",
		    "Interrupts that nobody waited for."),
};
/* clang-format on */

#define HOSTS_MAX      64
#define FILE_BYTES_MAX 2048

struct host {
	char name[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];
	char disk[BLOCK_NAME_MAX];
	int64_t uhs_grade;
	struct node_file ios, err_stats, runtime_status;
};

struct hosts {
	struct host *v;
	size_t n;
};

static void host_done(struct host *host)
{
	node_file_close(&host->ios);
	node_file_close(&host->err_stats);
	node_file_close(&host->runtime_status);
}

static void mmc_host_close(void *state)
{
	struct hosts *hosts = state;

	for (size_t i = 0; i < hosts->n; i++)
		host_done(&hosts->v[i]);
	free(hosts->v);
	free(hosts);
}

/* 0, -EBUSY when it sleeps, or why that cannot be told. Also on its way there: who fetches the card
 * then has to wait, and wakes it again. */
static int check_awake(struct hw *hw, struct host *host)
{
	char status[32];
	int r = node_file_read_line(hw, &host->runtime_status, status, sizeof(status));

	if (r < 0)
		return is_want(r) ? r : 0;
	return !strcmp(status, "suspended") || !strcmp(status, "suspending") ? -EBUSY : 0;
}

/* 0 with the values, -EBUSY when the card sleeps, or -errno, also when nothing says whether it
 * does. The kernel copies variables here; but some vendors' kernels fetch the card first, and with
 * it wake it, and nothing tells them apart without doing it. */
static int read_ios(struct hw *hw, struct host *host, struct mmc_ios *ret)
{
	char buf[FILE_BYTES_MAX];

	if (host->ios.error < 0)
		return host->ios.error;

	int r = check_awake(hw, host);

	if (r == 0)
		r = node_file_read(hw, &host->ios, buf, sizeof(buf));
	if (r < 0)
		return r;
	if (r == 0)
		return -ENODATA;
	mmc_ios((struct slice){buf, (size_t)r}, ret);
	return 0;
}

static void set_number(struct row *row, size_t field, int64_t value)
{
	if (value == MMC_ODD)
		row_fault(row, field, EINVAL);
	else if (value != MMC_MISSING)
		row_set(row, field, value);
}

static bool is_capped(const struct mmc_ios *ios)
{
	return ios->timing <= MMC_TIMING_SDR25;
}

static void set_mode(const struct host *host, const struct mmc_ios *ios, struct row *row)
{
	int64_t rate = mmc_ios_bytes_per_second(ios);

	set_number(row, CLOCK, ios->clock_hz);
	set_number(row, ACTUAL_CLOCK, ios->actual_clock_hz);
	set_number(row, POWER_MODE, ios->power_mode);
	/* The rest is then what the next card begins with. */
	if (ios->power_mode == 0)
		return;
	set_number(row, BUS_WIDTH, ios->bus_width);
	set_number(row, TIMING_SPEC, ios->timing);
	set_number(row, SIGNAL_VOLTAGE, ios->voltage);
	if (rate)
		row_set(row, BUS_RATE, rate);
	if (host->uhs_grade > 0 && ios->timing >= 0 && ios->timing != MMC_TIMING_OTHER)
		row_set(row, CAPPED, is_capped(ios));
}

static void fault_range(struct row *row, size_t from, size_t to, int error)
{
	for (size_t i = from; i <= to; i++)
		row_fault(row, i, error);
}

static int sample_ios(struct hw *hw, struct host *host, struct row *row)
{
	struct mmc_ios ios;
	int r = read_ios(hw, host, &ios);

	if (r == 0)
		set_mode(host, &ios, row);
	else if (r == -EBUSY)
		row->suspended = true;
	else if (r != -ENOENT)
		fault_range(row, CLOCK, SIGNAL_VOLTAGE, r);
	return r;
}

static void sample_errors(struct hw *hw, struct host *host, struct row *row)
{
	char buf[FILE_BYTES_MAX];
	int64_t counts[MMC_N_ERRORS];
	int r = node_file_read(hw, &host->err_stats, buf, sizeof(buf));

	if (r == -ENOENT)
		return;
	if (r <= 0) {
		fault_range(row, ERRORS, N_FIELDS - 1, r ? r : -ENODATA);
		return;
	}
	mmc_err_stats((struct slice){buf, (size_t)r}, counts);
	for (size_t i = 0; i < MMC_N_ERRORS; i++)
		set_number(row, ERRORS + i, counts[i]);
}

static int mmc_host_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct hosts *hosts = state;
	bool gone = false;

	(void)group; /* there is only one */
	for (size_t i = 0; i < hosts->n; i++) {
		struct host *host = &hosts->v[i];
		struct row *row = sink_row(sink, host->name, host->identity);
		int r = sample_ios(hw, host, row);

		/* debugfs answers EIO once the host has gone. */
		gone = gone || r == -EIO || r == -ENODEV;
		sample_errors(hw, host, row);
		if (host->disk[0])
			row_text(sink, row, DISK, host->disk);
	}
	return gone ? -ENODEV : 0;
}

/* The card in the host: its disk, and whether it is one for UHS. The error when there may be a card
 * that cannot be seen, for then nothing would keep it asleep. */
static int find_card(struct hw *hw, struct host *host)
{
	CLEANUP(hw_names_done) struct hw_names cards = {0};
	CLEANUP(hw_names_done) struct hw_names disks = {0};
	char prefix[NODE_NAME_MAX + 1], dir[HW_PATH_MAX], line[256];
	struct text start = TEXT_IN(prefix), path = TEXT_IN(dir);
	struct mmc_ssr ssr;

	host->runtime_status = node_file_none;
	text_printf(&start, "%s:", host->name);

	int r = search_error(hw_list(hw, &cards, prefix, "sys/class/mmc_host/%s", host->name));

	if (r < 0 || !cards.n)
		return r;
	text_printf(&path, "sys/class/mmc_host/%s/%s", host->name, cards.v[0]);
	node_file_open(hw, &host->runtime_status, "%s/power/runtime_status", dir);
	if (hw_list(hw, &disks, "mmcblk", "%s/block", dir) == 0 && disks.n)
		snprintf(host->disk, sizeof(host->disk), "%s", disks.v[0]);
	if (hw_read_line(hw, line, sizeof(line), "%s/ssr", dir) >= 0 && mmc_ssr(line, &ssr) == 0)
		host->uhs_grade = ssr.uhs_grade;
	return 0;
}

static void identify(struct hw *hw, struct host *host)
{
	static const char top[] = "sys/devices/";
	char path[HW_PATH_MAX];
	struct text identity = TEXT_IN(host->identity);

	if (hw_real_path(hw, path, sizeof(path), "sys/class/mmc_host/%s/device", host->name) < 0)
		return;
	text_str(&identity, "path:");
	text_str(&identity, strncmp(path, top, sizeof(top) - 1) ? path : path + sizeof(top) - 1);
	/* What is cut would be that of others too. */
	if (identity.truncated)
		text_reset(&identity);
}

/* Whether the host offers a mode of UHS: bits 16 to 20 of the capabilities. -1: not known. */
static int offers_uhs(struct hw *hw, const char *name)
{
	int64_t caps;

	if (hw_read_i64(hw, &caps, DEBUG_DIR "/%s/caps", name) < 0)
		return -1;
	return (caps >> 16 & 0x1f) != 0;
}

static void say(struct probe *probe, const char *node, enum outcome outcome, const char *advice,
		const char *reason)
{
	if (*node)
		probe_node(probe, node, outcome, advice, "%s", reason);
	else
		probe_collector(probe, outcome, advice, "%s", reason);
}

/* "mmc HS400, 8 lines at 200000000 Hz, 1.80 V" */
static void add_mode(struct text *text, const struct mmc_ios *ios)
{
	text_printf(text, ": %s, %lld lines at %lld Hz", mmc_timing_words[ios->timing],
		    (long long)ios->bus_width,
		    (long long)(ios->actual_clock_hz > 0 ? ios->actual_clock_hz : ios->clock_hz));
	if (ios->voltage >= 0)
		text_printf(text, ", %s", mmc_voltage_words[ios->voltage]);
}

static bool knows_mode(const struct mmc_ios *ios)
{
	return ios->power_mode != 0 && ios->timing >= 0 && ios->timing != MMC_TIMING_OTHER;
}

static void report_mode(struct hw *hw, struct probe *probe, const struct host *host,
			const struct mmc_ios *ios)
{
	char buf[PROBE_TEXT_MAX];
	struct text text = TEXT_IN(buf);
	const char *advice = "";

	text_str(&text, host->disk[0] ? host->disk : "no disk");
	if (knows_mode(ios))
		add_mode(&text, ios);
	else
		text_str(&text, ios->power_mode == 0 ? ": switched off, so the mode is not known"
						     : ": a mode that is not known here");
	if (knows_mode(ios) && host->uhs_grade > 0 && is_capped(ios)) {
		text_printf(&text, ": capped, for the card is UHS (U%lld)",
			    (long long)host->uhs_grade);
		advice =
			offers_uhs(hw, host->name) == 0
				? "the host offers no UHS mode: sd-uhs-sdr104 in the device tree, "
				  "no no-1-8-v, vqmmc-supply that can do 1.8 V"
				: "the switch to 1.8 V or the tuning failed, see the kernel's log: "
				  "vqmmc-supply, pads, a cold start of the card";
	}
	probe_node(probe, host->name, OUTCOME_OK, advice, "%s", buf);
}

/* Of a host of which debugfs shows the mode. */
static void report_no_errors(struct probe *probe, const struct host *host)
{
	char part[NODE_NAME_MAX];
	int error = host->err_stats.error;

	if (!error)
		return;
	probe_part(part, host->name, "err_stats");
	if (error == -ENOENT)
		probe_node(probe, part, OUTCOME_NO_NODE, "a kernel from 6.0 on",
			   "no err_stats in /" DEBUG_DIR "/%s: kernels have it from 6.0 on",
			   host->name);
	else
		probe_node(probe, part, outcome_of_error(error), "run as root",
			   "/" DEBUG_DIR "/%s/err_stats: %s", host->name, strerror(-error));
}

/* What is wrong with debugfs, of one host or of all (""). */
static void explain(struct hw *hw, struct probe *probe, const char *node, int error)
{
	static const struct need mounted = {
		"CONFIG_DEBUG_FS", NULL, OUTCOME_DISABLED,
		"mount -t debugfs none /sys/kernel/debug (Android user builds do not)"};
	static const struct need made = {"CONFIG_DEBUG_FS", NULL, OUTCOME_NO_NODE,
					 "not with debugfs=off or no-mount on the command line"};
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = hw_list(hw, &names, "", DEBUG_DIR);

	if (error == -EACCES || error == -EPERM || r == -EACCES || r == -EPERM)
		say(probe, node, OUTCOME_DENIED,
		    "run as root: debugfs is for root alone; Android: a userdebug build",
		    "ios in /sys/kernel/debug may not be read");
	else if (r == -ENOENT)
		reason_option(hw, probe, node, &made, "there is no /sys/kernel/debug");
	else if (r == 0 && !names.n)
		reason_option(hw, probe, node, &mounted,
			      "debugfs is not mounted on /sys/kernel/debug");
	else if (error == -ENOENT)
		say(probe, node, OUTCOME_NO_NODE,
		    hw_is_live(hw) ? "see what its driver says in the kernel log"
				   : "copy it by hand: tools/capture leaves debugfs out",
		    "debugfs has no file ios of this host");
	else
		reason_error(hw, probe, node, error, "/" DEBUG_DIR "/%s/ios",
			     *node ? node : "mmc*");
}

static int add_host(struct hw *hw, struct hosts *hosts, struct probe *probe, const char *name)
{
	struct host *grown = realloc(hosts->v, (hosts->n + 1) * sizeof(*grown));
	struct mmc_ios ios;

	if (!grown)
		return -ENOMEM;
	hosts->v = grown;

	struct host *host = &hosts->v[hosts->n++];

	*host = (struct host){0};
	snprintf(host->name, sizeof(host->name), "%s", name);
	identify(hw, host);

	int r = find_card(hw, host);

	if (r < 0)
		return r;
	node_file_open(hw, &host->ios, DEBUG_DIR "/%s/ios", name);
	node_file_open(hw, &host->err_stats, DEBUG_DIR "/%s/err_stats", name);
	r = read_ios(hw, host, &ios);
	if (r == 0)
		report_mode(hw, probe, host, &ios);
	else if (r == -EBUSY)
		probe_node(probe, name, OUTCOME_OK, "", "%s: suspended, mode not known",
			   host->disk[0] ? host->disk : "no disk");
	else
		explain(hw, probe, name, r);
	if (r == 0 || r == -EBUSY)
		report_no_errors(probe, host);
	return 0;
}

/* A host of which debugfs knows nothing has nothing to sample. */
static bool is_empty(const struct host *host)
{
	return !node_file_exists(&host->ios) && !node_file_exists(&host->err_stats);
}

/* By the class; where that is not there, by what debugfs has. */
static int list_hosts(struct hw *hw, struct hw_names *ret)
{
	int r = hw_list(hw, ret, "", "sys/class/mmc_host");

	if (r == 0 && ret->n)
		return 0;
	hw_names_done(ret);
	if (search_error(r) < 0)
		return r;

	int by_debugfs = hw_list(hw, ret, "mmc", DEBUG_DIR);

	return by_debugfs == 0 || is_want(by_debugfs) ? by_debugfs : r;
}

static bool any_readable(const struct hosts *hosts)
{
	for (size_t i = 0; i < hosts->n; i++)
		if (hosts->v[i].ios.error == 0 || hosts->v[i].err_stats.error == 0)
			return true;
	return false;
}

static void report_none(struct hw *hw, struct probe *probe, int r, int error, size_t n_hosts)
{
	static const struct need need = {"CONFIG_MMC", "mmc_core", OUTCOME_NO_HARDWARE,
					 "with a host there: its driver (CONFIG_MMC_SDHCI_...)"};

	if (n_hosts)
		explain(hw, probe, "", error);
	else if (r == -EACCES || r == -EPERM)
		probe_collector(probe, OUTCOME_DENIED,
				"Android: allow the domain to read sysfs (mmc_host)",
				"/sys/class/mmc_host may not be listed");
	else
		reason_option(hw, probe, "", &need, "no host in /sys/class/mmc_host");
}

static void statep(struct hosts **hosts)
{
	if (*hosts)
		mmc_host_close(*hosts);
}

static const struct group groups[] = {
	{
		.name = "mmc_host",
		.help = "Bus mode and errors of the hosts of MMC and SD cards.",
		.cost = COST_L,
		.period_ms = 10000,
		.fields = fields,
		.n_fields = ARRAY_SIZE(fields),
		.node = "host by its name (mmcN), kept apart by the path of its controller",
		.absence = "debugfs is not mounted, or we are not root",
	},
};

static int mmc_host_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct hosts *hosts = calloc(1, sizeof(*hosts));
	CLEANUP(hw_names_done) struct hw_names names = {0};

	if (!hosts)
		return -ENOMEM;

	int r_list = list_hosts(hw, &names);

	if (search_error(r_list) < 0)
		return r_list;
	for (size_t i = 0; i < names.n && i < HOSTS_MAX; i++) {
		int r = add_host(hw, hosts, probe, names.v[i]);

		if (r < 0)
			return r;
		if (is_empty(&hosts->v[hosts->n - 1]))
			host_done(&hosts->v[--hosts->n]);
	}
	if (!any_readable(hosts)) {
		/* Any of them: debugfs lets all be read, or none. */
		int error = hosts->n ? hosts->v[0].ios.error : -ENOENT;

		report_none(hw, probe, r_list, error, names.n);
		return -ENOENT;
	}
	*ret_state = hosts;
	hosts = NULL;
	return 0;
}

const struct collector collector_mmc_host = {
	.name = "mmc_host",
	.help = "Hosts of MMC and SD cards.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.privileged = true,
	.probe = mmc_host_probe,
	.sample = mmc_host_sample,
	.close = mmc_host_close,
};
