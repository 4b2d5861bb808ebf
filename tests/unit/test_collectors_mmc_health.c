/* Collector mmc_health: the exact bytes of the command, what the card answers, and whom nobody
 * asks: an SD card, one that sleeps, one that is another by now, one on an Android that was sold.
 */
#include "tests/unit/collector_fixture.h"
#include "tests/unit/scarce_probe.h"

#include <linux/mmc/ioctl.h>
#include <sys/ioctl.h>

#include "base/cleanup.h"
#include "base/hw_command.h"
#include "model/mmc_command.h"

#define BLOCK "sys/block/mmcblk0/"
#define CARD  BLOCK "device/"
#define CID   "1501004d4d433031470054c0ffee5800\n"

/* What the card answers to the commands that are expected, in this order. */
struct script {
	const int *answers; /* each is what the ioctl returns */
	size_t n, at;
	const char *node;
	uint8_t bytes[EXT_CSD_BYTES];
};

static int issue(void *arg, const struct hw_command *command)
{
	struct script *script = arg;
	struct mmc_ioc_cmd cmd, expected;

	assert_true(script->at < script->n); /* none too many */
	assert_int_equal(command->request, MMC_IOC_CMD);
	assert_string_equal(command->node, script->node);
	assert_string_equal(command->dir, "sys/block/mmcblk0");
	memcpy(&cmd, command->data, sizeof(cmd));
	/* No write, no time-out and no wait of one's own, no argument. */
	memset(&expected, 0, sizeof(expected));
	expected.opcode = 8;
	expected.flags = 0xb5;
	expected.blksz = 512;
	expected.blocks = 1;
	expected.data_ptr = cmd.data_ptr;
	assert_memory_equal(&cmd, &expected, sizeof(cmd));
	if (!script->answers[script->at])
		memcpy((void *)(uintptr_t)cmd.data_ptr, script->bytes, EXT_CSD_BYTES);
	return script->answers[script->at++];
}

static void start(struct fixture *f, struct script *script)
{
	fixture_start(f);
	put(f, CARD "type", "MMC\n");
	put(f, CARD "cid", CID);
	*script = (struct script){.node = "mmcblk0"};
	script->bytes[192] = 8;
	script->bytes[267] = 1, script->bytes[268] = 3, script->bytes[269] = 11;
	script->bytes[212 + 2] = 1;
	put(f, "COMMANDS/mmcblk0/ext-csd", "");
}

/* Samples once for each answer, and checks that each was asked for. */
static void play(struct fixture *f, struct script *script, const int *answers, size_t n)
{
	script->answers = answers;
	script->n = n;
	script->at = 0;
	hw_command_to(f->hw, issue, script);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(fixture_sample(f, 0), answers[i] == -ENODEV ? -ENODEV : 0);
	assert_int_equal(script->at, n);
}

#define PLAY(f, script, ...)                                                                       \
	play(f, script, (const int[]){__VA_ARGS__}, ARRAY_SIZE(((const int[]){__VA_ARGS__})))

/* Samples n times, and fails when a command is sent. */
static void sample_unasked(struct fixture *f, struct script *script, size_t n, int r)
{
	script->n = script->at = 0;
	hw_command_to(f->hw, issue, script);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(fixture_sample(f, 0), r);
}

