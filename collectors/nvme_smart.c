/* What an NVMe drive says of its own health: the SMART page of each controller, and the limits of
 * Identify Controller.
 * NVM Express Base Specification 2.0, SMART / Health Information (log page 02h), Identify
 * Controller.
 *
 * Each sample is a command to the drive, so both groups are of class Q. None is sent to a
 * controller that is not live or whose PCI function sleeps. What failed is asked again seldom or
 * never (model/asking.h); that the driver cancels a command that timed out is EINTR. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/text.h"
#include "model/asking.h"
#include "model/collector.h"
#include "model/flaw.h"
#include "model/nvme_command.h"
#include "model/nvme_controller.h"
#include "model/nvme_page.h"
#include "model/probe.h"
#include "model/reason.h"

enum { GROUP_SMART, GROUP_IDENTIFY, N_GROUPS };

#define DRIVES_MAX 64

/* What is used of the page of Identify Controller. */
#define IDENTIFY_USED_BYTES 528

/* Its answer; another process may have left it. */
struct identity {
	uint8_t is_known; /* 1 */
	uint8_t page[IDENTIFY_USED_BYTES];
};

static const struct asking asking = {.key = "nvme_smart",
				     .n_devices = DRIVES_MAX,
				     .n_questions = N_GROUPS,
				     .known_bytes = sizeof(struct identity)};

enum {
	CRITICAL_WARNING,
	TEMPERATURE,
	AVAILABLE_SPARE,
	AVAILABLE_SPARE_THRESHOLD,
	PERCENTAGE_USED,
	DATA_UNITS_READ,
	DATA_UNITS_WRITTEN,
	HOST_READS,
	HOST_WRITES,
	CONTROLLER_BUSY_TIME,
	POWER_CYCLES,
	POWER_ON_TIME,
	UNSAFE_SHUTDOWNS,
	MEDIA_ERRORS,
	ERROR_LOG_ENTRIES,
	WARNING_TEMPERATURE_TIME,
	CRITICAL_TEMPERATURE_TIME,
	TEMPERATURE_1,
	TEMPERATURE_2,
	TEMPERATURE_3,
	TEMPERATURE_4,
	TEMPERATURE_5,
	TEMPERATURE_6,
	TEMPERATURE_7,
	TEMPERATURE_8,
	THERMAL_MANAGEMENT_1_TRANSITIONS,
	THERMAL_MANAGEMENT_2_TRANSITIONS,
	THERMAL_MANAGEMENT_1_TIME,
	THERMAL_MANAGEMENT_2_TIME,
	WARNINGS,
	PROBLEM,
};

#define SENSOR(n)                                                                                  \
	{                                                                                          \
		"temperature_" #n, UNIT_MILLICELSIUS, KIND_GAUGE, "Temperature of sensor " #n ".", \
			.absence = "the drive has no such sensor", .is_whole = true                \
	}

