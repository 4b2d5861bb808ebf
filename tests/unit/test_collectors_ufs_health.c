/* Collector ufs_health: which files are read, in what order, and when none is: of a device that
 * sleeps, that is not there yet, that is too old for them, or that will never answer. */
#include "tests/unit/collector_fixture.h"

#include "base/macros.h"
#include "base/text.h"

#define DIR    "sys/devices/platform/soc/1d84000.ufshc"
#define NODE   "1d84000.ufshc"
#define UNIT   DIR "/host0/target0:0:0/0:0:0:49488"
#define DISK   DIR "/host0/target0:0:0/0:0:0:0/block/sda"
#define STATUS UNIT "/power/runtime_status"
#define WEAR                                                                                       \
	"health_descriptor/eol_info health_descriptor/life_time_estimation_a "                     \
	"health_descriptor/life_time_estimation_b "
#define STATE "attributes/bkops_status attributes/exception_event_status "
#define WB    "attributes/wb_avail_buf attributes/wb_cur_buf "
#define WB_2  "attributes/wb_life_time_est attributes/wb_flush_status "
#define WB_IS                                                                                      \
	"device_descriptor/ext_feature_sup device_descriptor/wb_type "                             \
	"device_descriptor/wb_shared_alloc_units "
#define UNITS "geometry_descriptor/segment_size geometry_descriptor/allocation_unit_size "

enum { HEALTH, IDENTITY };

/* The files that were read, "!" for each look at the state of the device: without the latter, and
 * what is wrong when a file was read without one just before. */
static struct {
	char buf[4096];
	struct text text;
	bool is_awake; /* as far as was looked */
	size_t n_blind;
} seen;

static void touched(void *arg, const char *path, bool contents)
{
	(void)arg;
	if (!contents)
		return;
	if (strstr(path, "runtime_status")) {
		seen.is_awake = true;
		return;
	}
	if (strstr(path, "diskseq"))
		return;
	seen.n_blind += !seen.is_awake;
	seen.is_awake = false;
	text_printf(&seen.text, "%s ", strstr(path, DIR "/") == path ? path + sizeof(DIR) : path);
}

static void watch(const struct fixture *f)
{
	seen.text = TEXT_IN(seen.buf);
	seen.n_blind = 0;
	hw_trace(f->hw, touched, NULL);
}

static void check_read(const char *expected)
{
	assert_string_equal(seen.buf, expected);
	assert_false(seen.text.truncated);
	assert_int_equal(seen.n_blind, 0);
	text_reset(&seen.text);
}

static void put_at(const struct fixture *f, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), DIR "/%s", file);
	put(f, path, text);
}

/* A UFS 3.1 that answers everything. */
static void start(struct fixture *f)
{
	static const char *const files[][2] = {
		{"health_descriptor/eol_info", "0x02\n"},
		{"health_descriptor/life_time_estimation_a", "0x03\n"},
		{"health_descriptor/life_time_estimation_b", "0x0B\n"},
		{"device_descriptor/specification_version", "0x0310\n"},
		{"device_descriptor/ext_feature_sup", "0x00000100\n"},
		{"device_descriptor/wb_type", "0x01\n"},
		{"device_descriptor/wb_shared_alloc_units", "0x00000010\n"},
		{"geometry_descriptor/segment_size", "0x00002000\n"},
		{"geometry_descriptor/allocation_unit_size", "0x02\n"},
		{"attributes/bkops_status", "0x00000002\n"},
		{"attributes/exception_event_status", "0x00000824\n"},
		{"attributes/wb_avail_buf", "0x00000007\n"},
		{"attributes/wb_cur_buf", "0x00000010\n"},
		{"attributes/wb_life_time_est", "0x0000000A\n"},
		{"attributes/wb_flush_status", "0x00000003\n"},
		{"rpm_lvl", "3\n"},
	};

	fixture_start(f);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		put_at(f, files[i][0], files[i][1]);
	put_at(f, "host0/scsi_host/host0/proc_name", "ufshcd\n");
	put_link(f, "sys/class/scsi_host/host0", "../../../" DIR "/host0/scsi_host/host0");
	put(f, STATUS, "active\n");
	put(f, DISK "/diskseq", "1\n");
}

static void begin(struct fixture *f)
{
	assert_int_equal(fixture_probe(f, "ufs_health", false), 0);
	watch(f);
}

