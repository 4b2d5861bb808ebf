/* Temperatures and what throttles: /sys/class/thermal/{thermal_zone,cooling_device}*
 * Kernel: Documentation/driver-api/thermal/sysfs-api.rst, drivers/thermal/thermal_sysfs.c
 *
 * Numbers of zones change from boot to boot and types repeat. A read asks the driver, and with it
 * a register or a slow bus. Contract and use differ: vendors list volts, currents and percents as
 * zones, print whole degrees, or a fixed number where a sensor is open. Such values are never
 * rescaled, but flagged. */
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

enum { GROUP_ZONES, GROUP_COOLING };

enum { TEMP, MODE, PASSIVE_TEMP, HOT_TEMP, CRITICAL_TEMP, TYPE, POLICY, TRIPS };

static const char *const modes[] = {"disabled", "enabled", NULL};

/* clang-format off */
static const struct field zone_fields[] = {
	[TEMP]          = {"temp", UNIT_MILLICELSIUS, KIND_GAUGE, "Temperature of the zone.", .attr = "temp"},
	[MODE]          = {"mode", UNIT_NONE, KIND_STATE,
			   "Whether the kernel governs the zone; a disabled one is still read.",
			   .attr = "mode", .states = modes},
	[PASSIVE_TEMP]  = {"passive_temp", UNIT_MILLICELSIUS, KIND_GAUGE,
			   "Lowest temperature at which the kernel throttles."},
	[HOT_TEMP]      = {"hot_temp", UNIT_MILLICELSIUS, KIND_GAUGE,
			   "Temperature at which the kernel warns the driver."},
	[CRITICAL_TEMP] = {"critical_temp", UNIT_MILLICELSIUS, KIND_GAUGE,
			   "Temperature at which the kernel powers the machine off."},
	[TYPE]          = {"type", UNIT_NONE, KIND_INFO, "Name that the driver gave the zone."},
	[POLICY]        = {"policy", UNIT_NONE, KIND_INFO, "Governor of the zone."},
	[TRIPS]         = {"trips", UNIT_NONE, KIND_INFO, "All trip points, in degrees Celsius."},
};
/* clang-format on */

enum { CUR_STATE, MAX_STATE, COOLING_TYPE };

/* clang-format off */
static const struct field cooling_fields[] = {
	[CUR_STATE]    = {"cur_state", UNIT_COUNT, KIND_GAUGE,
			  "Step of cooling that the kernel asks for; 0 is none.", .attr = "cur_state"},
	[MAX_STATE]    = {"max_state", UNIT_COUNT, KIND_GAUGE, "Highest step.", .attr = "max_state"},
	[COOLING_TYPE] = {"type", UNIT_NONE, KIND_INFO, "What is cooled or throttled.", .attr = "type"},
};

static const struct derived cooling_derived[] = {
	{"cooling_share", UNIT_RATIO, DERIVE_QUOTIENT, "cur_state", "max_state", 1, 1,
	 "Step of cooling as a share of the highest one."},
};
/* clang-format on */

#define TYPE_MAX  64
#define TRIPS_MAX 64

/* What is read once, at the probe. */
struct zone {
	char type[TYPE_MAX], policy[TYPE_MAX];
	char *trips;
	int64_t trip_temp[CRITICAL_TEMP + 1]; /* by field */
	bool has_trip[CRITICAL_TEMP + 1];
	bool in_millidegrees; /* has shown a temperature that cannot be one in whole degrees */
};

struct thermal {
	struct sysfs_nodes zone_nodes, cooling_nodes;
	struct zone *zones; /* one for each of zone_nodes */
};

static void thermal_close(void *state)
{
	struct thermal *t = state;

	for (size_t i = 0; i < t->zone_nodes.n; i++)
		free(t->zones[i].trips);
	free(t->zones);
	sysfs_nodes_done(&t->zone_nodes);
	sysfs_nodes_done(&t->cooling_nodes);
	free(t);
}

/* Sentinels seen in the field: -274000 invalid, -273150 0 K, -40000 and -40960 an open thermistor.
 * All lie at or beyond the edge of what a board can have. */
static bool is_possible(int64_t millidegrees)
{
	return millidegrees > -40000 && millidegrees <= 150000;
}

/* A magnitude below 0.2 degrees is either a board in a freezer or a driver that prints whole
 * degrees. A zone that once showed more is known to keep to the unit. */
static bool is_whole_degrees(struct zone *zone, int64_t value)
{
	const int64_t limit = 200;

	if (zone->in_millidegrees)
		return false;
	zone->in_millidegrees = value >= limit || value <= -limit;
	return !zone->in_millidegrees;
}