static void answer(void **unused)
{
	struct script script;
	struct fixture f;

	(void)unused;
	start(&f, &script);
	put(&f, CARD "cmdq_en", "1\n");
	script.bytes[502] = 1, script.bytes[246] = 3, script.bytes[163] = 2;
	script.bytes[54] = 0x21;
	script.bytes[249] = 4;
	script.bytes[307] = 31, script.bytes[308] = 1;
	script.bytes[185] = 0x13, script.bytes[183] = 6;
	script.bytes[34] = 1;
	memcpy(script.bytes + 254, "FW-1.2\0", 8);
	script.bytes[270] = 0xab;
	assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
	check_outcome(&f, "mmcblk0", OUTCOME_OK);
	PLAY(&f, &script, 0);
	check_value(&f, "mmcblk0", "rev", 8);
	check_value(&f, "mmcblk0", "size", 65536);
	check_value(&f, "mmcblk0", "life_time_a", 3);
	check_value(&f, "mmcblk0", "used_a_low", 20);
	check_value(&f, "mmcblk0", "used_a_high", 30);
	check_value(&f, "mmcblk0", "life_time_b", 11);
	check_value(&f, "mmcblk0", "used_b_low", 100);
	check_absent(&f, "mmcblk0", "used_b_high");
	check_value(&f, "mmcblk0", "used_low", 100);
	check_absent(&f, "mmcblk0", "used_high");
	check_flag(&f, "mmcblk0", "used_low", FLAG_NONE);
	check_value(&f, "mmcblk0", "pre_eol_info", 1);
	check_value(&f, "mmcblk0", "bkops_status", 3);
	check_value(&f, "mmcblk0", "bkops_manual", 0);
	check_value(&f, "mmcblk0", "bkops_auto", 1);
	check_value(&f, "mmcblk0", "exception_events_status", 0x21);
	check_text(&f, "mmcblk0", "exception_events", "urgent background operations, bit 5");
	check_value(&f, "mmcblk0", "cache_size", 512);
	check_value(&f, "mmcblk0", "cache_ctrl", 0);
	/* In the register it is 0: the driver has switched it off for the question. */
	check_value(&f, "mmcblk0", "cmdq_en", 1);
	check_value(&f, "mmcblk0", "cmdq_depth", 32);
	check_value(&f, "mmcblk0", "hs_timing", 3);
	check_value(&f, "mmcblk0", "driver_strength", 1);
	check_value(&f, "mmcblk0", "bus_width", 8);
	check_value(&f, "mmcblk0", "bus_both_edges", 1);
	check_value(&f, "mmcblk0", "power_off_notification", 1);
	check_value(&f, "mmcblk0", "data_sector_size", 512);
	check_text(&f, "mmcblk0", "firmware_version", "FW-1.2");
	check_text(&f, "mmcblk0", "vendor_health_report",
		   "ab00000000000000000000000000000000000000000000000000000000000000");
	check_absent(&f, "mmcblk0", "problem");
	fixture_end(&f);
}

/* What is reserved is no wear, and codes without a meaning are flagged. */
static void odd_answers(void **unused)
{
	struct script script;
	struct fixture f;

	(void)unused;
	start(&f, &script);
	script.bytes[192] = 6;
	assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
	PLAY(&f, &script, 0);
	check_value(&f, "mmcblk0", "rev", 6);
	check_absent(&f, "mmcblk0", "life_time_b");
	check_absent(&f, "mmcblk0", "used_low");
	check_absent(&f, "mmcblk0", "pre_eol_info");
	check_absent(&f, "mmcblk0", "firmware_version");
	check_absent(&f, "mmcblk0", "cmdq_en");
	check_absent(&f, "mmcblk0", "bus_width");
	script.bytes[192] = 7;
	script.bytes[267] = 4, script.bytes[268] = 12, script.bytes[269] = 0;
	script.bytes[502] = 1, script.bytes[246] = 4, script.bytes[185] = 0x0f;
	script.bytes[34] = 0xff;
	PLAY(&f, &script, 0);
	check_flag(&f, "mmcblk0", "life_time_a", FLAG_IMPLAUSIBLE);
	check_absent(&f, "mmcblk0", "life_time_b");
	check_absent(&f, "mmcblk0", "used_low");
	check_flag(&f, "mmcblk0", "pre_eol_info", FLAG_IMPLAUSIBLE);
	check_flag(&f, "mmcblk0", "bkops_status", FLAG_IMPLAUSIBLE);
	check_flag(&f, "mmcblk0", "hs_timing", FLAG_IMPLAUSIBLE);
	check_flag(&f, "mmcblk0", "power_off_notification", FLAG_IMPLAUSIBLE);
	/* Every bit there is. */
	memset(script.bytes, 0xff, sizeof(script.bytes) - 1);
	PLAY(&f, &script, 0);
	check_value(&f, "mmcblk0", "rev", 255);
	check_value(&f, "mmcblk0", "size", UINT32_MAX);
	fixture_end(&f);
}

