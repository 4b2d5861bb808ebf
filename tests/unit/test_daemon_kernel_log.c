/* The kernel's log, followed: by a /dev/kmsg that is a socket of packets, whose reads can be made
 * to fail as the device's do. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/kernel_rules.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "daemon/kernel_event.h"
#include "daemon/kernel_log.h"
#include "model/kernel_names.h"
#include "sampling/registry.h"
#include "store/reader.h"

#define WALL_OFFSET_MS INT64_C(1790000000000)
#define TREE           TEST_SOURCE_DIR "/fixtures/x86/root"

static char folder[64], database[96];
static struct hw *hw;
static struct store *store;
static struct kernel_log *kernel_log;
static int kmsg[2] = {-1, -1}; /* what is read, and what the test writes */
static int64_t next_sequence;
static int planned_error; /* of the next read, positive; 0: none */
static size_t n_reads;

static ssize_t read_kmsg(int fd, void *buf, size_t size)
{
	n_reads++;
	if (planned_error) {
		errno = planned_error;
		planned_error = 0;
		return -1;
	}
	return read(fd, buf, size);
}

static void open_log(void)
{
	const struct kernel_log_options options = {hw, store, read_kmsg};

	assert_int_equal(kernel_log_new(&options, &kernel_log), 0);
}

static void open_store(const char *boot_id)
{
	const struct store_options options = {.path = database,
					      .boot_id = boot_id,
					      .kernel = "6.1",
					      .wall_offset_ms = WALL_OFFSET_MS,
					      .size_max_bytes = 8 << 20,
					      .tail_max_bytes = 1 << 20,
					      .commit_ms = 60000};

	assert_int_equal(store_open(&options, registry(), &store), 0);
}

/* A device that has been opened: its buffer is read from the beginning. */
static void follow(void)
{
	const int size = 4 << 20;

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, kmsg), 0);
	setsockopt(kmsg[1], SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	kernel_log_take(kernel_log, kmsg[0], 0, clock_boot_ms());
	assert_int_equal(kernel_log_fd(kernel_log), kmsg[0]);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test_kernel_log.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(database, sizeof(database), "%s/f.db", folder);
	next_sequence = 100;
	planned_error = 0;
	if (hw_open(TREE, &hw) < 0)
		return -1;
	open_store("boot-a");
	open_log();
	follow();
	return 0;
}

static void end_log(void)
{
	kernel_log_free(kernel_log);
	kernel_log = NULL;
	if (kmsg[1] >= 0)
		close(kmsg[1]);
	kmsg[1] = -1;
}

static int tear_down(void **state)
{
	char command[96];

	(void)state;
	end_log();
	store_close(store);
	hw_close(hw);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static int64_t monotonic_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static void say_at(int64_t t_us, int prefix, const char *text)
{
	char record[1024];
	int n = snprintf(record, sizeof(record), "%d,%lld,%lld,-;%s\n", prefix,
			 (long long)next_sequence++, (long long)t_us, text);

	assert_int_equal(send(kmsg[1], record, (size_t)n, MSG_DONTWAIT), n);
}

PRINTF_LIKE(2, 3) static void say(int prefix, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	say_at(monotonic_us(), prefix, text);
}

static void say_io_error(const char *disk, long long sector)
{
	say(3, "I/O error, dev %s, sector %lld op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2",
	    disk, sector);
}

static void read_all(void)
{
	do {
		n_reads = 0;
		kernel_log_read(kernel_log, clock_boot_ms());
	} while (n_reads == KERNEL_LOG_AT_ONCE);
}

static struct kernel_log_status status(void)
{
	struct kernel_log_status ret;

	kernel_log_get_status(kernel_log, &ret);
	return ret;
}

static struct event events[128];
static size_t n_events;

/* node: of this one alone; NULL: of all. */
static int note_event(const struct event *event, const struct boot *boot, void *node)
{
	(void)boot;
	if (!strncmp(event->kind, "kernel_", 7) && (!node || !strcmp(event->node, node)))
		events[n_events++] = *event;
	return n_events == ARRAY_SIZE(events);
}

static size_t list_events_of(const char *node)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;

	n_events = 0;
	assert_int_equal(reader_open(database, store, registry(), &reader), 0);
	assert_int_equal(
		reader_events(reader, 0, INT64_MAX, 1000, note_event, (void *)(intptr_t)node), 0);
	return n_events;
}

