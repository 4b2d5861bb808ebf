/* What a UFS device says of its own health and of itself: descriptors, attributes and flags, since
 * 4.17; or the health descriptor in the dump of a vendor's kernel
 * Kernel: Documentation/ABI/testing/sysfs-driver-ufs, drivers/ufs/core/ufs-sysfs.c; JESD220 (UFS):
 * Device, Geometry and Device Health Descriptor, Attributes, Flags
 *
 * Each value is a query to the device (model/ufs_query.h). What its version of the specification
 * does not have is not asked. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/text.h"
#include "model/asking.h"
#include "model/collector.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/ufs_dump.h"
#include "model/ufs_host.h"
#include "model/ufs_life.h"
#include "model/ufs_query.h"

enum { GROUP_HEALTH, GROUP_IDENTITY };

enum {
	PRE_EOL_INFO,
	LIFE_TIME_A,
	LIFE_TIME_B,
	USED_A_LOW,
	USED_A_HIGH,
	USED_B_LOW,
	USED_B_HIGH,
	USED_LOW,
	USED_HIGH,
	WB_AVAIL_BUF,
	WB_CUR_BUF,
	WB_CUR_BUF_SIZE,
	WB_LIFE_TIME_EST,
	WB_USED_LOW,
	WB_USED_HIGH,
	WB_FLUSH_STATUS,
	BKOPS_STATUS,
	EXCEPTION_EVENT_STATUS,
	EXCEPTION_EVENTS,
	PROBLEM,
};

/* The place of a word is the code of the specification. */
static const char *const pre_eol_states[] = {"undefined", "normal", "warning", "critical", NULL};
static const char *const flush_states[] = {"idle",      "running", "stopped early",
					   "completed", "failed",  NULL};
static const char *const bkops_states[] = {"not required", "not critical", "performance impacted",
					   "critical", NULL};
static const char *const wb_types[] = {"dedicated", "shared", NULL};

#define NO_HEALTH                                                                                  \
	"the device says 0x00 (not defined) or is older than UFS 2.1, or the kernel is older "     \
	"than 4.17"
#define NO_WB                                                                                      \
	"the device has no WriteBooster buffer (it came with UFS 2.2 and 3.1), or the kernel is "  \
	"older than 5.9"