static void problems(void **unused)
{
	static const struct {
		int answer, fault;
		const char *text;
	} cases[] = {
		{-EPERM, EPERM, "needs CAP_SYS_RAWIO"},
		{-EACCES, EACCES, "needs CAP_SYS_RAWIO"},
		{-ETIMEDOUT, ETIMEDOUT, "the card did not answer in time"},
		{-EILSEQ, EILSEQ, "the answer came with a wrong checksum"},
		{-EIO, EIO, "Input/output error"},
		{-ENOMEDIUM, ENOMEDIUM, "No medium found"},
		{-EINVAL, EINVAL, "Invalid argument"},
		{1, EIO, "Input/output error"},
		{-EOPNOTSUPP, 0, "no answer of it is recorded in this tree"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct script script;
		struct fixture f;

		start(&f, &script);
		put(&f, CARD "cmdq_en", "1\n");
		assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
		take_away(&f, "COMMANDS");
		PLAY(&f, &script, cases[i].answer);
		if (cases[i].fault) {
			check_fault(&f, "mmcblk0", "used_low", cases[i].fault);
			check_fault(&f, "mmcblk0", "rev", cases[i].fault);
		}
		check_absent(&f, "mmcblk0", "cmdq_en");
		check_text(&f, "mmcblk0", "problem", cases[i].text);
		fixture_end(&f);
	}
}

/* A register of which all bytes are alike is no answer. */
static void no_answer(void **unused)
{
	struct script script;
	struct fixture f;

	(void)unused;
	for (int fill = 0; fill < 256; fill += 255) {
		start(&f, &script);
		memset(script.bytes, fill, sizeof(script.bytes));
		assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
		PLAY(&f, &script, 0);
		check_fault(&f, "mmcblk0", "rev", ENODATA);
		check_fault(&f, "mmcblk0", "life_time_a", ENODATA);
		check_fault(&f, "mmcblk0", "exception_events", ENODATA);
		check_text(&f, "mmcblk0", "problem", "all bytes of the answer are alike");
		fixture_end(&f);
	}
}

static void back_off(void **unused)
{
	struct script script;
	struct fixture f;

	(void)unused;
	start(&f, &script);
	assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
	PLAY(&f, &script, -EILSEQ);
	sample_unasked(&f, &script, 1, 0);
	check_fault(&f, "mmcblk0", "rev", EILSEQ);
	PLAY(&f, &script, -EILSEQ);
	sample_unasked(&f, &script, 3, 0);
	PLAY(&f, &script, 0, 0, -EPERM, -EPERM, 0);
	check_value(&f, "mmcblk0", "rev", 8);
	for (size_t i = 0, skip = 1; i < 5; i++, skip = 2 * skip + 1) {
		PLAY(&f, &script, -ETIMEDOUT);
		if (i < 4)
			sample_unasked(&f, &script, skip, 0);
	}
	check_text(&f, "mmcblk0", "problem", "the card did not answer in time; not asked again");
	sample_unasked(&f, &script, 100, 0);
	check_fault(&f, "mmcblk0", "rev", EOPNOTSUPP);
	fixture_end(&f);
}

/* Android has the nodes of disks elsewhere. */
static int answer_where_android_has_it(void *arg, const struct hw_command *command)
{
	struct script *script = arg;

	if (!strcmp(command->node, "mmcblk0")) {
		script->at++;
		return -ENOENT;
	}
	assert_string_equal(command->node, "block/mmcblk0");
	assert_int_equal(script->at++, 1);
	return -ETIMEDOUT;
}

static void node_of_android(void **unused)
{
	struct script script;
	struct fixture f;

	(void)unused;
	start(&f, &script);
	assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
	hw_command_to(f.hw, answer_where_android_has_it, &script);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(script.at, 2);
	check_fault(&f, "mmcblk0", "rev", ETIMEDOUT);
	fixture_end(&f);
}

/* Nothing but a whole disk is ever asked. */
static void not_a_disk(void **unused)
{
	static const char *const names[] = {
		"mmcblk0boot0", "mmcblk0boot1", "mmcblk0rpmb", "mmcblk0gp0",
		"mmcblk0p1",    "mmcblk",       "sda",         "",
		"../mmcblk0",   "mmcblk0/x",    "mmcblk0 ",    "block/mmcblk0"};
	struct script script;
	struct fixture f;

	(void)unused;
	start(&f, &script);
	assert_int_equal(hw_open(f.root, &f.hw), 0);
	hw_command_to(f.hw, issue, &script);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		uint8_t bytes[EXT_CSD_BYTES];
		int flaw;

		assert_int_equal(
			mmc_read_ext_csd(f.hw, names[i], "sys/block/mmcblk0", bytes, &flaw),
			-EINVAL);
	}
	fixture_end(&f);
}