static size_t list_events(void)
{
	return list_events_of(NULL);
}

static int64_t counted(const char *node, const char *name)
{
	const struct kernel_counts *counts = kernel_counts_of(hw);
	const struct group *group;
	size_t index, field;

	assert_int_equal(catalog_find_group(registry(), "kernel_incidents", &index), 0);
	group = catalog_group_at(registry(), index, NULL);
	assert_int_equal(group_find_field(group, name, &field), 0);
	kernel_log_tick(kernel_log, clock_boot_ms() + 2000);
	for (size_t i = 0; i < counts->n_devices; i++)
		if (!strcmp(counts->devices[i].node, node))
			return counts->devices[i].values[field];
	return -1;
}

/* Twenty lines about one drive and what lies on it are one event; what processes write is none. */
static void one_incident(void **state)
{
	int64_t before_ms = clock_boot_ms();

	(void)state;
	say(6, "Linux version 6.1");
	read_all();
	assert_int_equal(list_events(), 0);
	for (int i = 0; i < 20; i++)
		say_io_error("nvme0n1", 16384 + 8 * i);
	say(3, "Buffer I/O error on dev nvme0n1p1, logical block 2048, async page read");
	say(11, "I/O error, dev sda, sector 1 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2");
	read_all();
	assert_true(store_urgent(store));
	assert_int_equal(list_events(), 1);
	assert_string_equal(events[0].node, "nvme0");
	assert_string_equal(events[0].collector, "kmsg");
	assert_in_range(events[0].severity, SEVERITY_WARNING, SEVERITY_CRITICAL);
	assert_in_range(events[0].t_ms, before_ms - 50, clock_boot_ms());
	assert_in_range(events[0].t_end_ms, events[0].t_ms, clock_boot_ms());
	assert_non_null(strstr(events[0].evidence, "\"count\":21,"));
	assert_non_null(strstr(events[0].evidence, "\"first_sector\":16384,\"last_sector\":16536,"
						   "\"first_byte\":8388608,"));
	assert_int_equal(status().n_records, 23);
	assert_int_equal(status().n_incidents, 1);
	assert_int_equal(status().n_open, 1);
	assert_int_equal(counted("nvme0", "incidents"), 1);
	assert_int_equal(counted("nvme0", "findings"), 21);
	assert_int_equal(counted("sda", "findings"), 0);
	assert_int_equal(counted("machine", "findings"), 0);
}

/* A cause is worth a commit of its own once a minute, however often it repeats. */
static void commits_are_bounded(void **state)
{
	(void)state;
	say_io_error("sda", 1);
	read_all();
	assert_true(store_urgent(store));
	assert_int_equal(store_commit(store, clock_boot_ms(), false), 0);
	for (int i = 0; i < 200; i++) {
		say_io_error(i % 2 ? "sda" : "sdb", 8 * i);
		read_all();
		assert_false(store_urgent(store));
	}
	assert_int_equal(list_events(), 2);
}

/* Where a run ended the next one goes on; a run that was killed is repeated from its commit on. */
static void restart(void **state)
{
	int64_t first;

	(void)state;
	say_io_error("sda", 1);
	read_all();
	assert_int_equal(store_commit(store, clock_boot_ms(), false), 0);
	first = next_sequence;
	say(6, "nothing");
	say_io_error("sdb", 1);
	read_all();
	end_log();
	assert_int_equal(store_commit(store, clock_boot_ms(), true), 0);
	store_close(store);

	open_store("boot-a");
	open_log();
	follow();
	next_sequence = 100; /* the buffer still has all of them */
	say_io_error("sda", 1);
	say(6, "nothing");
	say_io_error("sdb", 1);
	assert_int_equal(next_sequence, first + 2);
	say_io_error("nvme0n1", 1);
	read_all();
	assert_int_equal(status().n_records, 1);
	assert_int_equal(status().n_lost, 0);
	assert_int_equal(status().n_before, 0);
	assert_int_equal(list_events(), 3);
	end_log();
	/* Killed: neither event nor position was committed. */
	store_close(store);

	open_store("boot-a");
	open_log();
	follow();
	next_sequence = first + 2;
	say_io_error("nvme0n1", 1);
	read_all();
	assert_int_equal(list_events(), 3);
	end_log();
	store_close(store);

	/* In another boot the numbers begin anew. */
	open_store("boot-b");
	open_log();
	follow();
	next_sequence = 0;
	say(6, "nothing");
	read_all();
	assert_int_equal(status().n_records, 1);
	assert_int_equal(status().n_lost, 0);
}

