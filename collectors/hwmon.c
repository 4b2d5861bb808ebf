/* Sensors of boards, power supplies and chips: /sys/class/hwmon
 * Kernel: Documentation/hwmon/sysfs-interface.rst, drivers/hwmon/hwmon.c
 *
 * hwmonN is numbered anew at each boot, so a sensor is known by its chip's name and device. A read
 * asks the chip, mostly over a slow bus; so the limits, which seldom change, are read once at the
 * probe. Chips of drives (NVMe, UFS, drivetemp) answer each read by a command to the drive: these
 * belong to the collectors that watch over such commands, and no file of theirs is read here. A
 * chip whose device sleeps is not read either, since that would wake it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/macros.h"
#include "base/text.h"
#include "model/collector.h"
#include "model/node_file.h"
#include "model/node_word.h"
#include "model/probe.h"
#include "model/reason.h"

#define CHIPS_MAX     64
#define SENSORS_MAX   192
#define CHIP_NAME_MAX 64

enum { TEMP, IN, CURR, POWER, ENERGY, FAN, N_GROUPS };
enum { INPUT, ALARM, BROKEN, LEAST, MOST, CRIT, N_NUMBERS, LABEL = N_NUMBERS, CHIP, N_FIELDS };

/* How the kernel calls a field of a sensor: "temp1_input". */
static const char *const suffixes[N_NUMBERS] = {
	[INPUT] = "input", [ALARM] = "alarm", [BROKEN] = "fault",
	[LEAST] = "min",   [MOST] = "max",    [CRIT] = "crit",
};

/* clang-format off */
#define SENSOR_FIELDS(unit, kind, help)                                                            \
	{                                                                                          \
		[INPUT]  = {"input", unit, kind, help},                                            \
		[ALARM]  = {"alarm", UNIT_NONE, KIND_GAUGE, "1 while the chip warns, else 0."},    \
		[BROKEN] = {"fault", UNIT_NONE, KIND_GAUGE,                                        \
			    "1 while the sensor is broken or not connected: then its value is none."}, \
		[LEAST]  = {"min", unit, KIND_GAUGE, "Lower limit when the chip was found."},      \
		[MOST]   = {"max", unit, KIND_GAUGE, "Upper limit when the chip was found."},      \
		[CRIT]   = {"crit", unit, KIND_GAUGE, "Critical upper limit when the chip was found."}, \
		[LABEL]  = {"label", UNIT_NONE, KIND_INFO, "What is measured, as the driver or the board calls it."}, \
		[CHIP]   = {"chip", UNIT_NONE, KIND_INFO, "Name of the chip's driver."},           \
	}

static const struct field fields[N_GROUPS][N_FIELDS] = {
	[TEMP]   = SENSOR_FIELDS(UNIT_MILLICELSIUS, KIND_GAUGE, "Temperature."),
	[IN]     = SENSOR_FIELDS(UNIT_MILLIVOLTS, KIND_GAUGE, "Voltage."),
	[CURR]   = SENSOR_FIELDS(UNIT_MILLIAMPERES, KIND_GAUGE, "Current."),
	[POWER]  = SENSOR_FIELDS(UNIT_MICROWATTS, KIND_GAUGE,
				 "Power, or its mean where the chip has only that."),
	[ENERGY] = SENSOR_FIELDS(UNIT_MICROJOULES, KIND_COUNTER, "Energy that was used."),
	[FAN]    = SENSOR_FIELDS(UNIT_RPM, KIND_GAUGE, "Speed of a fan."),
};

static const char *const prefixes[N_GROUPS] = {
	[TEMP] = "temp", [IN] = "in", [CURR] = "curr",
	[POWER] = "power", [ENERGY] = "energy", [FAN] = "fan",
};

#define SENSOR_GROUP(number, group_name, group_help)                                               \
	[number] = {                                                                               \
		.name = group_name, .help = group_help, .cost = COST_H, .period_ms = 10000,        \
		.fields = fields[number], .n_fields = N_FIELDS,                                    \
		.node = "sensor, by its chip, the chip's device and its own name: "                \
			"tmp102@2-0048/temp1",                                                     \
		.absence = "the chip or its driver does not have it",                              \
	}

static const struct group groups[N_GROUPS] = {
	SENSOR_GROUP(TEMP, "hwmon_temp", "Temperatures of chips and boards."),
	SENSOR_GROUP(IN, "hwmon_in", "Voltages of chips and boards."),
	SENSOR_GROUP(CURR, "hwmon_curr", "Currents of chips and boards."),
	SENSOR_GROUP(POWER, "hwmon_power", "Power that chips and boards use."),
	SENSOR_GROUP(ENERGY, "hwmon_energy", "Energy that chips and boards have used."),
	SENSOR_GROUP(FAN, "hwmon_fan", "Fans."),
};
/* clang-format on */