static void judge(struct zone *zone, struct row *row)
{
	const struct value *temp = &row->values[TEMP];

	if (temp->type == VALUE_INT && (!is_possible(temp->i) || is_whole_degrees(zone, temp->i)))
		row_flag(row, TEMP, FLAG_IMPLAUSIBLE);
}

static void add_known(struct sink *sink, struct row *row, const struct zone *zone)
{
	for (size_t i = PASSIVE_TEMP; i <= CRITICAL_TEMP; i++)
		if (zone->has_trip[i])
			row_set(row, i, zone->trip_temp[i]);
	if (zone->type[0])
		row_text(sink, row, TYPE, zone->type);
	if (zone->policy[0])
		row_text(sink, row, POLICY, zone->policy);
	if (zone->trips)
		row_text(sink, row, TRIPS, zone->trips);
}

static int zones_sample(struct thermal *t, struct hw *hw, struct sink *sink)
{
	bool gone = false;

	for (size_t i = 0; i < t->zone_nodes.n; i++) {
		struct row *row = sysfs_node_sample(hw, &t->zone_nodes, i, sink);

		judge(&t->zones[i], row);
		add_known(sink, row, &t->zones[i]);
		gone = gone ||
		       (row->values[TEMP].type == VALUE_FAULT && row->values[TEMP].i == ENODEV);
	}
	return gone ? -ENODEV : 0;
}

/* intel_powerclamp shows -1 while it does nothing. */
static int cooling_sample(struct thermal *t, struct hw *hw, struct sink *sink)
{
	int r = sysfs_nodes_sample(hw, &t->cooling_nodes, sink);

	for (size_t i = 0; i < sink->n_rows; i++) {
		struct value *state = &sink->rows[i]->values[CUR_STATE];

		if (state->type == VALUE_INT && state->i < 0)
			row_flag(sink->rows[i], CUR_STATE, FLAG_IMPLAUSIBLE);
	}
	return r;
}

static int thermal_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct thermal *t = state;

	return group == GROUP_COOLING ? cooling_sample(t, hw, sink) : zones_sample(t, hw, sink);
}

/* What a zone measures when it is no temperature, by its name; NULL when it is one. Names come from
 * Qualcomm's battery current limiting and charger drivers. */
static const char *other_quantity(const char *type)
{
	static const struct {
		const char *word, *quantity;
	} words[] = {
		{"vbat", "a voltage"},    {"vbatt", "a voltage"}, {"vph", "a voltage"},
		{"ibat", "a current"},    {"ibatt", "a current"}, {"bcl", "a current limit"},
		{"socd", "a percentage"}, {"zeroc", "a switch"},
	};
	static const char separators[] = "-_ ";

	/* "soc" is the chip in most names ("soc-thermal"); the charge of a battery only here. */
	if (!strcmp(type, "soc_usr") || !strcmp(type, "soc-usr"))
		return "a percentage";
	for (const char *p = type; *p; p += strspn(p, separators)) {
		size_t len = strcspn(p, separators);

		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			if (strlen(words[i].word) == len && !strncmp(p, words[i].word, len))
				return words[i].quantity;
		p += len;
	}
	return NULL;
}

/* The field of a type of trip point, 0 for others. */
static size_t trip_field(const char *type)
{
	if (!strcmp(type, "passive"))
		return PASSIVE_TEMP;
	if (!strcmp(type, "hot"))
		return HOT_TEMP;
	return strcmp(type, "critical") ? 0 : CRITICAL_TEMP;
}

/* Returns -ENOENT past the last trip point. */
static int read_trip(struct hw *hw, const char *dir, size_t n, struct zone *zone,
		     struct text *trips)
{
	char type[TYPE_MAX];
	int64_t temp, hysteresis;
	int r = hw_read_line(hw, type, sizeof(type), "%s/trip_point_%zu_type", dir, n);

	if (r < 0)
		return r == -ENOENT ? r : 0;
	/* Drivers leave an unused one at -274000 or at the largest integer. */
	if (hw_read_i64(hw, &temp, "%s/trip_point_%zu_temp", dir, n) < 0 || temp <= -273000 ||
	    temp >= 1000000)
		return 0;

	size_t field = trip_field(type);

	if (field && (!zone->has_trip[field] || temp < zone->trip_temp[field])) {
		zone->has_trip[field] = true;
		zone->trip_temp[field] = temp;
	}
	text_printf(trips, "%s%s ", trips->len ? ", " : "", type);
	text_fixed(trips, temp, 3);
	if (hw_read_i64(hw, &hysteresis, "%s/trip_point_%zu_hyst", dir, n) == 0 && hysteresis > 0) {
		text_str(trips, " hyst ");
		text_fixed(trips, hysteresis, 3);
	}
	return 0;
}

