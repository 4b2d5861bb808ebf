/* A boot id of our own, for a kernel whose one cannot be read. */
#pragma once

#include <stdbool.h>

#include "base/hw.h"

/* A random UUID, kept in the folder `dir` for those that come later in this boot; a folder that
 * outlives the boot keeps none. *ret_kept: those that come later will have the same. 0 or -errno,
 * when there is nothing random. */
MUST_CHECK int own_boot_id(const char *dir, char buf[HW_BOOT_ID_MAX], bool *ret_kept);

/* In the place of one that is empty; says so. Returns whether it was. *ret_new: whoever comes next
 * makes another one. */
bool own_boot_id_instead(const char *dir, char buf[HW_BOOT_ID_MAX], bool *ret_new);
