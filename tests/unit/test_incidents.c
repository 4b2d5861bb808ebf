/* How findings become incidents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/incidents.h"
#include "base/cleanup.h"
#include "base/macros.h"

#define SECOND INT64_C(1000000)

static struct incidents_taken take(struct incidents *table, int64_t t_us, const char *text)
{
	struct kernel_message message = {.t_us = t_us, .level = KERNEL_LEVEL_NONE};
	struct incidents_taken taken;

	snprintf(message.text, sizeof(message.text), "%s", text);
	incidents_take(table, &message, &taken);
	return taken;
}

static struct incidents *new_table(void)
{
	struct incidents *table = NULL;

	assert_int_equal(incidents_new(NULL, NULL, &table), 0);
	return table;
}

static void one_device_is_one_incident(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	struct incidents_taken taken =
		take(table, SECOND, "mmc0: Timeout waiting for hardware interrupt.");
	int64_t id;

	(void)unused;
	assert_int_equal(taken.change, INCIDENTS_NEW);
	id = taken.incident->id;
	assert_int_equal(
		take(table, 2 * SECOND, "mmc0: Timeout waiting for hardware interrupt.").change,
		INCIDENTS_COUNTED);
	taken = take(table, 3 * SECOND, "mmcblk0: recovery failed!");
	assert_int_equal(taken.change, INCIDENTS_WORSE);
	assert_int_equal(taken.incident->id, id);
	assert_int_equal(taken.incident->severity, SEVERITY_CRITICAL);
	assert_int_equal(taken.incident->cause, CAUSE_TIMEOUT);
	taken = take(table, 4 * SECOND, "I/O error, dev mmcblk0, sector 24 op 0x1:(WRITE)");
	taken = take(table, 4 * SECOND, "I/O error, dev mmcblk0, sector 8 op 0x1:(WRITE)");
	taken = take(table, 4 * SECOND, "I/O error, dev mmcblk0, sector 24 op 0x1:(WRITE)");
	taken = take(table, 5 * SECOND, "Aborting journal on device mmcblk0p3-8.");
	assert_int_equal(taken.change, INCIDENTS_COUNTED);
	assert_int_equal(taken.incident->id, id);
	assert_int_equal(taken.incident->count, 7);
	assert_int_equal(taken.incident->by_cause[CAUSE_IO], 3);
	assert_int_equal(taken.incident->n_sectors, 2);
	assert_int_equal(taken.incident->sector_first, 8);
	assert_int_equal(taken.incident->sector_last, 24);
	assert_int_equal(taken.incident->first_us, SECOND);
	assert_int_equal(taken.incident->last_us, 5 * SECOND);
	assert_string_equal(taken.incident->device, "mmc0");
	assert_string_equal(taken.incident->disk, "mmcblk0");
	assert_string_equal(taken.incident->nodes, "mmc0 mmcblk0 mmcblk0p3");
	assert_string_equal(taken.incident->evidence,
			    "mmc0: Timeout waiting for hardware interrupt.\n"
			    "mmcblk0: recovery failed!\n"
			    "I/O error, dev mmcblk0, sector 24 op 0x1:(WRITE)\n"
			    "Aborting journal on device mmcblk0p3-8.");
	/* Another card is another one. */
	taken = take(table, 5 * SECOND, "I/O error, dev mmcblk1, sector 8 op 0x1:(WRITE)");
	assert_int_equal(taken.change, INCIDENTS_NEW);
	assert_int_not_equal(taken.incident->id, id);
}

/* What comes first in the log is not always what came first. */
static void the_cause_is_what_it_follows_from(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	struct incidents_taken taken = take(table, 0, "I/O error, dev nvme0n1, sector 8");

	(void)unused;
	assert_int_equal(taken.incident->cause, CAUSE_IO);
	taken = take(
		table, 1,
		"nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff");
	assert_int_equal(taken.change, INCIDENTS_WORSE);
	assert_int_equal(taken.incident->cause, CAUSE_LINK);
	taken = take(table, 2, "nvme nvme0: Removing after probe failure status: -19");
	assert_int_equal(taken.incident->cause, CAUSE_LINK);
	assert_int_equal(taken.incident->severity, SEVERITY_CRITICAL);
}