static void not_asked(void **unused)
{
	static const char *const sleeping[] = {"suspended", "suspending", "resuming", "drowsy"};
	struct script script;
	struct fixture f;

	(void)unused;
	start(&f, &script);
	assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
	PLAY(&f, &script, 0);
	for (size_t i = 0; i < ARRAY_SIZE(sleeping); i++) {
		put(&f, CARD "power/runtime_status", sleeping[i]);
		sample_unasked(&f, &script, 1, 0);
		assert_true(row_of(&f, "mmcblk0")->suspended);
		check_absent(&f, "mmcblk0", "rev");
		check_absent(&f, "mmcblk0", "problem");
	}
	put(&f, CARD "power/runtime_status", "error\n");
	sample_unasked(&f, &script, 1, 0);
	assert_false(row_of(&f, "mmcblk0")->suspended);
	check_fault(&f, "mmcblk0", "rev", EIO);
	check_text(&f, "mmcblk0", "problem", "the power management of the device is in an error");
	put(&f, CARD "power/runtime_status", "unsupported\n");
	PLAY(&f, &script, 0);
	put(&f, CARD "power/runtime_status", "active\n");
	PLAY(&f, &script, 0);
	/* Its successor has the same name. */
	put(&f, CARD "cid", "0" CID);
	sample_unasked(&f, &script, 1, -ENODEV);
	put(&f, CARD "cid", CID);
	put(&f, CARD "type", "SD\n");
	sample_unasked(&f, &script, 1, -ENODEV);
	take_away(&f, CARD "type");
	sample_unasked(&f, &script, 1, -ENODEV);
	check_fault(&f, "mmcblk0", "rev", ENODEV);
	check_text(&f, "mmcblk0", "problem", "the card is gone");
	fixture_end(&f);
	start(&f, &script);
	put(&f, CARD "power/runtime_status", "");
	put(&f, "ERRORS", CARD "power/runtime_status\tread\tEACCES\n");
	assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
	sample_unasked(&f, &script, 1, 0);
	check_fault(&f, "mmcblk0", "rev", EACCES);
	fixture_end(&f);
}

static void no_emmc(void **unused)
{
	static const struct {
		const char *type, *cid;
		enum outcome outcome;
	} cases[] = {
		{"SD\n", CID, OUTCOME_UNSUPPORTED},
		{"SDcombo\n", CID, OUTCOME_UNSUPPORTED},
		{"SDIO\n", CID, OUTCOME_UNSUPPORTED},
		{"mmc\n", CID, OUTCOME_UNSUPPORTED},
		{"MMC2\n", CID, OUTCOME_UNSUPPORTED},
		{"\x01\xff\n", CID, OUTCOME_UNSUPPORTED},
		{"", CID, OUTCOME_FAILED},
		{"MMC\n", "", OUTCOME_FAILED},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct script script;
		struct fixture f;

		start(&f, &script);
		put(&f, CARD "type", cases[i].type);
		put(&f, CARD "cid", cases[i].cid);
		assert_int_equal(fixture_probe(&f, "mmc_health", false), -ENOENT);
		check_outcome(&f, "mmcblk0", cases[i].outcome);
		check_outcome(&f, "", OUTCOME_NO_HARDWARE);
		fixture_end(&f);
	}
}

static void androids(void **unused)
{
	static const struct {
		const char *text, *errors;
		int r;
		enum outcome outcome;
	} cases[] = {
		{"ro.build.type=userdebug\n", "", 0, OUTCOME_OK},
		{"ro.build.type=eng\n", "", 0, OUTCOME_OK},
		{"ro.build.type=user\n", "", -EPERM, OUTCOME_DISABLED},
		{"a=b\n", "", -EPERM, OUTCOME_DISABLED},
		{"ro.build.type=eng\n", "system/build.prop\tread\tEACCES\n", -EPERM,
		 OUTCOME_DENIED},
		{"ro.build.type=eng\n", "system/build.prop\tread\tEIO\n", -EPERM, OUTCOME_FAILED},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct script script;
		struct fixture f;

		start(&f, &script);
		put(&f, "system/build.prop", cases[i].text);
		put(&f, "ERRORS", cases[i].errors);
		assert_int_equal(fixture_probe(&f, "mmc_health", false), cases[i].r);
		check_outcome(&f, "", cases[i].outcome);
		assert_int_equal(!item_of(&f, "mmcblk0"), cases[i].r < 0);
		fixture_end(&f);
	}
}

