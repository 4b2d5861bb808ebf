/* UFS hosts, their link and their logical units: what the driver knows without asking the device
 * Kernel: Documentation/ABI/testing/sysfs-driver-ufs, drivers/ufs/core/ufs-sysfs.c,
 *         drivers/scsi/scsi_sysfs.c, Documentation/ABI/testing/sysfs-devices-power
 *
 * Descriptors, attributes, flags and health below the same directory are queries: each read wakes
 * the device and may block for seconds. None of these files is ever opened here. auto_hibern8 is a
 * register of the controller, and is left alone while the controller or the link sleeps, or may:
 * on kernels before 6.8, where nothing tells. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/collector.h"
#include "model/node_file.h"
#include "model/node_word.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/scsi_device.h"
#include "model/sysfs_nodes.h"
#include "model/ufs_host.h"

enum { GROUP_LINK, GROUP_LU, GROUP_HOST };

/* UNKNOWN is the kernel's own word for "not negotiated". What is stored is the place in the table:
 * new words are added at the end, and the places of gears are their numbers, so that a dashboard
 * shows 4 for HS_GEAR4 and 14 for PWM_GEAR4. Gears of high speed beyond 6 are none yet. */
static const char *const gears[] = {
	"UNKNOWN",   "HS_GEAR1",  "HS_GEAR2",  "HS_GEAR3",  "HS_GEAR4",  "HS_GEAR5",  "HS_GEAR6",
	"HS_GEAR7",  "HS_GEAR8",  "HS_GEAR9",  STATE_OTHER, "PWM_GEAR1", "PWM_GEAR2", "PWM_GEAR3",
	"PWM_GEAR4", "PWM_GEAR5", "PWM_GEAR6", "PWM_GEAR7", NULL,
};
static const char *const modes[] = {
	"UNKNOWN", STATE_OTHER, "FAST_MODE", "SLOW_MODE", "FASTAUTO_MODE", "SLOWAUTO_MODE", NULL,
};
static const char *const rates[] = {"UNKNOWN", STATE_OTHER, "HS_RATE_A", "HS_RATE_B", NULL};
static const char *const device_modes[] = {
	"UNKNOWN", STATE_OTHER, "ACTIVE", "SLEEP", "POWERDOWN", "DEEPSLEEP", NULL,
};
static const char *const link_states[] = {
	"UNKNOWN", STATE_OTHER, "OFF", "ACTIVE", "HIBERN8", "BROKEN", NULL,
};
static const char *const runtime_states[] = {
	"unsupported", STATE_OTHER, "active", "suspending", "suspended", "resuming", "error", NULL,
};
static const char *const host_states[] = {
	"created",  STATE_OTHER,       "running",          "cancel", "deleted",
	"recovery", "cancel/recovery", "deleted/recovery", NULL,
};

enum {
	GEAR,
	MODE,
	RATE,
	LANES,
	LINK_STATE,
	DEV_PM,
	RUNTIME_STATUS,
	RUNTIME_ACTIVE_TIME,
	RUNTIME_SUSPENDED_TIME,
	HOST_STATE,
	WB_ON,
	CUR_FREQ,
	CRITICAL_HEALTH,
	DEVICE_LVL_EXCEPTIONS,
	GEAR_WORD,
};

#define NO_POWER_INFO "the kernel has no power_info (before 6.8)"
#define NO_WLUN       "the device W-LUN is not there (yet), or the kernel was built without CONFIG_PM"