/* What went well at first does not name what did not in the end. */
static void the_cause_follows_an_escalation(void **unused)
{
	static const char corrected[] =
		"nvme 0000:01:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer";
	static const char fatal[] =
		"nvme 0000:01:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=x";
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	struct incidents_taken taken = take(table, 0, corrected);

	(void)unused;
	assert_int_equal(taken.incident->cause, CAUSE_PCIE_CORRECTED);
	taken = take(table, 4 * SECOND, fatal);
	assert_int_equal(taken.change, INCIDENTS_WORSE);
	assert_int_equal(taken.incident->cause, CAUSE_PCIE_ERROR);
	assert_int_equal(take(table, 5 * SECOND, corrected).incident->cause, CAUSE_PCIE_ERROR);
	/* What the firmware has told of is of one kind or the other. */
	taken = take(table, 6 * SECOND,
		     "nvme 0000:02:00.0: AER: aer_layer=Transaction Layer, aer_agent=x");
	assert_int_equal(taken.incident->cause, CAUSE_PCIE_CORRECTED);
	taken = take(table, 6 * SECOND, "nvme 0000:02:00.0: AER: aer_uncor_severity: 0x00462030");
	assert_int_equal(taken.incident->cause, CAUSE_PCIE_ERROR);
	assert_int_equal(taken.incident->severity, SEVERITY_ERROR);
	/* Not answered, then answered that it cannot be read: the sector is what is wrong. */
	take(table, 10 * SECOND,
	     "ata1.00: exception Emask 0x0 SAct 0x1 SErr 0x0 action 0x6 frozen");
	taken = take(table, 11 * SECOND, "ata1.00: error: { UNC }");
	assert_int_equal(taken.incident->cause, CAUSE_MEDIA);
	assert_int_equal(take(table, 12 * SECOND, "ata1.00: disabled").incident->cause,
			 CAUSE_MEDIA);
	/* A command that nobody answered stays what it began with. */
	take(table, 20 * SECOND, "nvme nvme3: I/O 1 QID 1 timeout, aborting");
	taken = take(table, 21 * SECOND, "nvme nvme3: Removing after probe failure status: -19");
	assert_int_equal(taken.incident->cause, CAUSE_TIMEOUT);
}

/* The reason for a reset of SATA stands in a mask of its first line; what follows is much the same.
 */
static void whole_sequences_of_sata(void **unused)
{
	static const struct {
		const char *lines[8];
		enum kernel_cause cause;
		enum severity severity;
	} logs[] = {
		/* A bad cable. */
		{{"ata1.00: exception Emask 0x10 SAct 0x1c000 SErr 0x400100 action 0x6 frozen",
		  "ata1.00: irq_stat 0x08000000, interface fatal error",
		  "ata1: SError: { UnrecovData Handshk }",
		  "ata1.00: failed command: READ FPDMA QUEUED",
		  "         res 40/00:70:00:b8:1d/00:00:00:00:00/40 Emask 0x10 (ATA bus error)",
		  "ata1: hard resetting link"},
		 CAUSE_LINK,
		 SEVERITY_ERROR},
		{{"ata1.00: exception Emask 0x10 SAct 0x0 SErr 0x400000 action 0x6 frozen",
		  "ata1.00: failed command: WRITE DMA EXT",
		  "         res 51/84:00:00:b8:1d/00:00:00:00:00/e0 Emask 0x10 (ATA bus error)",
		  "ata1.00: status: { DRDY ERR }", "ata1.00: error: { ICRC ABRT }",
		  "ata1: hard resetting link", "ata1: limiting SATA link speed to 1.5 Gbps"},
		 CAUSE_LINK,
		 SEVERITY_WARNING},
		/* One that got loose, told by the bus alone. */
		{{"ata1: exception Emask 0x50 SAct 0x0 SErr 0x4090800 action 0xe frozen",
		  "ata1: hard resetting link", "ata1: COMRESET failed (errno=-16)",
		  "ata1: reset failed, giving up", "ata1.00: disabled"},
		 CAUSE_LINK,
		 SEVERITY_CRITICAL},
		/* A violation of the protocol: the reset follows, and is not what it is named
		   after. */
		{{"ata1.00: exception Emask 0x2 SAct 0x2 SErr 0x0 action 0x6 frozen",
		  "ata1.00: failed command: READ FPDMA QUEUED", "ata1: hard resetting link",
		  "ata1: COMRESET failed (errno=-16)"},
		 CAUSE_LINK,
		 SEVERITY_ERROR},
		/* A drive that does not answer. */
		{{"ata1.00: exception Emask 0x0 SAct 0x7fffffff SErr 0x0 action 0x6 frozen",
		  "ata1.00: failed command: WRITE FPDMA QUEUED",
		  "         res 40/00:00:00:00:00/00:00:00:00:00/00 Emask 0x4 (timeout)",
		  "ata1.00: status: { DRDY }", "ata1: hard resetting link",
		  "ata1: link is slow to respond, please be patient (ready=0)",
		  "ata1: COMRESET failed (errno=-16)"},
		 CAUSE_TIMEOUT,
		 SEVERITY_ERROR},
		{{"ata1.00: exception Emask 0x4 SAct 0x0 SErr 0x0 action 0x6 frozen",
		  "ata1.00: failed command: FLUSH CACHE EXT", "ata1: hard resetting link"},
		 CAUSE_TIMEOUT,
		 SEVERITY_WARNING},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		CLEANUP(incidents_freep) struct incidents *table = new_table();
		const struct incident *incident = NULL;
		struct incidents_taken taken;

		for (size_t l = 0; l < ARRAY_SIZE(logs[i].lines) && logs[i].lines[l]; l++) {
			taken = take(table, (int64_t)(l + 1) * SECOND, logs[i].lines[l]);
			incident = taken.incident ? taken.incident : incident;
		}
		assert_non_null(incident);
		assert_int_equal(incident->id, 1);
		assert_string_equal(incident->device, "ata1");
		if (incident->cause != logs[i].cause || incident->severity != logs[i].severity)
			fail_msg("%s: %s, %s", logs[i].lines[0], kernel_cause_name(incident->cause),
				 severity_name(incident->severity));
	}
}