static void probe_again(struct fixture *f)
{
	struct probe probe;
	void *state;

	assert_int_equal(probe_init(&probe), 0);
	assert_int_equal(f->collector->probe(f->hw, &probe, &state), 0);
	f->collector->close(f->state);
	f->state = state;
	probe_done(&probe);
}

static void health(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	begin(&f);
	check_read("");
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_read("device_descriptor/specification_version " WEAR STATE WB_IS WB UNITS WB_2);
	check_value(&f, NODE, "pre_eol_info", 2);
	check_value(&f, NODE, "life_time_estimation_a", 3);
	check_value(&f, NODE, "used_a_low", 20);
	check_value(&f, NODE, "used_a_high", 30);
	check_flag(&f, NODE, "used_a_low", FLAG_NONE);
	check_value(&f, NODE, "life_time_estimation_b", 11);
	check_flag(&f, NODE, "life_time_estimation_b", FLAG_SATURATED);
	check_value(&f, NODE, "used_b_low", 100);
	check_absent(&f, NODE, "used_b_high");
	check_value(&f, NODE, "used_low", 100);
	check_flag(&f, NODE, "used_low", FLAG_SATURATED);
	check_absent(&f, NODE, "used_high");
	check_value(&f, NODE, "wb_avail_buf", 70);
	check_value(&f, NODE, "wb_cur_buf", 16);
	check_value(&f, NODE, "wb_cur_buf_size", INT64_C(16) * 2 * 8192 * 512);
	check_value(&f, NODE, "wb_life_time_est", 10);
	check_value(&f, NODE, "wb_used_low", 90);
	check_value(&f, NODE, "wb_used_high", 100);
	check_value(&f, NODE, "wb_flush_status", 3);
	check_value(&f, NODE, "bkops_status", 2);
	check_value(&f, NODE, "exception_event_status", 0x824);
	check_text(&f, NODE, "exception_events",
		   "urgent background operations, WriteBooster flush needed, bit 11");
	check_absent(&f, NODE, "problem");
	/* What does not change is asked once, over probes too. */
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_read(WEAR STATE WB WB_2);
	probe_again(&f);
	text_reset(&seen.text);
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_read(WEAR STATE WB WB_2);
	check_value(&f, NODE, "wb_cur_buf_size", INT64_C(16) * 2 * 8192 * 512);
	/* Another device at the same place is asked anew. */
	put(&f, DISK "/diskseq", "2\n");
	probe_again(&f);
	text_reset(&seen.text);
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_read("device_descriptor/specification_version " WEAR STATE WB_IS WB UNITS WB_2);
	fixture_end(&f);
}

/* 0x00 is not defined, and no 0 %. */
static void undefined(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put_at(&f, "health_descriptor/eol_info", "0x00\n");
	put_at(&f, "health_descriptor/life_time_estimation_a", "0x00\n");
	put_at(&f, "health_descriptor/life_time_estimation_b", "0x00\n");
	put_at(&f, "attributes/wb_life_time_est", "0x00000000\n");
	put_at(&f, "attributes/exception_event_status", "0x00000000\n");
	begin(&f);
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_absent(&f, NODE, "pre_eol_info");
	check_absent(&f, NODE, "life_time_estimation_a");
	check_absent(&f, NODE, "used_a_low");
	check_absent(&f, NODE, "used_low");
	check_absent(&f, NODE, "wb_life_time_est");
	check_absent(&f, NODE, "wb_used_low");
	check_value(&f, NODE, "exception_event_status", 0);
	check_absent(&f, NODE, "exception_events");
	check_absent(&f, NODE, "problem");
	/* Of one of two the wear is that of the other. */
	put_at(&f, "health_descriptor/life_time_estimation_a", "0x01\n");
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_value(&f, NODE, "used_low", 0);
	check_value(&f, NODE, "used_high", 10);
	check_absent(&f, NODE, "used_b_low");
	fixture_end(&f);
}

