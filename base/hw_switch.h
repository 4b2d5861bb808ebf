/* The only thing that is ever written to a machine: kernel nodes that switch a measurement on and
 * off. The privileged helper alone does it, by a policy of the configuration. */
#pragma once

#include "base/hw.h"

/* Writes value to the node. 0, -EROFS in a recorded tree, -ENAMETOOLONG, or the errno of open or
 * write. The path is taken as it is: it has to be a real one, a link in it is -ELOOP. Without
 * openat2 (kernels before 5.6) that is so for the last component only. */
PRINTF_LIKE(3, 4) int hw_switch(struct hw *hw, const char *value, const char *path_fmt, ...);

/* For tests: from now on write() takes what is written, in a recorded tree as well. */
void hw_switch_to(struct hw *hw, int (*write)(void *arg, const char *path, const char *value),
		  void *arg);

/* Who takes what is written; used by hw.c and hw_switch.c alone. */
struct hw_switcher {
	int (*write)(void *arg, const char *path, const char *value); /* NULL: the machine */
	void *arg;
};

struct hw_switcher *hw_switcher_of(struct hw *hw);
