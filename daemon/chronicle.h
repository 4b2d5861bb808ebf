/* What the file tells of the runs of the daemon: boots, starts and stops. */
#pragma once

#include <stdbool.h>

#include "base/hw.h"
#include "store/store.h"

/* The first run in a boot. boot_id_is_own: the kernel's cannot be read. */
void chronicle_boot(struct store *store, const char *kernel, const char *boot_id,
		    bool boot_id_is_own);
void chronicle_start(struct store *store);
/* What a run before had not committed, and had left in the runtime folder. */
void chronicle_recovered(struct store *store);
/* Why it stops: by a signal, and whether the machine goes down. */
void chronicle_stop(struct store *store, struct hw *hw, int signal);