/* What cannot be read may be worn more than the other: a lower bound is all that is known. */
static void one_unknown(void **unused)
{
	static const char *const errors[] = {
		DIR "/health_descriptor/life_time_estimation_a\tread\tEIO\n",
		DIR "/health_descriptor/life_time_estimation_b\tread\tEIO\n",
	};
	struct fixture f;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		start(&f);
		put_at(&f, "health_descriptor/life_time_estimation_b", "0x03\n");
		put(&f, "ERRORS", errors[i]);
		begin(&f);
		assert_int_equal(fixture_sample(&f, HEALTH), 0);
		check_value(&f, NODE, i ? "used_a_high" : "used_b_high", 30);
		check_value(&f, NODE, "used_low", 20);
		check_absent(&f, NODE, "used_high");
		fixture_end(&f);
	}
	start(&f);
	put_at(&f, "health_descriptor/life_time_estimation_b", "0x0C\n");
	begin(&f);
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_value(&f, NODE, "used_low", 20);
	check_absent(&f, NODE, "used_high");
	fixture_end(&f);
}

/* What the version of the device, or the device, does not have is not asked. */
static void too_old(void **unused)
{
	static const struct {
		const char *version, *features, *type, *units, *read;
	} cases[] = {
		{"0x0200", "0x100", "0x01", "0x10", STATE},
		{"0x0210", "0x100", "0x01", "0x10", WEAR STATE},
		{"0x0300", "0x100", "0x01", "0x10", WEAR STATE},
		{"0x0220", "0x100", "0x01", "0x10", WEAR STATE WB_IS WB UNITS WB_2},
		{"0x0310", "0x0ff", "0x01", "0x10",
		 WEAR STATE "device_descriptor/ext_feature_sup "},
		{"0x0310", "0x100", "0x01", "0x00", WEAR STATE WB_IS},
		{"0x0400", "0x100", "0x00", "0x00",
		 WEAR STATE
		 "device_descriptor/ext_feature_sup device_descriptor/wb_type " WB UNITS WB_2},
		/* One that is not known. */
		{"0x0000", "0x100", "0x01", "0x10", WEAR STATE},
		{"0x123456", "0x100", "0x01", "0x10", WEAR STATE},
		{"new", "0x100", "0x01", "0x10", WEAR STATE},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char expected[1024];
		struct fixture f;

		start(&f);
		put_at(&f, "device_descriptor/specification_version", cases[i].version);
		put_at(&f, "device_descriptor/ext_feature_sup", cases[i].features);
		put_at(&f, "device_descriptor/wb_type", cases[i].type);
		put_at(&f, "device_descriptor/wb_shared_alloc_units", cases[i].units);
		begin(&f);
		assert_int_equal(fixture_sample(&f, HEALTH), 0);
		snprintf(expected, sizeof(expected), "device_descriptor/specification_version %s",
			 cases[i].read);
		check_read(expected);
		check_absent(&f, NODE, "problem");
		assert_int_equal(row_first_fault(row_of(&f, NODE), f.group->n_fields), 0);
		fixture_end(&f);
	}
}

/* Nothing of it is merely not there. */
static void check_all_fault(const struct fixture *f, int error)
{
	for (size_t i = 0; i < f->group->n_fields; i++)
		if (strcmp(f->group->fields[i].name, "problem") != 0)
			check_fault(f, NODE, f->group->fields[i].name, error);
}

static void not_asked(void **unused)
{
	static const char *const asleep[] = {"suspended", "suspending", "resuming", "drowsy"};
	struct fixture f;

	(void)unused;
	start(&f);
	begin(&f);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(asleep); i++) {
		put(&f, i % 2 ? DIR "/power/runtime_status" : STATUS, asleep[i / 2]);
		probe_again(&f);
		for (size_t group = HEALTH; group <= IDENTITY; group++) {
			assert_int_equal(fixture_sample(&f, group), 0);
			assert_true(row_of(&f, NODE)->suspended);
			assert_false(row_has_value(row_of(&f, NODE), f.group->n_fields));
			assert_int_equal(row_first_fault(row_of(&f, NODE), f.group->n_fields), 0);
		}
		put(&f, i % 2 ? DIR "/power/runtime_status" : STATUS, "unsupported\n");
	}
	check_read("");
	put(&f, STATUS, "error\n");
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_all_fault(&f, EIO);
	check_text(&f, NODE, "problem", "the power management of the device is in an error");
	put(&f, STATUS, "\n");
	assert_int_equal(fixture_sample(&f, IDENTITY), 0);
	check_all_fault(&f, ENODATA);
	check_text(&f, NODE, "problem", "the state of the device cannot be read");
	check_read("");
	put(&f, STATUS, "unsupported\n");
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	assert_false(row_of(&f, NODE)->suspended);
	check_value(&f, NODE, "pre_eol_info", 2);
	fixture_end(&f);
}