/* clang-format off */
static const struct field health_fields[] = {
	[PRE_EOL_INFO]   = {"pre_eol_info", UNIT_NONE, KIND_STATE,
			    "Spare blocks: warning is 80 % of them used, critical 90 %.",
			    .states = pre_eol_states, .absence = NO_HEALTH},
	[LIFE_TIME_A]    = {"life_time_estimation_a", UNIT_COUNT, KIND_GAUGE,
			    "Life used of memory type A: 1 is 0 to 10 %, 10 is 90 to 100 %, 11 is above.",
			    .absence = NO_HEALTH},
	[LIFE_TIME_B]    = {"life_time_estimation_b", UNIT_COUNT, KIND_GAUGE,
			    "Life used of memory type B, in the same code.", .absence = NO_HEALTH},
	[USED_A_LOW]     = {"used_a_low", UNIT_PERCENT, KIND_GAUGE,
			    "Life used of memory type A, at least.", .absence = NO_HEALTH},
	[USED_A_HIGH]    = {"used_a_high", UNIT_PERCENT, KIND_GAUGE,
			    "Life used of memory type A, at most; no bound when it is exceeded.",
			    .absence = NO_HEALTH},
	[USED_B_LOW]     = {"used_b_low", UNIT_PERCENT, KIND_GAUGE,
			    "Life used of memory type B, at least.", .absence = NO_HEALTH},
	[USED_B_HIGH]    = {"used_b_high", UNIT_PERCENT, KIND_GAUGE,
			    "Life used of memory type B, at most; no bound when it is exceeded.",
			    .absence = NO_HEALTH},
	[USED_LOW]       = {"used_low", UNIT_PERCENT, KIND_GAUGE,
			    "Life used of the type that is worse, at least.", .absence = NO_HEALTH},
	[USED_HIGH]      = {"used_high", UNIT_PERCENT, KIND_GAUGE,
			    "Life used of the type that is worse, at most; no bound when it is exceeded, or one is unknown.",
			    .absence = NO_HEALTH},
	[WB_AVAIL_BUF]   = {"wb_avail_buf", UNIT_PERCENT, KIND_GAUGE,
			    "Part of the WriteBooster buffer that is free, in steps of 10 %.",
			    .since = "5.9", .absence = NO_WB},
	[WB_CUR_BUF]     = {"wb_cur_buf", UNIT_COUNT, KIND_GAUGE,
			    "Size of the WriteBooster buffer now, in allocation units; where it keeps user space, "
			    "it shrinks as the device fills.", .since = "5.9", .absence = NO_WB},
	[WB_CUR_BUF_SIZE] = {"wb_cur_buf_size", UNIT_BYTES, KIND_GAUGE,
			    "The same size in bytes.", .since = "5.9",
			    .absence = NO_WB ", or its allocation unit is not known"},
	[WB_LIFE_TIME_EST] = {"wb_life_time_est", UNIT_COUNT, KIND_GAUGE,
			    "Life used of the WriteBooster buffer, in the code of life_time_estimation_a.",
			    .since = "5.9", .absence = NO_WB ", or the buffer is off"},
	[WB_USED_LOW]    = {"wb_used_low", UNIT_PERCENT, KIND_GAUGE,
			    "Life used of the WriteBooster buffer, at least.", .since = "5.9",
			    .absence = NO_WB ", or the buffer is off"},
	[WB_USED_HIGH]   = {"wb_used_high", UNIT_PERCENT, KIND_GAUGE,
			    "Life used of the WriteBooster buffer, at most; no bound when it is exceeded.",
			    .since = "5.9", .absence = NO_WB ", or the buffer is off"},
	[WB_FLUSH_STATUS] = {"wb_flush_status", UNIT_NONE, KIND_STATE,
			    "Flush of the WriteBooster buffer; how one ended is told once, then the device says idle.",
			    .states = flush_states, .since = "5.9", .absence = NO_WB},
	[BKOPS_STATUS]   = {"bkops_status", UNIT_NONE, KIND_STATE,
			    "How much the device needs time for operations in the background.",
			    .states = bkops_states},
	[EXCEPTION_EVENT_STATUS] = {"exception_event_status", UNIT_NONE, KIND_GAUGE,
			    "Bits of what the device wants to be noticed now."},
	[EXCEPTION_EVENTS] = {"exception_events", UNIT_NONE, KIND_INFO,
			    "The bits of exception_event_status by name.", .absence = "no bit is set"},
	[PROBLEM]        = {"problem", UNIT_NONE, KIND_INFO,
			    "What the device did not answer, and why.", .absence = "it answered all",
			    .explains = true},
};

static const char *const exception_names[] = {
	"dynamic capacity needed", "system pool exhausted", "urgent background operations",
	"too hot", "too cold", "WriteBooster flush needed", "performance throttled",
	"device level exception", "WriteBooster resize hint", "health critical",
	"pinned WriteBooster buffer full",
};

enum {
	SPECIFICATION_VERSION,
	MANUFACTURER_ID,
	MANUFACTURING_DATE,
	MANUFACTURER_NAME,
	PRODUCT_NAME,
	PRODUCT_REVISION,
	SERIAL_NUMBER,
	OEM_ID,
	QUEUE_DEPTH,
	NUMBER_OF_LUNS,
	HIGH_PRIORITY_LUN,
	SEGMENT_SIZE,
	ALLOCATION_UNIT_SIZE,
	RAW_DEVICE_CAPACITY,
	WB_TYPE,
	WB_SHARED_ALLOC_UNITS,
	BKOPS_ENABLE,
	LIFE_SPAN_MODE_ENABLE,
	PERMANENT_WPE,
	POWER_ON_WPE,
	DISABLE_FW_UPDATE,
	WB_ENABLE,
	WB_FLUSH_EN,
	WB_FLUSH_DURING_H8,
	IDENTITY_PROBLEM,
};