struct chip {
	char dir[HW_PATH_MAX]; /* without links */
	char name[CHIP_NAME_MAX];
	char node[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];
	struct node_file runtime_status; /* of the device */
	bool sleeps;                     /* in this sample */
};

struct sensor {
	size_t chip, group;
	char node[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];
	struct node_file files[BROKEN + 1]; /* what is read at each sample */
	int64_t limits[N_NUMBERS];
	bool has_limit[N_NUMBERS];
	struct node_word label;
};

struct hwmon {
	struct chip *chips; /* CHIPS_MAX */
	size_t n_chips;
	struct sensor *sensors; /* SENSORS_MAX */
	size_t n_sensors;
	size_t n_dropped, n_dropped_chips;
};

static void hwmon_close(void *state)
{
	struct hwmon *h = state;

	for (size_t i = 0; i < h->n_sensors; i++)
		for (size_t k = 0; k <= BROKEN; k++)
			node_file_close(&h->sensors[i].files[k]);
	for (size_t i = 0; i < h->n_chips; i++)
		node_file_close(&h->chips[i].runtime_status);
	free(h->sensors);
	free(h->chips);
	free(h);
}

static bool is_asleep(struct hw *hw, struct chip *chip)
{
	char status[32];

	return node_file_read_line(hw, &chip->runtime_status, status, sizeof(status)) > 0 &&
	       (!strcmp(status, "suspended") || !strcmp(status, "suspending"));
}

/* Returns the error of the read, -ENOENT where there is no such file. */
static int read_number(struct hw *hw, struct sensor *sensor, struct row *row, size_t field)
{
	int64_t value = 0;
	int r = node_file_read_i64(hw, &sensor->files[field], &value);

	row_result(row, field, r, value);
	return r;
}

static bool is_one(const struct row *row, size_t field)
{
	return row->values[field].type == VALUE_INT && row->values[field].i == 1;
}

/* Outside of what a sensor of a board can measure: the same bounds as for thermal zones; no fan
 * turns backwards. */
static bool is_impossible(size_t group, int64_t value)
{
	if (group == TEMP)
		return value <= -40000 || value > 150000;
	return (group == FAN || group == ENERGY) && value < 0;
}

/* Returns whether the device has gone. */
static bool sample_sensor(struct hw *hw, struct sensor *sensor, struct row *row)
{
	const struct value *input = &row->values[INPUT];
	int r = read_number(hw, sensor, row, INPUT);

	if (r == -ENODEV)
		return true;
	read_number(hw, sensor, row, ALARM);
	read_number(hw, sensor, row, BROKEN);
	if (input->type == VALUE_INT &&
	    (is_one(row, BROKEN) || is_impossible(sensor->group, input->i)))
		row_flag(row, INPUT, FLAG_IMPLAUSIBLE);
	return false;
}

static void put_known(const struct hwmon *h, const struct sensor *sensor, struct sink *sink,
		      struct row *row)
{
	for (size_t i = LEAST; i <= CRIT; i++)
		if (sensor->has_limit[i])
			row_set(row, i, sensor->limits[i]);
	node_word_put(&sensor->label, sink, row, LABEL);
	row_text(sink, row, CHIP, h->chips[sensor->chip].name);
}

static int hwmon_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct hwmon *h = state;
	size_t last = CHIPS_MAX;
	bool gone = false;

	for (size_t i = 0; i < h->n_sensors; i++) {
		struct sensor *sensor = &h->sensors[i];
		struct chip *chip = &h->chips[sensor->chip];
		struct row *row;

		if (sensor->group != group)
			continue;
		if (sensor->chip != last)
			chip->sleeps = is_asleep(hw, chip);
		last = sensor->chip;
		row = sink_row(sink, sensor->node, sensor->identity);
		row->suspended = chip->sleeps;
		if (chip->sleeps)
			continue;
		gone = sample_sensor(hw, sensor, row) || gone;
		put_known(h, sensor, sink, row);
	}
	return gone ? -ENODEV : 0;
}

