/* The only door to the machine. Every path is relative to one root ("proc/diskstats"), so the same
 * binary reads a board or a recorded tree. Nothing is ever written below the root (but for
 * base/hw_switch.h).
 *
 * In a recorded tree
 * - symbolic links, absolute ones too, stay inside the tree (openat2, RESOLVE_IN_ROOT);
 * - the file ERRORS makes reads fail as on the device: lines of path, operation and errno name;
 *   a word that is no errno name makes the file read as empty;
 * - free space comes from the file STATVFS: mount point, fragment size, blocks, free, available,
 *   inodes, free inodes;
 * - what the kernel says of its clock comes from the file TIMEX: see hw_timex();
 * - boot id and time come from the tree's own /proc files where it has them;
 * - what a device answers to commands lies below COMMANDS: see model/nvme_command.h and
 *   model/ata_command.h.
 *
 * Error returns are negative errno. An empty attribute is -ENODATA: several drivers print nothing
 * when they have nothing to say, and that is not zero. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

struct hw;

#define HW_PATH_MAX    1024
#define HW_BOOT_ID_MAX 40

/* Opens the root; "/" is this machine. -ENOSYS: a tree cannot be read, for want of openat2 (kernels
 * before 5.6, or a seccomp filter); without it nothing below the tree would seem to exist. */
MUST_CHECK int hw_open(const char *root, struct hw **ret);

/* What an error of hw_open() means, for people. */
const char *hw_open_problem(int error);

void hw_close(struct hw *hw);

/* For CLEANUP(). */
void hw_closep(struct hw **hw);

/* For a process that may be held up by a node, and is watched from outside: at (HW_PATH_MAX bytes,
 * in shared memory) takes the path that is touched, before it is touched, and *at_ms the boot clock
 * of that moment. */
void hw_watch(struct hw *hw, char *at, int64_t *at_ms);

/* For tests that tell which nodes are touched: trace is called for each path before it is touched.
 * contents: it is opened for reading or read; false when only its existence, its links or its names
 * are asked for. */
void hw_trace(struct hw *hw, void (*trace)(void *arg, const char *path, bool contents), void *arg);

/* Leaves a path alone from now on, or all below a directory when it ends in '/': whatever is asked
 * of it fails with -ETIME, which is no time-out of a device (hw_exists() says true). For a
 * node that did not answer. */
MUST_CHECK int hw_avoid(struct hw *hw, const char *path);

/* false for a recorded tree. */
bool hw_is_live(const struct hw *hw);

/* Reads a whole file, NUL-terminated, newlines kept. Returns its length, -E2BIG when it does not
 * fit into size-1 bytes, -ENAMETOOLONG, or the errno of open or read. */
PRINTF_LIKE(4, 5)
int hw_read(struct hw *hw, char *buf, size_t size, const char *path_fmt, ...);

/* Reads the one line of an attribute without its newline and trailing blanks. Returns its length,
 * -ENODATA when it is empty, else as hw_read(); with an error buf is an empty text. */
PRINTF_LIKE(4, 5)
int hw_read_line(struct hw *hw, char *buf, size_t size, const char *path_fmt, ...);

/* As hw_read_line(), for what does not change but costs a command to a device: the file is read
 * once for each key and generation, and later calls with the same give what the first one gave,
 * -ENOENT and -ENODATA too. The key has to name what the file belongs to, and the generation keeps
 * it apart from those that had the name before, which are forgotten. What is too long is read each
 * time; where there is no more room, the oldest is forgotten. */
PRINTF_LIKE(6, 7)
int hw_read_line_once(struct hw *hw, const char *key, int64_t generation, char *buf, size_t size,
		      const char *path_fmt, ...);

/* Reads an attribute that is one integer. Errors of hw_read() and parse_i64(). */
PRINTF_LIKE(3, 4) int hw_read_i64(struct hw *hw, int64_t *ret, const char *path_fmt, ...);

