/* Collector ata_smart: the exact bytes of each command and their order, what the disk answers, and
 * whom nobody asks: a disk that sleeps, one that is on USB, one that will never answer. */
#include "tests/unit/collector_fixture.h"

#include <scsi/sg.h>

#include "base/hw_command.h"
#include "model/ata_command.h"
#include "model/ata_smart.h"

#define DISK "sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/"

enum { POWER, IDENTIFY, DATA, THRESHOLDS, STATUS, N_COMMANDS };

/* The bytes of each command after the first two that differ by protocol. */
static const uint8_t cdbs[N_COMMANDS][16] = {
	[POWER] = {0x85, 0x06, 0x20, [14] = 0xe5},
	[IDENTIFY] = {0x85, 0x08, 0x0e, [6] = 1, [14] = 0xec},
	[DATA] = {0x85, 0x08, 0x0e, [4] = 0xd0, [6] = 1, [10] = 0x4f, [12] = 0xc2, [14] = 0xb0},
	[THRESHOLDS] = {0x85, 0x08,
			0x0e, [4] = 0xd1, [6] = 1, [10] = 0x4f, [12] = 0xc2, [14] = 0xb0},
	[STATUS] = {0x85, 0x06, 0x20, [4] = 0xda, [10] = 0x4f, [12] = 0xc2, [14] = 0xb0},
};

/* What a disk answers to one command. */
struct answer {
	int r;                 /* of the ioctl */
	uint8_t host, scsi;    /* status of the host adapter, of SCSI */
	uint8_t sense_bytes;   /* 0: as libata does it, of the registers below */
	uint8_t error, status; /* registers */
	uint8_t count, mid, high;
	int resid;
	uint8_t sense[32];
};

/* The disk, and the commands that are expected of one sample: those that stand in the string, a
 * digit each. */
struct script {
	const char *expected;
	struct answer answers[N_COMMANDS];
	uint8_t pages[N_COMMANDS][ATA_PAGE_BYTES];
};

static size_t put_sense(const struct answer *answer, uint8_t *sense)
{
	if (answer->sense_bytes) {
		memcpy(sense, answer->sense, answer->sense_bytes);
		return answer->sense_bytes;
	}
	memset(sense, 0, 22);
	sense[0] = 0x72;
	sense[1] = answer->status & 0x21 ? 0xb : 0x1;
	sense[3] = answer->status & 0x21 ? 0 : 0x1d;
	sense[7] = 14;
	sense[8] = 0x09;
	sense[9] = 0x0c;
	sense[11] = answer->error;
	sense[13] = answer->count;
	sense[17] = answer->mid;
	sense[19] = answer->high;
	sense[21] = answer->status ? answer->status : 0x50;
	return 22;
}

/* Each member; what lies between them is not set by anybody. */
static void assert_header(const struct sg_io_hdr *header, const struct sg_io_hdr *expected)
{
	assert_int_equal(header->interface_id, expected->interface_id);
	assert_int_equal(header->dxfer_direction, expected->dxfer_direction);
	assert_int_equal(header->cmd_len, expected->cmd_len);
	assert_int_equal(header->mx_sb_len, expected->mx_sb_len);
	assert_int_equal(header->iovec_count, expected->iovec_count);
	assert_int_equal(header->dxfer_len, expected->dxfer_len);
	assert_ptr_equal(header->dxferp, expected->dxferp);
	assert_ptr_equal(header->cmdp, expected->cmdp);
	assert_ptr_equal(header->sbp, expected->sbp);
	assert_int_equal(header->timeout, expected->timeout);
	assert_int_equal(header->flags, expected->flags);
	assert_int_equal(header->pack_id, expected->pack_id);
	assert_ptr_equal(header->usr_ptr, expected->usr_ptr);
	assert_int_equal(header->status, expected->status);
	assert_int_equal(header->masked_status, expected->masked_status);
	assert_int_equal(header->msg_status, expected->msg_status);
	assert_int_equal(header->sb_len_wr, expected->sb_len_wr);
	assert_int_equal(header->host_status, expected->host_status);
	assert_int_equal(header->driver_status, expected->driver_status);
	assert_int_equal(header->resid, expected->resid);
	assert_int_equal(header->duration, expected->duration);
	assert_int_equal(header->info, expected->info);
}

