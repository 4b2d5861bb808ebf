/* What a kernel left behind when it ended: the records of pstore, where they are, and where
 * systemd-pstore has moved them to. Only their heads and ends are kept, with a digest of the whole.
 * Nothing is removed.
 *
 * Kernel: fs/pstore (file names: type-backend-number[.enc.z]; a dmesg record begins with a line
 * "Panic#1 Part1"), Documentation/ABI/testing/pstore; systemd-pstore(8).
 *
 * Most of it may be read by root alone, so the helper gathers and the daemon understands: the
 * helper writes the records one after the other into a file in memory, and passes that. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hw.h"
#include "base/macros.h"
#include "base/parse.h"

#define CRASH_RECORDS_MAX    32
#define CRASH_FILES_MAX      320 /* a panic is ten of them and more where a record is small */
#define CRASH_NAME_MAX       192 /* path below the root */
#define CRASH_HEAD_BYTES     96
#define CRASH_TAIL_BYTES     8192
#define CRASH_GATHERED_MAX   (512 * 1024)
#define CRASH_READ_MAX_BYTES (2 * 1024 * 1024) /* of a record; what is behind is not read */
#define CRASH_REASON_MAX     16
#define CRASH_TIME_NONE      INT64_MIN

enum crash_kind {
	CRASH_OTHER,   /* pmsg, ftrace, mce, or one of the next two that says nothing */
	CRASH_CONSOLE, /* what the console was told, up to the end; left by each warm restart */
	CRASH_PANIC,
	CRASH_OOPS,
	CRASH_ORDERLY,   /* of a restart, halt or power-off: printk.always_kmsg_dump */
	CRASH_EMERGENCY, /* of a restart at once, in no order: emergency_restart(), SysRq-B */
	CRASH_UNREAD,    /* a record that the kernel could not unpack */
};

const char *crash_kind_name(enum crash_kind kind);

struct crash_record {
	char name[CRASH_NAME_MAX]; /* "sys/fs/pstore/dmesg-ramoops-0" */
	enum crash_kind kind;
	int64_t wall_ms; /* when it was written, CRASH_TIME_NONE where the file does not tell */
	bool is_copy;    /* systemd-pstore has moved it, and wall_ms is when it did */
	uint64_t digest; /* of its content */
	int64_t size_bytes;
	struct slice tail; /* text, within what was gathered */
	/* As the line "Panic#1 Part2" has them, whose end in tail is body_at; part 0: there is no
	 * such line, or the parts are together already. */
	char reason[CRASH_REASON_MAX];
	int64_t number, part;
	size_t body_at;
};

/* Looks for records and writes them to fd, a file each. How many there are, or -errno when pstore
 * cannot be listed (-ENOENT: there is none). Records that cannot be opened are left out, and those
 * past the bounds. */
int crash_records_gather(struct hw *hw, int fd);

/* Takes the next record off the front of what was gathered; false: none left, or damaged. */
bool crash_records_next(struct slice *rest, struct crash_record *ret);

/* Those of a gathering, the parts of each dump put together. */
struct crash_list {
	struct crash_record v[CRASH_RECORDS_MAX];
	size_t n;
	char *joined; /* what tails of several parts lie in */
};

/* gathered has to live as long as the list, which the caller releases with crash_list_done(), also
 * after an error. Of a dump in several files Part1 has the newest lines: name and digest are of it,
 * and its text stands last. -ENOMEM. */
MUST_CHECK int crash_list_read(struct slice gathered, struct crash_list *ret);
void crash_list_done(struct crash_list *list);