#define NO_STRING "the device was not given one, or it is no text"

static const struct field identity_fields[] = {
	[SPECIFICATION_VERSION] = {"specification_version", UNIT_NONE, KIND_INFO,
				   "Version of UFS that the device follows."},
	[MANUFACTURER_ID]       = {"manufacturer_id", UNIT_NONE, KIND_INFO,
				   "Number of the manufacturer, by JEDEC.", .absence = "it is 0x0000"},
	[MANUFACTURING_DATE]    = {"manufacturing_date", UNIT_NONE, KIND_INFO, "Month of manufacture.",
				   .absence = "it is 0x0000"},
	[MANUFACTURER_NAME]     = {"manufacturer_name", UNIT_NONE, KIND_INFO, "Name of the manufacturer.",
				   .absence = NO_STRING},
	[PRODUCT_NAME]          = {"product_name", UNIT_NONE, KIND_INFO, "Product name.", .absence = NO_STRING},
	[PRODUCT_REVISION]      = {"product_revision", UNIT_NONE, KIND_INFO, "Revision of the firmware.",
				   .absence = NO_STRING},
	[SERIAL_NUMBER]         = {"serial_number", UNIT_NONE, KIND_INFO,
				   "Serial number; what is no text in it is blank.", .absence = NO_STRING},
	[OEM_ID]                = {"oem_id", UNIT_NONE, KIND_INFO, "Number of the OEM.", .absence = NO_STRING},
	[QUEUE_DEPTH]           = {"queue_depth", UNIT_COUNT, KIND_GAUGE, "Commands that the device takes at once.",
				   .absence = "each unit has a queue of its own"},
	[NUMBER_OF_LUNS]        = {"number_of_luns", UNIT_COUNT, KIND_GAUGE,
				   "Logical units, without the well-known ones."},
	[HIGH_PRIORITY_LUN]     = {"high_priority_lun", UNIT_NONE, KIND_GAUGE,
				   "Unit whose commands go first.", .absence = "all have the same priority"},
	[SEGMENT_SIZE]          = {"segment_size", UNIT_BYTES, KIND_GAUGE, "Size of a segment."},
	[ALLOCATION_UNIT_SIZE]  = {"allocation_unit_size", UNIT_BYTES, KIND_GAUGE,
				   "Size of an allocation unit, of which units and buffers are made."},
	[RAW_DEVICE_CAPACITY]   = {"raw_device_capacity", UNIT_BYTES, KIND_GAUGE, "Size of the whole device."},
	[WB_TYPE]               = {"wb_type", UNIT_NONE, KIND_STATE,
				   "Whether each unit has a WriteBooster buffer of its own, or all share one.",
				   .states = wb_types, .since = "5.9", .absence = NO_WB},
	[WB_SHARED_ALLOC_UNITS] = {"wb_shared_alloc_units", UNIT_COUNT, KIND_GAUGE,
				   "Allocation units of the shared WriteBooster buffer, as it was configured.",
				   .since = "5.9", .absence = NO_WB ", or a dedicated one"},
	[BKOPS_ENABLE]          = {"bkops_enable", UNIT_NONE, KIND_GAUGE,
				   "1 when the device may work in the background, 0 when not."},
	[LIFE_SPAN_MODE_ENABLE] = {"life_span_mode_enable", UNIT_NONE, KIND_GAUGE,
				   "1 when the device spares itself at the cost of speed."},
	[PERMANENT_WPE]         = {"permanent_wpe", UNIT_NONE, KIND_GAUGE,
				   "1 when units that were made so are write protected for ever."},
	[POWER_ON_WPE]          = {"power_on_wpe", UNIT_NONE, KIND_GAUGE,
				   "1 when units that were made so are write protected until the next reset."},
	[DISABLE_FW_UPDATE]     = {"disable_fw_update", UNIT_NONE, KIND_GAUGE,
				   "1 when no firmware can be loaded any more."},
	[WB_ENABLE]             = {"wb_enable", UNIT_NONE, KIND_GAUGE, "1 while WriteBooster is on.",
				   .since = "5.9", .absence = NO_WB},
	[WB_FLUSH_EN]           = {"wb_flush_en", UNIT_NONE, KIND_GAUGE,
				   "1 while the WriteBooster buffer is to be flushed.", .since = "5.9",
				   .absence = NO_WB},
	[WB_FLUSH_DURING_H8]    = {"wb_flush_during_h8", UNIT_NONE, KIND_GAUGE,
				   "1 when it is flushed while the link hibernates.", .since = "5.9",
				   .absence = NO_WB},
	[IDENTITY_PROBLEM]      = {"problem", UNIT_NONE, KIND_INFO,
				   "What the device did not answer, and why.", .absence = "it answered all",
				   .explains = true},
};
/* clang-format on */