/* clang-format off */
static const struct field smart_fields[] = {
	[CRITICAL_WARNING]          = {"critical_warning", UNIT_NONE, KIND_GAUGE,
				       "Bits of what is wrong now; 0 does not mean that all is well, media_errors count as well."},
	[TEMPERATURE]               = {"temperature", UNIT_MILLICELSIUS, KIND_GAUGE,
				       "Composite temperature, that the drive's limits are for.", .is_whole = true},
	[AVAILABLE_SPARE]           = {"available_spare", UNIT_PERCENT, KIND_GAUGE, "Spare capacity that is left."},
	[AVAILABLE_SPARE_THRESHOLD] = {"available_spare_threshold", UNIT_PERCENT, KIND_GAUGE,
				       "Below this the drive warns of its spare capacity."},
	[PERCENTAGE_USED]           = {"percentage_used", UNIT_PERCENT, KIND_GAUGE,
				       "Part of the life that the vendor estimates; may be above 100, and stops at 255."},
	[DATA_UNITS_READ]           = {"data_units_read", UNIT_DATA_UNITS, KIND_COUNTER,
				       "Read by hosts, in thousands of 512 bytes, rounded up."},
	[DATA_UNITS_WRITTEN]        = {"data_units_written", UNIT_DATA_UNITS, KIND_COUNTER,
				       "Written by hosts, in thousands of 512 bytes, rounded up."},
	[HOST_READS]                = {"host_reads", UNIT_COUNT, KIND_COUNTER, "Read commands of hosts."},
	[HOST_WRITES]               = {"host_writes", UNIT_COUNT, KIND_COUNTER, "Write commands of hosts."},
	[CONTROLLER_BUSY_TIME]      = {"controller_busy_time", UNIT_MINUTES, KIND_COUNTER,
				       "Time with commands of hosts outstanding."},
	[POWER_CYCLES]              = {"power_cycles", UNIT_COUNT, KIND_COUNTER, "Times it was switched on."},
	[POWER_ON_TIME]             = {"power_on_time", UNIT_HOURS, KIND_COUNTER,
				       "Time switched on; may leave out states without operation."},
	[UNSAFE_SHUTDOWNS]          = {"unsafe_shutdowns", UNIT_COUNT, KIND_COUNTER,
				       "Times the power went without a notice of shutdown."},
	[MEDIA_ERRORS]              = {"media_errors", UNIT_COUNT, KIND_COUNTER,
				       "Times data could not be recovered."},
	[ERROR_LOG_ENTRIES]         = {"error_log_entries", UNIT_COUNT, KIND_COUNTER,
				       "Entries of the error log over its life; harmless invalid commands and media_errors are among them."},
	[WARNING_TEMPERATURE_TIME]  = {"warning_temperature_time", UNIT_MINUTES, KIND_COUNTER,
				       "Time above the warning temperature; stays 0 in drives that do not count it."},
	[CRITICAL_TEMPERATURE_TIME] = {"critical_temperature_time", UNIT_MINUTES, KIND_COUNTER,
				       "Time above the critical temperature; stays 0 in drives that do not count it."},
	[TEMPERATURE_1] = SENSOR(1),
	[TEMPERATURE_2] = SENSOR(2),
	[TEMPERATURE_3] = SENSOR(3),
	[TEMPERATURE_4] = SENSOR(4),
	[TEMPERATURE_5] = SENSOR(5),
	[TEMPERATURE_6] = SENSOR(6),
	[TEMPERATURE_7] = SENSOR(7),
	[TEMPERATURE_8] = SENSOR(8),
	[THERMAL_MANAGEMENT_1_TRANSITIONS] = {"thermal_management_1_transitions", UNIT_COUNT, KIND_COUNTER,
				       "Times it throttled lightly, to stay below temperature 1."},
	[THERMAL_MANAGEMENT_2_TRANSITIONS] = {"thermal_management_2_transitions", UNIT_COUNT, KIND_COUNTER,
				       "Times it throttled heavily, to stay below temperature 2."},
	[THERMAL_MANAGEMENT_1_TIME] = {"thermal_management_1_time", UNIT_SECONDS, KIND_COUNTER,
				       "Time throttled lightly."},
	[THERMAL_MANAGEMENT_2_TIME] = {"thermal_management_2_time", UNIT_SECONDS, KIND_COUNTER,
				       "Time throttled heavily."},
	[WARNINGS]                  = {"critical_warnings", UNIT_NONE, KIND_INFO,
				       "The bits of critical_warning by name.",
				       .absence = "no bit is set"},
	[PROBLEM]                   = {"problem", UNIT_NONE, KIND_INFO, "Why the drive gave no page.",
				       .absence = "it gave one", .explains = true},
};