static int issue(void *arg, const struct hw_command *command)
{
	struct script *script = arg;
	struct sg_io_hdr *header = command->data;
	struct sg_io_hdr expected = {.interface_id = 'S', .cmd_len = 16, .mx_sb_len = 64};
	const struct answer *answer;
	size_t which;

	if (!*script->expected) /* none too many */
		fail_msg("command %02x %02x was not expected", header->cmdp[14], header->cmdp[4]);
	which = (size_t)(*script->expected++ - '0');
	assert_int_equal(command->request, SG_IO);
	assert_string_equal(command->node, "sda");
	assert_string_equal(command->dir, "sys/class/block/sda");
	assert_memory_equal(header->cmdp, cdbs[which], 16);
	expected.dxfer_direction = cdbs[which][2] & 8 ? SG_DXFER_FROM_DEV : SG_DXFER_NONE;
	expected.dxfer_len = cdbs[which][2] & 8 ? ATA_PAGE_BYTES : 0;
	expected.cmdp = header->cmdp;
	expected.sbp = header->sbp;
	expected.dxferp = header->dxferp;
	/* No time-out of one's own: it would make the driver reset the link. */
	assert_header(header, &expected);
	answer = &script->answers[which];
	if (answer->r)
		return answer->r;
	if (header->dxfer_len)
		memcpy(header->dxferp, script->pages[which], ATA_PAGE_BYTES);
	header->host_status = answer->host;
	header->resid = answer->resid;
	header->status = answer->scsi;
	if (answer->scsi == 2)
		header->sb_len_wr = (uint8_t)put_sense(answer, header->sbp);
	return 0;
}

static void set_word(uint8_t *page, size_t i, unsigned value)
{
	page[2 * i] = (uint8_t)value;
	page[2 * i + 1] = (uint8_t)(value >> 8);
}

static void seal(uint8_t *page)
{
	unsigned sum = 0;

	page[511] = 0;
	for (size_t i = 0; i < 511; i++)
		sum += page[i];
	page[511] = (uint8_t)(0x100 - (sum & 0xff));
}

static void set_attribute(struct script *s, size_t i, const struct ata_attribute *a)
{
	uint8_t *data = &s->pages[DATA][2 + 12 * i], *threshold = &s->pages[THRESHOLDS][2 + 12 * i];

	data[0] = threshold[0] = a->id;
	data[1] = a->is_prefail;
	data[3] = a->current;
	data[4] = a->worst;
	for (size_t k = 0; k < 6; k++)
		data[5 + k] = (uint8_t)(a->raw >> (8 * k));
	threshold[1] = a->threshold;
	seal(s->pages[DATA]);
	seal(s->pages[THRESHOLDS]);
}

static void set_identify(struct script *s, bool supported, bool enabled, unsigned rotation)
{
	uint8_t *page = s->pages[IDENTIFY];

	memcpy(page + 54, "TSE T", 5); /* "ST ET": two by two they are swapped */
	set_word(page, 82, supported);
	set_word(page, 83, 0x4000);
	set_word(page, 85, enabled);
	set_word(page, 87, 0x4000);
	set_word(page, 217, rotation);
}

static void start(struct fixture *f, struct script *s)
{
	fixture_start(f);
	put(f, DISK "block/sda/dev", "8:0\n");
	put_link(f, DISK "block/sda/device", "../..");
	put(f, DISK "wwid", "naa.5000\n");
	put(f, "COMMANDS/sda/check-power", "0x80\n");
	put_link(f, "sys/class/block/sda", "/" DISK "block/sda");
	*s = (struct script){0};
	s->answers[POWER] = (struct answer){.scsi = 2, .count = 0xff};
	s->answers[STATUS] = (struct answer){.scsi = 2, .mid = 0x4f, .high = 0xc2};
	set_identify(s, true, true, 7200);
	set_attribute(s, 0, &(struct ata_attribute){5, true, 100, 100, 36, 8});
	set_attribute(s, 1, &(struct ata_attribute){194, false, 63, 41, 0, 0x003b000c0025});
	assert_int_equal(fixture_probe(f, "ata_smart", false), 0);
	check_outcome(f, "sda", OUTCOME_OK);
	hw_command_to(f->hw, issue, s);
}