/* One that goes to sleep while it is asked is let sleep. */
static const struct fixture *sleepy;

static void falls_asleep(void *arg, const char *path, bool contents)
{
	touched(arg, path, contents);
	if (contents && strstr(path, "life_time_estimation_a"))
		put(sleepy, STATUS, "suspending\n");
}

static void asleep_midway(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	begin(&f);
	sleepy = &f;
	hw_trace(f.hw, falls_asleep, NULL);
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_read("device_descriptor/specification_version health_descriptor/eol_info "
		   "health_descriptor/life_time_estimation_a ");
	assert_true(row_of(&f, NODE)->suspended);
	check_value(&f, NODE, "life_time_estimation_a", 3);
	check_absent(&f, NODE, "life_time_estimation_b");
	check_absent(&f, NODE, "problem");
	fixture_end(&f);
}

/* Until the disk is there the driver crashes on a query. */
static void not_there_yet(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	take_away(&f, DIR "/host0/target0:0:0/0:0:0:0");
	begin(&f);
	check_outcome(&f, NODE, OUTCOME_NO_NODE);
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_text(&f, NODE, "problem",
		   "no disk of it is there: its scan has not ended, or failed");
	put(&f, DISK "/diskseq", "1\n");
	take_away(&f, UNIT);
	probe_again(&f);
	assert_int_equal(fixture_sample(&f, IDENTITY), 0);
	check_read("");
	put(&f, STATUS, "active\n");
	probe_again(&f);
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_value(&f, NODE, "pre_eol_info", 2);
	/* The driver is bound anew: that it was there once does not count. */
	text_reset(&seen.text);
	take_away(&f, DIR "/host0/target0:0:0/0:0:0:0");
	assert_int_equal(fixture_sample(&f, HEALTH), -ENODEV);
	check_read("");
	fixture_end(&f);
}

static void problems(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, "ERRORS",
	    DIR "/health_descriptor/eol_info\tread\tEINVAL\n" DIR
		"/health_descriptor/life_time_estimation_a\tread\tEINVAL\n" DIR
		"/health_descriptor/life_time_estimation_b\topen\tEACCES\n" DIR
		"/attributes/bkops_status\tread\tEOPNOTSUPP\n" DIR
		"/attributes/exception_event_status\tread\tEBUSY\n" DIR
		"/device_descriptor/ext_feature_sup\tread\tETIMEDOUT\n");
	begin(&f);
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_fault(&f, NODE, "pre_eol_info", EINVAL);
	check_fault(&f, NODE, "life_time_estimation_b", EACCES);
	check_fault(&f, NODE, "bkops_status", EOPNOTSUPP);
	check_fault(&f, NODE, "exception_event_status", EBUSY);
	check_fault(&f, NODE, "exception_events", EBUSY);
	check_absent(&f, NODE, "wb_avail_buf");
	check_text(
		&f, NODE, "problem",
		"device_descriptor/ext_feature_sup: Connection timed out. "
		"health_descriptor/eol_info, health_descriptor/life_time_estimation_a: the query "
		"failed, and the kernel does not tell why. "
		"health_descriptor/life_time_estimation_b: may not be read. "
		"attributes/bkops_status: Operation not supported; not asked again. "
		"attributes/exception_event_status: the machine is on its way down");
	fixture_end(&f);
}

/* Which of n samples, counted from 1, read a file. */
static void check_samples(struct fixture *f, const char *file, size_t n, const char *expected)
{
	char buf[256];
	struct text text = TEXT_IN(buf);

	for (size_t i = 1; i <= n; i++) {
		text_reset(&seen.text);
		assert_int_equal(fixture_sample(f, HEALTH), 0);
		if (strstr(seen.buf, file))
			text_printf(&text, "%zu ", i);
	}
	assert_string_equal(buf, expected);
}

