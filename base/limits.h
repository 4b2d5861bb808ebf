/* What the kernel lets a process have. */
#pragma once

/* Raises the number of files that may be open to what the system administrator allows, at most
 * LIMITS_FILES_MAX: each attribute that is sampled stays open, and a machine with a hundred disks
 * has more of them than the usual 1024. Children inherit it. What fails leaves the limit as it
 * was. */
void limits_raise_files(void);

#define LIMITS_FILES_MAX 16384