/* One sample, which sends exactly these commands. */
static void play(struct fixture *f, struct script *s, const char *expected, int r)
{
	s->expected = expected;
	assert_int_equal(fixture_sample(f, 0), r);
	assert_string_equal(s->expected, "");
}

static void a_disk(void **unused)
{
	static const struct ata_attribute attributes[] = {
		{9, false, 99, 99, 0, 0x00ab00001000}, {12, false, 100, 100, 20, 812},
		{187, false, 1, 1, 0, 0x000000010007}, {190, false, 60, 40, 45, 40},
		{197, false, 100, 100, 0, 0xffffffff}, {199, false, 200, 200, 0, 0},
		{231, true, 90, 90, 10, 10},           {241, false, 100, 100, 0, 0x7fffffffffff},
	};
	struct script s;
	struct fixture f;

	(void)unused;
	start(&f, &s);
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		set_attribute(&s, 2 + i, &attributes[i]);
	play(&f, &s, "01234", 0);
	check_value(&f, "sda", "status", 0);
	check_value(&f, "sda", "temperature", 37000);
	check_value(&f, "sda", "reallocated_sectors", 8);
	check_value(&f, "sda", "power_on_time", 4096);
	check_value(&f, "sda", "power_cycles", 812);
	check_value(&f, "sda", "uncorrected_errors", 7);
	check_absent(&f, "sda", "pending_sectors"); /* all ones is no count */
	check_absent(&f, "sda", "offline_uncorrectable");
	check_value(&f, "sda", "crc_errors", 0);
	check_value(&f, "sda", "written", 0x7fffffffffff);
	check_absent(&f, "sda", "life_left"); /* it rotates */
	check_value(&f, "sda", "rotation_rate", 7200);
	check_text(&f, "sda", "model", "ST ET");
	check_absent(&f, "sda", "failing_attributes");
	check_text(&f, "sda", "failed_attributes", "190");
	check_absent(&f, "sda", "problem");
	assert_string_equal(row_of(&f, "sda")->identity, "wwid:naa.5000");

	s.answers[STATUS].mid = 0xf4, s.answers[STATUS].high = 0x2c;
	set_attribute(&s, 0, &(struct ata_attribute){5, true, 36, 36, 36, 4000});
	set_identify(&s, true, true, 1);
	play(&f, &s, "01234", 0);
	check_value(&f, "sda", "status", 1);
	check_text(&f, "sda", "failing_attributes", "5 (prefail)");
	check_value(&f, "sda", "life_left", 90);
	check_value(&f, "sda", "life_left_attribute", 231);
	fixture_end(&f);
}

/* The disk spins down by itself, or the kernel has suspended it: it stays as it is. */
static void asleep(void **unused)
{
	static const uint8_t standby[] = {0x00, 0x01, 0x40};
	static const uint8_t awake[] = {0x41, 0x80, 0x82, 0xff};
	static const char *const suspended[] = {"suspended\n", "suspending\n", "resuming\n", "?\n"};
	struct script s;
	struct fixture f;

	(void)unused;
	start(&f, &s);
	for (size_t i = 0; i < ARRAY_SIZE(standby); i++) {
		s.answers[POWER].count = standby[i];
		play(&f, &s, "0", 0);
		assert_true(row_of(&f, "sda")->suspended);
		check_absent(&f, "sda", "temperature");
		check_absent(&f, "sda", "problem");
	}
	for (size_t i = 0; i < ARRAY_SIZE(awake); i++) {
		s.answers[POWER].count = awake[i];
		play(&f, &s, "01234", 0);
		assert_false(row_of(&f, "sda")->suspended);
	}
	for (size_t i = 0; i < ARRAY_SIZE(suspended); i++) {
		put(&f, DISK "power/runtime_status", suspended[i]);
		play(&f, &s, "", 0);
		assert_true(row_of(&f, "sda")->suspended);
	}
	put(&f, DISK "power/runtime_status", "error\n");
	play(&f, &s, "", 0);
	check_fault(&f, "sda", "temperature", EIO);
	check_text(&f, "sda", "problem", "the power management of the device is in an error");
	put(&f, DISK "power/runtime_status", "active\n");
	play(&f, &s, "01234", 0);
	check_value(&f, "sda", "temperature", 37000);
	fixture_end(&f);
}

