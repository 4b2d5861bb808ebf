#include "analysis/clock_watch.h"

#include <stdlib.h>

bool clock_is_set(int64_t wall_ms)
{
	return wall_ms >= CLOCK_SET_MS;
}

/* An offset by which now is before anybody wrote this program is no better than what was known. */
static bool is_worse(const struct clock_watch *watch, const struct clock_reading *now)
{
	return !clock_is_set(now->boot_ms + now->wall_offset_ms) &&
	       clock_is_set(now->boot_ms + watch->known_ms);
}

void clock_watch_begin(struct clock_watch *watch, const struct clock_reading *now,
		       const int64_t *known_ms)
{
	*watch = (struct clock_watch){*now, known_ms ? *known_ms : now->wall_offset_ms};
	if (!is_worse(watch, now))
		watch->known_ms = now->wall_offset_ms;
}

static void look_at_wall(struct clock_watch *watch, const struct clock_reading *now,
			 struct clock_news *news)
{
	news->before_ms = watch->seen.wall_offset_ms;
	news->after_ms = now->wall_offset_ms;
	news->stepped = llabs(news->after_ms - news->before_ms) >= CLOCK_STEP_MS;
	news->refused = is_worse(watch, now);
	news->first = news->stepped && clock_is_set(now->boot_ms + news->after_ms) &&
		      !clock_is_set(now->boot_ms + watch->known_ms);
	if (news->refused ||
	    (!news->stepped && llabs(now->wall_offset_ms - watch->known_ms) < CLOCK_DRIFT_MS))
		return;
	news->moved = watch->known_ms != now->wall_offset_ms;
	watch->known_ms = now->wall_offset_ms;
}

void clock_watch_look(struct clock_watch *watch, const struct clock_reading *now,
		      struct clock_news *ret)
{
	struct clock_news news = {0};
	int64_t slept_ms = now->asleep_ms - watch->seen.asleep_ms;

	look_at_wall(watch, now, &news);
	if (slept_ms >= CLOCK_SLEEP_MS) {
		news.slept_ms = slept_ms;
		news.slept_from_ms = watch->seen.boot_ms;
	}
	watch->seen = *now;
	*ret = news;
}