/* A directory can be opened, and not read. */
static void asked_seldom(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	take_away(&f, DIR "/health_descriptor/eol_info");
	put_at(&f, "health_descriptor/eol_info/x", "");
	begin(&f);
	check_samples(&f, "eol_info", 16, "1 3 7 15 ");
	check_fault(&f, NODE, "pre_eol_info", EISDIR);
	put(&f, STATUS, "suspended\n");
	check_samples(&f, "eol_info", 50, "");
	put(&f, STATUS, "active\n");
	/* It was left out once of 15 times. */
	probe_again(&f);
	check_samples(&f, "eol_info", 47, "15 47 ");
	take_away(&f, DIR "/health_descriptor/eol_info");
	put_at(&f, "health_descriptor/eol_info", "0x01\n");
	check_samples(&f, "eol_info", 66, "64 65 66 ");
	check_value(&f, NODE, "pre_eol_info", 1);
	fixture_end(&f);
}

static void gives_up(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, "ERRORS", DIR "/health_descriptor/eol_info\tread\tEINVAL\n");
	begin(&f);
	/* The fifth failure is that of sample 31; what slept was not asked. */
	for (int i = 1; i <= 31; i++) {
		assert_int_equal(fixture_sample(&f, HEALTH), 0);
		check_fault(&f, NODE, "pre_eol_info", EINVAL);
		if (i != 10)
			continue;
		put(&f, STATUS, "suspended\n");
		for (int k = 0; k < 50; k++)
			fixture_sample(&f, HEALTH);
		put(&f, STATUS, "active\n");
	}
	check_text(&f, NODE, "problem",
		   "health_descriptor/eol_info: the query failed, and the kernel does not tell "
		   "why; not asked again");
	probe_again(&f);
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_fault(&f, NODE, "pre_eol_info", EOPNOTSUPP);
	check_value(&f, NODE, "life_time_estimation_a", 3);
	fixture_end(&f);
}

static void start_identity(struct fixture *f)
{
	static const char *const files[][2] = {
		{"device_descriptor/manufacturer_id", "0x01CE\n"},
		{"device_descriptor/manufacturing_date", "0x0623\n"},
		{"device_descriptor/queue_depth", "0x20\n"},
		{"device_descriptor/number_of_luns", "0x06\n"},
		{"device_descriptor/high_priority_lun", "0x7F\n"},
		{"geometry_descriptor/raw_device_capacity", "0x000000001DCE0000\n"},
		{"string_descriptors/manufacturer_name", "SAMSUNG \n"},
		{"string_descriptors/product_name", "KLUDG4UHDC-B0E1 \n"},
		{"string_descriptors/product_revision", "0300\n"},
		{"string_descriptors/serial_number", "  c4 9 \n"},
		{"string_descriptors/oem_id", "(null)\n"},
		{"flags/bkops_enable", "true\n"},
		{"flags/life_span_mode_enable", "false\n"},
		{"flags/permanent_wpe", "false\n"},
		{"flags/power_on_wpe", "1\n"},
		{"flags/disable_fw_update", "0\n"},
		{"flags/wb_enable", "true\n"},
		{"flags/wb_flush_en", "false\n"},
		{"flags/wb_flush_during_h8", "true\n"},
	};

	start(f);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		put_at(f, files[i][0], files[i][1]);
}

#define FLAGS                                                                                      \
	"flags/bkops_enable flags/life_span_mode_enable flags/permanent_wpe flags/power_on_wpe "   \
	"flags/disable_fw_update "
#define WB_FLAGS "flags/wb_enable flags/wb_flush_en flags/wb_flush_during_h8 "

