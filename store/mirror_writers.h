/* What is counted of who writes and not in the file yet, as a file of the mirror's folder: what a
 * kill leaves of it for the next daemon of the same boot. */
#pragma once

#include <stdint.h>

#include "base/macros.h"

struct writer_hours;

/* Writes it anew, with the lock of the store held, and gives its size. -errno when it could not be
 * written; then what was there before may still be. */
MUST_CHECK int mirror_writers_put(const struct writer_hours *hours, const char *boot_id, int dir_fd,
				  int64_t digest, int64_t *ret_bytes);
void mirror_writers_drop(int dir_fd);
/* Takes over what a run before in this boot has left; anything else is passed over. Returns the
 * size of the file that was taken, which stays there, or 0. */
int64_t mirror_writers_get(struct writer_hours *hours, const char *boot_id, int dir_fd,
			   int64_t digest);
