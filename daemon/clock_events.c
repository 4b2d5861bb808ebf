#include "daemon/clock_events.h"

#include <stdio.h>

#include "base/log.h"
#include "daemon/events.h"

static void tell_step(struct store *store, int64_t now_ms, const struct clock_news *news,
		      bool while_down)
{
	char evidence[320], before[64], after[64];
	struct text text = TEXT_IN(evidence), t_before = TEXT_IN(before), t_after = TEXT_IN(after);
	const char *what = news->refused ? ", which cannot be; the time goes on as before"
			   : news->first ? ", for the first time"
					 : "";
	const struct clock_step step = {now_ms, news->before_ms, news->after_ms};

	clock_rfc3339(&t_before, now_ms + news->before_ms);
	clock_rfc3339(&t_after, now_ms + news->after_ms);
	text_printf(&text,
		    "{\"before\":\"%s\",\"after\":\"%s\",\"step_ms\":%lld,\"first\":%s,"
		    "\"taken_over\":%s,\"while_down\":%s}",
		    before, after, (long long)(news->after_ms - news->before_ms),
		    news->first ? "true" : "false", news->refused ? "false" : "true",
		    while_down ? "true" : "false");
	log_info("the wall clock was set from %s to %s%s", before, after, what);
	event_add(store, now_ms, SEVERITY_INFO, "clock_step", evidence,
		  "the wall clock was set from %s to %s%s", before, after, what);
	store_clock_step(store, &step);
}

static void tell_sleep(struct store *store, int64_t now_ms, const struct clock_news *news)
{
	struct event event = {.t_ms = news->slept_from_ms,
			      .t_end_ms = now_ms,
			      .severity = SEVERITY_INFO,
			      .kind = "suspended"};
	char span[64];
	struct text text = TEXT_IN(span);

	text_span(&text, news->slept_ms);
	snprintf(event.text, sizeof(event.text), "the machine was suspended for %s", span);
	snprintf(event.evidence, sizeof(event.evidence), "{\"suspended_ms\":%lld}",
		 (long long)news->slept_ms);
	log_info("%s", event.text);
	store_event(store, &event);
}

static void tell(struct store *store, const struct clock_reading *now,
		 const struct clock_news *news, bool while_down)
{
	if (news->slept_ms)
		tell_sleep(store, now->boot_ms, news);
	if (news->stepped)
		tell_step(store, now->boot_ms, news, while_down);
	if (news->moved)
		store_wall_offset(store, now->boot_ms, news->after_ms);
}

void clock_events_tell(struct store *store, const struct clock_reading *now,
		       const struct clock_news *news)
{
	tell(store, now, news, false);
}

void clock_events_begin(struct clock_watch *watch, const int64_t *known_ms)
{
	struct clock_reading now;

	clock_read(&now);
	clock_watch_begin(watch, &now, known_ms);
}

void clock_events_missed(struct store *store, const struct clock_watch *watch, int64_t known_ms)
{
	struct clock_watch before = *watch;
	struct clock_news news;

	before.known_ms = before.seen.wall_offset_ms = known_ms;
	clock_watch_look(&before, &watch->seen, &news);
	tell(store, &watch->seen, &news, true);
}

void clock_events_stall(struct store *store, const struct clock_reading *seen,
			const struct clock_reading *now, int64_t due_ms)
{
	int64_t late_ms = now->boot_ms - due_ms - (now->asleep_ms - seen->asleep_ms);
	struct event event = {.t_ms = due_ms,
			      .t_end_ms = now->boot_ms,
			      .severity = SEVERITY_WARNING,
			      .kind = "stalled"};
	char span[64];
	struct text text = TEXT_IN(span);

	if (late_ms < CLOCK_STALL_MS)
		return;
	text_span(&text, late_ms);
	snprintf(event.text, sizeof(event.text),
		 "the daemon did not run for %s: it was stopped, found no CPU, or the whole "
		 "machine stood still",
		 span);
	snprintf(event.evidence, sizeof(event.evidence), "{\"stalled_ms\":%lld}",
		 (long long)late_ms);
	log_warning("%s", event.text);
	store_event(store, &event);
}