static void read_trips(struct hw *hw, const char *dir, struct zone *zone)
{
	char buf[INFO_TEXT_MAX];
	struct text trips = TEXT_IN(buf);

	for (size_t n = 0; n < TRIPS_MAX && read_trip(hw, dir, n, zone, &trips) == 0; n++)
		;
	if (trips.len)
		zone->trips = strdup(buf);
}

static bool identity_is_known(const struct sysfs_nodes *nodes, const char *identity)
{
	for (size_t i = 0; i < nodes->n; i++)
		if (!strcmp(nodes->v[i].identity, identity))
			return true;
	return false;
}

/* Type and the device behind it, where sysfs names one; of several alike the second gets "#2". */
static void identify(struct hw *hw, const struct sysfs_nodes *nodes, const char *dir,
		     const char *type, char identity[NODE_IDENTITY_MAX])
{
	static const char top[] = "sys/devices/";
	char path[HW_PATH_MAX];
	struct text out = text_in(identity, NODE_IDENTITY_MAX);

	if (!*type)
		return;
	text_printf(&out, "type:%s", type);
	if (hw_real_path(hw, path, sizeof(path), "%s/device", dir) == 0)
		text_printf(&out, "@%s",
			    strncmp(path, top, sizeof(top) - 1) ? path : path + sizeof(top) - 1);

	size_t len = out.len;

	for (unsigned n = 2; identity_is_known(nodes, identity) && n < HW_NAMES_MAX; n++) {
		text_rewind(&out, len);
		text_printf(&out, "#%u", n);
	}
}

static void report_zone(struct hw *hw, struct probe *probe, const char *name, const char *dir,
			const char *type)
{
	char text[64];
	int64_t temp;
	int r = hw_read_i64(hw, &temp, "%s/temp", dir);
	bool is_text = (r == -EINVAL || r == -ERANGE) &&
		       hw_read_line(hw, text, sizeof(text), "%s/temp", dir) >= 0;

	if (r == 0)
		probe_node(probe, name, OUTCOME_OK, "", "%s", type);
	else if (is_text)
		probe_node(probe, name, OUTCOME_FAILED, advice_of_error(hw, -EBADMSG, "/sys/"),
			   "%s: temp is no number: \"%.32s\"", type, text);
	else if (r == -ENOENT)
		probe_node(probe, name, OUTCOME_NO_NODE, advice_of_error(hw, r, "/sys/"),
			   "%s: no file temp", type);
	else if (r == -EACCES || r == -EPERM)
		probe_node(probe, name, OUTCOME_DENIED,
			   "let the user read sysfs_thermal (Android) or chmod by udev",
			   "%s: temp may not be read", type);
	else if (r == -ENODATA)
		probe_node(probe, name, OUTCOME_FAILED, advice_of_error(hw, r, "/sys/"),
			   "%s: no reading now (ENODATA): not ready, or its subsystem is off",
			   type);
	else if (r == -EINVAL)
		probe_node(probe, name, OUTCOME_FAILED, advice_of_error(hw, -ENODATA, "/sys/"),
			   "%s: no number (EINVAL): sensor off or not calibrated", type);
	else
		probe_node(probe, name, outcome_of_error(r), advice_of_error(hw, r, "/sys/"),
			   "%s: %s", type, strerror(-r));
}