static void identity(void **unused)
{
	struct fixture f;

	(void)unused;
	start_identity(&f);
	begin(&f);
	assert_int_equal(fixture_sample(&f, IDENTITY), 0);
	check_read("device_descriptor/specification_version device_descriptor/manufacturer_id "
		   "device_descriptor/manufacturing_date string_descriptors/manufacturer_name "
		   "string_descriptors/product_name string_descriptors/product_revision "
		   "string_descriptors/serial_number string_descriptors/oem_id "
		   "device_descriptor/queue_depth device_descriptor/number_of_luns "
		   "device_descriptor/high_priority_lun " UNITS
		   "geometry_descriptor/raw_device_capacity " FLAGS WB_IS WB_FLAGS);
	check_text(&f, NODE, "specification_version", "3.1");
	check_text(&f, NODE, "manufacturer_id", "0x01CE");
	check_text(&f, NODE, "manufacturing_date", "06/2023");
	check_text(&f, NODE, "manufacturer_name", "SAMSUNG");
	check_text(&f, NODE, "product_name", "KLUDG4UHDC-B0E1");
	check_text(&f, NODE, "product_revision", "0300");
	check_text(&f, NODE, "serial_number", "c4 9");
	check_absent(&f, NODE, "oem_id");
	check_value(&f, NODE, "queue_depth", 32);
	check_value(&f, NODE, "number_of_luns", 6);
	check_absent(&f, NODE, "high_priority_lun");
	check_value(&f, NODE, "segment_size", 4194304);
	check_value(&f, NODE, "allocation_unit_size", 8388608);
	check_value(&f, NODE, "raw_device_capacity", INT64_C(0x1DCE0000) * 512);
	check_value(&f, NODE, "wb_type", 1);
	check_value(&f, NODE, "wb_shared_alloc_units", 16);
	check_value(&f, NODE, "bkops_enable", 1);
	check_value(&f, NODE, "life_span_mode_enable", 0);
	check_value(&f, NODE, "power_on_wpe", 1);
	check_value(&f, NODE, "disable_fw_update", 0);
	check_value(&f, NODE, "wb_enable", 1);
	check_value(&f, NODE, "wb_flush_en", 0);
	check_absent(&f, NODE, "problem");
	assert_int_equal(fixture_sample(&f, IDENTITY), 0);
	check_read(FLAGS WB_FLAGS);
	check_text(&f, NODE, "product_name", "KLUDG4UHDC-B0E1");
	check_value(&f, NODE, "queue_depth", 32);
	fixture_end(&f);
}