static void end_run(void)
{
	end_log();
	assert_int_equal(store_commit(store, clock_boot_ms(), true), 0);
	store_close(store);
}

static void begin_run(const char *boot_id)
{
	open_store(boot_id);
	open_log();
	follow();
}

static bool says(const struct event *event, const char *text)
{
	return strstr(event->evidence, text);
}

/* What is open when a run ends is the same event in the next one, and over in the next boot. */
static void goes_on(void **state)
{
	int64_t t_ms;

	(void)state;
	say_io_error("nvme0n1", 16384);
	say(4, "nvme nvme0: I/O 5 QID 2 timeout, aborting");
	read_all();
	end_run();

	begin_run("boot-a");
	assert_int_equal(status().n_open, 1);
	assert_int_equal(list_events(), 1);
	t_ms = events[0].t_ms;
	assert_true(says(&events[0], "{\"open\":true,\"count\":2,"));
	say_io_error("nvme0n1", 16392);
	read_all();
	assert_int_equal(status().n_incidents, 0);
	assert_int_equal(status().n_open, 1);
	assert_int_equal(list_events(), 1);
	assert_int_equal(events[0].t_ms, t_ms);
	assert_string_equal(events[0].node, "nvme0");
	assert_true(says(&events[0], "{\"open\":true,\"count\":3,"));
	assert_true(says(&events[0], "\"causes\":{\"timeout\":1,\"io\":2}"));
	assert_true(says(&events[0], "\"sectors\":[16384,16392]"));
	assert_true(says(&events[0], "timeout, aborting"));
	assert_int_equal(counted("nvme0", "findings"), 1);
	end_run();

	begin_run("boot-b");
	next_sequence = 0;
	say_io_error("nvme0n1", 16400);
	read_all();
	assert_int_equal(list_events(), 2);
	assert_true(says(&events[0], "{\"open\":false,\"count\":3,"));
	assert_true(says(&events[1], "{\"open\":true,\"count\":1,"));
}

static void read_now(void)
{
	read_all();
	assert_int_equal(store_commit(store, clock_boot_ms(), true), 0);
}

/* A hung task is told, perhaps written, before the line that names its disk: it stays one event. */
static void event_gets_its_device(void **state)
{
	static const char task[] = "INFO: task kworker/u8:1:58 blocked for more than 122 seconds.";
	static const char flush[] = "Workqueue: writeback wb_workfn (flush-259:0)";

	(void)state;
	for (int is_written = 0; is_written < 2; is_written++) {
		say(3, "%s", task);
		is_written ? read_now() : read_all();
		assert_int_equal(list_events(), 1);
		assert_string_equal(events[0].node, "");
		say(6, "%s", flush);
		is_written ? read_now() : read_all();
		assert_int_equal(list_events(), 1);
		assert_string_equal(events[0].node, "nvme0");
		assert_string_equal(events[0].kind, "kernel_hung");
		end_run();
		begin_run("boot-a");
		assert_int_equal(status().n_open, 1);
		assert_int_equal(list_events(), 1);
		end_run();
		remove(database);
		begin_run("boot-a");
	}
}