static const struct group groups[] = {
	[GROUP_HEALTH] =
		{
			.name = "ufs_health",
			.help = "Wear and state of UFS devices, as the device says.",
			.cost = COST_Q,
			.period_ms = 3600000,
			.least_period_ms = 600000,
			.fields = health_fields,
			.n_fields = ARRAY_SIZE(health_fields),
			.node = "UFS host, by the name of its controller's device",
			.since = "4.17",
			.absence = "the device was not asked: it sleeps, or its scan has not ended",
		},
	[GROUP_IDENTITY] =
		{
			.name = "ufs_identity",
			.help = "What UFS devices are; what does not change is asked once.",
			.cost = COST_Q,
			.period_ms = 86400000,
			.least_period_ms = 3600000,
			.fields = identity_fields,
			.n_fields = ARRAY_SIZE(identity_fields),
			.node = "UFS host, by the name of its controller's device",
			.since = "4.17",
			.absence = "the device was not asked: it sleeps, or its scan has not ended",
		},
};

#define VERSION_OF_HEALTH 0x210
#define DUMP_MAX          8192
#define NOT_SCANNED       "its scan has not ended, or failed"

/* One row under way. */
struct sampling {
	struct ufs_query query;
	struct sink *sink;
	struct row *row;
	size_t problem; /* field */
};

/* What was not asked is not there. */
static void set(struct sampling *s, size_t field, int r, int64_t value)
{
	if (r < 0 && s->query.stopped == r)
		return;
	row_result(s->row, field, r, value);
}

/* A number of the device that is shown as it is, up to the greatest that there can be. */
static void show_code(struct sampling *s, size_t field, enum ufs_question q, int64_t max)
{
	int64_t value = 0;
	int r = ufs_ask_number(&s->query, q, &value);

	set(s, field, r, value);
	if (r == 0 && value > max)
		row_flag(s->row, field, FLAG_IMPLAUSIBLE);
}

static void show_code_of_life(struct sampling *s, size_t field, size_t low, int r, int64_t code)
{
	if (r < 0)
		set(s, field, r, 0);
	else
		ufs_life_set(s->row, field, low, code);
}

static void show_life(struct sampling *s, size_t field, size_t low, enum ufs_question q)
{
	int64_t code = 0;
	int r = ufs_ask_number(&s->query, q, &code);

	show_code_of_life(s, field, low, r, code);
}

static void show_pre_eol(struct sampling *s, int r, int64_t code)
{
	if (r < 0 || code)
		set(s, PRE_EOL_INFO, r, code);
	if (r == 0 && code >= (int64_t)ARRAY_SIZE(pre_eol_states) - 1)
		row_flag(s->row, PRE_EOL_INFO, FLAG_IMPLAUSIBLE);
}

/* A value of the dump: 0 with a number, else an error. */
static int in_dump(int64_t value)
{
	if (value >= 0)
		return 0;
	return value == UFS_DUMP_MISSING ? -ENOENT : -EINVAL;
}