/* One file with one text; what the field is then. error 0: absent, or the text. */
static void hostile(void **unused)
{
	static const struct {
		size_t group;
		const char *file, *text, *field, *expected;
		int64_t answer; /* -1: absent */
		enum flag flag;
	} cases[] = {
		{HEALTH, "health_descriptor/eol_info", "", "pre_eol_info", NULL, -ENODATA, 0},
		{HEALTH, "health_descriptor/eol_info", "rubbish", "pre_eol_info", NULL, -EINVAL, 0},
		{HEALTH, "health_descriptor/eol_info", "0x01 0x02", "pre_eol_info", NULL, -EINVAL,
		 0},
		{HEALTH, "health_descriptor/eol_info", "-1", "pre_eol_info", NULL, -EINVAL, 0},
		{HEALTH, "health_descriptor/eol_info", "0xFFFFFFFFFFFFFFFF", "pre_eol_info", NULL,
		 -ERANGE, 0},
		{HEALTH, "health_descriptor/eol_info", "0x04", "pre_eol_info", NULL, 4,
		 FLAG_IMPLAUSIBLE},
		{HEALTH, "health_descriptor/life_time_estimation_a", "0x0C",
		 "life_time_estimation_a", NULL, 12, FLAG_IMPLAUSIBLE},
		{HEALTH, "health_descriptor/life_time_estimation_a", "0x0C", "used_a_low", NULL, -1,
		 0},
		{HEALTH, "health_descriptor/life_time_estimation_a", "0x7FFFFFFFFFFFFFFF",
		 "used_a_low", NULL, -1, 0},
		{HEALTH, "attributes/wb_avail_buf", "0x0000000B", "wb_avail_buf", NULL, 110,
		 FLAG_IMPLAUSIBLE},
		{HEALTH, "attributes/wb_avail_buf", "0x7FFFFFFFFFFFFFFF", "wb_avail_buf", NULL,
		 -ERANGE, 0},
		{HEALTH, "attributes/wb_cur_buf", "0x100000000", "wb_cur_buf", NULL,
		 INT64_C(0x100000000), FLAG_IMPLAUSIBLE},
		{HEALTH, "attributes/wb_cur_buf", "0x100000000", "wb_cur_buf_size", NULL, -1, 0},
		{HEALTH, "attributes/wb_cur_buf", "0x00000000", "wb_cur_buf_size", NULL, 0, 0},
		{HEALTH, "geometry_descriptor/segment_size", "0x7FFFFFFFFFFFFFFF",
		 "wb_cur_buf_size", NULL, -1, 0},
		{HEALTH, "geometry_descriptor/allocation_unit_size", "0x00", "wb_cur_buf_size",
		 NULL, -1, 0},
		{HEALTH, "attributes/wb_flush_status", "0x00000005", "wb_flush_status", NULL, 5,
		 FLAG_IMPLAUSIBLE},
		{HEALTH, "attributes/bkops_status", "0x00000004", "bkops_status", NULL, 4,
		 FLAG_IMPLAUSIBLE},
		{HEALTH, "attributes/exception_event_status", "0x00010000", "exception_events",
		 NULL, -1, 0},
		{IDENTITY, "device_descriptor/specification_version", "0x0312",
		 "specification_version", "3.1.2", 0, 0},
		{IDENTITY, "device_descriptor/specification_version", "0x10000",
		 "specification_version", NULL, -EINVAL, 0},
		{IDENTITY, "device_descriptor/specification_version", "0x0000",
		 "specification_version", NULL, -1, 0},
		{IDENTITY, "device_descriptor/manufacturer_id", "0x0000", "manufacturer_id", NULL,
		 -1, 0},
		{IDENTITY, "device_descriptor/manufacturer_id", "0x10000", "manufacturer_id", NULL,
		 -EINVAL, 0},
		{IDENTITY, "device_descriptor/manufacturing_date", "0x0000", "manufacturing_date",
		 NULL, -1, 0},
		{IDENTITY, "device_descriptor/manufacturing_date", "0x1323", "manufacturing_date",
		 "0x1323", 0, 0},
		{IDENTITY, "device_descriptor/manufacturing_date", "0x0A23", "manufacturing_date",
		 "0x0A23", 0, 0},
		{IDENTITY, "device_descriptor/manufacturing_date", "0x06F1", "manufacturing_date",
		 "0x06F1", 0, 0},
		{IDENTITY, "device_descriptor/manufacturing_date", "0x1299", "manufacturing_date",
		 "12/2099", 0, 0},
		{IDENTITY, "device_descriptor/queue_depth", "0x00", "queue_depth", NULL, -1, 0},
		{IDENTITY, "device_descriptor/queue_depth", "0x100", "queue_depth", NULL, 256,
		 FLAG_IMPLAUSIBLE},
		{IDENTITY, "device_descriptor/high_priority_lun", "0x02", "high_priority_lun", NULL,
		 2, 0},
		{IDENTITY, "geometry_descriptor/raw_device_capacity", "0x7FFFFFFFFFFFFFFF",
		 "raw_device_capacity", NULL, -ERANGE, 0},
		{IDENTITY, "geometry_descriptor/segment_size", "0x7FFFFFFFFFFFFFFF",
		 "allocation_unit_size", NULL, -ERANGE, 0},
		{IDENTITY, "string_descriptors/serial_number", "", "serial_number", NULL, -1, 0},
		{IDENTITY, "string_descriptors/serial_number", "    ", "serial_number", NULL, -1,
		 0},
		{IDENTITY, "string_descriptors/serial_number", " (null)", "serial_number", NULL, -1,
		 0},
		{IDENTITY, "string_descriptors/serial_number", "a\x1b[2J", "serial_number", NULL,
		 -1, 0},
		{IDENTITY, "string_descriptors/serial_number", "\xff\xff", "serial_number", NULL,
		 -1, 0},
		{IDENTITY, "flags/permanent_wpe", "maybe", "permanent_wpe", NULL, -EINVAL, 0},
		{IDENTITY, "flags/permanent_wpe", "", "permanent_wpe", NULL, -ENODATA, 0},
		{IDENTITY, "device_descriptor/wb_type", "0x02", "wb_type", NULL, 2,
		 FLAG_IMPLAUSIBLE},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		start_identity(&f);
		put_at(&f, cases[i].file, cases[i].text);
		begin(&f);
		assert_int_equal(fixture_sample(&f, cases[i].group), 0);
		if (cases[i].expected)
			check_text(&f, NODE, cases[i].field, cases[i].expected);
		else if (cases[i].answer == -1)
			check_absent(&f, NODE, cases[i].field);
		else
			check_answer(&f, NODE, cases[i].field, cases[i].answer);
		if (!cases[i].expected && cases[i].answer >= 0)
			check_flag(&f, NODE, cases[i].field, cases[i].flag);
		fixture_end(&f);
	}
}

