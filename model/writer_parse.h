/* What the kernel accounts to those who read and write: the texts of its files, taken apart. All of
 * it is foreign bytes; a name may hold anything but NUL.
 * Kernel: Documentation/filesystems/proc.rst 3.3 (/proc/PID/io), Documentation/admin-guide/
 * cgroup-v2.rst (io.stat), drivers/misc/uid_sys_stats.c of Android's kernels */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/parse.h"

#define WRITER_NAME_MAX 64
#define WRITER_UNIT_MAX 96

/* Those that no name is told of. */
#define WRITER_OTHERS "(others)"
/* Accounted to a cgroup, but to nobody in it that was seen. */
#define WRITER_UNSEEN "(short-lived or not seen)"
/* A process or a group that calls itself so has no brackets in what is parsed here. */

/* In bytes, but for syncs. */
struct writer_io {
	int64_t read, written;
	int64_t cancelled; /* of the written ones: dropped again before they were written */
	int64_t syncs;     /* calls of fsync; only uid_io counts them */
};

void writer_io_add(struct writer_io *to, const struct writer_io *io);

/* a - b of counters, nothing below 0: what fell back tells nothing. */
struct writer_io writer_io_minus(const struct writer_io *a, const struct writer_io *b);

bool writer_io_is_zero(const struct writer_io *io);

/* /proc/PID/io: read_bytes, write_bytes, cancelled_write_bytes; other lines are passed over.
 * -ENODATA without the first two, -EINVAL for a number that is none or negative. */
MUST_CHECK int writer_parse_io(struct slice text, struct writer_io *ret);

struct writer_stat {
	int64_t pid, parent;
	int64_t start; /* in ticks since the boot: with the pid, the name of one process for ever */
	bool is_kernel;
	char name[WRITER_NAME_MAX]; /* comm, in brackets for a thread of the kernel */
};

/* /proc/PID/stat. All workers of the kernel's queues are one, "[kworker]": what they work on
 * changes each moment. -EINVAL. */
MUST_CHECK int writer_parse_stat(struct slice text, struct writer_stat *ret);

/* A line of io.stat: "259:0 rbytes=1 wbytes=2 rios=...". -EINVAL, or -ENODATA for a device that
 * nothing is told of. */
MUST_CHECK int writer_parse_iostat(struct slice line, int64_t *ret_major, int64_t *ret_minor,
				   struct writer_io *ret);

/* A line of /proc/uid_io/stats: the user and ten numbers, foreground and background with four each
 * (rchar wchar read_bytes write_bytes), then the fsyncs of both; some kernels put lines of threads
 * between them ("task,..."). Both states are added. -EINVAL. */
MUST_CHECK int writer_parse_uid(struct slice line, int64_t *ret_uid, struct writer_io *ret);

/* A line of /data/system/packages.list: the package, and its user. -EINVAL. */
MUST_CHECK int writer_parse_package(struct slice line, struct slice *ret_name, int64_t *ret_uid);

/* What people call the cgroup of a path ("/system.slice/foo.service/x" is foo.service): the
 * innermost unit of systemd; a container as docker-0123456789ab, podman-, containerd-, crio-; else
 * the last part of the path. is_slice: only groups of others are in it. "" for the root. */
void writer_unit_of(const char *path, char unit[WRITER_UNIT_MAX], bool *ret_is_slice);

/* The path of the version 2 group in /proc/PID/cgroup ("0::/..."). -ENOENT when there is none,
 * -ENAMETOOLONG. */
MUST_CHECK int writer_parse_cgroup(struct slice text, char *buf, size_t size);
