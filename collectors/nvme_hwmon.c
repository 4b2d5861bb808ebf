/* The limits of an NVMe drive's temperatures as the host has set them, and its alarm:
 * /sys/class/nvme/nvmeN/hwmonM, or hwmon/hwmonM below the PCI function by older drivers.
 * Kernel: drivers/nvme/host/hwmon.c, Documentation/hwmon/sysfs-interface.rst
 *
 * Nothing of it is cached by the driver but temp1_crit: a read of temp1_alarm sends Get Log Page,
 * one of each max and min Get Features; so it is of class Q, and no file is read while the
 * controller is not live or its PCI function sleeps. Temperatures are in nvme_smart, all of them by
 * one command, where each temp*_input here would be one of its own. What failed is asked again
 * seldom or never (model/asking.h). */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/text.h"
#include "model/asking.h"
#include "model/collector.h"
#include "model/node_file.h"
#include "model/nvme_controller.h"
#include "model/probe.h"
#include "model/reason.h"

#define DRIVES_MAX  64
#define SENSORS_MAX 9 /* the composite temperature and eight sensors */

/* Kelvin that the drive gives for no limit: none below, none above. */
#define NO_MIN_MILLICELSIUS (-273150)
#define NO_MAX_MILLICELSIUS (65535 * 1000 - 273150)

enum {
	ALARM,
	MAX_LIMIT,
	MIN_LIMIT,
	CRIT,
	SENSOR_LIMITS, /* max and min of each sensor */
	N_NUMBERS = SENSOR_LIMITS + 2 * (SENSORS_MAX - 1),
	LABELS = N_NUMBERS,
	PROBLEM,
	N_FIELDS,
};

static const struct asking asking = {
	.key = "nvme_hwmon", .n_devices = DRIVES_MAX, .n_questions = N_NUMBERS};

/* clang-format off */
#define SENSOR_LIMIT(name, side, sensor) {name, UNIT_MILLICELSIUS, KIND_GAUGE, \
		       side " this temperature of sensor " sensor " the drive warns; a host can set it.", \
		       .absence = "the drive has no such sensor, no limit for it, or none is set", \
		       .is_whole = true}