static void show_dump(struct sampling *s)
{
	char text[DUMP_MAX];
	struct ufs_dump dump = {0};
	int r = ufs_ask_dump(&s->query, text, sizeof(text));

	if (r >= 0 && !ufs_dump_parse((struct slice){text, (size_t)r}, &dump))
		r = -EINVAL;
	show_pre_eol(s, r < 0 ? r : in_dump(dump.pre_eol_info), dump.pre_eol_info);
	show_code_of_life(s, LIFE_TIME_A, USED_A_LOW, r < 0 ? r : in_dump(dump.life_time_a),
			  dump.life_time_a);
	show_code_of_life(s, LIFE_TIME_B, USED_B_LOW, r < 0 ? r : in_dump(dump.life_time_b),
			  dump.life_time_b);
}

static void show_wear(struct sampling *s)
{
	int64_t code = 0;

	if (s->query.device->dump[0]) {
		show_dump(s);
	} else {
		int r = ufs_ask_number(&s->query, UFS_ASK_PRE_EOL, &code);

		show_pre_eol(s, r, code);
		show_life(s, LIFE_TIME_A, USED_A_LOW, UFS_ASK_LIFE_A);
		show_life(s, LIFE_TIME_B, USED_B_LOW, UFS_ASK_LIFE_B);
	}
	ufs_life_set_worse(s->row, LIFE_TIME_A, USED_A_LOW, LIFE_TIME_B, USED_B_LOW, USED_LOW);
}

static void show_exceptions(struct sampling *s)
{
	char buf[INFO_TEXT_MAX];
	struct text text = TEXT_IN(buf);
	int64_t bits = 0;
	int r = ufs_ask_number(&s->query, UFS_ASK_EXCEPTIONS, &bits);

	set(s, EXCEPTION_EVENT_STATUS, r, bits);
	if (r < 0)
		set(s, EXCEPTION_EVENTS, r, 0);
	if (bits > UINT16_MAX) {
		row_flag(s->row, EXCEPTION_EVENT_STATUS, FLAG_IMPLAUSIBLE);
		return;
	}
	for (unsigned i = 0; i < 16; i++) {
		if (!(bits >> i & 1))
			continue;
		text_str(&text, text.len ? ", " : "");
		if (i < ARRAY_SIZE(exception_names))
			text_str(&text, exception_names[i]);
		else
			text_printf(&text, "bit %u", i);
	}
	if (text.len)
		row_text(s->sink, s->row, EXCEPTION_EVENTS, buf);
}

static void show_size(struct sampling *s, int64_t units)
{
	int64_t unit = 0, bytes = 0;

	if (ufs_ask_unit_size(&s->query, &unit) == 0 && unit &&
	    !__builtin_mul_overflow(units, unit, &bytes))
		row_set(s->row, WB_CUR_BUF_SIZE, bytes);
}

static void show_write_booster(struct sampling *s)
{
	int64_t tenths = 0, units = 0;
	int r = ufs_ask_number(&s->query, UFS_ASK_WB_AVAIL, &tenths);

	if (r == 0 && __builtin_mul_overflow(tenths, 10, &tenths))
		r = -ERANGE;
	set(s, WB_AVAIL_BUF, r, tenths);
	if (r == 0 && tenths > 100)
		row_flag(s->row, WB_AVAIL_BUF, FLAG_IMPLAUSIBLE);
	r = ufs_ask_number(&s->query, UFS_ASK_WB_CUR, &units);
	set(s, WB_CUR_BUF, r, units);
	if (units > UINT32_MAX)
		row_flag(s->row, WB_CUR_BUF, FLAG_IMPLAUSIBLE);
	else if (r == 0)
		show_size(s, units);
	show_life(s, WB_LIFE_TIME_EST, WB_USED_LOW, UFS_ASK_WB_LIFE);
	show_code(s, WB_FLUSH_STATUS, UFS_ASK_WB_FLUSH, ARRAY_SIZE(flush_states) - 2);
}