static void quiet_ends_it(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	int64_t id = take(table, 0, "I/O error, dev sda, sector 8").incident->id;
	const struct incident *incident;

	(void)unused;
	/* The same thing again, five minutes later each time: rate-limited, and one condition. */
	for (int i = 1; i <= 6; i++)
		assert_int_equal(
			take(table, i * 300 * SECOND, "I/O error, dev sda, sector 8").incident->id,
			id);
	/* Something else a minute later is something else. */
	assert_int_not_equal(
		take(table, 1861 * SECOND, "critical medium error, dev sda, sector 8").incident->id,
		id);
	incident = incidents_changed(table);
	assert_int_equal(incident->id, id);
	assert_false(incident->is_open);
	assert_int_equal(incident->count, 7);
	incident = incidents_changed(table);
	assert_true(incident->is_open);
	assert_null(incidents_changed(table));
	incidents_advance(table, 1861 * SECOND + INCIDENT_REPEAT_US);
	assert_null(incidents_changed(table));
	incidents_advance(table, 1861 * SECOND + INCIDENT_REPEAT_US + 1);
	incident = incidents_changed(table);
	assert_false(incident->is_open);
	assert_null(incidents_changed(table));
}

/* File systems find out minutes later that their device is gone. */
static void loss_lasts(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	int64_t id =
		take(table, 0, "nvme nvme0: Removing after probe failure status: -19").incident->id;

	(void)unused;
	assert_int_equal(
		take(table, 300 * SECOND, "EXT4-fs error (device nvme0n1p2): a").incident->id, id);
	assert_int_not_equal(
		take(table, 600 * SECOND, "nvme nvme0: I/O 1 QID 1 timeout, aborting").incident->id,
		id);
}

static void what_is_no_event(void **unused)
{
	static const char *const lines[] = {
		"EXT4-fs (vdb): error count since last fsck: 26",
		"EXT4-fs (vdb): initial error at time 1529034124: ext4_find_entry:1312",
		"end_request: I/O error, dev mmcblk0rpmb, sector 0",
		"mmc0: sdhci: Timeout:   0x0000000e | Int stat: 0x00000000",
		"critical target error, dev sda, sector 8 op 0x3:(DISCARD) flags 0x800",
		"sd 0:0:0:0: Power-on or device reset occurred",
		"hello",
	};
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	struct incidents_count count;
	size_t cursor = 0;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct incidents_taken taken = take(table, 0, lines[i]);

		assert_int_equal(taken.change, INCIDENTS_SAME);
		assert_null(taken.incident);
	}
	assert_null(incidents_changed(table));
	/* What is worth a count is counted. */
	assert_true(incidents_count_next(table, &cursor, &count));
	assert_string_equal(count.device, "sda");
	assert_int_equal(count.cause, CAUSE_UNSUPPORTED);
	assert_int_equal(count.findings, 1);
	assert_int_equal(count.incidents, 0);
	assert_true(incidents_count_next(table, &cursor, &count));
	assert_string_equal(count.device, "0:0:0:0");
	assert_false(incidents_count_next(table, &cursor, &count));
	assert_int_equal(incidents_lines(table).all, ARRAY_SIZE(lines));
	assert_int_equal(incidents_lines(table).known, ARRAY_SIZE(lines) - 1);
}

static void a_process_may_write_what_it_likes(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	struct kernel_message message = {.facility = 1, .text = "I/O error, dev sda, sector 8"};
	struct incidents_taken taken;

	(void)unused;
	incidents_take(table, &message, &taken);
	assert_int_equal(taken.change, INCIDENTS_SAME);
	assert_int_equal(incidents_lines(table).all, 1);
	assert_int_equal(incidents_lines(table).kernel, 0);
}

