#!/usr/bin/env bash
# Somebody sets the wall clock: an event tells of it, the boot clock and the ticks go on, and all
# samples of the boot get the better time. A library in front of libc moves the daemon's clock.
# label: long
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3 cc
if grep -q -e __asan_init -e __tsan_init "$bin/flashscoped"; then
	echo "skipped: a sanitizer wants to be the first library"
	exit 77
fi

cat >"$work/shift.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *ret)
{
	static int (*real)(clockid_t, struct timespec *);
	long seconds = 0;

	if (!real)
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	if (id == CLOCK_REALTIME) {
		FILE *file = fopen(SHIFT, "r");

		if (file) {
			if (fscanf(file, "%ld", &seconds) != 1)
				seconds = 0;
			fclose(file);
		}
	}

	int r = real(id, ret);

	ret->tv_sec += seconds;
	return r;
}
END
cc -shared -fPIC -D_GNU_SOURCE "-DSHIFT=\"$work/shift\"" -o "$work/shift.so" "$work/shift.c" -ldl

# The machine starts in the past, as one without a battery does.
echo -300000000 >"$work/shift"
LD_PRELOAD=$work/shift.so start
sleep 2.3
get /api/v1/boots | json '.[0].t_start < "2020"' 'the boot before the clock was set'
echo 0 >"$work/shift.new"
mv "$work/shift.new" "$work/shift"
sleep 2.3
get '/api/v1/events?from=2000-01-01' | json 'map(select(.kind == "clock_step")) | length == 1 and
	.[0].severity == "info" and .[0].evidence.step_ms > 299999000 * 1000 and
	.[0].evidence.before < "2020" and .[0].evidence.after > "2020"' 'the step'
get /api/v1/boots | json 'length == 1 and .[0].t_start > "2020"' 'the boot after the clock was set'
get /api/v1/status | json '.sampling.n_clock_steps == 1 and .sampling.n_ticks >= 4 and
	.sampling.n_missed_ticks == 0' 'ticks'

# What was sampled before has its true time.
get '/api/v1/query?metric=load.threads&from=-1min&step=1s' |
	json '[.series[].points[] | select(.[1] != null)] | length >= 3' 'samples from before the step'

# Said once.
grep -c 'the wall clock was set' "$work/log" | grep -qx 1 || fail 'not said once'
# The step is seen at a tick, and so is the next one: some ticks lie between them for sure.
sleep 2

# Set back by an hour, at which nothing ran: what was shown before is all there, and nothing twice.
echo -3600 >"$work/shift.new"
mv "$work/shift.new" "$work/shift"
sleep 2.3
from=$(date -u -d '-1 minute' +%FT%TZ)
to=$(date -u -d '+1 minute' +%FT%TZ)
get "/api/v1/query?metric=load.threads&from=$from&to=$to&step=1s" |
	json '.ambiguous == null and
		([.series[] | select(.as_shown) | .points[]] | length >= 2)' 'what the clock showed then'
asked() {
	"$bin/flashscope" query load.threads --socket "$work/run/flashscoped.sock" --from "$from" --to "$to" \
		--step 1s "$1"
}
happened() {
	"$bin/flashscope" events --socket "$work/run/flashscoped.sock" --from "$from" --to "$to" "$1"
}
happened -- | grep -q '^ambiguous: .* in boot 1 had times of this window by its clock, before that was set back' ||
	fail 'events do not say that the clock showed then what is not in the window'
asked --csv 2>"$work/csv.err" >"$work/csv" || fail '--csv'
grep -Eq '^flashscope query: boot 1, boot_ms [0-9]+ to [0-9]+, where wall is boot_ms \+ [0-9]+: at the time' \
	"$work/csv.err" || fail '--csv does not tell the lines that are as shown'

# By another two seconds: these alone were shown twice.
echo -3602 >"$work/shift.new"
mv "$work/shift.new" "$work/shift"
sleep 3.3
from=$(date -u -d '-61 minutes' +%FT%TZ)
to=$(date -u -d '-59 minutes' +%FT%TZ)
get "/api/v1/query?metric=load.threads&from=$from&to=$to&step=1s" |
	json '(.ambiguous | length == 1) and (.ambiguous[0] | .why == "clock_step" and .boot == 1 and
		([.from, .to] | map(.[:19] + "Z" | fromdate) | .[1] - .[0] | . >= 1 and . <= 4))' 'what was shown twice'
asked -- | grep -q '^ambiguous: .* was shown twice in boot 1' || fail 'the command does not say so'
happened -- | grep -q '^ambiguous: .* was shown twice in boot 1' || fail 'events do not say so'
happened --json | json '.ambiguous[0].why == "clock_step" and .ambiguous[0].boot == 1' 'events as JSON'
"$bin/flashscope" export load --csv --socket "$work/run/flashscoped.sock" --from "$from" --to "$to" \
	2>"$work/export.err" >"$work/export"
grep -q '^flashscope export: ambiguous: .* was shown twice in boot 1' "$work/export.err" || fail 'export does not say so'
asked --csv 2>"$work/csv.err" | awk -F, 'NF != 6 { exit 1 }' || fail 'what is no line of CSV'
grep -q '^flashscope query: ambiguous: .* was shown twice in boot 1' "$work/csv.err" || fail '--csv does not say so'
get /api/v1/status | json '.clock.set and .clock.n_steps == 3 and .clock.n_suspends == 0' 'clock in status'
stop
is 3 "$(sqlite3 -readonly "$work/f.db" "SELECT count(*) FROM events WHERE kind = 'clock_step'")" 'steps in the file'
echo ok