static const struct nvme_number smart_numbers[] = {
	{CRITICAL_WARNING, 0, 1, NVME_PLAIN},
	{TEMPERATURE, 1, 2, NVME_KELVIN},
	{AVAILABLE_SPARE, 3, 1, NVME_PLAIN},
	{AVAILABLE_SPARE_THRESHOLD, 4, 1, NVME_PLAIN},
	{PERCENTAGE_USED, 5, 1, NVME_PLAIN},
	{DATA_UNITS_READ, 32, 16, NVME_PLAIN},
	{DATA_UNITS_WRITTEN, 48, 16, NVME_PLAIN},
	{HOST_READS, 64, 16, NVME_PLAIN},
	{HOST_WRITES, 80, 16, NVME_PLAIN},
	{CONTROLLER_BUSY_TIME, 96, 16, NVME_PLAIN},
	{POWER_CYCLES, 112, 16, NVME_PLAIN},
	{POWER_ON_TIME, 128, 16, NVME_PLAIN},
	{UNSAFE_SHUTDOWNS, 144, 16, NVME_PLAIN},
	{MEDIA_ERRORS, 160, 16, NVME_PLAIN},
	{ERROR_LOG_ENTRIES, 176, 16, NVME_PLAIN},
	{WARNING_TEMPERATURE_TIME, 192, 4, NVME_PLAIN},
	{CRITICAL_TEMPERATURE_TIME, 196, 4, NVME_PLAIN},
	{TEMPERATURE_1, 200, 2, NVME_KELVIN_OR_NONE},
	{TEMPERATURE_2, 202, 2, NVME_KELVIN_OR_NONE},
	{TEMPERATURE_3, 204, 2, NVME_KELVIN_OR_NONE},
	{TEMPERATURE_4, 206, 2, NVME_KELVIN_OR_NONE},
	{TEMPERATURE_5, 208, 2, NVME_KELVIN_OR_NONE},
	{TEMPERATURE_6, 210, 2, NVME_KELVIN_OR_NONE},
	{TEMPERATURE_7, 212, 2, NVME_KELVIN_OR_NONE},
	{TEMPERATURE_8, 214, 2, NVME_KELVIN_OR_NONE},
	{THERMAL_MANAGEMENT_1_TRANSITIONS, 216, 4, NVME_PLAIN},
	{THERMAL_MANAGEMENT_2_TRANSITIONS, 220, 4, NVME_PLAIN},
	{THERMAL_MANAGEMENT_1_TIME, 224, 4, NVME_PLAIN},
	{THERMAL_MANAGEMENT_2_TIME, 228, 4, NVME_PLAIN},
};

static const char *const warnings[] = {
	"spare below threshold", "temperature out of limits", "reliability degraded",
	"read-only",             "volatile memory backup failed", "persistent memory region read-only",
};

/* What the quantities of the page can be; all that is a temperature is checked alike. */
static const struct {
	size_t field;
	int64_t max;
} smart_limits[] = {
	{CRITICAL_WARNING, 0x3f}, /* above are reserved bits */
	{AVAILABLE_SPARE, 100},
	{AVAILABLE_SPARE_THRESHOLD, 100},
	{POWER_ON_TIME, 40 * 8766}, /* longer than there has been NVMe */
};

#define TEMPERATURE_MIN_CELSIUS (-60)
#define TEMPERATURE_MAX_CELSIUS 150

enum {
	VERSION,
	CAPACITY,
	UNALLOCATED_CAPACITY,
	NAMESPACES_MAX,
	WARNING_TEMPERATURE,
	CRITICAL_TEMPERATURE,
	THERMAL_MANAGEMENT_MIN,
	THERMAL_MANAGEMENT_MAX,
	POWER_STATES,
	AUTONOMOUS_POWER_STATES,
	VOLATILE_WRITE_CACHE,
	IDENTIFY_PROBLEM,
};

static const struct field identify_fields[] = {
	[VERSION]                 = {"version", UNIT_NONE, KIND_INFO, "Specification that the controller follows."},
	[CAPACITY]                = {"capacity", UNIT_BYTES, KIND_GAUGE, "Capacity of all namespaces together, and what is in none.",
				     .absence = "the controller does not manage namespaces"},
	[UNALLOCATED_CAPACITY]    = {"unallocated_capacity", UNIT_BYTES, KIND_GAUGE, "Capacity that is in no namespace.",
				     .absence = "the controller does not manage namespaces"},
	[NAMESPACES_MAX]          = {"namespaces_max", UNIT_COUNT, KIND_GAUGE, "Namespaces that the controller can have."},
	[WARNING_TEMPERATURE]     = {"warning_temperature", UNIT_MILLICELSIUS, KIND_GAUGE,
				     "From here on the composite temperature is too high.", .absence = "the drive gives no limit", .is_whole = true},
	[CRITICAL_TEMPERATURE]    = {"critical_temperature", UNIT_MILLICELSIUS, KIND_GAUGE,
				     "From here on the drive may fail or switch off.", .absence = "the drive gives no limit", .is_whole = true},
	[THERMAL_MANAGEMENT_MIN]  = {"thermal_management_min", UNIT_MILLICELSIUS, KIND_GAUGE,
				     "Least temperature that a host may have it throttle at.", .absence = "hosts cannot choose one", .is_whole = true},
	[THERMAL_MANAGEMENT_MAX]  = {"thermal_management_max", UNIT_MILLICELSIUS, KIND_GAUGE,
				     "Greatest temperature that a host may have it throttle at.", .absence = "hosts cannot choose one", .is_whole = true},
	[POWER_STATES]            = {"power_states", UNIT_COUNT, KIND_GAUGE, "Power states of the controller."},
	[AUTONOMOUS_POWER_STATES] = {"autonomous_power_states", UNIT_NONE, KIND_GAUGE,
				     "1 when it can go to a lower power state by itself."},
	[VOLATILE_WRITE_CACHE]    = {"volatile_write_cache", UNIT_NONE, KIND_GAUGE,
				     "1 when it has a write cache that power loss empties."},
	[IDENTIFY_PROBLEM]        = {"problem", UNIT_NONE, KIND_INFO, "Why the controller gave no page.",
				     .absence = "it gave one", .explains = true},
};