/* clang-format off */
static const struct field link_fields[] = {
	[GEAR] = {"gear", UNIT_NONE, KIND_STATE,
		  "Gear of the link by its number, 4 is HS_GEAR4 and 14 PWM_GEAR4; clock scaling "
		  "lowers it while idle.",
		  .attr = "power_info/gear", .states = gears, .since = "6.8", .absence = NO_POWER_INFO},
	[MODE] = {"mode", UNIT_NONE, KIND_STATE, "Power mode of the link.",
		  .attr = "power_info/mode", .states = modes, .since = "6.8", .absence = NO_POWER_INFO},
	[RATE] = {"rate", UNIT_NONE, KIND_STATE,
		  "Rate series of high speed gears; UNKNOWN in a PWM gear.",
		  .attr = "power_info/rate", .states = rates, .since = "6.8", .absence = NO_POWER_INFO},
	[LANES] = {"lanes", UNIT_COUNT, KIND_GAUGE, "Lanes of the link to the host.",
		   .attr = "power_info/lane", .since = "6.8", .absence = NO_POWER_INFO},
	[LINK_STATE] = {"link_state", UNIT_NONE, KIND_STATE,
			"State of the link as the driver set it; auto-hibernate is not seen. BROKEN is a fault.",
			.attr = "power_info/link_state", .states = link_states, .since = "6.8",
			.absence = NO_POWER_INFO},
	[DEV_PM] = {"dev_pm", UNIT_NONE, KIND_STATE, "Power mode of the device.",
		    .attr = "power_info/dev_pm", .states = device_modes, .since = "6.8",
		    .absence = NO_POWER_INFO},
	[RUNTIME_STATUS] = {"runtime_status", UNIT_NONE, KIND_STATE,
			    "Whether the device (its W-LUN) is suspended.", .states = runtime_states,
			    .absence = NO_WLUN},
	[RUNTIME_ACTIVE_TIME] = {"runtime_active_time", UNIT_MILLISECONDS, KIND_COUNTER,
				 "Time that the device was awake since the boot.", .absence = NO_WLUN},
	[RUNTIME_SUSPENDED_TIME] = {"runtime_suspended_time", UNIT_MILLISECONDS, KIND_COUNTER,
				    "Time that the device was suspended since the boot.",
				    .absence = NO_WLUN},
	[HOST_STATE] = {"host_state", UNIT_NONE, KIND_STATE,
			"State of the SCSI host; recovery while its errors are handled.",
			.states = host_states, .absence = "there is no SCSI host (yet)"},
	[WB_ON] = {"wb_on", UNIT_COUNT, KIND_GAUGE, "Whether WriteBooster is on, 1, or off, 0.", .attr = "wb_on",
		   .since = "5.12"},
	[CUR_FREQ] = {"cur_freq", UNIT_HERTZ, KIND_GAUGE, "Clock of the controller as scaled last.",
		      .absence = "the driver does not scale the clock"},
	[CRITICAL_HEALTH] = {"critical_health", UNIT_COUNT, KIND_COUNTER,
			     "Alarms of the device that its life ends; only UFS 4.1 and later raise them.",
			     .attr = "critical_health", .since = "6.15"},
	[DEVICE_LVL_EXCEPTIONS] = {"device_lvl_exceptions", UNIT_COUNT, KIND_COUNTER,
				   "Exceptions that the device raised by itself.",
				   .attr = "device_lvl_exception_count", .since = "6.16",
				   .absence = "the device is older than UFS 4.1"},
	[GEAR_WORD] = {"gear_word", UNIT_NONE, KIND_INFO,
		       "The gear in the kernel's word, also where state gear is OTHER.",
		       .attr = "power_info/gear", .since = "6.8", .absence = NO_POWER_INFO},
};

static const struct derived link_derived[] = {
	{"suspended_share", UNIT_RATIO, DERIVE_SHARE, "runtime_suspended_time", NULL, 1, 1,
	 "Share of the time that the device was suspended."},
};

enum { IOREQUEST, IODONE, IOERR, IOTMO, QUEUE_DEPTH, UNIT_STATE, VENDOR, MODEL, REV };

static const struct field lu_fields[] = {
	[IOREQUEST]   = SCSI_FIELD_IOREQUEST("unit"),
	[IODONE]      = SCSI_FIELD_IODONE,
	[IOERR]       = SCSI_FIELD_IOERR,
	[IOTMO]       = SCSI_FIELD_IOTMO("SCSI commands that timed out."),
	[QUEUE_DEPTH] = SCSI_FIELD_QUEUE_DEPTH("unit"),
	[UNIT_STATE]  = SCSI_FIELD_STATE("unit"),
	[VENDOR]      = {"vendor", UNIT_NONE, KIND_INFO, "Vendor of the device."},
	[MODEL]       = {"model", UNIT_NONE, KIND_INFO, "Model of the device."},
	[REV]         = {"rev", UNIT_NONE, KIND_INFO, "Revision of the firmware."},
};