/* Finds the disk in standby at 1000 s, and looks again at another time: "0" when it is asked. */
static void look_again(struct fixture *f, struct script *s, const char *uptime,
		       const char *expected)
{
	put(f, "proc/uptime", "1000.00 1.00\n");
	put(f, DISK "block/sda/stat", " 5 0 40 8 0 0 0 0 0 4 8\n");
	put(f, DISK "power/runtime_status", "suspended\n"); /* what was known is forgotten */
	play(f, s, "", 0);
	put(f, DISK "power/runtime_status", "active\n");
	play(f, s, "0", 0);
	put(f, "proc/uptime", uptime);
	play(f, s, expected, 0);
	assert_true(row_of(f, "sda")->suspended);
	check_absent(f, "sda", "problem");
}

/* The sampler looks each minute at what sleeps; the disk is asked three times an hour, or when it
 * had something to do. */
static void standby_is_remembered(void **unused)
{
	struct script s;
	struct fixture f;
	struct probe probe;
	void *state;

	(void)unused;
	start(&f, &s);
	s.answers[POWER].count = 0x00;
	look_again(&f, &s, "1060.00 1.00\n", "");
	look_again(&f, &s, "2199.99 1.00\n", "");
	look_again(&f, &s, "2200.00 1.00\n", "0");
	look_again(&f, &s, "999.00 1.00\n", "0");
	look_again(&f, &s, "\n", "0"); /* without a clock */
	look_again(&f, &s, "1060.00 1.00\n", "");
	/* Over a probe too. */
	assert_int_equal(probe_init(&probe), 0);
	assert_int_equal(f.collector->probe(f.hw, &probe, &state), 0);
	f.collector->close(f.state);
	f.state = state;
	probe_done(&probe);
	play(&f, &s, "", 0);
	put(&f, DISK "block/sda/stat", " 6 0 48 9 0 0 0 0 0 5 9\n");
	s.answers[POWER].count = 0xff;
	play(&f, &s, "01234", 0);
	play(&f, &s, "01234", 0);
	fixture_end(&f);
}

static void without_smart(void **unused)
{
	struct script s;
	struct fixture f;

	(void)unused;
	start(&f, &s);
	set_identify(&s, true, false, 5400);
	play(&f, &s, "01", 0);
	check_text(&f, "sda", "problem", "SMART is switched off");
	check_absent(&f, "sda", "temperature");
	check_value(&f, "sda", "rotation_rate", 5400);
	set_identify(&s, false, false, 5400);
	play(&f, &s, "01", 0);
	check_text(&f, "sda", "problem", "the disk has no SMART");
	fixture_end(&f);
}