/* Whether the path can be seen; says nothing about permission to read it. */
PRINTF_LIKE(2, 3) bool hw_exists(struct hw *hw, const char *path_fmt, ...);

/* The same, and why not: 0 or -errno. Want of descriptors (EMFILE, ENFILE) says nothing about it.
 */
PRINTF_LIKE(2, 3) int hw_look(struct hw *hw, const char *path_fmt, ...);

/* 0 when the path can be opened for reading, else -errno. The file is opened, not read. */
PRINTF_LIKE(2, 3) int hw_readable(struct hw *hw, const char *path_fmt, ...);

/* The path with all links resolved, relative to the root ("sys/devices/.../block/sda"). */
PRINTF_LIKE(4, 5)
int hw_real_path(struct hw *hw, char *buf, size_t size, const char *path_fmt, ...);

/* Names in a directory that start with prefix, in the order of their numbers (zone2 before zone10).
 */
struct hw_names {
	char **v;
	size_t n;
};

#define HW_NAMES_MAX 4096

/* -E2BIG when there are more than HW_NAMES_MAX. The caller releases with hw_names_done(). */
PRINTF_LIKE(4, 5)
int hw_list(struct hw *hw, struct hw_names *ret, const char *prefix, const char *dir_fmt, ...);
void hw_names_done(struct hw_names *names);

/* Calls visit for each name in a directory but those that begin with a dot, in the order of the
 * directory, which may change meanwhile; is_dir: it is a directory itself, no link to one.
 * Allocates nothing, and takes a directory of any size. visit returns non-zero to stop; that is
 * returned. It may walk other directories. -ENOTDIR, or the errno of open or read. */
PRINTF_LIKE(4, 5)
int hw_each(struct hw *hw, int (*visit)(void *arg, const char *name, bool is_dir), void *arg,
	    const char *dir_fmt, ...);

/* A file that is read again and again: it stays open and is read at offset 0, which costs a third
 * of open, read and close. Zero-initialised it owns nothing. */
struct hw_file {
	char *path;
	int fd;            /* -1: closed, opened again at the next read */
	int planned_error; /* of a recorded tree; 0: none, 1: reads as empty */
};

/* Remembers the path and opens the file. On error nothing is owned. */
PRINTF_LIKE(3, 4) int hw_file_open(struct hw *hw, struct hw_file *ret, const char *path_fmt, ...);

/* Remembers the path only: the first read opens the file. -ENOMEM, -ENAMETOOLONG. */
PRINTF_LIKE(2, 3) int hw_file_later(struct hw_file *ret, const char *path_fmt, ...);
void hw_file_close(struct hw_file *file);

/* As hw_read(). When the object behind the file is gone (ENODEV) it is opened once more by its
 * path, since a new one may have taken its place. Allocates nothing. */
int hw_file_read(struct hw *hw, struct hw_file *file, char *buf, size_t size);

/* As hw_file_read(), into a buffer of the heap with *size bytes, which grows when the file does not
 * fit, up to max_bytes; beyond that -E2BIG. -ENOMEM leaves the buffer as it was. */
int hw_file_read_grow(struct hw *hw, struct hw_file *file, char **buf, size_t *size,
		      size_t max_bytes);

int hw_file_read_line(struct hw *hw, struct hw_file *file, char *buf, size_t size);
int hw_file_read_i64(struct hw *hw, struct hw_file *file, int64_t *ret);

/* Space of a mounted file system, in the units of statvfs(3): blocks of fragment_bytes, inodes. */
struct hw_space {
	uint64_t fragment_bytes, blocks, free_blocks, available_blocks;
	uint64_t inodes, free_inodes;
};

/* Space at a mount point (absolute, as in mountinfo, unescaped). May block for as long as the file
 * system does not answer. -ENODATA in a recorded tree without a record of it. */
int hw_space(struct hw *hw, const char *mount_point, struct hw_space *ret);