enum {
	AUTO_HIBERN8,
	RPM_LVL,
	SPM_LVL,
	CLKGATE_ENABLE,
	CLKGATE_DELAY,
	CLKSCALE_ENABLE,
	CAN_QUEUE,
	CMD_PER_LUN,
	HW_QUEUES,
	ENABLE_WB_BUF_FLUSH,
	WB_FLUSH_THRESHOLD,
	RTC_UPDATE,
	CLOCK_SCALING,
	WRITE_BOOSTER,
	HCI_VERSION,
};

#define NO_HOST "there is no SCSI host (yet)"

static const struct field host_fields[] = {
	[AUTO_HIBERN8] = {"auto_hibern8", UNIT_MICROSECONDS, KIND_GAUGE,
			  "Idle time after which the controller itself puts the link to sleep; 0 is never.",
			  .since = "4.17",
			  .absence = "the controller cannot (EOPNOTSUPP), it slept and was not woken, or "
				     "it may sleep: no power_info/link_state (before 6.8) or no W-LUN"},
	[RPM_LVL] = {"rpm_lvl", UNIT_COUNT, KIND_GAUGE, "Level of sleep at run time, 0 to 6."},
	[SPM_LVL] = {"spm_lvl", UNIT_COUNT, KIND_GAUGE, "Level of sleep in system suspend, 0 to 6."},
	[CLKGATE_ENABLE] = {"clkgate_enable", UNIT_COUNT, KIND_GAUGE,
			    "Whether clocks are gated while idle.", .attr = "clkgate_enable",
			    .absence = "the driver does not gate clocks"},
	[CLKGATE_DELAY] = {"clkgate_delay", UNIT_MILLISECONDS, KIND_GAUGE,
			   "Idle time after which clocks are gated.", .attr = "clkgate_delay_ms",
			   .absence = "the driver does not gate clocks"},
	[CLKSCALE_ENABLE] = {"clkscale_enable", UNIT_COUNT, KIND_GAUGE,
			     "Whether clock and gear follow the load.", .attr = "clkscale_enable",
			     .absence = "the driver does not scale the clock"},
	[CAN_QUEUE] = {"can_queue", UNIT_COUNT, KIND_GAUGE, "Commands that the host takes at once.",
		       .absence = NO_HOST},
	[CMD_PER_LUN] = {"cmd_per_lun", UNIT_COUNT, KIND_GAUGE,
			 "Commands for each unit, as set before queues were negotiated.",
			 .absence = NO_HOST},
	[HW_QUEUES] = {"nr_hw_queues", UNIT_COUNT, KIND_GAUGE,
		       "Hardware queues; 1 on a controller with several means that their setup failed.",
		       .absence = NO_HOST},
	[ENABLE_WB_BUF_FLUSH] = {"enable_wb_buf_flush", UNIT_COUNT, KIND_GAUGE,
				 "Whether the WriteBooster buffer is flushed.",
				 .attr = "enable_wb_buf_flush", .since = "6.1"},
	[WB_FLUSH_THRESHOLD] = {"wb_flush_threshold", UNIT_COUNT, KIND_GAUGE,
				"Free WriteBooster buffer below which it is flushed, in tenths.",
				.attr = "wb_flush_threshold", .since = "6.6"},
	[RTC_UPDATE] = {"rtc_update", UNIT_MILLISECONDS, KIND_GAUGE,
			"How often the device is told the time, 0 is never; each wakes it.",
			.attr = "rtc_update_ms", .since = "6.8"},
	[CLOCK_SCALING] = {"clock_scaling", UNIT_COUNT, KIND_GAUGE, "Whether the clock can be scaled.",
			   .attr = "capabilities/clock_scaling", .since = "6.1"},
	[WRITE_BOOSTER] = {"write_booster", UNIT_COUNT, KIND_GAUGE,
			   "Whether host and device can use WriteBooster.",
			   .attr = "capabilities/write_booster", .since = "6.1"},
	[HCI_VERSION] = {"hci_version", UNIT_NONE, KIND_INFO,
			 "Version of the controller's interface; 0x410 is UFSHCI 4.1.",
			 .attr = "ufshci_capabilities/version", .since = "6.12"},
};