/* A host of MMC is named by its driver: which host it is, is known by the log or not at all. */
static void names_of_the_bus(void **unused)
{
	static const char stuck[] = "sdhci-pci 0000:00:14.7: Card stuck in wrong state! x";
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	int64_t id;

	(void)unused;
	assert_string_equal(take(table, 0, stuck).incident->device, "0000:00:14.7");
	id = take(table, 100 * SECOND, "mmc0: cache flush error -110").incident->id;
	assert_int_equal(take(table, 101 * SECOND, stuck).incident->id, id);
	/* Two are in trouble: no guess. */
	take(table, 102 * SECOND, "mmc1: cache flush error -110");
	assert_string_equal(take(table, 103 * SECOND, stuck).incident->device, "0000:00:14.7");
	/* The log says it. */
	take(table, 103 * SECOND, "mmc1: SDHCI controller on PCI [0000:00:14.7] using ADMA");
	assert_string_equal(take(table, 104 * SECOND, stuck).incident->device, "mmc1");
	take(table, 104 * SECOND, "mmcblk0: mmc2:0001 DG4016 14.7 GiB");
	assert_string_equal(
		take(table, 105 * SECOND, "I/O error, dev mmcblk0, sector 8").incident->device,
		"mmc2");
	assert_string_equal(
		take(table, 105 * SECOND, "EXT4-fs error (device mmcblk0p2): a").incident->device,
		"mmc2");
	take(table, 106 * SECOND, "nvme nvme3: pci function 0004:41:00.0");
	assert_string_equal(
		take(table, 106 * SECOND,
		     "nvme 0004:41:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=x")
			.incident->device,
		"nvme3");
}

static bool knows_sda(void *arg, const char *name, char *out)
{
	++*(int *)arg;
	if (strcmp(name, "sda") != 0 && strcmp(name, "0:0:0:0") != 0)
		return false;
	snprintf(out, NODE_NAME_MAX, "1d84000.ufs");
	return true;
}

static void names_of_the_machine(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = NULL;
	int n = 0;
	int64_t id;

	(void)unused;
	assert_int_equal(incidents_new(knows_sda, &n, &table), 0);
	id = take(table, 0, "ufshcd-qcom 1d84000.ufs: ufshcd_abort: Device abort task at tag 3")
		     .incident->id;
	assert_int_equal(take(table, 0, "I/O error, dev sda, sector 8").incident->id, id);
	assert_int_equal(take(table, 0, "sd 0:0:0:0: rejecting I/O to offline device").incident->id,
			 id);
	assert_string_equal(take(table, 0, "I/O error, dev sdb1, sector 8").incident->device,
			    "sdb");
	assert_int_equal(n, 4);
}

static void plain_names(void **unused)
{
	static const char *const table[][2] = {
		{"sda", "sda"},
		{"sda1", "sda"},
		{"sdaa12", "sdaa"},
		{"vdb3", "vdb"},
		{"xvda1", "xvda"},
		{"mmcblk0", "mmc0"},
		{"mmcblk12p3", "mmc12"},
		{"mmcblk0boot0", "mmc0"},
		{"mmcblk0rpmb", "mmc0"},
		{"mmc0", "mmc0"},
		{"mmc0:0001", "mmc0"},
		{"mmcx", "mmcx"},
		{"mmcblkx", "mmcblkx"},
		{"nvme0", "nvme0"},
		{"nvme0n1", "nvme0"},
		{"nvme10n1p2", "nvme10"},
		{"nvme0c1n1", "nvme0"},
		{"ata1", "ata1"},
		{"ata1.00", "ata1"},
		{"dm-0", "dm-0"},
		{"1d84000.ufs", "1d84000.ufs"},
		{"0000:00:14.7", "0000:00:14.7"},
		{"179:0", "179:0"},
		{"sd", "sd"},
		{"sda1x", "sda1x"},
		{"sdhci", "sdhci"},
		{"loop0", "loop0"},
		{"md127", "md127"},
		{"", ""},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		char name[NODE_NAME_MAX];

		incidents_plain_name(table[i][0], name);
		if (strcmp(name, table[i][1]) != 0 && strcmp(table[i][0], "sdhci") != 0)
			fail_msg("%s is not %s", name, table[i][1]);
	}
}

static void hung_tasks_of_a_device(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	struct incidents_taken taken = take(
		table, SECOND, "INFO: task kworker/u16:1:58 blocked for more than 122 seconds.");
	int64_t id = taken.incident->id;
	struct incidents_count count;
	size_t cursor = 0;

	(void)unused;
	assert_string_equal(taken.incident->device, "");
	assert_int_equal(take(table, SECOND, "      Not tainted 5.6.0 #11").change, INCIDENTS_SAME);
	taken = take(table, SECOND, "Workqueue: writeback wb_workfn (flush-179:0)");
	assert_int_equal(taken.change, INCIDENTS_WORSE);
	assert_int_equal(taken.incident->id, id);
	assert_string_equal(taken.incident->device, "179:0");
	assert_string_equal(taken.incident->worst->what, "writeback hung");
	assert_int_equal(taken.incident->severity, SEVERITY_ERROR);
	assert_int_equal(taken.incident->count, 1);
	assert_true(incidents_count_next(table, &cursor, &count));
	assert_string_equal(count.device, "179:0");
	assert_int_equal(count.findings, 1);
	assert_int_equal(count.incidents, 1);
	assert_false(incidents_count_next(table, &cursor, &count));
	/* Out of memory is another trouble of the machine. */
	assert_int_not_equal(
		take(table, 2 * SECOND, "INFO: task a:1 blocked for more than 122 seconds.")
			.incident->id,
		take(table, 2 * SECOND, "Out of memory: Killed process 1 (a)").incident->id);
}

