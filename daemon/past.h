/* What the file tells of earlier runs of the daemon, read before the store is open. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/reader.h"
#include "store/store.h"

struct past {
	bool known_boot; /* it has samples or events of this boot */
	bool unclean;    /* the last run did not stop by itself */
	bool same_boot;  /* as that run */
	int64_t last_wall_ms;
	int64_t wall_offset_ms; /* of this boot as it was found, when it is known */
};

/* boot_id: of this boot, "" when it is not known. */
void past_read(struct reader *reader, const char *boot_id, struct past *ret);

/* That the last run did not stop cleanly: it crashed in this boot, or nobody knows. */
void past_tell(const struct past *past, struct store *store);