static const struct group groups[] = {
	[GROUP_LINK] =
		{
			.name = "ufs",
			.help = "Link and power of UFS hosts.",
			.cost = COST_F,
			.period_ms = 1000,
			.fields = link_fields,
			.n_fields = ARRAY_SIZE(link_fields),
			.derived = link_derived,
			.n_derived = ARRAY_SIZE(link_derived),
			.node = "UFS host, by the name of its controller's device",
			.absence = "the kernel is older, or the driver does not have it",
		},
	[GROUP_LU] =
		{
			.name = "ufs_lu",
			.help = "SCSI commands and errors of UFS logical units.",
			.cost = COST_F,
			.period_ms = 1000,
			.fields = lu_fields,
			.n_fields = ARRAY_SIZE(lu_fields),
			.node = "logical unit by the name of its disk, else by host and what it is",
			.absence = "the kernel does not have it",
		},
	[GROUP_HOST] =
		{
			.name = "ufs_host",
			.help = "Settings of UFS hosts.",
			.cost = COST_H,
			.period_ms = 60000,
			.fields = host_fields,
			.n_fields = ARRAY_SIZE(host_fields),
			.node = "UFS host, by the name of its controller's device",
			.absence = "the kernel is older, or the driver does not have it",
		},
};
/* clang-format on */

/* Files of a host beside those that sysfs_nodes reads. */
enum own_file {
	OWN_AUTO_HIBERN8,
	OWN_RPM_LVL,
	OWN_SPM_LVL,
	/* By these auto_hibern8 is let alone. */
	OWN_CONTROLLER_STATUS,
	OWN_UNIT_STATUS,
	OWN_LINK_STATE,
	N_OWN,
};

struct host {
	struct node_file own[N_OWN];
};

/* What does not change while a unit is there, read at the probe. */
static const size_t constants[] = {VENDOR, MODEL, REV};

struct unit_words {
	struct node_word constants[ARRAY_SIZE(constants)];
};

struct ufs {
	struct sysfs_nodes links, units, settings;
	struct unit_words *words; /* one for each of units */
	struct host *hosts;       /* one for each of links and of settings */
	size_t n_hosts;
};

static void ufs_close(void *state)
{
	struct ufs *u = state;

	for (size_t i = 0; i < u->n_hosts; i++)
		for (size_t k = 0; k < N_OWN; k++)
			node_file_close(&u->hosts[i].own[k]);
	free(u->hosts);
	free(u->words);
	sysfs_nodes_done(&u->links);
	sysfs_nodes_done(&u->units);
	sysfs_nodes_done(&u->settings);
	free(u);
}

static void statep(struct ufs **u)
{
	if (*u)
		ufs_close(*u);
}

/* What the driver refuses is not there, and a text of blanks is one that the device was not given:
 * neither is a fault. No quantity here can be negative. */
static void judge(struct row *row, const struct group *group)
{
	for (size_t i = 0; i < group->n_fields; i++) {
		struct value *value = &row->values[i];

		if (value->type == VALUE_FAULT &&
		    (value->i == EOPNOTSUPP ||
		     (value->i == ENODATA && group->fields[i].kind == KIND_INFO)))
			*value = (struct value){0};
		else if (value->type == VALUE_INT && value->i < 0)
			row_flag(row, i, FLAG_IMPLAUSIBLE);
	}
}

/* Whether a file has one of two words. One that is not there says nothing. */
static bool says(struct hw *hw, struct host *host, enum own_file which, const char *word,
		 const char *other)
{
	char line[32];

	if (node_file_read_line(hw, &host->own[which], line, sizeof(line)) < 0)
		return false;
	return !strcmp(line, word) || !strcmp(line, other);
}

/* Reading auto_hibern8 resumes the controller and, where clocks are gated, takes the link out of
 * hibernation. All that tells so is free; what is missing does not tell that they are awake: the
 * link sleeps by itself after 150 ms, on kernels without link_state too. */
