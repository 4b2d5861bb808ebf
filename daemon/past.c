#include "daemon/past.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "daemon/events.h"

#define BOOTS_MAX 1024

void past_read(struct reader *reader, const char *boot_id, struct past *ret)
{
	CLEANUP(freep) struct boot *boots = calloc(BOOTS_MAX, sizeof(*boots));
	int n = boots ? reader_boots(reader, boots, BOOTS_MAX) : 0;

	*ret = (struct past){.unclean = reader_was_stopped(reader) == 0};
	for (int i = 0; i < n; i++) {
		struct event last;

		/* One that was killed at once has events and no samples. */
		if (boots[i].last_ms <= 0 && reader_last_event(reader, boots[i].id, &last) <= 0)
			continue;
		ret->same_boot = *boot_id && !strcmp(boots[i].boot_id, boot_id);
		ret->known_boot |= ret->same_boot;
		if (ret->same_boot)
			ret->wall_offset_ms = boots[i].wall_offset_ms;
		if (boots[i].last_ms > 0)
			ret->last_wall_ms = boots[i].last_ms + boots[i].wall_offset_ms;
	}
}

void past_tell(const struct past *past, struct store *store)
{
	char last[64] = "", evidence[160];
	struct text text = TEXT_IN(last);
	struct store_status status;
	int64_t last_wall_ms = past->last_wall_ms;

	if (!past->unclean)
		return;
	/* What had not been committed was taken over, and the file that was read lacked it. */
	store_peek_status(store, &status);
	if (past->same_boot && status.recovered_last_ms)
		last_wall_ms =
			MAX(last_wall_ms, status.recovered_last_ms + store_wall_offset_ms(store));
	if (last_wall_ms)
		clock_rfc3339(&text, last_wall_ms);
	snprintf(evidence, sizeof(evidence), "{\"last_sample\":\"%s\",\"same_boot\":%s}", last,
		 past->same_boot ? "true" : "false");
	log_warning("the run before did not stop cleanly; its last sample is of %s",
		    *last ? last : "(none)");
	if (past->same_boot)
		event_add(store, clock_boot_ms(), SEVERITY_WARNING, "daemon_crashed", evidence,
			  "the run before crashed or was killed%s%s; the boot went on",
			  *last ? " after its last sample, of " : ", and has no sample", last);
	else
		event_add(store, clock_boot_ms(), SEVERITY_WARNING, "unclean_stop", evidence,
			  "the run before did not stop cleanly, in an earlier boot%s%s",
			  *last ? "; its last sample is of " : "", last);
}