/* What makes no sense is asked again: it may have been a bad moment. */
static void nonsense_is_not_kept(void **unused)
{
	struct fixture f;

	(void)unused;
	start_identity(&f);
	put_at(&f, "device_descriptor/queue_depth", "zero");
	begin(&f);
	assert_int_equal(fixture_sample(&f, IDENTITY), 0);
	check_fault(&f, NODE, "queue_depth", EINVAL);
	put_at(&f, "device_descriptor/queue_depth", "0x20");
	assert_int_equal(fixture_sample(&f, IDENTITY), 0);
	check_value(&f, NODE, "queue_depth", 32);
	fixture_end(&f);
}

#define MI_DUMP "sys/devices/virtual/mi_memory/mi_memory_device/ufshcd0/dump_health_desc"

static void dump(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, MI_DUMP, "bPreEOLInfo = 0x3\nbDeviceLifeTimeEstA = 0x5\n");
	begin(&f);
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_value(&f, NODE, "pre_eol_info", 2);
	assert_null(strstr(seen.buf, "dump"));
	take_away(&f, DIR "/health_descriptor");
	probe_again(&f);
	text_reset(&seen.text);
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_read(MI_DUMP " " STATE WB WB_2);
	check_value(&f, NODE, "pre_eol_info", 3);
	check_value(&f, NODE, "used_a_low", 40);
	check_value(&f, NODE, "used_low", 40);
	check_absent(&f, NODE, "life_time_estimation_b");
	put(&f, MI_DUMP, "bPreEOLInfo = much\nbDeviceLifeTimeEstA = 0x5\n");
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_fault(&f, NODE, "pre_eol_info", EINVAL);
	check_value(&f, NODE, "life_time_estimation_a", 5);
	put(&f, MI_DUMP, "nothing of it\n");
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_fault(&f, NODE, "life_time_estimation_b", EINVAL);
	put(&f, STATUS, "suspended\n");
	text_reset(&seen.text);
	assert_int_equal(fixture_sample(&f, HEALTH), 0);
	check_read("");
	fixture_end(&f);
}

static void whom_a_probe_takes(void **unused)
{
	struct probe probe;
	struct fixture f;
	void *state;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(fixture_probe(&f, "ufs_health", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	fixture_end(&f);
	/* A kernel without any of these files. */
	start(&f);
	take_away(&f, DIR "/health_descriptor");
	take_away(&f, DIR "/device_descriptor");
	take_away(&f, DIR "/attributes");
	assert_int_equal(fixture_probe(&f, "ufs_health", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_NODE);
	check_outcome(&f, NODE, OUTCOME_NO_NODE);
	fixture_end(&f);
	/* What can be told without a query. */
	start(&f);
	take_away(&f, DIR "/health_descriptor");
	assert_int_equal(fixture_probe(&f, "ufs_health", false), 0);
	check_outcome(&f, NODE, OUTCOME_NO_NODE);
	put(&f, STATUS, "suspended\n");
	assert_int_equal(fixture_probe(&f, "ufs_health", false), 0);
	check_outcome(&f, NODE, OUTCOME_OK);
	check_reason(&f, NODE, "asleep: not asked before it wakes");
	put(&f, STATUS, "error\n");
	assert_int_equal(fixture_probe(&f, "ufs_health", false), 0);
	check_outcome(&f, NODE, OUTCOME_FAILED);
	check_reason(&f, NODE, "the power management of the device is in an error");
	fixture_end(&f);
	/* A process that asks another device. */
	start(&f);
	assert_int_equal(fixture_probe(&f, "ufs_health", false), 0);
	check_outcome(&f, NODE, OUTCOME_OK);
	assert_int_equal(probe_init(&probe), 0);
	probe.device = "1d84000.ufs";
	assert_int_equal(f.collector->probe(f.hw, &probe, &state), -ENOENT);
	probe_done(&probe);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(health),
		cmocka_unit_test(undefined),
		cmocka_unit_test(one_unknown),
		cmocka_unit_test(too_old),
		cmocka_unit_test(not_asked),
		cmocka_unit_test(asleep_midway),
		cmocka_unit_test(not_there_yet),
		cmocka_unit_test(problems),
		cmocka_unit_test(asked_seldom),
		cmocka_unit_test(gives_up),
		cmocka_unit_test(identity),
		cmocka_unit_test(hostile),
		cmocka_unit_test(nonsense_is_not_kept),
		cmocka_unit_test(dump),
		cmocka_unit_test(whom_a_probe_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
