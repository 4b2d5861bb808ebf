/* Collector nvme_smart: the exact bytes of each command, what the drive answers, and whom nobody
 * asks: a drive that sleeps, one that is not live, one that will never answer. */
#include "tests/unit/collector_fixture.h"
#include "tests/unit/scarce_probe.h"

#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>

#include "base/hw_command.h"
#include "model/nvme_command.h"

#define NVME "sys/class/nvme/nvme0/"

/* What the drive answers to the commands that are expected, in this order. */
struct script {
	const int *answers; /* each is what the ioctl returns */
	size_t n, at;
	uint8_t page[NVME_IDENTIFY_BYTES];
	uint8_t opcode;
};

static int issue(void *arg, const struct hw_command *command)
{
	struct script *script = arg;
	struct nvme_admin_cmd admin;
	struct nvme_admin_cmd expected = {0};

	assert_true(script->at < script->n); /* none too many */
	assert_int_equal(command->request, NVME_IOCTL_ADMIN_CMD);
	assert_string_equal(command->node, "nvme0");
	assert_string_equal(command->dir, "sys/class/nvme/nvme0");
	memcpy(&admin, command->data, sizeof(admin));
	expected.opcode = script->opcode;
	expected.nsid = script->opcode == 0x02 ? 0xffffffff : 0;
	expected.data_len = script->opcode == 0x02 ? 512 : 4096;
	expected.cdw10 = script->opcode == 0x02 ? 0x007f0002 : 1;
	expected.addr = admin.addr;
	/* No time-out of one's own: it would make the driver reset the drive. */
	assert_memory_equal(&admin, &expected, sizeof(admin));
	if (!script->answers[script->at])
		memcpy((void *)(uintptr_t)admin.addr, script->page, admin.data_len);
	return script->answers[script->at++];
}

static void start(struct fixture *f)
{
	fixture_start(f);
	put(f, NVME "state", "live\n");
	put(f, NVME "serial", "S1\n");
	put(f, NVME "model", "M\n");
	put(f, "COMMANDS/nvme0/log-02", "");
}

/* Samples a group once for each answer, and checks that each was asked for. */
static void play(struct fixture *f, struct script *script, size_t group, const int *answers,
		 size_t n)
{
	script->answers = answers;
	script->n = n;
	script->at = 0;
	script->opcode = group ? 0x06 : 0x02;
	hw_command_to(f->hw, issue, script);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(fixture_sample(f, group), answers[i] == -ENODEV ? -ENODEV : 0);
	assert_int_equal(script->at, n);
}

#define PLAY(f, script, group, ...)                                                                \
	play(f, script, group, (const int[]){__VA_ARGS__}, ARRAY_SIZE(((const int[]){__VA_ARGS__})))

static void page_of_smart(void **unused)
{
	struct script script = {0};
	struct fixture f;

	(void)unused;
	start(&f);
	script.page[0] = 0x41 | 1 << 3;
	script.page[1] = 0x38, script.page[2] = 0x01; /* 312 K */
	script.page[5] = 255;
	memset(&script.page[48], 0xff, 16);
	script.page[32 + 7] = 0x80;
	assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
	PLAY(&f, &script, 0, 0);
	check_value(&f, "nvme0", "critical_warning", 0x49);
	check_text(&f, "nvme0", "critical_warnings", "spare below threshold, read-only, bit 6");
	check_value(&f, "nvme0", "temperature", 38850);
	check_value(&f, "nvme0", "percentage_used", 255);
	check_flag(&f, "nvme0", "percentage_used", FLAG_SATURATED);
	check_value(&f, "nvme0", "data_units_written", INT64_MAX);
	check_flag(&f, "nvme0", "data_units_written", FLAG_SATURATED);
	check_flag(&f, "nvme0", "data_units_read", FLAG_SATURATED);
	check_absent(&f, "nvme0", "temperature_1");
	check_absent(&f, "nvme0", "problem");
	check_value(&f, "nvme0", "unsafe_shutdowns", 0);
	/* The composite temperature is there, and may have no value. */
	script.page[1] = script.page[2] = 0;
	PLAY(&f, &script, 0, 0);
	check_fault(&f, "nvme0", "temperature", ENODATA);
	fixture_end(&f);
}

