/* What the kernel says of an NVMe controller, /sys/class/nvme/nvmeN, that more than one collector
 * asks. All of it is what the driver remembers; nothing is sent to the drive. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/hw.h"
#include "base/macros.h"
#include "model/sink.h"

#define NVME_CLASS_DIR "sys/class/nvme"

/* The controllers of a machine, by number. */
struct nvme_controllers {
	struct nvme_name {
		char name[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];
	} * v;
	size_t n;
};

/* All of them with their identities (nvme_controller_identity()): of those that cannot be told
 * apart all but the first have only their names. So one has the same identity for who takes all and
 * for who takes one. 0 also when there is none; -ENOENT and other errors of listing the class, or
 * want of what it takes to look. The caller releases with nvme_controllers_done(). */
MUST_CHECK int nvme_controllers_find(struct hw *hw, struct nvme_controllers *ret);
void nvme_controllers_done(struct nvme_controllers *controllers);

/* Serial and model, as block_identity() begins where a namespace has no WWID. A drive with two
 * ports is two controllers, which differ in the number that the drive gave them; on a network that
 * number is new with each connection, and left out. "" without a serial. 0; or, for want of
 * descriptors or memory, the error, and "": part of it would pass for another drive. */
MUST_CHECK int nvme_controller_identity(struct hw *hw, const char *name, char *buf, size_t size);

/* "nvme0", and not "nvme0n1" or "nvme-fabrics". */
bool nvme_is_controller(const char *name);

#define NVME_WHY_MAX 128

/* Whether a command may be sent: the state is live (0), and its PCI function, where there is one,
 * is awake. -EHOSTDOWN when the function sleeps, -EIO when its power management is in an error.
 * -ESHUTDOWN when the controller is dead or being deleted, which does not come back, and -EAGAIN in
 * any other state than live; -ENODEV, which has it looked for anew, when it is gone; or the error
 * of the read. ret_why: the words for it, "" with 0. */
int nvme_controller_ready(struct hw *hw, const char *name, char ret_why[NVME_WHY_MAX]);
