#include "model/ufs_query.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "base/parse.h"

/* Below the directory of the host. */
static const char *const files[UFS_N_QUESTIONS] = {
	[UFS_ASK_VERSION] = "device_descriptor/specification_version",
	[UFS_ASK_MANUFACTURER_ID] = "device_descriptor/manufacturer_id",
	[UFS_ASK_DATE] = "device_descriptor/manufacturing_date",
	[UFS_ASK_MANUFACTURER_NAME] = "string_descriptors/manufacturer_name",
	[UFS_ASK_PRODUCT_NAME] = "string_descriptors/product_name",
	[UFS_ASK_PRODUCT_REVISION] = "string_descriptors/product_revision",
	[UFS_ASK_SERIAL_NUMBER] = "string_descriptors/serial_number",
	[UFS_ASK_OEM_ID] = "string_descriptors/oem_id",
	[UFS_ASK_QUEUE_DEPTH] = "device_descriptor/queue_depth",
	[UFS_ASK_LUNS] = "device_descriptor/number_of_luns",
	[UFS_ASK_HIGH_PRIORITY_LUN] = "device_descriptor/high_priority_lun",
	[UFS_ASK_SEGMENT_SIZE] = "geometry_descriptor/segment_size",
	[UFS_ASK_ALLOCATION_UNIT] = "geometry_descriptor/allocation_unit_size",
	[UFS_ASK_CAPACITY] = "geometry_descriptor/raw_device_capacity",
	[UFS_ASK_FEATURES] = "device_descriptor/ext_feature_sup",
	[UFS_ASK_WB_TYPE] = "device_descriptor/wb_type",
	[UFS_ASK_WB_SHARED_UNITS] = "device_descriptor/wb_shared_alloc_units",
	[UFS_ASK_PRE_EOL] = "health_descriptor/eol_info",
	[UFS_ASK_LIFE_A] = "health_descriptor/life_time_estimation_a",
	[UFS_ASK_LIFE_B] = "health_descriptor/life_time_estimation_b",
	[UFS_ASK_DUMP] = "dump_health_desc", /* elsewhere */
	[UFS_ASK_BKOPS] = "attributes/bkops_status",
	[UFS_ASK_EXCEPTIONS] = "attributes/exception_event_status",
	[UFS_ASK_WB_AVAIL] = "attributes/wb_avail_buf",
	[UFS_ASK_WB_CUR] = "attributes/wb_cur_buf",
	[UFS_ASK_WB_LIFE] = "attributes/wb_life_time_est",
	[UFS_ASK_WB_FLUSH] = "attributes/wb_flush_status",
	[UFS_ASK_BKOPS_ENABLE] = "flags/bkops_enable",
	[UFS_ASK_LIFE_SPAN] = "flags/life_span_mode_enable",
	[UFS_ASK_PERMANENT_WPE] = "flags/permanent_wpe",
	[UFS_ASK_POWER_ON_WPE] = "flags/power_on_wpe",
	[UFS_ASK_DISABLE_FW_UPDATE] = "flags/disable_fw_update",
	[UFS_ASK_WB_ENABLE] = "flags/wb_enable",
	[UFS_ASK_WB_FLUSH_EN] = "flags/wb_flush_en",
	[UFS_ASK_WB_FLUSH_H8] = "flags/wb_flush_during_h8",
};

/* What a device answered for good. */
struct known {
	uint8_t is_known[UFS_N_CONSTANTS]; /* 0 or 1 */
	char answers[UFS_N_CONSTANTS][UFS_ANSWER_MAX];
};

const struct asking ufs_asking = {.key = "ufs_query",
				  .n_devices = UFS_HOSTS_MAX,
				  .n_questions = UFS_N_QUESTIONS,
				  .known_bytes = sizeof(struct known)};

/* 0 when awake; -EHOSTDOWN asleep, or on the way into sleep or out of it; -EIO in an error of its
 * power management; or why it cannot be read. Without a file there is no power management. */
