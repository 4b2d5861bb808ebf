/* The ring of pstore that outlives a warm restart: /dev/pmsg0, where the store writes what comes as
 * well, and what the kernel before has left of it, from which the boot before gets its last
 * seconds. Both are root's, so they are opened before the privileges are given up.
 *
 * Kernel: fs/pstore/pmsg.c, Documentation/admin-guide/ramoops.rst; systemd-pstore(8) moves what was
 * left. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/hw.h"
#include "config/config.h"
#include "store/store.h"

struct pmsg {
	int fd;            /* 0: none */
	const char *error; /* why not; NULL: it is open, or not wanted */
	uint8_t *left;
	size_t len;
	/* What the boot before got. */
	int64_t boot;
	uint64_t n_ticks, n_events;
};

/* Opens the ring that the configuration names, and reads what is left of it below the root. */
void pmsg_open(const struct config *config, struct pmsg *ret);

/* Before the database is open: the newest boot in it that is not this one gets what is left. Once:
 * where this boot is known already, that was done. options are those of this boot's store. */
void pmsg_take(struct pmsg *pmsg, const struct store_options *options,
	       const struct catalog *catalog);

/* What came of it, as an event of this boot. */
void pmsg_tell(const struct pmsg *pmsg, struct store *store);

void pmsg_close(struct pmsg *pmsg);