/* Who else asks a chip of a drive; NULL for all other chips. */
static const char *asked_by(const struct chip *chip)
{
	static const struct {
		const char *name, *collector;
	} drives[] = {{"nvme", "nvme_smart and nvme_hwmon"},
		      {"drivetemp", "ata_smart"},
		      {"ufs", "ufs_health"}};

	for (size_t i = 0; i < ARRAY_SIZE(drives); i++)
		if (!strcmp(chip->name, drives[i].name))
			return drives[i].collector;
	if (strstr(chip->dir, "/nvme/"))
		return drives[0].collector;
	return strstr(chip->dir, "/target") ? drives[1].collector : NULL;
}

/* "temp12_input" of the prefix "temp" has the sensor "temp12". Power may have a mean only. */
static bool is_sensor(const char *file, size_t group, char ret_sensor[CHIP_NAME_MAX])
{
	size_t len = strlen(prefixes[group]), digits;

	if (strncmp(file, prefixes[group], len) != 0)
		return false;
	digits = strspn(file + len, "0123456789");
	if (!digits || digits > 4 ||
	    (strcmp(file + len + digits, "_input") != 0 &&
	     (group != POWER || strcmp(file + len + digits, "_average") != 0)))
		return false;
	memcpy(ret_sensor, file, len + digits);
	ret_sensor[len + digits] = '\0';
	return true;
}

static bool is_known(const struct hwmon *h, const char *node)
{
	for (size_t i = 0; i < h->n_sensors; i++)
		if (!strcmp(h->sensors[i].node, node))
			return true;
	return false;
}

static void open_files(struct hw *hw, struct sensor *sensor, const char *dir, const char *name)
{
	for (size_t i = 0; i <= BROKEN; i++)
		node_file_open(hw, &sensor->files[i], "%s/%s_%s", dir, name, suffixes[i]);
	if (!node_file_exists(&sensor->files[INPUT])) {
		node_file_close(&sensor->files[INPUT]);
		node_file_open(hw, &sensor->files[INPUT], "%s/%s_average", dir, name);
	}
}

static void add_sensor(struct hw *hw, struct hwmon *h, size_t group, const char *name)
{
	struct chip *chip = &h->chips[h->n_chips];
	struct sensor sensor = {.chip = h->n_chips, .group = group};
	struct text node = TEXT_IN(sensor.node), identity = TEXT_IN(sensor.identity);

	text_printf(&node, "%s/%s", chip->node, name);
	text_printf(&identity, "%s/%s", chip->identity, name);
	/* A name that was cut could be another one's. */
	if (is_known(h, sensor.node) || node.truncated)
		return;
	if (h->n_sensors >= SENSORS_MAX) {
		h->n_dropped++;
		return;
	}
	open_files(hw, &sensor, chip->dir, name);
	for (size_t i = LEAST; i <= CRIT; i++)
		sensor.has_limit[i] = hw_read_i64(hw, &sensor.limits[i], "%s/%s_%s", chip->dir,
						  name, suffixes[i]) == 0;
	node_word_read(hw, &sensor.label, "%s/%s_label", chip->dir, name);
	if (sensor.label.error == -ENOENT)
		node_word_set(&sensor.label, "");
	h->sensors[h->n_sensors++] = sensor;
}

/* What the chip is called: its name and the last part of its device's path, "tmp102@2-0048"; a chip
 * of no device has its number. */
static void name_chip(struct hw *hw, struct chip *chip, const char *hwmon_name)
{
	static const char top[] = "sys/devices/";
	struct text node = TEXT_IN(chip->node), identity = TEXT_IN(chip->identity);
	char path[HW_PATH_MAX];
	const char *slash, *shown = path;

	if (hw_real_path(hw, path, sizeof(path), "%s/device", chip->dir) < 0) {
		text_printf(&node, "%s@%s", chip->name, hwmon_name);
		return;
	}
	slash = strrchr(path, '/');
	if (!strncmp(path, top, sizeof(top) - 1))
		shown += sizeof(top) - 1;
	text_printf(&node, "%s@%s", chip->name, slash ? slash + 1 : path);
	text_printf(&identity, "name:%s@%s", chip->name, shown);
}

static void add_sensors(struct hw *hw, struct hwmon *h, struct probe *probe)
{
	struct chip *chip = &h->chips[h->n_chips];
	CLEANUP(hw_names_done) struct hw_names files = {0};
	size_t before = h->n_sensors;
	char sensor[CHIP_NAME_MAX];
	int r = hw_list(hw, &files, "", "%s", chip->dir);

	for (size_t i = 0; i < files.n; i++)
		for (size_t g = 0; g < N_GROUPS; g++)
			if (is_sensor(files.v[i], g, sensor))
				add_sensor(hw, h, g, sensor);
	if (r < 0)
		reason_error(hw, probe, chip->node, r, "/%s", chip->dir);
	else if (h->n_sensors == before)
		probe_node(probe, chip->node, OUTCOME_UNSUPPORTED, "", "/%s has no sensor",
			   chip->dir);
	else
		probe_node(probe, chip->node, OUTCOME_OK, "", "/%s, sensors: %zu", chip->dir,
			   h->n_sensors - before);
}

