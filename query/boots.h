/* The boots of a file, with how each ended. */
#pragma once

#include "store/reader.h"
#include "store/store.h"

#define QUERY_BOOTS_MAX      1024
#define QUERY_EVIDENCE_BOOTS 32 /* the newest so many come with their evidence */
#define QUERY_NOTE_MAX       256

struct boot_story {
	const struct boot *boot;           /* its last_ms: of a sample, an event or a mark */
	const struct boot_end_record *end; /* NULL: it is not in the file */
	bool with_evidence;
	bool id_is_own;   /* its boot id was made up, as the kernel's could not be read */
	const char *note; /* why there is no end, and what the file says itself; NULL */
};

/* In their order, the newest QUERY_BOOTS_MAX. visit returns non-zero to stop; that is returned. */
int query_boots(struct reader *reader, int (*visit)(const struct boot_story *story, void *arg),
		void *arg);
