/* What "now" is in a file. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "cli/cli.h"
#include "store/reader.h"

#define BOOTS_MAX   1024
#define WALL_MAX_MS INT64_C(253402300799999) /* the end of the year 9999 */

/* A boot of which no sample was written, or a file that makes no sense, has none. */
static bool has_newest(const struct boot *boot)
{
	int64_t wall_ms = boot->last_ms + boot->wall_offset_ms;

	return boot->last_ms && wall_ms >= 0 && wall_ms <= WALL_MAX_MS;
}

int cli_file_newest(struct reader *reader, int64_t *ret_wall_ms)
{
	CLEANUP(freep) struct boot *boots = calloc(BOOTS_MAX, sizeof(*boots));
	int n = boots ? reader_boots(reader, boots, BOOTS_MAX) : -ENOMEM;

	for (int i = n - 1; i >= 0; i--) {
		if (!has_newest(&boots[i]))
			continue;
		*ret_wall_ms = boots[i].last_ms + boots[i].wall_offset_ms;
		return 0;
	}
	return n < 0 ? n : -ENODATA;
}
