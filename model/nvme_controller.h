/* What the kernel says of an NVMe controller, /sys/class/nvme/nvmeN, that more than one collector
 * asks. All of it is what the driver remembers; nothing is sent to the drive. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/hw.h"
#include "base/macros.h"

#define NVME_CLASS_DIR "sys/class/nvme"

/* Serial and model, as block_identity() begins where a namespace has no WWID. A drive with two
 * ports is two controllers, which differ in the number that the drive gave them; on a network that
 * number is new with each connection, and left out. "" without a serial. 0; or, for want of
 * descriptors or memory, the error, and "": part of it would pass for another drive. */
MUST_CHECK int nvme_controller_identity(struct hw *hw, const char *name, char *buf, size_t size);

/* "nvme0", and not "nvme0n1" or "nvme-fabrics". */
bool nvme_is_controller(const char *name);

/* Whether a command may be sent: the state is live (0), and its PCI function, where there is one,
 * is awake. -EHOSTDOWN when the function sleeps, -EAGAIN in any other state than live, -ENODEV
 * when it is gone, or the error of the read. */
int nvme_controller_ready(struct hw *hw, const char *name);
