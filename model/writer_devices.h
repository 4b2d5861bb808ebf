/* What the disks have written and read, whoever it was, by /proc/diskstats: what those who are
 * named are compared with. Kernel: Documentation/admin-guide/iostats.rst */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/writer_parse.h"

struct hw;
struct sink;
struct writer_devices;

#define WRITER_DEVICES_MAX 64

/* Whether I/O counts at a block device: what lies on others (dm, md), or has no hardware of its own
 * (loop, zram), would count twice. */
bool writer_counts_at(struct hw *hw, const char *name);

/* Kept by hw. NULL without memory. */
struct writer_devices *writer_devices_of(struct hw *hw);

/* A row for each disk that has written or read anything since the look before. */
MUST_CHECK int writer_devices_look(struct writer_devices *devices, struct hw *hw,
				   struct sink *sink);

/* Of all since the start, and how many disks there are. */
struct writer_io writer_devices_io(const struct writer_devices *devices, size_t *ret_n);