static void sample_health(struct sampling *s)
{
	int64_t version;

	ufs_ask_version(&s->query, &version);
	if (!version || version >= VERSION_OF_HEALTH)
		show_wear(s);
	show_code(s, BKOPS_STATUS, UFS_ASK_BKOPS, ARRAY_SIZE(bkops_states) - 2);
	show_exceptions(s);
	if (ufs_has_write_booster(&s->query, version))
		show_write_booster(s);
}

/* 0x0310 is 3.1; a third digit is that of the suffix. */
static void show_version(struct sampling *s, unsigned version)
{
	char buf[32];
	struct text text = TEXT_IN(buf);

	if (!version)
		return;
	text_printf(&text, "%x.%x", version >> 8, version >> 4 & 0xf);
	if (version & 0xf)
		text_printf(&text, ".%x", version & 0xf);
	row_text(s->sink, s->row, SPECIFICATION_VERSION, buf);
}

static void show_word(struct sampling *s, size_t field, enum ufs_question q)
{
	char buf[32];
	struct text text = TEXT_IN(buf);
	int64_t value = 0;
	int r = ufs_ask_number(&s->query, q, &value);

	if (r == 0 && value > UINT16_MAX)
		r = -EINVAL;
	if (r < 0)
		set(s, field, r, 0);
	if (r < 0 || !value)
		return;
	if (q == UFS_ASK_DATE)
		ufs_date_text(&text, (unsigned)value);
	else
		text_printf(&text, "0x%04X", (unsigned)value);
	row_text(s->sink, s->row, field, buf);
}

static void show_string(struct sampling *s, size_t field, enum ufs_question q)
{
	char line[UFS_ANSWER_MAX];
	int r = ufs_ask(&s->query, q, line);

	if (r < 0)
		set(s, field, r, 0);
	else if (*ufs_string_text(line))
		row_text(s->sink, s->row, field, ufs_string_text(line));
}

static void show_flag(struct sampling *s, size_t field, enum ufs_question q)
{
	char line[UFS_ANSWER_MAX];
	int r = ufs_ask(&s->query, q, line);
	bool is_set = r == 0 && (!strcmp(line, "true") || !strcmp(line, "1"));

	if (r == 0 && !is_set && strcmp(line, "false") != 0 && strcmp(line, "0") != 0)
		r = -EINVAL;
	set(s, field, r, is_set);
}

/* A number of a byte or more, that has a value for "none". */
static void show_unless(struct sampling *s, size_t field, enum ufs_question q, int64_t none,
			int64_t max)
{
	int64_t value = 0;
	int r = ufs_ask_number(&s->query, q, &value);

	if (r == 0 && value == none)
		return;
	set(s, field, r, value);
	if (value > max)
		row_flag(s->row, field, FLAG_IMPLAUSIBLE);
}

static void show_sizes(struct sampling *s)
{
	int64_t segment = 0, unit = 0, sectors = 0, capacity = 0;
	int r = ufs_ask_segment_size(&s->query, &segment);

	set(s, SEGMENT_SIZE, r, segment);
	r = ufs_ask_unit_size(&s->query, &unit);
	set(s, ALLOCATION_UNIT_SIZE, r, unit);
	r = ufs_ask_number(&s->query, UFS_ASK_CAPACITY, &sectors);
	if (r == 0 && __builtin_mul_overflow(sectors, 512, &capacity))
		r = -ERANGE;
	set(s, RAW_DEVICE_CAPACITY, r, capacity);
}