/* What is not there, or did not understand, reads as ones or zeros. */
static void no_page(void **unused)
{
	static const struct {
		uint8_t byte;
		const char *text;
	} cases[] = {
		{0x00, "the page is all zeros"},
		{0xff, "all bytes of the page are FFh"},
		{0x5a, "all bytes of the page are 5Ah"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct script script = {0};
		struct fixture f;

		start(&f);
		memset(script.page, cases[i].byte, sizeof(script.page));
		assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
		PLAY(&f, &script, 0, 0);
		check_fault(&f, "nvme0", "temperature", ENODATA);
		check_fault(&f, "nvme0", "temperature_8", ENODATA);
		check_fault(&f, "nvme0", "available_spare", ENODATA);
		check_fault(&f, "nvme0", "critical_warnings", ENODATA);
		check_text(&f, "nvme0", "problem", cases[i].text);
		/* It is told as long as nothing is asked. */
		assert_int_equal(fixture_sample(&f, 0), 0);
		check_text(&f, "nvme0", "problem", cases[i].text);
		PLAY(&f, &script, 1, 0);
		check_fault(&f, "nvme0", "warning_temperature", ENODATA);
		check_absent(&f, "nvme0", "power_states");
		check_text(&f, "nvme0", "problem", cases[i].text);
		fixture_end(&f);
	}
}

static void check_flags(struct fixture *f, const char *field, enum flag flag)
{
	check_flag(f, "nvme0", field, flag);
}

/* Single numbers that cannot be. */
static void implausible(void **unused)
{
	struct script script = {0};
	struct fixture f;

	(void)unused;
	start(&f);
	assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
	script.page[0] = 0x3f;
	script.page[1] = 423 & 0xff, script.page[2] = 423 >> 8;     /* 149.85 degC */
	script.page[200] = 214 & 0xff, script.page[201] = 214 >> 8; /* -59.15 degC */
	script.page[3] = script.page[4] = 100;
	script.page[128 + 1] = 0xff;
	PLAY(&f, &script, 0, 0);
	check_flags(&f, "critical_warning", FLAG_NONE);
	check_flags(&f, "temperature", FLAG_NONE);
	check_flags(&f, "temperature_1", FLAG_NONE);
	check_flags(&f, "available_spare", FLAG_NONE);
	check_flags(&f, "available_spare_threshold", FLAG_NONE);
	check_flags(&f, "power_on_time", FLAG_NONE);
	script.page[0] = 0x40;
	script.page[1]++, script.page[1]++;
	script.page[200]--;
	script.page[202] = script.page[203] = 0xff;
	script.page[3] = script.page[4] = 101;
	script.page[128 + 2] = 0xff;
	PLAY(&f, &script, 0, 0);
	check_value(&f, "nvme0", "critical_warning", 0x40);
	check_flags(&f, "critical_warning", FLAG_IMPLAUSIBLE);
	check_flags(&f, "temperature", FLAG_IMPLAUSIBLE);
	check_flags(&f, "temperature_1", FLAG_IMPLAUSIBLE);
	check_flags(&f, "temperature_2", FLAG_IMPLAUSIBLE);
	check_flags(&f, "available_spare", FLAG_IMPLAUSIBLE);
	check_flags(&f, "available_spare_threshold", FLAG_IMPLAUSIBLE);
	check_flags(&f, "power_on_time", FLAG_IMPLAUSIBLE);
	memset(script.page, 0, sizeof(script.page));
	script.page[266] = 0x63, script.page[267] = 0x01;
	script.page[268] = script.page[269] = 0xff;
	PLAY(&f, &script, 1, 0);
	check_flags(&f, "warning_temperature", FLAG_NONE);
	check_flags(&f, "critical_temperature", FLAG_IMPLAUSIBLE);
	fixture_end(&f);
}

static void problems(void **unused)
{
	static const struct {
		int answer, fault;
		const char *text;
	} cases[] = {
		{-EACCES, EACCES, "needs CAP_SYS_ADMIN"},
		{-EPERM, EPERM, "needs CAP_SYS_ADMIN"},
		{-ENOENT, ENOENT, NULL},
		{0x6, EIO, "Internal Error (status 6h)"},
		{0x4002, EINVAL, "Invalid Field in Command (status 2h)"},
		{0x370, EIO, "Host Pathing Error (status 370h)"},
		{0x7c1, EIO, "vendor specific status (status 7C1h)"},
		{0x5c1, EIO, "unknown status (status 5C1h)"},
		{-EINTR, EINTR, "the command timed out, and the driver resets the controller"},
		{0x4109, EOPNOTSUPP, "Invalid Log Page (status 109h); not asked again"},
		{-ETIMEDOUT, ETIMEDOUT,
		 "the command timed out, and the driver resets the controller"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct script script = {0};
		struct fixture f;

		start(&f);
		assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
		PLAY(&f, &script, 0, cases[i].answer);
		if (cases[i].text) {
			check_fault(&f, "nvme0", "temperature", cases[i].fault);
			check_fault(&f, "nvme0", "critical_warnings", cases[i].fault);
			check_text(&f, "nvme0", "problem", cases[i].text);
		} else {
			check_absent(&f, "nvme0", "temperature");
		}
		fixture_end(&f);
	}
}

static void sample_unasked(struct fixture *f, struct script *script, size_t n)
{
	script->n = script->at = 0;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(fixture_sample(f, 0), 0);
}

static void back_off(void **unused)
{
	struct script script = {0};
	struct fixture f;

	(void)unused;
	start(&f);
	script.page[3] = 1;
	assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
	PLAY(&f, &script, 0, 0x2);
	sample_unasked(&f, &script, 1);
	check_fault(&f, "nvme0", "temperature", EINVAL);
	PLAY(&f, &script, 0, 0x2);
	sample_unasked(&f, &script, 3);
	/* One answer, and all is forgotten. */
	PLAY(&f, &script, 0, 0, 0x2);
	sample_unasked(&f, &script, 1);
	PLAY(&f, &script, 0, 0x2);
	sample_unasked(&f, &script, 3);
	PLAY(&f, &script, 0, 0x2);
	sample_unasked(&f, &script, 7);
	PLAY(&f, &script, 0, 0x2);
	sample_unasked(&f, &script, 15);
	PLAY(&f, &script, 0, 0x2);
	check_text(&f, "nvme0", "problem", "Invalid Field in Command (status 2h); not asked again");
	sample_unasked(&f, &script, 100);
	check_fault(&f, "nvme0", "temperature", EOPNOTSUPP);
	fixture_end(&f);
}

static void again(struct fixture *f)
{
	struct probe probe;
	void *state;

	assert_int_equal(probe_init(&probe), 0);
	assert_int_equal(f->collector->probe(f->hw, &probe, &state), 0);
	f->collector->close(f->state);
	f->state = state;
	probe_done(&probe);
}

/* What a drive will not answer is remembered for the drive, not for the name. */
static void probed_again(void **unused)
{
	struct script script = {0};
	struct fixture f;

	(void)unused;
	start(&f);
	script.page[3] = 1;
	assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
	PLAY(&f, &script, 0, 0x1);
	for (int another = 0; another < 2; another++) {
		if (another)
			put(&f, NVME "serial", "S2\n");
		again(&f);
		if (another)
			PLAY(&f, &script, 0, 0);
		else
			sample_unasked(&f, &script, 2);
	}
	check_value(&f, "nvme0", "available_spare", 1);
	fixture_end(&f);
}

static void not_asked(void **unused)
{
	static const struct {
		const char *state;
		int fault;
	} states[] = {{"resetting", EAGAIN},    {"connecting", EAGAIN},
		      {"deleting", ESHUTDOWN},  {"deleting (no IO)", ESHUTDOWN},
		      {"dead", ESHUTDOWN},      {"new", EAGAIN},
		      {"reconnecting", EAGAIN}, {"?", EAGAIN}};
	static const char *const sleeping[] = {"suspended", "suspending", "resuming", "drowsy"};
	struct script script = {0};
	struct fixture f;

	(void)unused;
	start(&f);
	script.page[3] = 1;
	assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
	PLAY(&f, &script, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		char why[128];

		put(&f, NVME "state", states[i].state);
		snprintf(why, sizeof(why), "the controller is not live, its state is %s",
			 states[i].state);
		sample_unasked(&f, &script, 1);
		check_fault(&f, "nvme0", "temperature", states[i].fault);
		check_fault(&f, "nvme0", "critical_warnings", states[i].fault);
		check_text(&f, "nvme0", "problem", why);
		assert_false(row_of(&f, "nvme0")->suspended);
	}
	put(&f, NVME "state", "live\n");
	for (size_t i = 0; i < ARRAY_SIZE(sleeping); i++) {
		put(&f, NVME "device/power/runtime_status", sleeping[i]);
		sample_unasked(&f, &script, 1);
		assert_true(row_of(&f, "nvme0")->suspended);
		check_absent(&f, "nvme0", "available_spare");
	}
	put(&f, NVME "device/power/runtime_status", "error\n");
	sample_unasked(&f, &script, 1);
	assert_false(row_of(&f, "nvme0")->suspended);
	check_fault(&f, "nvme0", "available_spare", EIO);
	check_text(&f, "nvme0", "problem", "the power management of the device is in an error");
	put(&f, NVME "device/power/runtime_status", "active\n");
	put(&f, NVME "device/power_state", "D3hot\n");
	sample_unasked(&f, &script, 1);
	put(&f, NVME "device/power_state", "D0\n");
	PLAY(&f, &script, 0, 0, -ENODEV);
	fixture_end(&f);
}

/* What stands in the way of the question is no failure of the drive. */
static void in_the_way(void **unused)
{
	struct script script = {0};
	struct fixture f;

	(void)unused;
	start(&f);
	script.page[3] = 1;
	assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
	PLAY(&f, &script, 0, -EAGAIN, -EMFILE, -ENFILE, -ENOMEM, -EACCES, -EAGAIN, -EAGAIN, 0);
	check_value(&f, "nvme0", "available_spare", 1);
	/* A command that times out is cancelled by the driver. */
	for (size_t i = 0, skip = 1; i < 5; i++, skip = 2 * skip + 1) {
		PLAY(&f, &script, 0, -EINTR);
		if (i < 4)
			sample_unasked(&f, &script, skip);
	}
	sample_unasked(&f, &script, 100);
	check_fault(&f, "nvme0", "temperature", EOPNOTSUPP);
	take_away(&f, NVME "state");
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	fixture_end(&f);
}

static void many_drives(void **unused)
{
	struct fixture f;
	char path[64], text[16];

	(void)unused;
	fixture_start(&f);
	for (int i = 0; i < 65; i++) {
		snprintf(path, sizeof(path), "sys/class/nvme/nvme%d/state", i);
		put(&f, path, "live\n");
		snprintf(path, sizeof(path), "sys/class/nvme/nvme%d/serial", i);
		snprintf(text, sizeof(text), "S%d\n", i);
		put(&f, path, text);
		snprintf(path, sizeof(path), "COMMANDS/nvme%d/log-02.status", i);
		put(&f, path, "");
	}
	assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
	check_outcome(&f, "nvme63", OUTCOME_OK);
	check_outcome(&f, "nvme64", OUTCOME_FAILED);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 64);
	fixture_end(&f);
}

static void identified_once(void **unused)
{
	struct script script = {0};
	struct fixture f;

	(void)unused;
	start(&f);
	script.page[82] = 1, script.page[81] = 4;
	script.page[80] = 0, script.page[83] = 0;
	script.page[256] = 8;
	script.page[266] = 0x63, script.page[267] = 0x01; /* 355 K */
	script.page[280 + 5] = 1;                         /* 2^40 bytes */
	script.page[263] = 4;
	script.page[516] = 32;
	script.page[525] = 7;
	assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
	PLAY(&f, &script, 1, 0);
	script.n = script.at = 0;
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_text(&f, "nvme0", "version", "1.4.0");
	check_value(&f, "nvme0", "warning_temperature", 81850);
	check_absent(&f, "nvme0", "critical_temperature");
	check_value(&f, "nvme0", "capacity", INT64_C(1) << 40);
	check_value(&f, "nvme0", "unallocated_capacity", 0);
	check_value(&f, "nvme0", "power_states", 5);
	check_value(&f, "nvme0", "namespaces_max", 32);
	check_value(&f, "nvme0", "volatile_write_cache", 1);
	/* Nor after another scan. */
	again(&f);
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_value(&f, "nvme0", "volatile_write_cache", 1);
	check_text(&f, "nvme0", "version", "1.4.0");
	/* Another drive under the name is. */
	put(&f, NVME "serial", "S2\n");
	again(&f);
	PLAY(&f, &script, 1, 0);
	fixture_end(&f);
}

/* A record that is cut is no answer; what is recorded as refused is. */
static void recorded(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	take_away(&f, "COMMANDS");
	assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_absent(&f, "nvme0", "temperature");
	check_text(&f, "nvme0", "problem", "no answer of it is recorded in this tree");
	put(&f, "COMMANDS/nvme0/log-02", "short");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "nvme0", "temperature", EBADMSG);
	check_text(&f, "nvme0", "problem", "the answer is 5 of 512 bytes");
	put(&f, "COMMANDS/nvme0/identify-01", "too short");
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_text(&f, "nvme0", "problem", "the answer is 9 of 4096 bytes");
	fixture_end(&f);
	start(&f);
	assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
	put(&f, "COMMANDS/nvme0/log-02.status", "0x4002\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_text(&f, "nvme0", "problem", "Invalid Field in Command (status 2h)");
	fixture_end(&f);
}

/* What stands instead of an answer, and what passes for it. */
static void recorded_status(void **unused)
{
	static const struct {
		const char *status;
		int fault;
		const char *text;
	} cases[] = {
		{"0x6\n", EIO, "Internal Error (status 6h)"},
		{"ETIMEDOUT\n", ETIMEDOUT,
		 "the command timed out, and the driver resets the controller"},
		{"EIO", EIO, "Input/output error"},
		{"EBADMSG", EBADMSG, "Bad message"},
		{"garbage\n", EBADMSG,
		 "the file .status that is recorded of it cannot be read as a status"},
		{"", EBADMSG, "the file .status that is recorded of it cannot be read as a status"},
		{"-2", EBADMSG,
		 "the file .status that is recorded of it cannot be read as a status"},
		{"0x10000", EBADMSG,
		 "the file .status that is recorded of it cannot be read as a status"},
		{"EWHATEVER", EBADMSG,
		 "the file .status that is recorded of it cannot be read as a status"},
		{"0x0000", EBADMSG,
		 "the file .status that is recorded of it says that all went well"},
		{"0x4000", EBADMSG,
		 "the file .status that is recorded of it says that all went well"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		start(&f);
		put(&f, "COMMANDS/nvme0/log-02", "short");
		put(&f, "COMMANDS/nvme0/log-02.status", cases[i].status);
		assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
		assert_int_equal(fixture_sample(&f, 0), 0);
		check_fault(&f, "nvme0", "temperature", cases[i].fault);
		check_text(&f, "nvme0", "problem", cases[i].text);
		fixture_end(&f);
	}
}

/* What can be told without a command. */
static void probed(void **unused)
{
	static const struct {
		const char *path, *text;
		enum outcome outcome;
		const char *reason;
	} cases[] = {
		{NVME "state", "live\n", OUTCOME_OK,
		 "the page is asked for by a command to the drive"},
		{NVME "state", "dead\n", OUTCOME_FAILED,
		 "the controller is not live, its state is dead"},
		{NVME "state", "resetting\n", OUTCOME_OK,
		 "the controller is not live, its state is resetting: not asked before it is"},
		{NVME "device/power/runtime_status", "suspended\n", OUTCOME_OK,
		 "asleep: not asked before it wakes"},
		{NVME "device/power/runtime_status", "error\n", OUTCOME_FAILED,
		 "the power management of the device is in an error"},
		{"COMMANDS/nvme0/identify-01", "", OUTCOME_OK,
		 "the page is asked for by a command to the drive"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		start(&f);
		put(&f, cases[i].path, cases[i].text);
		if (strstr(cases[i].path, "identify"))
			take_away(&f, "COMMANDS/nvme0/log-02");
		assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
		check_outcome(&f, "nvme0", cases[i].outcome);
		check_reason(&f, "nvme0", cases[i].reason);
		fixture_end(&f);
	}

	struct fixture f;

	start(&f);
	take_away(&f, "COMMANDS");
	assert_int_equal(fixture_probe(&f, "nvme_smart", false), 0);
	check_outcome(&f, "nvme0", OUTCOME_NO_NODE);
	check_reason(&f, "nvme0", "no answer of it is recorded in this tree");
	fixture_end(&f);
}

static void check_no_file(struct fixture *f)
{
	assert_int_equal(fixture_probe(f, "nvme_smart", false), 0);
	assert_int_equal(fixture_sample(f, 0), 0);
	check_fault(f, "nvme0", "temperature", EBADMSG);
	check_text(f, "nvme0", "problem", "what is recorded of it is no regular file");
	fixture_end(f);
}

/* Nobody waits for the other end of a FIFO. */
static void no_record(void **unused)
{
	static const char *const names[] = {"log-02", "log-02.status"};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct fixture f;
		char path[512];

		start(&f);
		snprintf(path, sizeof(path), "COMMANDS/nvme0/%s", names[i]);
		put(&f, path, "");
		take_away(&f, path);
		snprintf(path, sizeof(path), "%s/COMMANDS/nvme0/%s", f.root, names[i]);
		assert_int_equal(mkfifo(path, 0644), 0);
		check_no_file(&f);

		start(&f);
		snprintf(path, sizeof(path), "COMMANDS/nvme0/%s", names[i]);
		take_away(&f, path);
		snprintf(path, sizeof(path), "COMMANDS/nvme0/%s/x", names[i]);
		put(&f, path, "");
		check_no_file(&f);
	}
}

static void no_drive(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/class/nvme/nvme-fabrics", "");
	assert_int_equal(fixture_probe(&f, "nvme_smart", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	fixture_end(&f);
}

static void without_descriptors(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, NVME "transport", "pcie\n");
	put(&f, NVME "cntlid", "3\n");
	put(&f, "sys/class/nvme/nvme1/state", "live\n");
	put(&f, "sys/class/nvme/nvme1/serial", "S2\n");
	put(&f, "COMMANDS/nvme1/identify-01", "");
	check_scarce_probes(&f, "nvme_smart");
	check_scarce_identities(&f, "nvme_smart", 0);
	check_scarce_identities(&f, "nvme", 0);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_of_smart),   cmocka_unit_test(no_page),
		cmocka_unit_test(implausible),     cmocka_unit_test(problems),
		cmocka_unit_test(back_off),        cmocka_unit_test(probed_again),
		cmocka_unit_test(not_asked),       cmocka_unit_test(identified_once),
		cmocka_unit_test(in_the_way),      cmocka_unit_test(many_drives),
		cmocka_unit_test(probed),          cmocka_unit_test(recorded),
		cmocka_unit_test(recorded_status), cmocka_unit_test(no_record),
		cmocka_unit_test(no_drive),        cmocka_unit_test(without_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