/* Counters never fall: a hung task is counted once it is known whose it is, with all its counts. */
static void counts_wait_for_the_device(void **state)
{
	static const char task[] = "INFO: task kworker/u8:1:58 blocked for more than 122 seconds.";

	(void)state;
	say(3, "%s", task);
	read_all();
	assert_int_equal(counted("machine", "hung_incidents"), 0);
	assert_int_equal(counted("machine", "incidents"), 0);
	say(6, "Workqueue: writeback wb_workfn (flush-259:0)");
	read_all();
	kernel_log_tick(kernel_log, clock_boot_ms() + 4000);
	assert_int_equal(counted("nvme0", "incidents"), 1);
	assert_int_equal(counted("nvme0", "hung_incidents"), 1);
	assert_int_equal(counted("nvme0", "hung_findings"), 1);
	assert_int_equal(counted("machine", "incidents"), 0);
	assert_int_equal(counted("machine", "findings"), 0);
	/* No line tells of a device. */
	say(3, "%s", task);
	read_all();
	kernel_log_tick(kernel_log, clock_boot_ms() + 6000);
	assert_int_equal(counted("machine", "hung_incidents"), 0);
	usleep(1100000);
	kernel_log_tick(kernel_log, clock_boot_ms() + 8000);
	assert_int_equal(counted("machine", "incidents"), 1);
	assert_int_equal(counted("machine", "hung_incidents"), 1);
	assert_int_equal(counted("nvme0", "incidents"), 1);
}

static void add_block_size(const char *disk, int64_t bytes)
{
	const struct group *group;
	struct sink sink;
	size_t index, field;

	assert_int_equal(catalog_find_group(registry(), "blockqueue", &index), 0);
	group = catalog_group_at(registry(), index, NULL);
	assert_int_equal(group_find_field(group, "logical_block_size", &field), 0);
	assert_int_equal(sink_init(&sink), 0);
	sink_reset(&sink, group);
	row_set(sink_row(&sink, disk, ""), field, bytes);
	store_add(store, group, clock_boot_ms(), 0, 60000, &sink);
	sink_done(&sink);
}

/* Where a disk's blocks are of a known size, a place in them is a sector. */
static void logical_blocks(void **state)
{
	static const char line[] =
		"Read(0x2) @ LBA 1000, 8 blocks, Unrecovered Read Error (sct 0x2 / "
		"sc 0x81) DNR";

	(void)state;
	add_block_size("nvme0n1", 4096);
	say(3, "nvme0n1: %s", line);
	say(3, "nvme7n1: %s", line);
	read_all();
	assert_int_equal(list_events(), 2);
	assert_true(says(&events[0], "\"first_sector\":8000,\"last_sector\":8000,"
				     "\"first_byte\":4096000,"));
	assert_false(says(&events[1], "sector"));
}

/* What happens to the machine in one turn, by a stamp that is ahead of the boot clock, are events
 * of their own, in their order. */
static void same_moment(void **state)
{
	const int64_t ahead_us = 500000;

	(void)state;
	say_at(monotonic_us() + ahead_us, 3, "INFO: task a:1 blocked for more than 122 seconds.");
	say_at(monotonic_us() + ahead_us, 3, "Out of memory: Killed process 1 (a)");
	say_at(monotonic_us() + ahead_us, 3, "Kernel panic - not syncing: x");
	read_now();
	assert_int_equal(list_events(), 3);
	assert_string_equal(events[0].kind, "kernel_hung");
	assert_string_equal(events[1].kind, "kernel_oom");
	assert_string_equal(events[2].kind, "kernel_crash");
	assert_true(events[0].t_ms < events[1].t_ms && events[1].t_ms < events[2].t_ms);
}

/* Where the stamps are ahead by always the same, records of one turn keep their distance. */
static void drift_is_followed(void **state)
{
	const int64_t ahead_us = 5000000;
	int64_t at_us;

	(void)state;
	say_at(monotonic_us() + ahead_us, 6, "nothing");
	read_all();
	usleep(60000);
	at_us = monotonic_us() + ahead_us;
	say_at(at_us - 50000, 3, "INFO: task a:1 blocked for more than 122 seconds.");
	say_at(at_us, 3, "Out of memory: Killed process 1 (a)");
	read_all();
	assert_int_equal(list_events(), 2);
	assert_in_range(events[1].t_ms - events[0].t_ms, 45, 55);
}