static const struct nvme_number identify_numbers[] = {
	{NAMESPACES_MAX, 516, 4, NVME_PLAIN},
	{WARNING_TEMPERATURE, 266, 2, NVME_KELVIN_OR_NONE},
	{CRITICAL_TEMPERATURE, 268, 2, NVME_KELVIN_OR_NONE},
	{THERMAL_MANAGEMENT_MIN, 324, 2, NVME_KELVIN_OR_NONE},
	{THERMAL_MANAGEMENT_MAX, 326, 2, NVME_KELVIN_OR_NONE},
};

static const struct nvme_number capacity_numbers[] = {
	{CAPACITY, 280, 16, NVME_PLAIN},
	{UNALLOCATED_CAPACITY, 296, 16, NVME_PLAIN},
};
/* clang-format on */

struct drive {
	char name[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];
	struct asked *asked;       /* of each group; owned by hw */
	struct identity *identify; /* likewise */
};

struct smart {
	struct drive *drives;
	size_t n;
};

static void smart_close(void *state)
{
	struct smart *s = state;

	free(s->drives);
	free(s);
}

static size_t page_bytes(size_t group)
{
	return group == GROUP_SMART ? NVME_SMART_BYTES : NVME_IDENTIFY_BYTES;
}

static int ask(struct hw *hw, const struct drive *drive, size_t group, uint8_t *page)
{
	struct asked *asked = &drive->asked[group];
	int status, r = asked_turn(asked);

	if (r < 0)
		return r;
	r = group == GROUP_SMART ? nvme_read_smart(hw, drive->name, page, &status)
				 : nvme_read_identify(hw, drive->name, page, &status);
	if (r == 0)
		r = flaw_check_page(page, page_bytes(group), &status);
	asked_note(asked, r, status);
	return r;
}

/* Why there was no page, where the errno does not tell. */
static const char *why_not(struct hw *hw, const struct asked *asked, size_t group, char *buf,
			   size_t size)
{
	struct text flaw = text_in(buf, size);

	flaw_text(&flaw, asked->status, page_bytes(group));
	if (flaw.len)
		return buf;
	if (asked->error == -EACCES || asked->error == -EPERM)
		return "needs CAP_SYS_ADMIN";
	if (asked->error == -ENOENT && !hw_is_live(hw))
		return "no answer of it is recorded in this tree";
	if (asked->status > 0) {
		snprintf(buf, size, "%s (status %Xh)", nvme_status_text(asked->status),
			 (unsigned)asked->status & 0x7ff);
		return buf;
	}
	if (asked->error == -EINTR || asked->error == -ETIMEDOUT)
		return "the command timed out, and the driver resets the controller";
	return NULL;
}

static const size_t problem_fields[] = {
	[GROUP_SMART] = PROBLEM, [GROUP_IDENTIFY] = IDENTIFY_PROBLEM};

static void say_problem(struct hw *hw, struct sink *sink, struct row *row, size_t group,
			const struct asked *asked)
{
	char buf[INFO_TEXT_MAX], why[INFO_TEXT_MAX];
	struct text text = TEXT_IN(buf);

	asked_text(asked, why_not(hw, asked, group, why, sizeof(why)), &text);
	row_text(sink, row, problem_fields[group], buf);
}

/* Without the number nobody knows its bits either. */
static void fail_all(struct row *row, size_t group, int error)
{
	const struct nvme_number *numbers = group == GROUP_SMART ? smart_numbers : identify_numbers;
	size_t n = group == GROUP_SMART ? ARRAY_SIZE(smart_numbers) : ARRAY_SIZE(identify_numbers);

	for (size_t i = 0; i < n; i++)
		row_result(row, numbers[i].field, error, 0);
	if (group == GROUP_SMART)
		row_result(row, WARNINGS, error, 0);
}