static bool is_awake(struct hw *hw, struct host *host)
{
	return says(hw, host, OWN_CONTROLLER_STATUS, "active", "unsupported") &&
	       says(hw, host, OWN_UNIT_STATUS, "active", "unsupported") &&
	       says(hw, host, OWN_LINK_STATE, "ACTIVE", "ACTIVE");
}

/* "3", in kernels before 5.8 a text: "Current Runtime PM level [3] => ..." and all levels. */
static int read_level(struct hw *hw, struct node_file *file, int64_t *ret)
{
	char text[2048];
	int r = node_file_read(hw, file, text, sizeof(text));
	struct slice rest, level;

	if (r < 0)
		return r;
	rest = slice_of(text);
	if (!slice_until(&rest, '[', &level))
		return parse_i64(text, ret);
	return slice_until(&rest, ']', &level) ? parse_i64_slice(level, ret) : -EINVAL;
}

static void sample_settings(struct hw *hw, struct host *host, struct row *row)
{
	int64_t value = 0;

	for (size_t i = OWN_RPM_LVL; i <= OWN_SPM_LVL; i++) {
		int r = read_level(hw, &host->own[i], &value);

		row_result(row, i == OWN_RPM_LVL ? RPM_LVL : SPM_LVL, r, value);
	}

	int r = host->own[OWN_AUTO_HIBERN8].error;

	if (!r) {
		if (!is_awake(hw, host))
			return;
		r = node_file_read_i64(hw, &host->own[OWN_AUTO_HIBERN8], &value);
	}
	row_result(row, AUTO_HIBERN8, r, value);
}

static void add_constants(const struct unit_words *unit, struct sink *sink, struct row *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		node_word_put(&unit->constants[i], sink, row, constants[i]);
}

static int ufs_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct ufs *u = state;
	struct sysfs_nodes *nodes = group == GROUP_LINK ? &u->links
				    : group == GROUP_LU ? &u->units
							: &u->settings;
	int r = sysfs_nodes_sample(hw, nodes, sink);

	for (size_t i = 0; i < sink->n_rows; i++) {
		if (group == GROUP_HOST && i < u->n_hosts)
			sample_settings(hw, &u->hosts[i], sink->rows[i]);
		if (group == GROUP_LU && i < u->units.n)
			add_constants(&u->words[i], sink, sink->rows[i]);
		judge(sink->rows[i], &groups[group]);
	}
	return r;
}

static void open_own(struct hw *hw, struct host *host, enum own_file which, const char *dir,
		     const char *name)
{
	node_file_close(&host->own[which]);
	node_file_open(hw, &host->own[which], "%s/%s", dir, name);
}

static void add_attr(struct hw *hw, struct sysfs_nodes *nodes, size_t field, const char *dir,
		     const char *name)
{
	char buf[HW_PATH_MAX];
	struct text path = TEXT_IN(buf);

	text_printf(&path, "%s/%s", dir, name);
	if (!path.truncated)
		sysfs_nodes_add_attr(hw, nodes, field, buf);
}

/* What is found below a host on the way to its units. */
struct found {
	size_t n_units, n_disks;
	bool has_device_unit;
};

/* The device's own unit tells whether it sleeps. */
static void add_device_unit(struct hw *hw, struct ufs *u, const char *dir)
{
	add_attr(hw, &u->links, RUNTIME_STATUS, dir, "power/runtime_status");
	add_attr(hw, &u->links, RUNTIME_ACTIVE_TIME, dir, "power/runtime_active_time");
	add_attr(hw, &u->links, RUNTIME_SUSPENDED_TIME, dir, "power/runtime_suspended_time");
	open_own(hw, &u->hosts[u->n_hosts - 1], OWN_UNIT_STATUS, dir, "power/runtime_status");
}

static int add_unit(struct hw *hw, struct ufs *u, struct probe *probe, const struct ufs_unit *unit)
{
	struct unit_words *grown = realloc(u->words, (u->units.n + 1) * sizeof(*u->words));

	if (!grown)
		return -ENOMEM;
	u->words = grown;

	struct unit_words *added = &grown[u->units.n];

	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		node_word_read(hw, &added->constants[i], "%s/%s", unit->dir,
			       lu_fields[constants[i]].name);

	int r = sysfs_nodes_add(hw, &u->units, unit->dir, unit->name, unit->identity);

	if (r >= 0)
		sysfs_node_report_denied(probe, &u->units, u->units.n - 1);
	return r;
}