/* The path without links tells which device the chip is of. */
static void add_chip(struct hw *hw, struct hwmon *h, struct probe *probe, const char *hwmon_name)
{
	struct chip *chip = &h->chips[h->n_chips];
	const char *collector;

	*chip = (struct chip){.runtime_status = node_file_none};
	if (h->n_chips >= CHIPS_MAX - 1) {
		h->n_dropped_chips++;
		return;
	}
	if (hw_real_path(hw, chip->dir, sizeof(chip->dir), "sys/class/hwmon/%s", hwmon_name) < 0)
		return;
	if (hw_read_line(hw, chip->name, sizeof(chip->name), "%s/name", chip->dir) < 0) {
		probe_node(probe, hwmon_name, OUTCOME_UNSUPPORTED,
			   "each driver has to give one: report it, with uname -r",
			   "/%s has no name that can be read", chip->dir);
		return;
	}
	name_chip(hw, chip, hwmon_name);
	collector = asked_by(chip);
	if (collector) {
		probe_node(probe, chip->node, OUTCOME_UNSUPPORTED,
			   "flashscope sample as root with the collector's name; the daemon has "
			   "flashscope-helper for it",
			   "each read is a command to the drive, which is left to %s", collector);
		return;
	}
	/* thermal shows each zone here once more. */
	if (strstr(chip->dir, "/thermal_zone") && !probe->want_all) {
		probe_left_out(probe, chip->node, "--partitions, or [sampling] partitions = yes",
			       "a thermal zone, which thermal samples");
		return;
	}
	node_file_open(hw, &chip->runtime_status, "%s/device/power/runtime_status", chip->dir);
	if (is_asleep(hw, chip)) {
		probe_node(probe, chip->node, OUTCOME_DISABLED,
			   "look again while the device is in use",
			   "the device sleeps, and a read would wake it");
		node_file_close(&chip->runtime_status);
		return;
	}
	add_sensors(hw, h, probe);
	h->n_chips++;
}

static void report_none(struct hw *hw, struct probe *probe, int r)
{
	static const struct need need = {
		"CONFIG_HWMON", "hwmon", OUTCOME_NO_HARDWARE,
		"enable the drivers of the board's sensors (device tree, modules)"};

	if (r < 0 && r != -ENOENT)
		reason_error(hw, probe, "", r, "/sys/class/hwmon");
	else if (!reason_no_sysfs(hw, probe, ""))
		reason_option(hw, probe, "", &need, "no sensor to read in /sys/class/hwmon");
}

static void statep(struct hwmon **h)
{
	if (*h)
		hwmon_close(*h);
}

static int hwmon_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct hwmon *h = calloc(1, sizeof(*h));
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r;

	if (!h)
		return -ENOMEM;
	h->chips = calloc(CHIPS_MAX, sizeof(*h->chips));
	h->sensors = calloc(SENSORS_MAX, sizeof(*h->sensors));
	if (!h->chips || !h->sensors)
		return -ENOMEM;
	r = hw_list(hw, &names, "hwmon", "sys/class/hwmon");
	if (r == -ENOMEM)
		return r;
	for (size_t i = 0; i < names.n; i++)
		add_chip(hw, h, probe, names.v[i]);
	if (h->n_dropped)
		probe_node(probe, "more", OUTCOME_UNSUPPORTED, "",
			   "%zu sensors beyond the first %d are left out", h->n_dropped,
			   SENSORS_MAX);
	if (h->n_dropped_chips)
		probe_node(probe, "more chips", OUTCOME_UNSUPPORTED, "",
			   "%zu chips are not looked at: the bound is %d", h->n_dropped_chips,
			   CHIPS_MAX - 1);
	if (!h->n_sensors) {
		report_none(hw, probe, r);
		return r < 0 ? r : -ENOENT;
	}
	*ret_state = h;
	h = NULL;
	return 0;
}

const struct collector collector_hwmon = {
	.name = "hwmon",
	.help = "Temperatures, voltages, currents, power and fans of boards.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = hwmon_probe,
	.sample = hwmon_sample,
	.close = hwmon_close,
};