static void sample_identity(struct sampling *s)
{
	int64_t version;
	int r = ufs_ask_version(&s->query, &version);

	if (r < 0)
		set(s, SPECIFICATION_VERSION, r, 0);
	show_version(s, (unsigned)version);
	show_word(s, MANUFACTURER_ID, UFS_ASK_MANUFACTURER_ID);
	show_word(s, MANUFACTURING_DATE, UFS_ASK_DATE);
	show_string(s, MANUFACTURER_NAME, UFS_ASK_MANUFACTURER_NAME);
	show_string(s, PRODUCT_NAME, UFS_ASK_PRODUCT_NAME);
	show_string(s, PRODUCT_REVISION, UFS_ASK_PRODUCT_REVISION);
	show_string(s, SERIAL_NUMBER, UFS_ASK_SERIAL_NUMBER);
	show_string(s, OEM_ID, UFS_ASK_OEM_ID);
	show_unless(s, QUEUE_DEPTH, UFS_ASK_QUEUE_DEPTH, 0, UINT8_MAX);
	show_code(s, NUMBER_OF_LUNS, UFS_ASK_LUNS, UINT8_MAX);
	show_unless(s, HIGH_PRIORITY_LUN, UFS_ASK_HIGH_PRIORITY_LUN, 0x7f, UINT8_MAX);
	show_sizes(s);
	show_flag(s, BKOPS_ENABLE, UFS_ASK_BKOPS_ENABLE);
	show_flag(s, LIFE_SPAN_MODE_ENABLE, UFS_ASK_LIFE_SPAN);
	show_flag(s, PERMANENT_WPE, UFS_ASK_PERMANENT_WPE);
	show_flag(s, POWER_ON_WPE, UFS_ASK_POWER_ON_WPE);
	show_flag(s, DISABLE_FW_UPDATE, UFS_ASK_DISABLE_FW_UPDATE);
	if (!ufs_has_write_booster(&s->query, version))
		return;
	show_code(s, WB_TYPE, UFS_ASK_WB_TYPE, ARRAY_SIZE(wb_types) - 2);
	show_unless(s, WB_SHARED_ALLOC_UNITS, UFS_ASK_WB_SHARED_UNITS, 0, UINT32_MAX);
	show_flag(s, WB_ENABLE, UFS_ASK_WB_ENABLE);
	show_flag(s, WB_FLUSH_EN, UFS_ASK_WB_FLUSH_EN);
	show_flag(s, WB_FLUSH_DURING_H8, UFS_ASK_WB_FLUSH_H8);
}

static const char *stopped_text(int error)
{
	return error == -EIO ? "the power management of the device is in an error"
			     : "the state of the device cannot be read";
}

/* Why nothing more is asked: it sleeps, which is no fault, or cannot be told to be awake. */
static void say_stopped(struct sampling *s, size_t group)
{
	if (s->query.stopped == -EHOSTDOWN) {
		s->row->suspended = true;
		return;
	}
	row_text(s->sink, s->row, s->problem, stopped_text(s->query.stopped));
	for (size_t i = 0; i < groups[group].n_fields; i++)
		if (s->row->values[i].type == VALUE_ABSENT)
			row_fault(s->row, i, s->query.stopped);
}

static int sample_device(struct hw *hw, struct ufs_device *device, size_t group, struct sink *sink)
{
	char buf[INFO_TEXT_MAX];
	struct text text = TEXT_IN(buf);
	struct sampling s = {
		.sink = sink,
		.row = sink_row(sink, device->name, device->identity),
		.problem = group == GROUP_HEALTH ? PROBLEM : IDENTITY_PROBLEM,
	};
	int r;

	if (!ufs_device_is_scanned(hw, device)) {
		row_text(sink, s.row, s.problem, "no disk of it is there: " NOT_SCANNED);
		/* One that was there went. */
		return ufs_device_is_scanned(NULL, device) ? -ENODEV : 0;
	}
	r = ufs_query_begin(&s.query, hw, device);
	if (r == 0 && group == GROUP_HEALTH)
		sample_health(&s);
	else if (r == 0)
		sample_identity(&s);
	ufs_query_problem(&s.query, &text);
	if (text.len)
		row_text(sink, s.row, s.problem, buf);
	if (s.query.stopped < 0)
		say_stopped(&s, group);
	return s.query.is_gone || s.query.stopped == -ENODEV ? -ENODEV : 0;
}

struct ufs_health {
	struct ufs_device v[UFS_HOSTS_MAX];
	size_t n;
};