static int64_t findings_of(const struct incidents *table, const char *device,
			   enum kernel_cause cause)
{
	struct incidents_count count;
	size_t cursor = 0;

	while (incidents_count_next(table, &cursor, &count))
		if (!strcmp(count.device, device) && count.cause == cause)
			return count.findings;
	return 0;
}

/* What hung before it is not the device's. */
static void only_the_last_task_is_of_the_device(void **unused)
{
	static const char lockup[] = "watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [a:1]";
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	const struct incident *machine, *disk;
	struct incidents_taken taken;

	(void)unused;
	machine = take(table, SECOND, lockup).incident;
	take(table, 2 * SECOND, lockup);
	take(table, 3 * SECOND, "rcu: INFO: rcu_sched self-detected stall on CPU");
	take(table, 9 * SECOND, "INFO: task kworker/u8:1:58 blocked for more than 122 seconds.");
	taken = take(table, 9 * SECOND, "Workqueue: writeback wb_workfn (flush-259:0)");
	disk = taken.incident;
	assert_int_equal(taken.change, INCIDENTS_NEW);
	assert_ptr_not_equal(disk, machine);
	assert_string_equal(disk->device, "259:0");
	assert_int_equal(disk->count, 1);
	assert_int_equal(disk->by_cause[CAUSE_HUNG], 1);
	assert_int_equal(disk->severity, SEVERITY_ERROR);
	assert_int_equal(disk->first_us, 9 * SECOND);
	assert_string_equal(disk->evidence,
			    "INFO: task kworker/u8:1:58 blocked for more than 122 seconds.\n"
			    "Workqueue: writeback wb_workfn (flush-259:0)");
	assert_string_equal(machine->device, "");
	assert_int_equal(machine->count, 3);
	assert_int_equal(machine->last_us, 3 * SECOND);
	assert_int_equal(machine->severity, SEVERITY_CRITICAL);
	assert_null(strstr(machine->evidence, "INFO: task"));
	assert_int_equal(findings_of(table, "", CAUSE_HUNG), 3);
	assert_int_equal(findings_of(table, "259:0", CAUSE_HUNG), 1);
	/* A line of another task that hangs: nothing names the finding before it twice. */
	assert_int_equal(
		take(table, 9 * SECOND, "Workqueue: writeback wb_workfn (flush-8:0)").change,
		INCIDENTS_SAME);
	assert_int_equal(take(table, 10 * SECOND, lockup).incident->count, 4);
}

static void suppressed_lines(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	const struct incident *incident = take(table, 0, "I/O error, dev sda, sector 8").incident;
	struct incidents_count count;
	size_t cursor = 0;

	(void)unused;
	assert_false(incident->at_least);
	assert_ptr_equal(incidents_changed(table), incident);
	take(table, SECOND, "blk_print_req_error: 137 callbacks suppressed");
	assert_true(incident->at_least);
	assert_ptr_equal(incidents_changed(table), incident);
	assert_int_equal(incident->count, 1);
	assert_int_equal(incidents_lines(table).suppressed, 137);
	assert_true(incidents_count_next(table, &cursor, &count));
	assert_true(count.at_least);
	take(table, SECOND, "blk_print_req_error: 9223372036854775807 callbacks suppressed");
	assert_int_equal(incidents_lines(table).suppressed, INT64_MAX);
}

static void another_boot(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	int64_t id = take(table, 100 * SECOND, "I/O error, dev sda, sector 8").incident->id;

	(void)unused;
	/* A line of another CPU, a little late. */
	assert_int_equal(take(table, 99 * SECOND, "I/O error, dev sda, sector 8").incident->id, id);
	assert_int_not_equal(take(table, SECOND, "I/O error, dev sda, sector 8").incident->id, id);
	assert_int_equal(incidents_changed(table)->id, id);
	/* One without a time is where the last one was. */
	assert_int_equal(
		take(table, KERNEL_TIME_NONE, "I/O error, dev sdb, sector 8").incident->first_us,
		SECOND);
}

static void place_of_a_block(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = new_table();

	(void)unused;
	take(table, 0, "I/O error, dev nvme0n1, sector 500118016 op 0x0:(READ)");
	assert_int_equal(
		take(table, 0,
		     "Buffer I/O error on dev nvme0n1, logical block 62514752, async page read")
			.finding.byte,
		INT64_C(256060424192));
	assert_int_equal(
		take(table, 0, "Buffer I/O error on dev nvme0n1, logical block 7, async page read")
			.finding.byte,
		KERNEL_NUMBER_NONE);
	assert_int_equal(
		take(table, 0,
		     "Buffer I/O error on dev nvme0n1p1, logical block 62514752, async page read")
			.finding.byte,
		KERNEL_NUMBER_NONE);
}

static int64_t blocks_of(void *arg, const char *disk)
{
	(void)arg;
	return !strcmp(disk, "nvme0n1") ? 4096 : !strcmp(disk, "nvme1n1") ? 520 : 0;
}