static void put_record(const struct fixture *f, const uint8_t *bytes, size_t size)
{
	char path[512];
	CLEANUP(fclosep) FILE *file = NULL;

	put(f, "COMMANDS/mmcblk0/ext-csd", "");
	snprintf(path, sizeof(path), "%s/COMMANDS/mmcblk0/ext-csd", f->root);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
}

static void recorded(void **unused)
{
	static const struct {
		size_t bytes;
		const char *text;
	} wrong[] = {
		{0, "the answer is 0 of 512 bytes"},
		{511, "the answer is 511 of 512 bytes"},
		{513, "the answer is longer than 512 bytes"},
		{1025, "the answer is longer than 512 bytes"},
	};
	uint8_t bytes[1025] = {0};
	struct script script;
	struct fixture f;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		start(&f, &script);
		put_record(&f, bytes, wrong[i].bytes);
		assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
		assert_int_equal(fixture_sample(&f, 0), 0);
		check_fault(&f, "mmcblk0", "rev", EBADMSG);
		check_text(&f, "mmcblk0", "problem", wrong[i].text);
		fixture_end(&f);
	}
	start(&f, &script);
	put_record(&f, script.bytes, sizeof(script.bytes));
	assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "mmcblk0", "rev", 8);
	put(&f, "ERRORS", "COMMANDS/mmcblk0/ext-csd\tread\tETIMEDOUT\n");
	assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_text(&f, "mmcblk0", "problem", "the card did not answer in time");
	take_away(&f, "ERRORS");
	put(&f, "COMMANDS/mmcblk0/ext-csd.status", "EILSEQ\n");
	assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "mmcblk0", "rev", EILSEQ);
	fixture_end(&f);
}

/* What can be told without a command. */
static void probed(void **unused)
{
	struct script script;
	struct fixture f;

	(void)unused;
	start(&f, &script);
	put(&f, CARD "power/runtime_status", "suspended\n");
	assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
	check_outcome(&f, "mmcblk0", OUTCOME_OK);
	check_reason(&f, "mmcblk0", "asleep: not asked before it wakes");
	put(&f, CARD "power/runtime_status", "error\n");
	assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
	check_outcome(&f, "mmcblk0", OUTCOME_FAILED);
	put(&f, CARD "power/runtime_status", "active\n");
	take_away(&f, "COMMANDS");
	assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
	check_outcome(&f, "mmcblk0", OUTCOME_NO_NODE);
	check_reason(&f, "mmcblk0", "no answer of it is recorded in this tree");
	fixture_end(&f);
}

/* A probe that is bound to one device takes that one alone. */
static void one_device(void **unused)
{
	struct script script;
	struct fixture f;

	(void)unused;
	start(&f, &script);
	put(&f, "sys/block/mmcblk1/device/type", "MMC\n");
	put(&f, "sys/block/mmcblk1/device/cid", "1\n");
	assert_int_equal(fixture_probe(&f, "mmc_health", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 2);
	scarce_start(&f);
	f.probe.device = "mmcblk1";
	assert_int_equal(f.collector->probe(f.hw, &f.probe, &f.state), 0);
	assert_null(item_of(&f, "mmcblk0"));
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 1);
	assert_string_equal(f.sink.rows[0]->node, "mmcblk1");
	fixture_end(&f);
}

static void without_descriptors(void **unused)
{
	struct script script;
	struct fixture f;

	(void)unused;
	start(&f, &script);
	put(&f, "system/build.prop", "ro.build.type=eng\n");
	put(&f, "sys/class/mmc_host/mmc0/mmc0:0001/type", "MMC\n");
	check_scarce_probes(&f, "mmc_health");
	check_scarce_identities(&f, "mmc_health", 0);
	check_scarce_identities(&f, "mmc", 0);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answer),     cmocka_unit_test(odd_answers),
		cmocka_unit_test(problems),   cmocka_unit_test(no_answer),
		cmocka_unit_test(back_off),   cmocka_unit_test(node_of_android),
		cmocka_unit_test(not_a_disk), cmocka_unit_test(not_asked),
		cmocka_unit_test(no_emmc),    cmocka_unit_test(androids),
		cmocka_unit_test(recorded),   cmocka_unit_test(probed),
		cmocka_unit_test(one_device), cmocka_unit_test(without_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