static int read_status(struct hw *hw, struct node_file *file)
{
	char line[32];
	int r = node_file_read_line(hw, file, line, sizeof(line));

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (!strcmp(line, "active") || !strcmp(line, "unsupported"))
		return 0;
	return strcmp(line, "error") ? -EHOSTDOWN : -EIO;
}

/* Before 5.14 it is the controller that is suspended, from then on its unit and then it. */
int ufs_device_awake(struct hw *hw, struct ufs_device *device)
{
	int r = read_status(hw, &device->unit_status);

	return r < 0 ? r : read_status(hw, &device->controller_status);
}

_Static_assert(UFS_N_QUESTIONS <= 64, "a bit for each question");

static int read_answer(const struct ufs_query *query, enum ufs_question q, char *buf, size_t size)
{
	int r;

	if (q == UFS_ASK_DUMP)
		return hw_read(query->hw, buf, size, "%s", query->device->dump);
	r = hw_read_line(query->hw, buf, size, "%s/%s", query->device->dir, files[q]);
	/* A string that is empty is an answer. */
	if (r == -ENODATA && q >= UFS_ASK_MANUFACTURER_NAME && q <= UFS_ASK_OEM_ID) {
		buf[0] = '\0';
		return 0;
	}
	return r;
}

/* Asks the device, when it is its turn and the device is awake. 0 or the length of the answer;
 * -ENOENT when the kernel has no such file. */
static int ask_device(struct ufs_query *query, enum ufs_question q, char *buf, size_t size)
{
	struct asked *asked = &query->device->kept->asked[q];
	int r = query->stopped;

	if (r < 0)
		return r;
	/* A second time in one sample is no second turn. What was answered and not kept made no
	 * sense. */
	if (query->asked >> q & 1) {
		if (asked->is_never)
			return -EOPNOTSUPP;
		return asked->error ? asked->error : -EINVAL;
	}
	query->asked |= UINT64_C(1) << q;
	r = asked_turn(asked);
	if (r == 0) {
		query->stopped = ufs_device_awake(query->hw, query->device);
		if (query->stopped < 0) {
			asked_spare(asked);
			return query->stopped;
		}
		r = read_answer(query, q, buf, size);
		asked_note(asked, r < 0 ? r : 0, 0);
	}
	if (r < 0 && r != -ENOENT)
		query->failed |= UINT64_C(1) << q;
	query->is_gone = query->is_gone || r == -ENODEV;
	return r;
}

int ufs_ask(struct ufs_query *query, enum ufs_question q, char buf[UFS_ANSWER_MAX])
{
	struct known *known = query->device->kept->known;
	int r;

	if (q < UFS_N_CONSTANTS && known->is_known[q]) {
		snprintf(buf, UFS_ANSWER_MAX, "%.*s", UFS_ANSWER_MAX - 1, known->answers[q]);
		return 0;
	}
	r = ask_device(query, q, buf, UFS_ANSWER_MAX);
	if (r >= 0 && q < UFS_N_CONSTANTS) {
		snprintf(known->answers[q], UFS_ANSWER_MAX, "%s", buf);
		known->is_known[q] = 1;
	}
	return r < 0 ? r : 0;
}

/* An answer that is no number is not kept. */
int ufs_ask_number(struct ufs_query *query, enum ufs_question q, int64_t *ret)
{
	struct known *known = query->device->kept->known;
	char line[UFS_ANSWER_MAX];
	int64_t value;
	int r = ufs_ask(query, q, line);

	if (r < 0)
		return r;
	r = parse_i64(line, &value);
	if (r == 0 && value < 0)
		r = -EINVAL;
	if (r == 0)
		*ret = value;
	else if (q < UFS_N_CONSTANTS)
		known->is_known[q] = 0;
	return r;
}

int ufs_query_begin(struct ufs_query *query, struct hw *hw, struct ufs_device *device)
{
	*query = (struct ufs_query){.hw = hw, .device = device};
	query->stopped = ufs_device_awake(hw, device);
	return query->stopped;
}

int ufs_ask_dump(struct ufs_query *query, char *buf, size_t size)
{
	return ask_device(query, UFS_ASK_DUMP, buf, size);
}