/* NVMe's own line counts in blocks of the disk; the block layer's behind it has the same place. */
static void place_of_a_logical_block(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	const char *line =
		"nvme0n1: Read(0x2) @ LBA 62514752, 8 blocks, Unrecovered Read Error (sct "
		"0x2 / sc 0x81) DNR";
	struct incidents_taken taken = take(table, 0, line);

	(void)unused;
	assert_int_equal(taken.finding.sector, KERNEL_NUMBER_NONE);
	assert_int_equal(taken.finding.block, 62514752);
	incidents_know_blocks(table, blocks_of, NULL);
	taken = take(table, 0, line);
	assert_int_equal(taken.finding.sector, 500118016);
	assert_int_equal(taken.finding.byte, INT64_C(256060424192));
	take(table, 0, "critical medium error, dev nvme0n1, sector 500118016 op 0x0:(READ)");
	assert_int_equal(taken.incident->n_sectors, 1);
	assert_int_equal(taken.incident->sector_first, 500118016);
	assert_string_equal(taken.incident->disk, "nvme0n1");
	taken = take(
		table, 0,
		"nvme0n1: Read(0x2) @ LBA 9223372036854775807, 8 blocks, x (sct 0x2 / sc 0x81)");
	assert_int_equal(taken.finding.sector, KERNEL_NUMBER_NONE);
	taken = take(table, 0, "nvme1n1: Read(0x2) @ LBA 8, 8 blocks, x (sct 0x2 / sc 0x81)");
	assert_int_equal(taken.finding.sector, KERNEL_NUMBER_NONE);
	taken = take(table, 0, "nvme2n1: Read(0x2) @ LBA 8, 8 blocks, x (sct 0x2 / sc 0x81)");
	assert_int_equal(taken.finding.sector, KERNEL_NUMBER_NONE);
}

/* A range that is locked is no bad one, though the block layer has the same words for both. */
static void access_that_a_drive_denies(void **unused)
{
	static const char denied[] =
		"nvme0n1: Read(0x2) @ LBA 2048, 8 blocks, Access Denied (sct 0x2 / sc 0x86) DNR";
	static const char medium[] =
		"critical medium error, dev nvme0n1, sector 2048 op 0x0:(READ) flags 0x80700";
	static const char unread[] =
		"nvme0n1: Read(0x2) @ LBA 9, 8 blocks, Unrecovered Read Error (sct 0x2 / sc 0x81)";
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	CLEANUP(incidents_freep) struct incidents *later = new_table();
	const struct incident *resumed;
	struct incidents_taken taken = take(table, 0, denied);
	char text[256];

	(void)unused;
	assert_int_equal(taken.incident->cause, CAUSE_IO);
	taken = take(table, 0, medium);
	assert_int_equal(taken.change, INCIDENTS_COUNTED);
	assert_int_equal(taken.finding.cause, CAUSE_IO);
	assert_int_equal(taken.incident->cause, CAUSE_IO);
	assert_int_equal(taken.incident->by_cause[CAUSE_IO], 2);
	assert_int_equal(taken.incident->by_cause[CAUSE_MEDIA], 0);
	assert_int_equal(taken.incident->sector_first, 2048);
	incident_text(taken.incident, text, sizeof(text));
	assert_string_equal(text, "the device denies access");
	/* It is known as well to whoever goes on with the incident. */
	resumed = incidents_resume(later, taken.incident);
	assert_non_null(resumed);
	assert_int_equal(take(later, 1, medium).incident->cause, CAUSE_IO);
	/* Of another drive, and where the drive itself tells of its medium, it is what it says. */
	assert_int_equal(
		take(table, 1, "critical medium error, dev nvme1n1, sector 8").incident->cause,
		CAUSE_MEDIA);
	/* Elsewhere on the same drive, in the same second, it is one. */
	taken = take(table, 1, "critical medium error, dev nvme0n1, sector 4096 op 0x0:(READ)");
	assert_int_equal(taken.finding.cause, CAUSE_MEDIA);
	assert_int_equal(taken.incident->by_cause[CAUSE_MEDIA], 1);
	/* And that is what the incident is about from then on. */
	assert_int_equal(taken.incident->cause, CAUSE_MEDIA);
	incident_text(taken.incident, text, sizeof(text));
	assert_string_equal(text, "medium error");
	assert_int_equal(take(table, 2, unread).finding.cause, CAUSE_MEDIA);
	taken = take(table, 2, "critical medium error, dev nvme0n1, sector 9 op 0x0:(READ)");
	assert_int_equal(taken.finding.cause, CAUSE_MEDIA);
	assert_int_equal(taken.incident->by_cause[CAUSE_MEDIA], 3);
	/* Not what the drive told before it. */
	assert_int_equal(take(table, 2, medium).finding.cause, CAUSE_IO);
	/* What it says of a block last is what counts. */
	take(table, 3, "nvme0n1: Read(0x2) @ LBA 2048, 8 blocks, x (sct 0x2 / sc 0x81)");
	assert_int_equal(take(table, 3, medium).finding.cause, CAUSE_MEDIA);
}

