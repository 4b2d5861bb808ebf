/* Device commands: ioctls on a device's own node in /dev. Beside reads they are the only thing that
 * is asked of a machine. A command needs a capability, may wake the device, and may hold the caller
 * for as long as the kernel's own time-out (60 s for NVMe), uninterruptibly; so groups of class Q
 * alone use them. They are never given a time-out of their own: on PCIe a command that times out
 * makes the driver reset the controller.
 *
 * A recorded tree answers no command; whoever sends one looks there for a record of its answer. */
#pragma once

#include <stddef.h>

#include "base/hw.h"

struct hw_command {
	const char *node;      /* name below /dev: "nvme0" */
	const char *dir;       /* of the same device in sysfs; its file dev has the node's number */
	unsigned long request; /* of ioctl(2) */
	void *data;            /* argument of ioctl(2) */
};

/* Sends a command. Returns what ioctl(2) returned: 0, a positive status of the device, or -errno;
 * -ENODEV when the node is not the device of dir (the name was given away since); -EOPNOTSUPP in a
 * recorded tree. */
int hw_command(struct hw *hw, const struct hw_command *command);

/* Reads what a recorded tree has as the answer to a command, up to size bytes, and no NUL behind
 * them. Returns how many; -EBADFD when it is no regular file, else the errors of hw_read(), those
 * that the tree plans too. */
PRINTF_LIKE(4, 5)
int hw_command_record(struct hw *hw, void *buf, size_t size, const char *path_fmt, ...);

/* For tests: from now on issue() answers the commands, in a recorded tree as well. */
void hw_command_to(struct hw *hw, int (*issue)(void *arg, const struct hw_command *command),
		   void *arg);

/* Who answers commands; used by hw.c and hw_command.c alone. */
struct hw_commander {
	int (*issue)(void *arg, const struct hw_command *command); /* NULL: the machine */
	void *arg;
};

struct hw_commander *hw_commander_of(struct hw *hw);