/* A record that is newer than the turn that reads it tells nothing of the clock. */
static void a_late_turn(void **state)
{
	int64_t said_ms;

	(void)state;
	read_all();
	say(6, "nothing");
	kernel_log_read(kernel_log, clock_boot_ms() - 3000);
	said_ms = clock_boot_ms();
	say(3, "Out of memory: Killed process 1 (a)");
	kernel_log_read(kernel_log, clock_boot_ms());
	assert_int_equal(list_events(), 1);
	assert_in_range(events[0].t_ms, said_ms - 500, clock_boot_ms());
}

/* What goes on is the same event, however many others there were meanwhile. */
static void others_between(void **state)
{
	int64_t at_us = monotonic_us(), first_ms;

	(void)state;
	say_at(at_us, 3, "nvme nvme0: I/O 5 QID 2 timeout, aborting");
	read_all();
	assert_int_equal(list_events(), 1);
	first_ms = events[0].t_ms;
	for (int i = 0; i < 70; i++) {
		char text[96];

		at_us += 100 * INT64_C(1000000);
		snprintf(text, sizeof(text), "I/O error, dev dm-%d, sector 8", 10 + i);
		say_at(at_us, 3, text);
		if (i % 3 == 0)
			say_at(at_us, 3, "nvme nvme0: I/O 5 QID 2 timeout, aborting");
		read_all();
	}
	assert_int_equal(list_events_of("nvme0"), 1);
	assert_int_equal(events[0].t_ms, first_ms);
	assert_true(says(&events[0], "{\"open\":true,\"count\":25,"));
	assert_int_equal(status().n_incidents, 71);
	/* Nine of dm-* were not quiet for 15 minutes yet. */
	assert_int_equal(status().n_open, 1 + 10);
}

/* All of a burst are told, and those that it closed are closed. */
static void burst(void **state)
{
	char text[96];
	size_t n_open = 0;

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 40; i++) {
			snprintf(text, sizeof(text), "I/O error, dev dm-%d, sector 8",
				 10 + 100 * round + i);
			say(3, "%s", text);
		}
		read_all();
	}
	assert_int_equal(list_events(), 120);
	for (size_t i = 0; i < n_events; i++)
		n_open += says(&events[i], "{\"open\":true,");
	assert_int_equal(n_open, status().n_open);
	assert_in_range(n_open, 1, INCIDENTS_MAX);
}

/* What was quiet for long while nobody followed is over. */
static void is_over(void **state)
{
	(void)state;
	say_io_error("sda", 8);
	read_all();
	end_run();
	begin_run("boot-a");
	read_all();
	assert_int_equal(status().n_open, 1);
	next_sequence++;
	say_at(monotonic_us() + INCIDENT_REPEAT_US + 2000000, 6, "nothing");
	read_all();
	assert_int_equal(status().n_open, 0);
	assert_int_equal(list_events(), 1);
	assert_true(says(&events[0], "{\"open\":false,\"count\":1,"));
}

/* Its file is there only after the log was read: what it knows is not told twice. */
static void late_file(void **state)
{
	char away[128], back[128];
	struct store_status attached;

	(void)state;
	end_run();
	snprintf(back, sizeof(back), "%s/disk", folder);
	snprintf(away, sizeof(away), "%s/away", folder);
	snprintf(database, sizeof(database), "%s/disk/f.db", folder);
	assert_int_equal(mkdir(back, 0755), 0);
	begin_run("boot-a");
	next_sequence = 100;
	say_io_error("sda", 8);
	say_io_error("sdb", 8);
	read_all();
	end_run();

	assert_int_equal(rename(back, away), 0);
	begin_run("boot-a");
	store_get_status(store, &attached);
	assert_false(attached.attached);
	next_sequence = 100;
	say_io_error("sda", 8);
	say_io_error("sdb", 8);
	read_all();
	assert_int_equal(status().n_records, 2);
	say_io_error("sdb", 16);
	say_io_error("nvme0n1", 16);
	read_all();
	assert_int_equal(rename(away, back), 0);
	assert_int_equal(store_commit(store, clock_boot_ms() + 3600000, false), 0);
	store_get_status(store, &attached);
	assert_true(attached.attached);
	assert_int_equal(list_events(), 3);
	assert_string_equal(events[1].node, "sdb");
	assert_true(says(&events[1], "\"count\":2,"));
	say_io_error("sda", 24);
	read_all();
	assert_int_equal(store_commit(store, clock_boot_ms() + 7200000, false), 0);
	assert_int_equal(list_events(), 3);
	assert_true(says(&events[0], "\"count\":2,"));
}