static void problems(void **unused)
{
	static const struct {
		struct answer answer;
		int fault;
		const char *text;
	} cases[] = {
		{{.r = -EACCES}, EACCES, "needs CAP_SYS_RAWIO, and to open the disk"},
		{{.r = -EPERM}, EPERM, "needs CAP_SYS_RAWIO, and to open the disk"},
		{{.scsi = 2, .error = 4, .status = 0x51},
		 EINVAL,
		 "the disk aborted the command (error 04h, status 51h)"},
		{{.scsi = 2, .error = 0x10, .status = 0x51},
		 EIO,
		 "the disk failed the command (error 10h, status 51h)"},
		{{.scsi = 2, .sense_bytes = 18, .sense = {0x70, 0, 0xb, [7] = 10}},
		 EINVAL,
		 "Invalid argument"},
		{{.scsi = 2, .sense_bytes = 18, .sense = {0x70, 0, 0x5, [7] = 10}},
		 EOPNOTSUPP,
		 "Operation not supported; not asked again"},
		{{.scsi = 2, .sense_bytes = 18, .sense = {0xf0, 0, 0xb, 4, 0x51, [7] = 10}},
		 EINVAL,
		 "the disk aborted the command (error 04h, status 51h)"},
		{{.scsi = 2, .sense_bytes = 2, .sense = {0x70, 0}}, EIO, "Input/output error"},
		{{.scsi = 2, .sense_bytes = 22, .sense = {0x72, 1, [7] = 255, [8] = 3, [9] = 250}},
		 EIO,
		 "Input/output error"},
		{{.scsi = 8}, EIO, "Input/output error"},
		{{.host = 3}, ETIMEDOUT, "the command timed out, and the driver resets the link"},
		{{.host = 7}, EIO, "Input/output error"},
		{{.host = 2}, EAGAIN, "Resource temporarily unavailable"},
		{{.resid = 1}, EBADMSG, "the answer is 511 of 512 bytes"},
		{{.resid = 412}, EBADMSG, "the answer is 100 of 512 bytes"},
		{{.resid = -7}, EBADMSG, "the answer is 511 of 512 bytes"},
		{{.resid = 1 << 30}, EBADMSG, "the answer is 0 of 512 bytes"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct script s;
		struct fixture f;

		start(&f, &s);
		s.answers[DATA] = cases[i].answer;
		play(&f, &s, "012", 0);
		check_fault(&f, "sda", "temperature", cases[i].fault);
		check_fault(&f, "sda", "status", cases[i].fault);
		check_text(&f, "sda", "problem", cases[i].text);
		fixture_end(&f);
	}
}

/* What is not there, or did not understand, reads as ones or zeros, and the sum of ones is right.
 */
static void no_page(void **unused)
{
	static const struct {
		uint8_t byte;
		const char *text;
	} cases[] = {
		{0x00, "the page is all zeros"},
		{0xff, "all bytes of the page are FFh"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct script s;
		struct fixture f;

		start(&f, &s);
		memset(s.pages[DATA], cases[i].byte, ATA_PAGE_BYTES);
		play(&f, &s, "012", 0);
		check_fault(&f, "sda", "status", ENODATA);
		check_fault(&f, "sda", "temperature", ENODATA);
		check_fault(&f, "sda", "reallocated_sectors", ENODATA);
		check_fault(&f, "sda", "failing_attributes", ENODATA);
		check_text(&f, "sda", "problem", cases[i].text);
		fixture_end(&f);

		start(&f, &s);
		memset(s.pages[IDENTIFY], cases[i].byte, ATA_PAGE_BYTES);
		play(&f, &s, "01", 0);
		check_fault(&f, "sda", "temperature", ENODATA);
		check_absent(&f, "sda", "model");
		check_text(&f, "sda", "problem", cases[i].text);
		fixture_end(&f);

		start(&f, &s);
		memset(s.pages[THRESHOLDS], cases[i].byte, ATA_PAGE_BYTES);
		play(&f, &s, "01234", 0);
		check_fault(&f, "sda", "failing_attributes", ENODATA);
		check_value(&f, "sda", "temperature", 37000);
		fixture_end(&f);
	}
}

/* An answer that is none: no sum, no bit, no registers, a status that is neither. */
static void no_answers(void **unused)
{
	struct script s;
	struct fixture f;

	(void)unused;
	start(&f, &s);
	s.pages[DATA][10]++;
	play(&f, &s, "012", 0);
	check_fault(&f, "sda", "temperature", EBADMSG);
	check_fault(&f, "sda", "failing_attributes", EBADMSG);
	check_text(&f, "sda", "problem", "the page has a wrong checksum");
	fixture_end(&f);

	start(&f, &s);
	s.answers[POWER].scsi = 0;
	play(&f, &s, "0", 0);
	check_fault(&f, "sda", "temperature", EBADMSG);
	check_text(&f, "sda", "problem", "the answer came without the disk's registers");
	fixture_end(&f);

	/* Without thresholds or a judgement of its own there are still attributes. */
	start(&f, &s);
	s.answers[THRESHOLDS] = (struct answer){.scsi = 2, .error = 4, .status = 0x51};
	s.answers[STATUS].mid = 0;
	play(&f, &s, "01234", 0);
	check_fault(&f, "sda", "status", EBADMSG);
	check_value(&f, "sda", "temperature", 37000);
	check_fault(&f, "sda", "failing_attributes", EINVAL);
	check_fault(&f, "sda", "failed_attributes", EINVAL);
	check_text(&f, "sda", "problem",
		   "thresholds: the disk aborted the command (error 04h, status 51h)");
	fixture_end(&f);

	/* What the disk says of itself is not what the thresholds say. */
	start(&f, &s);
	s.answers[STATUS].mid = 0;
	play(&f, &s, "01234", 0);
	check_fault(&f, "sda", "status", EBADMSG);
	check_absent(&f, "sda", "failing_attributes");
	check_text(&f, "sda", "problem",
		   "status: the answer is neither that of a good disk nor of a failing one");
	fixture_end(&f);
}

/* Temperatures that are none, or cannot be. */
static void temperatures(void **unused)
{
	static const struct {
		uint64_t raw;
		int64_t answer;
		enum flag flag;
	} cases[] = {
		{0, -ENOENT, FLAG_NONE},           {0xffffffffffff, -ENOENT, FLAG_NONE},
		{0xffffffff, -ENOENT, FLAG_NONE},  {0xfb, -5000, FLAG_NONE},
		{0x003c00000000, 0, FLAG_NONE},    {0x7f, 127000, FLAG_IMPLAUSIBLE},
		{0x80, -128000, FLAG_IMPLAUSIBLE},
	};
	struct script s;
	struct fixture f;

	(void)unused;
	start(&f, &s);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		set_attribute(&s, 1, &(struct ata_attribute){194, false, 63, 41, 0, cases[i].raw});
		play(&f, &s, "01234", 0);
		if (cases[i].answer == -ENOENT) {
			check_absent(&f, "sda", "temperature");
		} else {
			check_value(&f, "sda", "temperature", cases[i].answer);
			check_flag(&f, "sda", "temperature", cases[i].flag);
		}
	}
	set_attribute(&s, 2, &(struct ata_attribute){9, false, 1, 1, 0, 0xfffffe});
	play(&f, &s, "01234", 0);
	check_flag(&f, "sda", "power_on_time", FLAG_IMPLAUSIBLE);
	fixture_end(&f);
}

/* What the disk does not answer is left out for more and more samples, then for good. */
static void back_off(void **unused)
{
	struct script s;
	struct fixture f;

	(void)unused;
	start(&f, &s);
	s.answers[STATUS] = (struct answer){.scsi = 2, .error = 4, .status = 0x51};
	play(&f, &s, "01234", 0);
	play(&f, &s, "0123", 0);
	check_fault(&f, "sda", "status", EINVAL);
	check_value(&f, "sda", "temperature", 37000);
	play(&f, &s, "01234", 0);
	for (int failures = 2; failures < 5; failures++) {
		for (int i = 0; i < (1 << failures) - 1; i++)
			play(&f, &s, "0123", 0);
		play(&f, &s, "01234", 0);
	}
	for (int i = 0; i < 100; i++)
		play(&f, &s, "0123", 0);
	check_fault(&f, "sda", "status", EOPNOTSUPP);
	/* The disk goes between two commands. */
	s.answers[THRESHOLDS].host = 1;
	play(&f, &s, "0123", -ENODEV);
	fixture_end(&f);
}

/* By what is known without a command. */
static void who_is_taken(void **unused)
{
	static const char usb[] = "sys/devices/pci0000:00/0000:00:14.0/usb2/2-3/2-3:1.0/host2/"
				  "target2:0:0/2:0:0:0/block/sdb";
	char page[5 * 256 + 1] = "", path[256];
	struct script s;
	struct fixture f;

	(void)unused;
	start(&f, &s);
	snprintf(path, sizeof(path), "%s/dev", usb);
	put(&f, path, "8:16\n");
	snprintf(path, sizeof(path), "%s/device", usb);
	put_link(&f, path, "../..");
	snprintf(path, sizeof(path), "/%s", usb);
	put_link(&f, "sys/class/block/sdb", path);
	assert_int_equal(fixture_probe(&f, "ata_smart", false), 0);
	check_outcome(&f, "sda", OUTCOME_OK);
	check_outcome(&f, "sdb", OUTCOME_UNSUPPORTED);

	/* A process that is for another disk. */
	fixture_unprobe(&f);
	assert_int_equal(hw_open(f.root, &f.hw), 0);
	assert_int_equal(probe_init(&f.probe), 0);
	assert_int_equal(sink_init(&f.sink), 0);
	f.probe.device = "sdz";
	assert_int_equal(f.collector->probe(f.hw, &f.probe, &f.state), -ENOENT);
	assert_int_equal(f.probe.n_items, 1);
	f.state = NULL;

	for (size_t i = 0; i < 256; i++)
		snprintf(page + 5 * i, 6, "%04x ", i == 83 || i == 87 ? 0x4000U : i == 82);
	put(&f, DISK "../../../link1/dev1.0/ata_device/dev1.0/id", page);
	assert_int_equal(fixture_probe(&f, "ata_smart", false), 0);
	check_outcome(&f, "sda", OUTCOME_OK);
	for (size_t i = 0; i < 256; i++)
		snprintf(page + 5 * i, 6, "%04x ", 0);
	put(&f, DISK "../../../link1/dev1.0/ata_device/dev1.0/id", page);
	assert_int_equal(fixture_probe(&f, "ata_smart", false), -ENOENT);
	check_outcome(&f, "sda", OUTCOME_UNSUPPORTED);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	fixture_end(&f);
}

/* What can be told without a command. */
static void probed(void **unused)
{
	struct script s;
	struct fixture f;

	(void)unused;
	start(&f, &s);
	check_reason(&f, "sda",
		     "the pages are asked for by commands to the disk, unless it sleeps");
	put(&f, DISK "power/runtime_status", "suspended\n");
	assert_int_equal(fixture_probe(&f, "ata_smart", false), 0);
	check_outcome(&f, "sda", OUTCOME_OK);
	check_reason(&f, "sda", "asleep: not asked before it wakes");
	put(&f, DISK "power/runtime_status", "error\n");
	assert_int_equal(fixture_probe(&f, "ata_smart", false), 0);
	check_outcome(&f, "sda", OUTCOME_FAILED);
	check_reason(&f, "sda", "the power management of the device is in an error");
	put(&f, DISK "power/runtime_status", "active\n");
	take_away(&f, "COMMANDS");
	assert_int_equal(fixture_probe(&f, "ata_smart", false), 0);
	check_outcome(&f, "sda", OUTCOME_NO_NODE);
	check_reason(&f, "sda", "no answer of it is recorded in this tree");
	put(&f, "COMMANDS/sda/check-power.status", "ENODEV\n");
	assert_int_equal(fixture_probe(&f, "ata_smart", false), 0);
	check_outcome(&f, "sda", OUTCOME_OK);
	fixture_end(&f);
}

/* A record that is cut is no answer; what is recorded as refused is. */
static void recorded(void **unused)
{
	struct script s;
	struct fixture f;

	(void)unused;
	start(&f, &s);
	take_away(&f, "COMMANDS");
	assert_int_equal(fixture_probe(&f, "ata_smart", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_absent(&f, "sda", "temperature");
	check_text(&f, "sda", "problem", "no answer of it is recorded in this tree");
	put(&f, "COMMANDS/sda/check-power", "0x00\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_true(row_of(&f, "sda")->suspended);
	put(&f, "COMMANDS/sda/check-power", "0xff\n");
	put(&f, "COMMANDS/sda/identify", "short");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "sda", "temperature", EBADMSG);
	check_text(&f, "sda", "problem", "the answer is 5 of 512 bytes");
	fixture_end(&f);
	start(&f, &s);
	put(&f, "COMMANDS/sda/check-power", "garbage\n");
	assert_int_equal(fixture_probe(&f, "ata_smart", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "sda", "temperature", EBADMSG);
	check_text(&f, "sda", "problem", "what is recorded of it is no number of 16 bits");
	fixture_end(&f);
	start(&f, &s);
	put(&f, "COMMANDS/sda/check-power.status", "ETIMEDOUT\n");
	assert_int_equal(fixture_probe(&f, "ata_smart", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "sda", "temperature", ETIMEDOUT);
	fixture_end(&f);
	start(&f, &s);
	put(&f, "COMMANDS/sda/check-power.status", "0x0050\n");
	assert_int_equal(fixture_probe(&f, "ata_smart", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "sda", "temperature", EBADMSG);
	check_text(&f, "sda", "problem",
		   "the file .status that is recorded of it says that all went well");
	fixture_end(&f);
	start(&f, &s);
	put(&f, "COMMANDS/sda/check-power.status", "0x0451\n");
	assert_int_equal(fixture_probe(&f, "ata_smart", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_text(&f, "sda", "problem", "the disk aborted the command (error 04h, status 51h)");
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_disk),
		cmocka_unit_test(asleep),
		cmocka_unit_test(standby_is_remembered),
		cmocka_unit_test(without_smart),
		cmocka_unit_test(problems),
		cmocka_unit_test(no_page),
		cmocka_unit_test(no_answers),
		cmocka_unit_test(temperatures),
		cmocka_unit_test(back_off),
		cmocka_unit_test(who_is_taken),
		cmocka_unit_test(probed),
		cmocka_unit_test(recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