static void ufs_health_close(void *state)
{
	struct ufs_health *u = state;

	for (size_t i = 0; i < u->n; i++)
		ufs_device_close(&u->v[i]);
	free(u);
}

static void statep(struct ufs_health **u)
{
	if (*u)
		ufs_health_close(*u);
}

static int ufs_health_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct ufs_health *u = state;
	int r = 0;

	for (size_t i = 0; i < u->n; i++)
		if (sample_device(hw, &u->v[i], group, sink) < 0)
			r = -ENODEV;
	return r;
}

/* By the files that cost nothing. */
static void report_asked(struct hw *hw, struct probe *probe, struct ufs_device *device)
{
	char ok[PROBE_TEXT_MAX] = "each value is asked for by a query to the device, while it is "
				  "awake";
	int r = ufs_device_awake(hw, device);

	if (r == 0 && !device->dump[0] && !device->has_health) {
		probe_node(probe, device->name, OUTCOME_NO_NODE, "a kernel from 4.17 on",
			   "no health_descriptor in /%s: kernels have it from 4.17 on; what else "
			   "there is, is asked for",
			   device->dir);
		return;
	}
	if (device->dump[0])
		snprintf(ok, sizeof(ok),
			 "no health_descriptor; the vendor's /%.100s is asked for by a query to "
			 "the device",
			 device->dump);
	reason_asked(probe, device->name, ok, r, stopped_text(r));
}

static void report(struct hw *hw, struct probe *probe, struct ufs_device *device)
{
	if (ufs_device_is_scanned(NULL, device))
		report_asked(hw, probe, device);
	else
		probe_node(probe, device->name, OUTCOME_NO_NODE,
			   "wait until the disks are there; if they never come, look in the kernel "
			   "log for errors of ufshcd",
			   "no disk of it is there: " NOT_SCANNED ", and it is not asked before");
}

/* number: of the host, counted from 0. */
static int add(struct hw *hw, struct ufs_health *u, struct probe *probe,
	       const struct ufs_host *host, size_t number, struct asked_device *devices)
{
	struct ufs_device *device = &u->v[u->n++];
	int r = ufs_device_open(hw, device, host, number, devices);

	if (r == -ENOENT) {
		ufs_device_close(device);
		u->n--;
		probe_node(probe, host->name, OUTCOME_NO_NODE, "a kernel from 4.17 on",
			   "no health_descriptor in /%s: kernels have it from 4.17 on", host->dir);
		return 0;
	}
	if (r == 0)
		report(hw, probe, device);
	return r;
}

static int find_devices(struct hw *hw, struct ufs_health *u, struct probe *probe)
{
	CLEANUP(freep) struct ufs_hosts *hosts = NULL;
	int r = ufs_hosts_find(hw, &hosts);
	struct asked_device *devices = r < 0 ? NULL : asking_begin(hw, &ufs_asking);

	if (r >= 0 && !devices)
		r = -ENOMEM;
	for (size_t i = 0; r >= 0 && i < hosts->n; i++)
		if (probe_takes(probe, hosts->v[i].name))
			r = add(hw, u, probe, &hosts->v[i], i, devices);
	return r;
}

static int ufs_health_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct ufs_health *u = calloc(1, sizeof(*u));
	int r = u ? find_devices(hw, u, probe) : -ENOMEM;

	if (r < 0) {
		ufs_report_none(hw, probe, r);
		return r;
	}
	if (!u->n) {
		probe_collector(probe, OUTCOME_NO_NODE, "a kernel from 4.17 on",
				"no UFS host has descriptors of its device: kernels have them from "
				"4.17 on");
		return -ENOENT;
	}
	*ret_state = u;
	u = NULL;
	return 0;
}

const struct collector collector_ufs_health = {
	.name = "ufs_health",
	.help = "Health and identity of UFS devices, by queries to them.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = ufs_health_probe,
	.sample = ufs_health_sample,
	.close = ufs_health_close,
};