static int add_zone(struct hw *hw, struct thermal *t, struct probe *probe, const char *name)
{
	char dir[HW_PATH_MAX], identity[NODE_IDENTITY_MAX] = "", type[TYPE_MAX] = "";
	struct text path = TEXT_IN(dir);

	text_printf(&path, "sys/class/thermal/%s", name);
	/* A type that does not fit counts as none: the kernel's are 19 bytes long at most. */
	if (hw_read_line(hw, type, sizeof(type), "%s/type", dir) < 0)
		type[0] = '\0';

	const char *other = other_quantity(type);

	if (other) {
		probe_node(probe, name, OUTCOME_UNSUPPORTED, "",
			   "%s: by its name %s and no temperature", type, other);
		return 0;
	}
	report_zone(hw, probe, name, dir, type[0] ? type : "no type");
	if (!hw_exists(hw, "%s/temp", dir))
		return 0;
	identify(hw, &t->zone_nodes, dir, type, identity);

	struct zone *grown = realloc(t->zones, (t->zone_nodes.n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	t->zones = grown;

	struct zone *zone = &t->zones[t->zone_nodes.n];
	int r = sysfs_nodes_add(hw, &t->zone_nodes, dir, name, identity);

	if (r < 0)
		return r;
	*zone = (struct zone){0};
	memcpy(zone->type, type, sizeof(zone->type));
	if (hw_read_line(hw, zone->policy, sizeof(zone->policy), "%s/policy", dir) < 0)
		zone->policy[0] = '\0';
	read_trips(hw, dir, zone);
	return 0;
}

static int add_cooling(struct hw *hw, struct thermal *t, struct probe *probe, const char *name)
{
	char dir[HW_PATH_MAX], identity[NODE_IDENTITY_MAX] = "", type[TYPE_MAX] = "";
	struct text path = TEXT_IN(dir);

	text_printf(&path, "sys/class/thermal/%s", name);
	if (hw_read_line(hw, type, sizeof(type), "%s/type", dir) < 0)
		type[0] = '\0';
	identify(hw, &t->cooling_nodes, dir, type, identity);
	probe_node(probe, name, OUTCOME_OK, "", "%s", type[0] ? type : "no type");
	return sysfs_nodes_add(hw, &t->cooling_nodes, dir, name, identity);
}

/* Calls add for each name with a number behind the prefix. */
static int add_each(struct hw *hw, struct thermal *t, struct probe *probe, const char *prefix,
		    int (*add)(struct hw *, struct thermal *, struct probe *, const char *))
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = hw_list(hw, &names, prefix, "sys/class/thermal");

	for (size_t i = 0; i < names.n && r >= 0; i++)
		if (isdigit((unsigned char)names.v[i][strlen(prefix)]))
			r = add(hw, t, probe, names.v[i]);
	return r;
}

/* The collector's outcome when there is not one zone or cooling device. */
static void report_none(struct hw *hw, struct probe *probe, int r)
{
	static const struct need no_class = {"CONFIG_THERMAL", NULL, OUTCOME_NO_NODE,
					     "the driver of the sensors brings it"};
	static const struct need no_zone = {
		"CONFIG_THERMAL", NULL, OUTCOME_NO_HARDWARE,
		"enable the driver of the sensors (device tree: thermal-zones)"};

	if (r == -EACCES || r == -EPERM)
		probe_collector(probe, OUTCOME_DENIED,
				"Android: allow the domain to read sysfs_thermal",
				"/sys/class/thermal may not be listed");
	else if (r < 0 && r != -ENOENT)
		probe_collector(probe, OUTCOME_FAILED, "", "/sys/class/thermal: %s", strerror(-r));
	else if (r == -ENOENT)
		reason_option(hw, probe, "", &no_class, "there is no /sys/class/thermal");
	else
		reason_option(hw, probe, "", &no_zone, "no driver has registered a thermal zone");
}

static void statep(struct thermal **t)
{
	if (*t)
		thermal_close(*t);
}

static const struct group groups[] = {
	[GROUP_ZONES] =
		{
			.name = "thermal",
			.help = "Temperatures and trip points of thermal zones.",
			.cost = COST_H,
			.period_ms = 1000,
			.fields = zone_fields,
			.n_fields = ARRAY_SIZE(zone_fields),
			.node = "thermal zone by its type, with a number where types repeat",
			.absence = "there is no thermal zone, or it has no such trip point",
		},
	[GROUP_COOLING] =
		{
			.name = "cooling",
			.help = "What the kernel throttles or cools, and how far.",
			.cost = COST_L,
			.period_ms = 1000,
			.fields = cooling_fields,
			.n_fields = ARRAY_SIZE(cooling_fields),
			.derived = cooling_derived,
			.n_derived = ARRAY_SIZE(cooling_derived),
			.node = "cooling device by its type, with a number where types repeat",
			.absence = "the device has no such state",
		},
};

static int thermal_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct thermal *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->zone_nodes.group = &groups[GROUP_ZONES];
	t->cooling_nodes.group = &groups[GROUP_COOLING];

	int r = add_each(hw, t, probe, "thermal_zone", add_zone);

	if (r >= 0)
		r = add_each(hw, t, probe, "cooling_device", add_cooling);
	if (r == -ENOMEM)
		return r;
	if (!t->zone_nodes.n && !t->cooling_nodes.n) {
		report_none(hw, probe, r);
		return r < 0 ? r : -ENOENT;
	}
	*ret_state = t;
	t = NULL;
	return 0;
}

const struct collector collector_thermal = {
	.name = "thermal",
	.help = "Thermal zones and cooling devices.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = thermal_probe,
	.sample = thermal_sample,
	.close = thermal_close,
};