/* What the kernel says of the clock that people read, by adjtimex(2) with modes = 0, which sets
 * nothing and needs no privilege. */
enum hw_timex_number {
	HW_TIMEX_STATE,    /* what the call returned: TIME_OK ... TIME_ERROR */
	HW_TIMEX_STATUS,   /* STA_* of <sys/timex.h> */
	HW_TIMEX_OFFSET,   /* us, ns with STA_NANO in the status */
	HW_TIMEX_FREQ,     /* 2^-16 parts per million */
	HW_TIMEX_MAXERROR, /* us */
	HW_TIMEX_ESTERROR, /* us */
	HW_TIMEX_TICK,     /* us */
	HW_TIMEX_TAI,      /* s */
	HW_TIMEX_NUMBERS
};

struct hw_timex {
	int64_t v[HW_TIMEX_NUMBERS];
	bool has[HW_TIMEX_NUMBERS]; /* of a live machine all are there */
};

/* Does not block. -EPERM or -ENOSYS where a seccomp filter forbids the call. In a recorded tree it
 * is the file TIMEX, a line for each number ("state", or the name in struct timex, and the number);
 * other lines count as not there; -ENOENT without the file, -ENODATA when nothing is in it, or the
 * errors of hw_read(). */
int hw_timex(struct hw *hw, struct hw_timex *ret);

/* Boot id, "" never. -ENOENT when a recorded tree has none. */
int hw_boot_id(struct hw *hw, char buf[HW_BOOT_ID_MAX]);

/* CLOCK_BOOTTIME of the machine in ms; in a recorded tree its proc/uptime, -ENOENT without one. */
int hw_boot_ms(struct hw *hw, int64_t *ret_ms);

/* How long the machine has been in system sleep since it booted, to within a millisecond. -ENOENT
 * in a recorded tree. */
int hw_asleep_ms(struct hw *hw, int64_t *ret_ms);

/* Value of a kernel option ("CONFIG_PSI"): copies "y", "m" or "n". It comes from the kernel's own
 * /proc/config.gz or else from the config that is installed for this release (/boot/config-RELEASE,
 * /lib/modules/RELEASE/config and such). "n" when a config is found without the option; -ENOENT
 * when there is none, another error when all that there are cannot be read. The search costs time
 * and maybe a disk, so an answer is remembered, and that there is no config, too: one that comes
 * later (the module configs, a /boot that is mounted late) is seen by the next hw_open().
 * Collectors tell it to people through model/reason.h. */
int hw_kernel_option(struct hw *hw, const char *option, char *buf, size_t size);

/* Opens the kernel's log, dev/kmsg, without waiting in reads: each read gives one record. In a
 * recorded tree it is a plain file of records. Returns a descriptor (close-on-exec) that is the
 * caller's, or -errno: -EPERM when the kernel refuses (kernel.dmesg_restrict, printk.devkmsg). */
MUST_CHECK int hw_open_log(struct hw *hw);

/* Opens a file for reading that is no node but a record that somebody left. Returns a descriptor
 * (close-on-exec) that is the caller's, or -errno. */
MUST_CHECK int hw_open_record(struct hw *hw, const char *path);

/* A block of memory of size bytes, zeroed when it is first asked for, then the same for each call
 * with this key until hw_close(): what has to outlive the state of one that is made anew at each
 * probe. Owned by hw. NULL without memory, or for the 65th key. */
void *hw_memory(struct hw *hw, const char *key, size_t size);

/* Has hw_memory() lay its blocks in this memory, which is zeroed at first, aligned as by malloc(),
 * and outlives hw: what another process has left there, by the same key and of the same size, is
 * found again. Whether keys and sizes make sense is checked here, else all is begun anew; whether
 * the blocks do, is their user's to check. What has no room there is had as without it. To be
 * called before the first hw_memory(). */
void hw_memory_keep(struct hw *hw, void *memory, size_t bytes);