static int add_units(struct hw *hw, struct ufs *u, struct probe *probe, const struct ufs_host *host,
		     struct found *found)
{
	CLEANUP(freep) struct ufs_units *units = NULL;
	int r = ufs_units_find(hw, host, &units);

	for (size_t i = 0; r >= 0 && i < units->n; i++) {
		const struct ufs_unit *unit = &units->v[i];

		found->n_units++;
		found->n_disks += unit->has_disk;
		if (unit->lun == UFS_LUN_DEVICE && !found->has_device_unit) {
			found->has_device_unit = true;
			add_device_unit(hw, u, unit->dir);
		}
		r = add_unit(hw, u, probe, unit);
	}
	return r;
}

/* Files of the SCSI host and of the clock, which lie deeper. */
static void add_deep_attrs(struct hw *hw, struct ufs *u, const struct ufs_host *host)
{
	CLEANUP(hw_names_done) struct hw_names clocks = {0};
	char buf[HW_PATH_MAX];
	struct text dir = TEXT_IN(buf);

	if (host->number >= 0) {
		text_printf(&dir, "%s/host%d/scsi_host/host%d", host->dir, host->number,
			    host->number);
		add_attr(hw, &u->links, HOST_STATE, buf, "state");
		add_attr(hw, &u->settings, CAN_QUEUE, buf, "can_queue");
		add_attr(hw, &u->settings, CMD_PER_LUN, buf, "cmd_per_lun");
		add_attr(hw, &u->settings, HW_QUEUES, buf, "nr_hw_queues");
	}
	if (hw_list(hw, &clocks, "", "%s/devfreq", host->dir) < 0 || clocks.n != 1)
		return;
	text_reset(&dir);
	text_printf(&dir, "%s/devfreq/%s", host->dir, clocks.v[0]);
	add_attr(hw, &u->links, CUR_FREQ, buf, "cur_freq");
}

static void report_power_info(struct hw *hw, struct probe *probe, const struct ufs_host *host)
{
	char part[NODE_NAME_MAX];
	int r = hw_readable(hw, "%s/power_info/gear", host->dir);

	probe_part(part, host->name, "power_info");
	if (r == -ENOENT)
		probe_node(probe, part, OUTCOME_NO_NODE, "a kernel from 6.8 on",
			   "no power_info: gear, mode, rate, lanes and state of the link are shown "
			   "by kernels from 6.8 on");
	else if (r < 0)
		reason_error(hw, probe, part, r, "/%s/power_info/gear", host->dir);
}

/* Until the scan has found the device's own unit, even the driver may not send queries. */
static void report_device_unit(struct probe *probe, const struct ufs_host *host)
{
	static const char advice[] = "wait until the disks are there; if they never come, look in "
				     "the kernel log for errors of ufshcd";
	char part[NODE_NAME_MAX];

	probe_part(part, host->name, "runtime_status");
	if (host->number < 0)
		probe_node(probe, part, OUTCOME_NO_NODE, advice,
			   "no SCSI host below /%s: its scan has not begun, or the driver failed",
			   host->dir);
	else
		probe_node(
			probe, part, OUTCOME_NO_NODE, advice,
			"no device W-LUN (LUN %d) below host%d: its scan has not ended, or failed",
			UFS_LUN_DEVICE, host->number);
}

/* What this kernel or driver lacks beside that. */
static void report_missing(struct hw *hw, struct probe *probe, const struct ufs *u,
			   const struct ufs_host *host)
{
	char part[NODE_NAME_MAX], missing[PROBE_TEXT_MAX] = "", kernel[64] = "";
	struct text text = TEXT_IN(missing);
	/* A whole power_info that is missing has been told of. */
	const char *but = hw_exists(hw, "%s/power_info", host->dir) ? NULL : "power_info/";
	size_t n = sysfs_node_missing(&u->links, u->links.n - 1, but, &text);

	n += sysfs_node_missing(&u->settings, u->settings.n - 1, NULL, &text);
	if (!n)
		return;
	hw_read_line(hw, kernel, sizeof(kernel), "proc/sys/kernel/osrelease");
	probe_part(part, host->name, "nodes");
	probe_node(probe, part, OUTCOME_NO_NODE,
		   "a kernel of that version; what the driver cannot do has no node in any",
		   "not in this kernel%s%s: %s", *kernel ? ", " : "", kernel, missing);
}

