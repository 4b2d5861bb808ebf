/* The config of a kernel (CONFIG_PSI=y), as text or gzip'ed, searched for one option while it is
 * read: a config has some 300 KB, and comes from files that anybody may have put in place. */
#pragma once

#include <stddef.h>

#include "base/macros.h"

/* Copies the value of an option ("CONFIG_PSI"): "y", "m", "n" when the config does not set it, else
 * what stands there, with its quotes. Returns 0, -ENODATA when there is not one option in the file,
 * -ENAMETOOLONG when the value does not fit, -E2BIG for more than 4 MiB of text, or an error of
 * inflate_fd(). An option that stands before a damage is found. */
MUST_CHECK int kernel_config_find(int fd, const char *option, char *buf, size_t size);