/* Of a sensor by the number of its files, which is one more than its own. */
#define SENSOR(file, sensor) \
	[SENSOR_LIMITS + 2 * (file - 2)]     = SENSOR_LIMIT("temp" #file "_max", "Above", #sensor), \
	[SENSOR_LIMITS + 2 * (file - 2) + 1] = SENSOR_LIMIT("temp" #file "_min", "Below", #sensor)

static const struct field fields[N_FIELDS] = {
	[ALARM]     = {"temp1_alarm", UNIT_NONE, KIND_GAUGE,
		       "1 while the drive warns of a temperature out of its limits."},
	[MAX_LIMIT] = {"temp1_max", UNIT_MILLICELSIUS, KIND_GAUGE,
		       "Above this composite temperature the drive warns; a host can set it.",
		       .absence = "the drive has no such limit, or none is set", .is_whole = true},
	[MIN_LIMIT] = {"temp1_min", UNIT_MILLICELSIUS, KIND_GAUGE,
		       "Below this composite temperature the drive warns; a host can set it.",
		       .absence = "the drive has no such limit, or none is set", .is_whole = true},
	[CRIT]      = {"temp1_crit", UNIT_MILLICELSIUS, KIND_GAUGE,
		       "From here on the drive may fail or switch off.",
		       .absence = "the drive gives no limit", .is_whole = true},
	SENSOR(2, 1), SENSOR(3, 2), SENSOR(4, 3), SENSOR(5, 4),
	SENSOR(6, 5), SENSOR(7, 6), SENSOR(8, 7), SENSOR(9, 8),
	[LABELS]    = {"labels", UNIT_NONE, KIND_INFO,
		       "The sensors that the drive has, by their numbers: \"1 Composite, 2 Sensor 1\"."},
	[PROBLEM]   = {"problem", UNIT_NONE, KIND_INFO, "Why a value could not be read.",
		       .absence = "all could be read", .explains = true},
};
/* clang-format on */

struct drive {
	char name[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];
	char dir[HW_PATH_MAX]; /* of hwmon */
	struct asked *asked;   /* of each number; owned by hw */
};

struct hwmon {
	struct drive *drives;
	size_t n;
};

static void hwmon_close(void *state)
{
	struct hwmon *h = state;

	free(h->drives);
	free(h);
}

/* What the drive gives for "none" is none. */
static bool is_no_limit(size_t field, int64_t value)
{
	return field != ALARM && (value <= NO_MIN_MILLICELSIUS || value >= NO_MAX_MILLICELSIUS);
}

/* Another controller that has the name has another hwmon. */
static int check_ready(struct hw *hw, const struct drive *drive, char why[NVME_WHY_MAX])
{
	int r = nvme_controller_ready(hw, drive->name, why);

	if (r == 0) {
		r = hw_look(hw, "%s", drive->dir);
		snprintf(why, NVME_WHY_MAX, "%s", r < 0 ? "its hwmon cannot be reached" : "");
	}
	return r == -ENOENT ? -ENODEV : r;
}

static int ask(struct hw *hw, const struct drive *drive, size_t field, int64_t *ret)
{
	struct asked *asked = &drive->asked[field];
	int r = asked_turn(asked);

	if (r < 0)
		return r;
	r = hw_read_i64(hw, ret, "%s/%s", drive->dir, fields[field].name);
	/* A limit that the drive does not have has no file. */
	asked_note(asked, r == -ENOENT ? 0 : r, 0);
	return r;
}

static void say_problem(struct sink *sink, struct row *row, size_t field, const struct asked *asked)
{
	char buf[INFO_TEXT_MAX];
	struct text text = TEXT_IN(buf);

	text_printf(&text, "%s: ", fields[field].name);
	asked_text(asked, NULL, &text);
	row_text(sink, row, PROBLEM, buf);
}

static void set_labels(struct hw *hw, const struct drive *drive, struct sink *sink, struct row *row)
{
	char buf[INFO_TEXT_MAX], label[64];
	struct text text = TEXT_IN(buf);

	for (unsigned i = 1; i <= SENSORS_MAX; i++)
		if (hw_read_line(hw, label, sizeof(label), "%s/temp%u_label", drive->dir, i) >= 0)
			text_printf(&text, "%s%u %s", text.len ? ", " : "", i, label);
	if (text.len)
		row_text(sink, row, LABELS, buf);
}

/* Of the numbers from first on none can be asked for. */
static void sample_none(struct sink *sink, struct row *row, size_t first, int error,
			const char *why)
{
	if (error == -EHOSTDOWN) {
		row->suspended = true;
		return;
	}
	row_text(sink, row, PROBLEM, why);
	for (size_t i = first; i < N_NUMBERS; i++)
		row_result(row, i, error, 0);
}

/* 0, or why the drive was not asked for all, which is -ENODEV when it went on the way. It may fall
 * asleep between two commands. The first problem is told. */
static int sample_drive(struct hw *hw, const struct drive *drive, struct sink *sink,
			struct row *row)
{
	bool told = false;

	for (size_t i = 0; i < N_NUMBERS; i++) {
		char why[NVME_WHY_MAX];
		int64_t value = 0;
		int r = check_ready(hw, drive, why);

		if (r < 0) {
			sample_none(sink, row, i, r, why);
			return r;
		}
		r = ask(hw, drive, i, &value);
		if (r == -ENODEV)
			return r;
		if (r < 0 || !is_no_limit(i, value))
			row_result(row, i, r, value);
		if (r == -ENOENT && i == ALARM && !hw_is_live(hw))
			row_text(sink, row, PROBLEM, "no value of it is recorded in this tree");
		if (r < 0 && r != -ENOENT && !told) {
			say_problem(sink, row, i, &drive->asked[i]);
			told = true;
		}
	}
	set_labels(hw, drive, sink, row);
	return 0;
}

static int hwmon_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct hwmon *h = state;
	bool gone = false;

	(void)group; /* there is only one */
	for (size_t i = 0; i < h->n; i++) {
		const struct drive *drive = &h->drives[i];
		struct row *row = sink_row(sink, drive->name, drive->identity);

		gone = sample_drive(hw, drive, sink, row) == -ENODEV || gone;
	}
	return gone ? -ENODEV : 0;
}

/* The first hwmon of dir that is the driver's own; -ENOENT. */
static int find_in(struct hw *hw, const char *dir, char buf[HW_PATH_MAX])
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = hw_list(hw, &names, "hwmon", "%s", dir);

	if (r < 0)
		return search_error(r) ? r : -ENOENT;
	for (size_t i = 0; i < names.n; i++) {
		struct text path = text_in(buf, HW_PATH_MAX);
		char name[32];

		text_printf(&path, "%s/%s", dir, names.v[i]);
		r = path.truncated ? -ENAMETOOLONG
				   : hw_read_line(hw, name, sizeof(name), "%s/name", buf);
		if (is_want(r))
			return r;
		if (r >= 0 && !strcmp(name, "nvme"))
			return 0;
	}
	return -ENOENT;
}