static void name_warnings(struct sink *sink, struct row *row, uint8_t bits)
{
	char buf[INFO_TEXT_MAX];
	struct text text = TEXT_IN(buf);

	for (unsigned i = 0; i < 8; i++) {
		if (!(bits >> i & 1))
			continue;
		text_str(&text, text.len ? ", " : "");
		if (i < ARRAY_SIZE(warnings))
			text_str(&text, warnings[i]);
		else
			text_printf(&text, "bit %u", i);
	}
	if (text.len)
		row_text(sink, row, WARNINGS, buf);
}

static void flag_temperatures(struct row *row, const struct field *fields, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct value *value = &row->values[i];

		if (fields[i].unit == UNIT_MILLICELSIUS && value->type == VALUE_INT &&
		    (value->i < TEMPERATURE_MIN_CELSIUS * 1000 ||
		     value->i > TEMPERATURE_MAX_CELSIUS * 1000))
			row_flag(row, i, FLAG_IMPLAUSIBLE);
	}
}

static void flag_smart(struct row *row)
{
	flag_temperatures(row, smart_fields, ARRAY_SIZE(smart_fields));
	for (size_t i = 0; i < ARRAY_SIZE(smart_limits); i++)
		if (row->values[smart_limits[i].field].i > smart_limits[i].max)
			row_flag(row, smart_limits[i].field, FLAG_IMPLAUSIBLE);
}

static int sample_smart(struct hw *hw, struct drive *drive, struct sink *sink, struct row *row)
{
	uint8_t page[NVME_SMART_BYTES];
	int r = ask(hw, drive, GROUP_SMART, page);

	if (r < 0) {
		fail_all(row, GROUP_SMART, r);
		say_problem(hw, sink, row, GROUP_SMART, &drive->asked[GROUP_SMART]);
		return r;
	}
	nvme_page_fill(row, page, smart_numbers, ARRAY_SIZE(smart_numbers));
	if (page[5] == 255)
		row_flag(row, PERCENTAGE_USED, FLAG_SATURATED);
	flag_smart(row);
	name_warnings(sink, row, page[0]);
	return 0;
}

static void set_version(struct sink *sink, struct row *row, const uint8_t *page)
{
	char buf[32];

	/* Drives of 1.0 and 1.1 leave it zero. */
	if (!page[82] && !page[83])
		return;
	snprintf(buf, sizeof(buf), "%u.%u.%u", page[83] << 8 | page[82], page[81], page[80]);
	row_text(sink, row, VERSION, buf);
}

static int ask_identity(struct hw *hw, struct drive *drive)
{
	struct identity *identity = drive->identify;
	uint8_t page[NVME_IDENTIFY_BYTES];
	int r;

	if (identity->is_known == 1)
		return 0;
	r = ask(hw, drive, GROUP_IDENTIFY, page);
	if (r < 0)
		return r;
	memcpy(identity->page, page, sizeof(identity->page));
	identity->is_known = 1;
	return 0;
}

static int sample_identify(struct hw *hw, struct drive *drive, struct sink *sink, struct row *row)
{
	const uint8_t *page = drive->identify->page;
	int r = ask_identity(hw, drive);

	if (r < 0) {
		fail_all(row, GROUP_IDENTIFY, r);
		say_problem(hw, sink, row, GROUP_IDENTIFY, &drive->asked[GROUP_IDENTIFY]);
		return r;
	}
	set_version(sink, row, page);
	nvme_page_fill(row, page, identify_numbers, ARRAY_SIZE(identify_numbers));
	flag_temperatures(row, identify_fields, ARRAY_SIZE(identify_fields));
	/* Zero without management of namespaces, in OACS bit 3. */
	if (page[256] & 1U << 3)
		nvme_page_fill(row, page, capacity_numbers, ARRAY_SIZE(capacity_numbers));
	row_set(row, POWER_STATES, page[263] + 1);
	row_set(row, AUTONOMOUS_POWER_STATES, page[265] & 1);
	row_set(row, VOLATILE_WRITE_CACHE, page[525] & 1);
	return 0;
}

/* A controller that cannot be asked now. */
static void sample_none(struct sink *sink, struct row *row, size_t group, int error,
			const char *why)
{
	row->suspended = error == -EHOSTDOWN;
	if (row->suspended)
		return;
	row_text(sink, row, problem_fields[group], why);
	fail_all(row, group, error);
}