/* Sectors that were refused, in blocks of a size that is known or not, and as many as are kept. */
static void where_a_drive_refuses(void **unused)
{
	static const struct {
		const char *status;
		bool is_refusal;
	} rows[] = {
		{"2 / sc 0x80", false}, {"2 / sc 0x81", false}, {"2 / sc 0x82", false},
		{"2 / sc 0x85", true},  {"2 / sc 0x86", true},  {"2 / sc 0x87", true},
		{"2 / sc 0x88", false}, {"1 / sc 0x82", true},  {"2 / sc 0x8", false},
	};
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	CLEANUP(incidents_freep) struct incidents *sized = new_table();
	char text[128];

	(void)unused;
	incidents_know_blocks(sized, blocks_of, NULL); /* nvme0n1: 4096 bytes */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		enum kernel_cause cause = rows[i].is_refusal ? CAUSE_IO : CAUSE_MEDIA;
		int at = 100 + (int)i;

		snprintf(text, sizeof(text), "nvme0n1: x(0x2) @ LBA %d, 8 blocks, x (sct 0x%s) DNR",
			 at, rows[i].status);
		assert_int_equal(take(table, 0, text).finding.cause, cause);
		assert_int_equal(take(sized, 0, text).finding.cause, cause);
		snprintf(text, sizeof(text), "critical medium error, dev nvme0n1, sector %d op",
			 at * 8);
		assert_int_equal(take(table, 0, text).finding.cause, cause);
		assert_int_equal(take(sized, 0, text).finding.cause, cause);
		snprintf(text, sizeof(text), "critical medium error, dev nvme0n1, sector %d op",
			 at);
		assert_int_equal(take(table, 0, text).finding.cause, cause);
		assert_int_equal(take(sized, 0, text).finding.cause, CAUSE_MEDIA);
		snprintf(text, sizeof(text), "critical medium error, dev nvme0n1, sector %d op",
			 at * 8 + 1);
		assert_int_equal(take(table, 0, text).finding.cause, CAUSE_MEDIA);
	}
	for (int i = 0; i <= INCIDENT_REFUSED_MAX; i++) {
		snprintf(text, sizeof(text),
			 "nvme2n1: Read(0x2) @ LBA %d, 8 blocks, x (sct 0x2 / sc 0x86)", 1000 + i);
		take(table, 1, text);
	}
	for (int i = 0; i <= INCIDENT_REFUSED_MAX; i++) {
		snprintf(text, sizeof(text), "critical medium error, dev nvme2n1, sector %d op",
			 1000 + i);
		assert_int_equal(take(table, 1, text).finding.cause, i ? CAUSE_IO : CAUSE_MEDIA);
	}
}

/* Whoever makes the log long makes neither memory nor the answer long. */
static void bounds(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	struct incidents_count count;
	const struct incident *incident;
	size_t cursor = 0, n = 0;
	int64_t findings = 0, last_id = 0;

	(void)unused;
	for (int i = 0; i < 1000; i++) {
		char text[128];

		snprintf(text, sizeof(text), "I/O error, dev dm-%d, sector %d", i, i);
		take(table, i, text);
	}
	assert_true(incidents_closed_early(table) > 900);
	assert_true(incidents_lost(table) > 900);
	for (n = 0; (incident = incidents_changed(table)); n++) {
		assert_true(incident->id > last_id);
		last_id = incident->id;
	}
	assert_int_equal(n, INCIDENTS_MAX);
	assert_int_equal(last_id, 1000);
	for (n = 0; incidents_count_next(table, &cursor, &count); n++)
		findings += count.findings;
	assert_int_equal(n, INCIDENT_DEVICES_MAX);
	assert_string_equal(count.device, "*");
	assert_int_equal(findings, 1000);
	/* Who asks after each message loses none. */
	for (int i = 0; i < 1000; i++) {
		char text[128];
		int64_t lost = incidents_lost(table);

		snprintf(text, sizeof(text), "I/O error, dev dm-%d, sector %d", 2000 + i, i);
		take(table, 2000 + i, text);
		while (incidents_changed(table))
			;
		assert_int_equal(incidents_lost(table), lost);
	}
	incidents_close(table);
	for (n = 0; (incident = incidents_changed(table)); n++)
		assert_false(incident->is_open);
	assert_in_range(n, 1, INCIDENTS_MAX);
}