int ufs_ask_version(struct ufs_query *query, int64_t *ret)
{
	int r = ufs_ask_number(query, UFS_ASK_VERSION, ret);

	if (r == 0 && *ret > UINT16_MAX)
		r = -EINVAL;
	if (r < 0)
		*ret = 0;
	return r;
}

#define VERSION_OF_WB     0x310
#define VERSION_OF_WB_TOO 0x220 /* a 2.1 that was given it */
#define FEATURE_WB        (1U << 8)
#define TYPE_SHARED       1

bool ufs_has_write_booster(struct ufs_query *query, int64_t version)
{
	int64_t features = 0, type = 0, units = 0;

	if (version < VERSION_OF_WB && version != VERSION_OF_WB_TOO)
		return false;
	if (ufs_ask_number(query, UFS_ASK_FEATURES, &features) < 0 || !(features & FEATURE_WB) ||
	    ufs_ask_number(query, UFS_ASK_WB_TYPE, &type) < 0)
		return false;
	/* One that all share, and that nobody configured. */
	return type != TYPE_SHARED || ufs_ask_number(query, UFS_ASK_WB_SHARED_UNITS, &units) < 0 ||
	       units;
}

#define SECTOR_BYTES 512

static int multiply(int64_t a, int64_t b, int64_t *ret)
{
	return __builtin_mul_overflow(a, b, ret) ? -ERANGE : 0;
}

int ufs_ask_segment_size(struct ufs_query *query, int64_t *ret)
{
	int64_t sectors = 0;
	int r = ufs_ask_number(query, UFS_ASK_SEGMENT_SIZE, &sectors);

	return r < 0 ? r : multiply(sectors, SECTOR_BYTES, ret);
}

int ufs_ask_unit_size(struct ufs_query *query, int64_t *ret)
{
	int64_t bytes, segments;
	int r = ufs_ask_segment_size(query, &bytes);

	if (r >= 0)
		r = ufs_ask_number(query, UFS_ASK_ALLOCATION_UNIT, &segments);
	return r < 0 ? r : multiply(segments, bytes, ret);
}

bool ufs_device_is_scanned(struct hw *hw, const struct ufs_device *device)
{
	if (device->is_partial)
		return true;
	return device->has_unit && device->disk[0] && (!hw || hw_exists(hw, "%s", device->disk));
}

static void take_disk(struct ufs_device *device, const struct ufs_unit *unit)
{
	struct text path = TEXT_IN(device->disk);

	text_printf(&path, "%s/block/%s", unit->dir, unit->name);
	if (path.truncated)
		text_reset(&path);
}

static int find_units(struct hw *hw, struct ufs_device *device, const struct ufs_host *host)
{
	CLEANUP(freep) struct ufs_units *units = NULL;
	int r = ufs_units_find(hw, host, &units);

	for (size_t i = 0; r >= 0 && i < units->n; i++) {
		const struct ufs_unit *unit = &units->v[i];

		if (unit->lun == UFS_LUN_DEVICE && !device->has_unit) {
			device->has_unit = true;
			node_file_open(hw, &device->unit_status, "%s/power/runtime_status",
				       unit->dir);
		}
		if (unit->has_disk && !device->disk[0])
			take_disk(device, unit);
	}
	return r;
}

/* Where vendors' kernels have the dump: below a device of their own by the number of the host, or
 * in debugfs by its name. */
static void find_dump(struct hw *hw, struct ufs_device *device, size_t number)
{
	struct text path = TEXT_IN(device->dump);

	text_printf(&path, "sys/devices/virtual/mi_memory/mi_memory_device/ufshcd%zu/%s", number,
		    files[UFS_ASK_DUMP]);
	if (hw_exists(hw, "%s", device->dump))
		return;
	text_reset(&path);
	text_printf(&path, "sys/kernel/debug/%s/%s", device->name, files[UFS_ASK_DUMP]);
	if (path.truncated || !hw_exists(hw, "%s", device->dump))
		text_reset(&path);
}