/* Those of its files that the nodes do not know. */
static void report_denied(struct probe *probe, const struct ufs_host *host, const struct host *own)
{
	static const char *const names[] = {
		[OWN_AUTO_HIBERN8] = "auto_hibern8",
		[OWN_RPM_LVL] = "rpm_lvl",
		[OWN_SPM_LVL] = "spm_lvl",
	};
	char part[NODE_NAME_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!node_file_is_denied(&own->own[i]))
			continue;
		probe_part(part, host->name, names[i]);
		probe_node(probe, part, OUTCOME_DENIED, denied_advice, "/%s/%s may not be read",
			   host->dir, names[i]);
	}
}

static void report_host(struct hw *hw, struct probe *probe, const struct ufs *u,
			const struct ufs_host *host, const struct found *found)
{
	probe_node(probe, host->name, OUTCOME_OK, "",
		   "%zu units, %zu with a disk; descriptors (specification_version), attributes, "
		   "flags and health are commands to the device (class Q), not read here; /%s",
		   found->n_units, found->n_disks, host->dir);
	report_power_info(hw, probe, host);
	report_missing(hw, probe, u, host);
	sysfs_node_report_denied(probe, &u->links, u->links.n - 1);
	sysfs_node_report_denied(probe, &u->settings, u->settings.n - 1);
	report_denied(probe, host, &u->hosts[u->n_hosts - 1]);
	if (!found->has_device_unit)
		report_device_unit(probe, host);
}

static int add_host(struct hw *hw, struct ufs *u, struct probe *probe, const struct ufs_host *host)
{
	struct found found = {0};
	int r = sysfs_nodes_add(hw, &u->links, host->dir, host->name, host->identity);

	if (r >= 0)
		r = sysfs_nodes_add(hw, &u->settings, host->dir, host->name, host->identity);
	if (r < 0)
		return r;

	struct host *own = &u->hosts[u->n_hosts++];

	open_own(hw, own, OWN_AUTO_HIBERN8, host->dir, "auto_hibern8");
	open_own(hw, own, OWN_RPM_LVL, host->dir, "rpm_lvl");
	open_own(hw, own, OWN_SPM_LVL, host->dir, "spm_lvl");
	open_own(hw, own, OWN_CONTROLLER_STATUS, host->dir, "power/runtime_status");
	open_own(hw, own, OWN_LINK_STATE, host->dir, "power_info/link_state");
	own->own[OWN_UNIT_STATUS] = node_file_none;
	add_deep_attrs(hw, u, host);
	r = add_units(hw, u, probe, host, &found);
	if (r >= 0)
		report_host(hw, probe, u, host, &found);
	return r;
}

static int ufs_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct ufs *u = calloc(1, sizeof(*u));
	CLEANUP(freep) struct ufs_hosts *hosts = NULL;

	if (!u)
		return -ENOMEM;
	u->links.group = &groups[GROUP_LINK];
	u->units.group = &groups[GROUP_LU];
	u->settings.group = &groups[GROUP_HOST];

	int r = ufs_hosts_find(hw, &hosts);

	if (r < 0) {
		ufs_report_none(hw, probe, r);
		return r;
	}
	u->hosts = calloc(hosts->n, sizeof(*u->hosts));
	if (!u->hosts)
		return -ENOMEM;
	for (size_t i = 0; i < hosts->n && r >= 0; i++)
		r = add_host(hw, u, probe, &hosts->v[i]);
	if (r < 0)
		return r;
	*ret_state = u;
	u = NULL;
	return 0;
}

const struct collector collector_ufs = {
	.name = "ufs",
	.help = "UFS hosts, their link and their logical units.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = ufs_probe,
	.sample = ufs_sample,
	.close = ufs_close,
};