static int find_hwmon(struct hw *hw, const char *name, char buf[HW_PATH_MAX])
{
	static const char *const places[] = {"", "/hwmon", "/device/hwmon"};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char dir[HW_PATH_MAX];
		struct text path = TEXT_IN(dir);
		int r;

		text_printf(&path, NVME_CLASS_DIR "/%s%s", name, places[i]);
		r = path.truncated ? -ENOENT : find_in(hw, dir, buf);
		if (r != -ENOENT)
			return r;
	}
	return -ENOENT;
}

static void report_no_hwmon(struct hw *hw, struct probe *probe, const char *name)
{
	static const struct need need = {"CONFIG_NVME_HWMON", NULL, OUTCOME_UNSUPPORTED, ""};

	reason_option(hw, probe, name, &need,
		      "no hwmon of the driver below /" NVME_CLASS_DIR "/%s (since 5.5)", name);
}

/* By the files that cost nothing. */
static void report_drive(struct hw *hw, struct probe *probe, const struct drive *drive)
{
	char why[NVME_WHY_MAX], ok[PROBE_TEXT_MAX];
	int r = nvme_controller_ready(hw, drive->name, why);

	snprintf(ok, sizeof(ok), "/%.200s: each read is a command to the drive", drive->dir);
	reason_asked(probe, drive->name, ok, r, why);
}

static int add_drive(struct hw *hw, struct hwmon *h, struct asked_device *devices,
		     struct probe *probe, const struct nvme_name *found)
{
	struct drive drive = {0}, *grown;
	struct asked_device *device;
	int r = find_hwmon(hw, found->name, drive.dir);

	if (r == -ENOENT) {
		report_no_hwmon(hw, probe, found->name);
		return 0;
	}
	if (r < 0)
		return r;
	device = asking_find(devices, &asking, found->name, found->identity);
	if (!device) {
		probe_node(probe, found->name, OUTCOME_FAILED, "", "more than %d controllers",
			   DRIVES_MAX);
		return 0;
	}
	drive.asked = device->asked;
	grown = realloc(h->drives, (h->n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	h->drives = grown;
	memcpy(drive.name, found->name, sizeof(drive.name));
	memcpy(drive.identity, found->identity, sizeof(drive.identity));
	grown[h->n++] = drive;
	report_drive(hw, probe, &drive);
	return 0;
}

static int find_drives(struct hw *hw, struct hwmon *h, struct probe *probe)
{
	CLEANUP(nvme_controllers_done) struct nvme_controllers all = {0};
	struct asked_device *devices = asking_begin(hw, &asking);
	int r = devices ? nvme_controllers_find(hw, &all) : -ENOMEM;

	for (size_t i = 0; i < all.n && r >= 0; i++)
		if (probe_takes(probe, all.v[i].name))
			r = add_drive(hw, h, devices, probe, &all.v[i]);
	return r;
}

static void statep(struct hwmon **h)
{
	if (*h)
		hwmon_close(*h);
}

static void report_none(struct hw *hw, struct probe *probe)
{
	static const struct need driver = {"CONFIG_BLK_DEV_NVME", "nvme", OUTCOME_NO_HARDWARE,
					   "if there is one: see what the collector nvme says"};

	if (probe->n_items > 1)
		probe_judge(probe);
	else
		reason_option(hw, probe, "", &driver, "no NVMe controller in /" NVME_CLASS_DIR);
}

static int hwmon_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct hwmon *h = calloc(1, sizeof(*h));
	int r = h ? find_drives(hw, h, probe) : -ENOMEM;

	if (r < 0 && r != -ENOENT) {
		reason_error(hw, probe, "", r, "/" NVME_CLASS_DIR);
		return r;
	}
	if (!h->n) {
		report_none(hw, probe);
		return -ENOENT;
	}
	*ret_state = h;
	h = NULL;
	return 0;
}

static const struct group groups[] = {
	{
		.name = "nvme_hwmon",
		.help = "Limits of the temperatures of NVMe drives, and their alarm; the "
			"temperatures are in nvme_smart.",
		.cost = COST_Q,
		.period_ms = 3600000,
		.least_period_ms = 600000,
		.fields = fields,
		.n_fields = N_FIELDS,
		.node = "NVMe controller by its name, kept apart by serial and model",
		.since = "5.5",
		.absence = "the controller was not asked: it sleeps",
	},
};

const struct collector collector_nvme_hwmon = {
	.name = "nvme_hwmon",
	.help = "Limits and alarm of the temperatures of NVMe drives, by commands to them.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = hwmon_probe,
	.sample = hwmon_sample,
	.close = hwmon_close,
};
