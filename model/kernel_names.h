/* Which storage device a name of the kernel's log is: the disk for its partitions, the controller
 * for a UFS or NVMe disk, the card's disk for its host. By sysfs alone; nothing is asked of a
 * device, and what sysfs does not know has no answer.
 *
 * Answers are remembered, so that a device which has just gone is still known by its name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/hw.h"
#include "model/sink.h"

#define KERNEL_DISKS_MAX 64

struct kernel_names;

/* hw outlives it. -ENOMEM. */
MUST_CHECK int kernel_names_new(struct hw *hw, struct kernel_names **ret);
void kernel_names_free(struct kernel_names *names);

/* Devices came or went: the next question has sysfs looked at again. */
void kernel_names_look_again(struct kernel_names *names);

/* What incidents_canonical asks (analysis/incidents.h); arg is the struct kernel_names. */
bool kernel_names_find(void *arg, const char *name, char *out);

/* The devices that there are, each once; NULL past the end. */
const char *kernel_names_device(struct kernel_names *names, size_t i);
