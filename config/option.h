/* Options as data: what each is called, may be, and is when nobody says otherwise. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum option_type {
	OPTION_DURATION,    /* "10s", "1h"; the value is ms */
	OPTION_SIZE,        /* "128MiB"; the value is bytes */
	OPTION_PERCENT,     /* "25%"; the value is 25 */
	OPTION_BOOL,        /* yes, no, true, false, on, off; the value is 1 or 0 */
	OPTION_CHOICE,      /* one of words; the value is its index */
	OPTION_LISTEN_LIST, /* addresses with blanks between them, or none; config/listen.h */
	OPTION_PATH,
	OPTION_WHOLE_PATH, /* from / on, or none: nobody knows what folder another one begins at */
	OPTION_USER,       /* name or number of a user, or same */
};

/* A line of the file holds key, value and what stands between them. */
#define OPTION_TEXT_MAX 176

struct option_spec {
	const char *section, *key;
	enum option_type type;
	const char *initial;      /* default, in the form of the file */
	int64_t min, max;         /* of a duration in ms, of a size in bytes, in percent */
	const char *const *words; /* of a choice, NULL at the end */
	const char *help;         /* one sentence */
};

/* The options that are always there. */
enum option_id {
	OPTION_ROOT,
	OPTION_DATABASE,
	OPTION_RUNTIME_DIR,
	OPTION_LOG_LEVEL,
	OPTION_RUN_AS,
	OPTION_LISTEN,
	OPTION_TOKEN_FILE,
	OPTION_UNAUTHENTICATED,
	OPTION_HELPER,
	OPTION_UFS_MONITOR,
	OPTION_UFS_MARK_MAX,
	OPTION_COMMIT_INTERVAL,
	OPTION_FLASH_BUDGET,
	OPTION_SIZE_MAX,
	OPTION_MINUTE_SHARE,
	OPTION_HOUR_SHARE,
	OPTION_TAIL_MAX,
	OPTION_MIRROR,
	OPTION_PMSG,
	OPTION_RESCAN_INTERVAL,
	OPTION_LANE_DEADLINE,
	OPTION_PARTITIONS,
	N_OPTIONS,
};

extern const struct option_spec option_table[N_OPTIONS];

/* Reads a value. Sets *ret_number where the type has one. On -EINVAL or -ERANGE why says what was
 * wrong and what is allowed. */
int option_parse(const struct option_spec *spec, const char *value, int64_t *ret_number,
		 struct text *why);

/* What is allowed: "1s to 1h", "yes or no", ... */
void option_range(const struct option_spec *spec, struct text *text);
