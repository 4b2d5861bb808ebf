/* What the kernel said: one message, from a record of /dev/kmsg or from a line that somebody saved.
 * Kernel: Documentation/ABI/testing/dev-kmsg, kernel/printk/printk.c */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/parse.h"

/* The kernel's own bound for what it prints at once is 2048; what is longer is cut here. */
#define KERNEL_TEXT_MAX      1024
#define KERNEL_SUBSYSTEM_MAX 32
#define KERNEL_DEVICE_MAX    64

#define KERNEL_TIME_NONE     (-1)
#define KERNEL_SEQUENCE_NONE (-1)
#define KERNEL_LEVEL_NONE    (-1)

struct kernel_message {
	/* Since boot by the kernel's scheduler clock, which stands still in suspend and is none of
	 * those that a process may ask. KERNEL_TIME_NONE: the line has no stamp of the kernel. */
	int64_t t_us;
	/* What the line has of the wall clock in front, since 1970; KERNEL_TIME_NONE. In what zone
	 * and what year that is, the line may not say: then it is local time of 1972. */
	int64_t wall_us;
	bool wall_is_utc, wall_has_year;
	int64_t sequence; /* of the record; KERNEL_SEQUENCE_NONE */
	int facility;     /* 0: the kernel itself; anything else was written by a process */
	int level;        /* 0 emergency to 7 debug; KERNEL_LEVEL_NONE */
	bool is_fragment; /* a piece of a line that was printed in several calls */
	bool is_cut;      /* the text was longer */
	bool is_bare;     /* nothing in front of the text says who wrote it, and when */
	/* A syslog wrote it in place of so many messages with this text, the last of which came
	 * about then; its t_us may be the stamp of the first. 0: it is a message. */
	int64_t repeats;
	bool repeats_last; /* the text is that of the message before: kernel_message_follow() */
	char text[KERNEL_TEXT_MAX]; /* without prefix; control characters are blanks */
	/* Of the device that the message is about: "scsi" and "+scsi:0:0:0:0", "block" and "b8:0".
	 * "" where there is none, and in saved lines, which lack it. */
	char subsystem[KERNEL_SUBSYSTEM_MAX];
	char device[KERNEL_DEVICE_MAX];
};

/* One record as a read of /dev/kmsg returns it: "6,339,5140900,-,caller=T1;text", and lines of
 * " SUBSYSTEM=" and " DEVICE=" behind. -EINVAL: it is none. */
MUST_CHECK int kernel_message_record(struct slice record, struct kernel_message *ret);

/* One line of a saved log: of dmesg with any of its options, of a serial console, of pstore, of
 * syslog, journalctl and logcat, or a first line of a record. What has no prefix is all text. A
 * line of syslog that another program wrote has facility 1. -ENODATA: it is blank. */
MUST_CHECK int kernel_message_line(struct slice line, struct kernel_message *ret);

/* The next message of a saved log of either kind, taken off the front of *rest; blank lines are
 * passed over, and NUL bytes end a line. false: none left. */
bool kernel_message_next(struct slice *rest, struct kernel_message *ret);

/* Follows the messages of a log in their order: one that repeats_last gets the text of the last
 * one, and is the kernel's where that was. *last is all 0 at first. */
void kernel_message_follow(struct kernel_message *last, struct kernel_message *message);