static void losses(void **state)
{
	(void)state;
	say(6, "nothing");
	read_all();
	/* The first of this boot that there is has the number 100. */
	assert_int_equal(status().n_before, 100);
	assert_int_equal(status().n_lost, 0);
	next_sequence += 50;
	planned_error = EPIPE;
	say_io_error("sda", 1);
	read_all();
	assert_int_equal(status().n_overruns, 1);
	assert_int_equal(status().n_lost, 50);
	assert_int_equal(list_events(), 1);
	planned_error = EINVAL;
	say_io_error("sdb", 1);
	read_all();
	assert_int_equal(send(kmsg[1], "no record", 9, 0), 9);
	read_all();
	assert_int_equal(status().n_unreadable, 2);
	assert_int_equal(list_events(), 2);
	assert_true(status().is_followed);
	/* A device that fails is let go of, and the reason said. */
	(void)kernel_log_has_news(kernel_log);
	planned_error = EIO;
	read_all();
	assert_false(status().is_followed);
	assert_int_equal(kernel_log_fd(kernel_log), -1);
	assert_true(kernel_log_has_news(kernel_log));
	assert_non_null(strstr(status().problem.reason, "Input/output error"));
}

/* 10000 records: each turn takes its share and no more, and all of them are one event. */
static void flood(void **state)
{
	size_t n = 0, n_turns = 0;

	(void)state;
	while (n < 10000) {
		for (int i = 0; i < 100; i++, n++)
			say_io_error("sda", (long long)n * 8);
		do {
			n_reads = 0;
			kernel_log_read(kernel_log, clock_boot_ms());
			assert_true(n_reads <= KERNEL_LOG_AT_ONCE);
			n_turns++;
		} while (n_reads == KERNEL_LOG_AT_ONCE);
	}
	assert_in_range(n_turns, 10000 / KERNEL_LOG_AT_ONCE, 400);
	assert_int_equal(status().n_records, 10000);
	assert_int_equal(list_events(), 1);
	assert_non_null(strstr(events[0].evidence, "\"count\":10000,"));
}

/* A descriptor that comes while there is one is closed; an error without one is the reason. */
static void descriptors(void **state)
{
	int spare = dup(STDERR_FILENO);

	(void)state;
	assert_true(spare >= 0);
	kernel_log_take(kernel_log, spare, 0, clock_boot_ms());
	assert_int_equal(fcntl(spare, F_GETFD), -1);
	end_log();
	open_log();
	kernel_log_take(kernel_log, -1, -EPERM, clock_boot_ms());
	assert_false(status().is_followed); /* the tree has none */
	assert_int_equal(status().problem.outcome, OUTCOME_DENIED);
	assert_true(*status().problem.advice);
}

/* Every cause that makes an incident is counted under its name. */
static void causes_have_fields(void **state)
{
	const struct group *group;
	size_t index, field;
	char name[64];

	(void)state;
	assert_int_equal(catalog_find_group(registry(), "kernel_incidents", &index), 0);
	group = catalog_group_at(registry(), index, NULL);
	assert_string_equal(group->fields[KERNEL_INCIDENTS].name, "incidents");
	assert_string_equal(group->fields[KERNEL_FINDINGS].name, "findings");
	for (int c = 0; c < N_CAUSES; c++) {
		const char *cause = kernel_cause_name((enum kernel_cause)c);

		if (!kernel_cause_is_event((enum kernel_cause)c))
			continue;
		snprintf(name, sizeof(name), "%s_incidents", cause);
		assert_int_equal(group_find_field(group, name, &field), 0);
		snprintf(name, sizeof(name), "%s_findings", cause);
		assert_int_equal(group_find_field(group, name, &field), 0);
	}
}