/* A device that was taken out and put in at the same place has disks with other numbers. */
static void keep(struct hw *hw, struct ufs_device *device, struct asked_device *devices)
{
	char buf[NODE_IDENTITY_MAX];
	struct text identity = TEXT_IN(buf);
	int64_t sequence;

	text_str(&identity, device->identity);
	if (device->identity[0] && device->disk[0] &&
	    hw_read_i64(hw, &sequence, "%s/diskseq", device->disk) == 0)
		text_printf(&identity, "#%lld", (long long)sequence);
	if (identity.truncated)
		text_reset(&identity);
	device->kept = asking_find(devices, &ufs_asking, device->name, buf);
}

static const char *why(int error)
{
	switch (-error) {
	case EINVAL:
		return "the query failed, and the kernel does not tell why";
	case EACCES:
	case EPERM:
		return "may not be read";
	case EBUSY:
		return "the machine is on its way down";
	case ENODATA:
		return "the file is empty";
	case E2BIG:
		return "the answer is too long";
	default:
		return NULL;
	}
}

void ufs_query_problem(const struct ufs_query *query, struct text *out)
{
	const struct asked *asked = query->device->kept->asked;
	uint64_t left = query->failed;

	for (size_t i = 0; i < UFS_N_QUESTIONS; i++) {
		const char *separator = out->len ? ". " : "";

		if (!(left >> i & 1))
			continue;
		for (size_t k = i; k < UFS_N_QUESTIONS; k++) {
			if (!(left >> k & 1) || asked[k].error != asked[i].error ||
			    asked[k].is_never != asked[i].is_never)
				continue;
			left &= ~(UINT64_C(1) << k);
			text_printf(out, "%s%s", separator, files[k]);
			separator = ", ";
		}
		text_str(out, ": ");
		asked_text(&asked[i], why(asked[i].error), out);
	}
}

static bool has_files(struct hw *hw, const char *dir)
{
	return hw_exists(hw, "%s/health_descriptor", dir) ||
	       hw_exists(hw, "%s/device_descriptor", dir) || hw_exists(hw, "%s/attributes", dir);
}

int ufs_device_open(struct hw *hw, struct ufs_device *device, const struct ufs_host *host,
		    size_t number, struct asked_device *devices)
{
	int r;

	*device = (struct ufs_device){.unit_status = node_file_none,
				      .controller_status = node_file_none,
				      .is_partial = host->number < 0 && !hw_is_live(hw)};
	snprintf(device->name, sizeof(device->name), "%s", host->name);
	snprintf(device->identity, sizeof(device->identity), "%s", host->identity);
	snprintf(device->dir, sizeof(device->dir), "%s", host->dir);
	device->has_health = hw_look(hw, "%s/health_descriptor", host->dir) != -ENOENT;
	if (!device->has_health)
		find_dump(hw, device, number);
	if (!device->dump[0] && !has_files(hw, host->dir))
		return -ENOENT;
	node_file_open(hw, &device->controller_status, "%s/power/runtime_status", host->dir);
	r = find_units(hw, device, host);
	if (r < 0)
		return r;
	keep(hw, device, devices);
	return device->kept ? 0 : -ENOMEM;
}

void ufs_device_close(struct ufs_device *device)
{
	node_file_close(&device->unit_status);
	node_file_close(&device->controller_status);
}

const char *ufs_string_text(const char *answer)
{
	while (*answer == ' ')
		answer++;
	for (const char *p = answer; *p; p++)
		if (*p < ' ' || *p > '~')
			return "";
	return strcmp(answer, "(null)") != 0 ? answer : "";
}

void ufs_date_text(struct text *text, unsigned date)
{
	unsigned month = date >> 8, year = date & 0xff;
	bool is_bcd = (month & 0xf) < 10 && (year & 0xf) < 10 && year < 0xa0;

	if (is_bcd && month >= 0x01 && month <= 0x12)
		text_printf(text, "%02x/20%02x", month, year);
	else
		text_printf(text, "0x%04X", date);
}