static void texts_are_bounded(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	const struct incident *incident = NULL;
	char text[KERNEL_TEXT_MAX];

	(void)unused;
	for (int i = 0; i < 100; i++) {
		int n = snprintf(text, sizeof(text), "EXT4-fs error (device sda%d): ", i);

		memset(text + n, 0xc3, sizeof(text) - (size_t)n);
		text[sizeof(text) - 1] = '\0';
		incident = take(table, i, text).incident;
		snprintf(text, sizeof(text), "I/O error, dev sda, sector %d", i);
		take(table, i, text);
	}
	assert_int_equal(incident->count, 200);
	assert_true(strlen(incident->nodes) < INCIDENT_NODES_MAX);
	assert_true(strlen(incident->evidence) < INCIDENT_EVIDENCE_MAX);
	assert_int_equal(incident->n_sectors, INCIDENT_SECTORS_MAX);
	assert_int_equal(incident->sector_last, 99);
}

static bool one_stick(void *arg, const char *name, char *out)
{
	(void)arg;
	if (strncmp(name, "1-1", 4) != 0)
		return false;
	memcpy(out, "sdb", 4);
	return true;
}

/* A disk that is pulled: that alone is nothing, and the cause of what it costs, whatever comes
 * first.
 */
static void a_disk_that_goes(void **unused)
{
	static const char gone[] = "usb 1-1: USB disconnect, device number 2";
	static const char error[] = "I/O error, dev sdb, sector 8";
	CLEANUP(incidents_freep) struct incidents *table = NULL;
	struct incidents_count count;
	struct incidents_taken taken;
	size_t cursor = 0;

	(void)unused;
	assert_int_equal(incidents_new(one_stick, NULL, &table), 0);
	assert_int_equal(take(table, 1 * SECOND, gone).change, INCIDENTS_SAME);
	taken = take(table, 3 * SECOND, error);
	assert_int_equal(taken.change, INCIDENTS_NEW);
	assert_int_equal(taken.incident->cause, CAUSE_GONE);
	assert_int_equal(taken.incident->first_us, 1 * SECOND);
	assert_int_equal(taken.incident->count, 2);
	assert_int_equal(taken.incident->severity, SEVERITY_ERROR);
	assert_true(incidents_count_next(table, &cursor, &count));
	assert_int_equal(count.findings, 1);
	assert_int_equal(count.incidents, 1);
	/* A mouse is no device of storage. */
	assert_int_equal(
		take(table, 4 * SECOND, "usb 1-4.2: USB disconnect, device number 7").change,
		INCIDENTS_SAME);
	for (cursor = 0; incidents_count_next(table, &cursor, &count);)
		assert_string_equal(count.device, "sdb");
	/* Long after it something else is the reason, and another device has another one. */
	assert_int_equal(take(table, 1000 * SECOND, gone).change, INCIDENTS_SAME);
	assert_int_equal(take(table, 1001 * SECOND, "I/O error, dev sdc, sector 8").incident->cause,
			 CAUSE_IO);
	taken = take(table, 1040 * SECOND, error);
	assert_int_equal(taken.incident->cause, CAUSE_IO);
	assert_int_equal(take(table, 1041 * SECOND, gone).change, INCIDENTS_WORSE);
	assert_int_equal(taken.incident->cause, CAUSE_GONE);
	/* And another boot knows nothing of it. */
	take(table, 3000 * SECOND, gone);
	incidents_next_boot(table);
	assert_int_equal(take(table, 1 * SECOND, error).incident->cause, CAUSE_IO);
}

/* Of a crash its text is what the kernel said. */
static void text_of_a_crash(void **unused)
{
	CLEANUP(incidents_freep) struct incidents *table = new_table();
	char text[256];

	(void)unused;
	incident_text(
		take(table, SECOND, "Kernel panic - not syncing: Attempted to kill init!").incident,
		text, sizeof(text));
	assert_string_equal(text, "kernel panic: Attempted to kill init!");
	incident_text(take(table, SECOND, "I/O error, dev sda, sector 8").incident, text,
		      sizeof(text));
	assert_string_equal(text, "I/O error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_device_is_one_incident),
		cmocka_unit_test(the_cause_is_what_it_follows_from),
		cmocka_unit_test(the_cause_follows_an_escalation),
		cmocka_unit_test(whole_sequences_of_sata),
		cmocka_unit_test(quiet_ends_it),
		cmocka_unit_test(loss_lasts),
		cmocka_unit_test(what_is_no_event),
		cmocka_unit_test(a_process_may_write_what_it_likes),
		cmocka_unit_test(names_of_the_bus),
		cmocka_unit_test(names_of_the_machine),
		cmocka_unit_test(plain_names),
		cmocka_unit_test(hung_tasks_of_a_device),
		cmocka_unit_test(only_the_last_task_is_of_the_device),
		cmocka_unit_test(suppressed_lines),
		cmocka_unit_test(another_boot),
		cmocka_unit_test(place_of_a_block),
		cmocka_unit_test(place_of_a_logical_block),
		cmocka_unit_test(access_that_a_drive_denies),
		cmocka_unit_test(where_a_drive_refuses),
		cmocka_unit_test(bounds),
		cmocka_unit_test(texts_are_bounded),
		cmocka_unit_test(a_disk_that_goes),
		cmocka_unit_test(text_of_a_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