/* Names of logs, and the device that sysfs knows them as. */
static void names(void **state)
{
	static const struct {
		const char *tree, *name, *device; /* NULL: not known */
	} table[] = {
		/* clang-format off */
		{"x86", "nvme0n1", "nvme0"},
		{"x86", "nvme0n1p2", "nvme0"},
		{"x86", "nvme0", "nvme0"},
		{"x86", "259:0", "nvme0"},
		{"x86", "sda1", "sda"},
		{"x86", "loop0", "loop0"},
		{"x86", "dm-0", "nvme0"},
		{"x86", "0000:01:00.0", "nvme0"},
		{"x86", "ata1", "sda"},
		{"x86", "ata1.00", "sda"},
		{"x86", "0:0:0:0", "sda"},
		{"x86", "+scsi:0:0:0:0", "sda"},
		{"x86", "2:0:0:0", "sdb"},
		{"x86", "2-3", "sdb"},
		{"x86", "0000:00:14.0", NULL}, /* a host of USB is more than what hangs on it */
		{"x86", "0000:00:06.0", NULL}, /* a port */
		{"x86", "usb2", NULL},
		{"iq9075", "sda1", "1d84000.ufs"},
		{"iq9075", "sdd", "1d84000.ufs"},
		{"iq9075", "1d84000.ufs", "1d84000.ufs"},
		{"iq9075", "0:0:0:3", "1d84000.ufs"},
		{"iq9075", "soc@0", NULL},
		{"iq9075", "host0", "1d84000.ufs"},
		{"sm8850", "sda", "1d84000.ufshc"},
		{"imx8mp", "mmc2", "mmcblk2"},
		{"imx8mp", "mmc2:0001", "mmcblk2"},
		{"imx8mp", "mmcblk2boot0", "mmcblk2"},
		{"imx8mp", "mmcblk2p3", "mmcblk2"},
		{"imx8mp", "30b60000.mmc", "mmcblk2"},
		{"imx8mp", "30800000.bus", NULL},
		{"imx8mp", "mmc1", "mmcblk1"},
		{"imx8mp", "0000:01:00.0", "nvme0"},
		{"x86", "sdz", NULL},
		{"x86", "nvme7", NULL},
		{"x86", "", NULL},
		{"x86", "/", NULL},
		{"x86", "../sda", NULL},
		{"x86", "pci0000:00", NULL},
		{"x86", "0000:00:00.0", NULL},
		/* clang-format on */
	};
	char out[NODE_NAME_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct kernel_names *known;
		CLEANUP(hw_closep) struct hw *tree = NULL;
		char root[256];

		snprintf(root, sizeof(root), TEST_SOURCE_DIR "/fixtures/%s/root", table[i].tree);
		assert_int_equal(hw_open(root, &tree), 0);
		assert_int_equal(kernel_names_new(tree, &known), 0);
		for (int again = 0; again < 2; again++) {
			bool found = kernel_names_find(known, table[i].name, out);

			if (found != !!table[i].device || (found && strcmp(out, table[i].device)))
				fail_msg("%s in %s: %s", table[i].name, table[i].tree,
					 found ? out : "not known");
			kernel_names_look_again(known);
		}
		kernel_names_free(known);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(one_incident),
		TEST(commits_are_bounded),
		TEST(restart),
		TEST(goes_on),
		TEST(event_gets_its_device),
		TEST(logical_blocks),
		TEST(same_moment),
		TEST(drift_is_followed),
		TEST(a_late_turn),
		TEST(counts_wait_for_the_device),
		TEST(others_between),
		TEST(burst),
		TEST(is_over),
		TEST(late_file),
		TEST(losses),
		TEST(flood),
		TEST(descriptors),
		cmocka_unit_test(causes_have_fields),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