static int smart_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct smart *s = state;
	bool gone = false;

	for (size_t i = 0; i < s->n; i++) {
		struct drive *drive = &s->drives[i];
		struct row *row = sink_row(sink, drive->name, drive->identity);
		char why[NVME_WHY_MAX];
		int r = nvme_controller_ready(hw, drive->name, why);

		if (r < 0)
			sample_none(sink, row, group, r, why);
		else if (group == GROUP_SMART)
			r = sample_smart(hw, drive, sink, row);
		else
			r = sample_identify(hw, drive, sink, row);
		gone = gone || r == -ENODEV;
	}
	return gone ? -ENODEV : 0;
}

/* By the files that cost nothing. */
static void report_drive(struct hw *hw, struct probe *probe, const char *name)
{
	char why[NVME_WHY_MAX];
	int r = nvme_controller_ready(hw, name, why);

	if (r == 0)
		r = nvme_may_answer(hw, name);
	if (!nvme_may_command(hw))
		probe_node(probe, name, OUTCOME_DENIED, "as root, or with CAP_SYS_ADMIN",
			   "the kernel lets nobody else send the command");
	else
		reason_asked(probe, name, "the page is asked for by a command to the drive", r,
			     why);
}

static int add_drive(struct hw *hw, struct smart *s, struct asked_device *devices,
		     struct probe *probe, const struct nvme_name *found)
{
	struct drive *grown;
	struct asked_device *device = asking_find(devices, &asking, found->name, found->identity);

	if (!device) {
		probe_node(probe, found->name, OUTCOME_FAILED, "", "more than %d controllers",
			   DRIVES_MAX);
		return 0;
	}
	grown = realloc(s->drives, (s->n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->drives = grown;
	grown[s->n] = (struct drive){.asked = device->asked, .identify = device->known};
	snprintf(grown[s->n].name, sizeof(grown->name), "%s", found->name);
	snprintf(grown[s->n].identity, sizeof(grown->identity), "%s", found->identity);
	s->n++;
	report_drive(hw, probe, found->name);
	return 0;
}

static void statep(struct smart **s)
{
	if (*s)
		smart_close(*s);
}

static int find_drives(struct hw *hw, struct smart *s, struct probe *probe)
{
	CLEANUP(nvme_controllers_done) struct nvme_controllers all = {0};
	struct asked_device *devices = asking_begin(hw, &asking);
	int r = devices ? nvme_controllers_find(hw, &all) : -ENOMEM;

	for (size_t i = 0; i < all.n && r >= 0; i++)
		if (probe_takes(probe, all.v[i].name))
			r = add_drive(hw, s, devices, probe, &all.v[i]);
	return r;
}

static int smart_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	static const struct need driver = {"CONFIG_BLK_DEV_NVME", "nvme", OUTCOME_NO_HARDWARE,
					   "if there is one: see what the collector nvme says"};
	CLEANUP(statep) struct smart *s = calloc(1, sizeof(*s));
	int r = s ? find_drives(hw, s, probe) : -ENOMEM;

	if (r < 0 && r != -ENOENT) {
		reason_error(hw, probe, "", r, "/" NVME_CLASS_DIR);
		return r;
	}
	if (!s->n) {
		reason_option(hw, probe, "", &driver, "no NVMe controller in /" NVME_CLASS_DIR);
		return -ENOENT;
	}
	*ret_state = s;
	s = NULL;
	return 0;
}

static const struct group groups[] = {
	[GROUP_SMART] =
		{
			.name = "nvme_smart",
			.help = "Health of NVMe drives, as the drive counts it.",
			.cost = COST_Q,
			.period_ms = 600000,
			.fields = smart_fields,
			.n_fields = ARRAY_SIZE(smart_fields),
			.node = "NVMe controller by its name, kept apart by serial and model",
			.absence = "the controller was not asked: it sleeps",
		},
	[GROUP_IDENTIFY] =
		{
			.name = "nvme_identify",
			.help = "Capacity and limits of NVMe controllers; asked once.",
			.cost = COST_Q,
			.period_ms = 86400000,
			.least_period_ms = 3600000,
			.fields = identify_fields,
			.n_fields = ARRAY_SIZE(identify_fields),
			.node = "NVMe controller by its name, kept apart by serial and model",
			.absence = "the controller was not asked: it sleeps",
		},
};

const struct collector collector_nvme_smart = {
	.name = "nvme_smart",
	.help = "Health and limits of NVMe drives, by commands to them.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = smart_probe,
	.sample = smart_sample,
	.close = smart_close,
};
