#!/usr/bin/env bash
# A daemon that is killed at any moment loses at most the tick that it was writing: the next one
# takes over what the runtime folder has of it, also when it is killed before its first commit.
# label: long
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3
[ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] || {
	echo "skipped: /dev/shm is no tmpfs"
	exit 77
}
memory=$(mktemp -d /dev/shm/flashscope.XXXXXX)
trap 'rm -rf "$memory"; finish' EXIT
mkdir -p "$work/conf"
printf '[store]\ncommit_interval = 60s\n[collector load]\nperiod.load = 100ms\n' >"$work/f.conf"

# as in memory: a runtime folder there
run()
{
	start --config "$work/f.conf" --runtime-dir "$memory/run"
}

run
get /api/v1/status | json '.store.mirrored and .store.mirror_reason == null' 'the mirror'
first=$(get /api/v1/status | jq .boot_ms)
sleep 4.5
for wait in 1.13 0.57 2.31 0.05 1.77; do
	sleep "$wait"
	last=$(get '/api/v1/latest?collector=load' | jq '.[0].boot_ms')
	kill -9 "$daemon"
	wait "$daemon" 2>/dev/null || true
	run
	# What was seen of it before the kill is there.
	get "/api/v1/query?metric=load.threads&from=-10min&step=100ms" >"$work/answer"
	jq -e --argjson last "$last" '.series | length == 1 and
		([.[0].wall_offset_ms as $o | .[0].points[] | select(.[1] != null) | .[0] - $o] |
		any(. >= $last - 100 and . <= $last + 100))' "$work/answer" >/dev/null ||
		fail "the tick of $last is lost after $wait s: $(get /api/v1/status | jq -c .store)"
	get /api/v1/status | json '.store.n_recovered_ticks > 0' 'what was taken over'
	grep -q 'and are taken over' "$work/log" || fail 'the log does not say so'
done
get '/api/v1/events?from=-1h' | json 'map(select(.kind == "recovered")) | length >= 5' 'events'
# Both say until when, of what was taken over as well.
get '/api/v1/events?from=-1h' | json '[.[] | select(.kind == "recovered")] as $r |
	[.[] | select(.kind == "daemon_crashed")] as $c |
	([$r[].evidence.last_sample] - [$c[].evidence.last_sample] == []) and
	all($r[]; .text | test("taken over: [0-9]+ ticks of groups and [0-9]+ events, until 2.*Z$")) and
	all($c[]; .text | test("^the run before crashed or was killed after its last sample, of 2.*Z; the boot went on$"))' \
	'until when'
get '/api/v1/events?from=-1h' | json '[.[] | select(.kind == "daemon_crashed") | .evidence.last_sample] | unique | length >= 5' \
	'each of its own time'
"$bin/flashscope" status --socket "$memory/run/flashscoped.sock" | grep '^mirror' && fail 'status has words for a mirror that there is'
last=$(get '/api/v1/latest?collector=load' | jq '.[0].boot_ms')
stop

# No tick is in the file twice, and between the kills all are.
seconds=$(((last - first) / 1000))
n=$(sqlite3 -readonly "$work/f.db" "SELECT count(*) FROM load WHERE t>=$first AND t<=$last")
distinct=$(sqlite3 -readonly "$work/f.db" "SELECT count(DISTINCT t) FROM load WHERE t>=$first AND t<=$last")
is "$n" "$distinct" 'ticks that are there twice'
[ "$n" -gt $((seconds * 5)) ] || fail "$n ticks of 100 ms in $seconds s"
# A clean stop leaves nothing.
[ ! -e "$memory/run/mirror.0" ] || fail 'the mirror is still there'

# Elsewhere nothing is written but the file.
start --config "$work/f.conf"
get /api/v1/status | json '.store.mirrored == false and (.store.mirror_reason | test("not in memory"))' 'no mirror'
[ ! -e "$work/run/mirror.0" ] || fail 'a mirror on a disk'
grep -q '^no mirror, so a daemon that is killed loses what is not committed: the runtime folder is not in memory' \
	"$work/log" || fail 'the log does not say that there is no mirror'
"$bin/flashscope" status --socket "$work/run/flashscoped.sock" |
	grep -q '^mirror    none, so a daemon that is killed loses what is not committed: the runtime folder is not' ||
	fail 'status does not say that there is no mirror'
stop
echo ok
