#include "base/hw.h"

#include <errno.h>
#include <sys/timex.h>

#include "base/parse.h"

static int ask(struct hw_timex *ret)
{
	struct timex t = {.modes = 0};
	int state = adjtimex(&t);

	if (state < 0)
		return -errno;
	*ret = (struct hw_timex){
		.v = {[HW_TIMEX_STATE] = state,
		      [HW_TIMEX_STATUS] = t.status,
		      [HW_TIMEX_OFFSET] = t.offset,
		      [HW_TIMEX_FREQ] = t.freq,
		      [HW_TIMEX_MAXERROR] = t.maxerror,
		      [HW_TIMEX_ESTERROR] = t.esterror,
		      [HW_TIMEX_TICK] = t.tick,
		      [HW_TIMEX_TAI] = t.tai},
	};
	for (size_t i = 0; i < HW_TIMEX_NUMBERS; i++)
		ret->has[i] = true;
	return 0;
}

static void take_line(struct hw_timex *timex, struct slice line)
{
	static const char *const names[HW_TIMEX_NUMBERS] = {
		[HW_TIMEX_STATE] = "state",       [HW_TIMEX_STATUS] = "status",
		[HW_TIMEX_OFFSET] = "offset",     [HW_TIMEX_FREQ] = "freq",
		[HW_TIMEX_MAXERROR] = "maxerror", [HW_TIMEX_ESTERROR] = "esterror",
		[HW_TIMEX_TICK] = "tick",         [HW_TIMEX_TAI] = "tai",
	};
	struct slice name, number, extra;
	int64_t value;

	if (!slice_token(&line, &name) || !slice_token(&line, &number) ||
	    slice_token(&line, &extra) || parse_i64_slice(number, &value) < 0)
		return;
	for (size_t i = 0; i < HW_TIMEX_NUMBERS; i++)
		if (slice_is(name, names[i])) {
			timex->v[i] = value;
			timex->has[i] = true;
		}
}

int hw_timex(struct hw *hw, struct hw_timex *ret)
{
	struct hw_timex recorded = {0};
	struct slice rest, line;
	char buf[1024];
	bool any = false;
	int r;

	if (hw_is_live(hw))
		return ask(ret);
	r = hw_read(hw, buf, sizeof(buf), "TIMEX");
	if (r < 0)
		return r;
	rest = (struct slice){buf, (size_t)r};
	while (slice_line(&rest, &line))
		take_line(&recorded, line);
	for (size_t i = 0; i < HW_TIMEX_NUMBERS; i++)
		any = any || recorded.has[i];
	if (!any)
		return -ENODATA;
	*ret = recorded;
	return 0;
}
