#!/usr/bin/env bash
# What a stop, a SIGKILL and a start again do to the history.
# label: long
# timeout: 300
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3
printf '[store]\ncommit_interval = 2s\n' >"$work/f.conf"

n_ticks()
{
	sqlite3 -readonly "$work/f.db" 'SELECT count(*) FROM load'
}

events()
{
	sqlite3 -readonly "$work/f.db" "SELECT count(*) FROM events WHERE kind = '$1'"
}

# SIGTERM commits what was sampled, with a commit interval that never came.
start
sleep 3.3
ticks=$(get /api/v1/status | jq .sampling.n_ticks)
stop TERM
stored=$(n_ticks)
[ "$stored" -ge 3 ] && [ "$stored" -ge $((ticks - 1)) ] || fail "$stored of $ticks ticks after SIGTERM"
is ok "$(sqlite3 "$work/f.db" 'PRAGMA integrity_check')" integrity
[ ! -s "$work/f.db-wal" ] || fail 'SIGTERM left a WAL'
is 1 "$(events boot)" 'boot events'
is 1 "$(events start)" 'start events'
is 1 "$(events stop)" 'stop events'

# SIGKILL loses at most what was not committed, and the next start goes on in the same boot.
for _ in 1 2 3; do
	start --config "$work/f.conf"
	sleep 5.2
	kill -9 "$daemon"
	wait "$daemon" 2>/dev/null || true
	daemon=
	is ok "$(sqlite3 "$work/f.db" 'PRAGMA integrity_check')" 'integrity after SIGKILL'
	now=$(n_ticks)
	[ $((now - stored)) -ge 2 ] || fail "only $((now - stored)) ticks of 5 s survived SIGKILL"
	stored=$now
done
start --config "$work/f.conf"
get /api/v1/boots | json 'length == 1 and .[0].current' 'one boot'
get '/api/v1/events?from=-1h' | json '(map(select(.kind == "boot")) | length) <= 1 and
	(map(select(.kind == "start")) | length) >= 4' 'events'
points=$(get '/api/v1/query?metric=load.threads&from=-5min&step=1s' |
	jq '[.series[].points[] | select(.[1] != null)] | length')
[ "$points" -ge $((stored - 1)) ] || fail "$points points of $stored ticks"

# A mark is committed at once, and its id is given to no other one. What it asks for outlives the daemon.
get /api/v1/status | json '.ufs_monitor.asked_until == null' 'nobody asks'
"$bin/flashscope" mark --socket "$socket" --ufs-monitor start asks >/dev/null 2>&1
until_true 2 sh -c "sqlite3 -readonly '$work/f.db' 'SELECT label FROM marks' | grep -q asks"
until=$(get /api/v1/status | jq -r '.ufs_monitor.asked_until[:19]')
[ "$until" ] && [ "$until" != null ] || fail 'not said until when'
kill -9 "$daemon"
wait "$daemon" 2>/dev/null || true
start
still_asked()
{
	get /api/v1/status | jq -e ".ufs_monitor | .asked and .asked_until[:16] == \"${until:0:16}\"" >/dev/null
}
until_true 5 still_asked
"$bin/flashscope" mark --socket "$socket" end "$(sqlite3 -readonly "$work/f.db" 'SELECT max(id) FROM mark')"
is_bounded()
{
	"$bin/flashscope" status --socket "$socket" | grep -q "^UFS monitor auto, asked for by a mark until $1[^ ]* at most: on at 0 of " &&
		get /api/v1/status | jq -e '.ufs_monitor.asked_until[:19] + "Z" | fromdate - now | . > 500 and . <= 600' >/dev/null
}
nobody_asks()
{
	get /api/v1/status | jq -e '.ufs_monitor | (.asked | not) and .asked_until == null' >/dev/null
}
until_true 5 nobody_asks
id=$("$bin/flashscope" mark --socket "$socket" --ufs-monitor --for 10m start bounded 2>/dev/null)
until_true 5 is_bounded "$(get /api/v1/status | jq -r '.ufs_monitor.asked_until[:16]')"
"$bin/flashscope" mark --socket "$socket" end "$id"
until_true 5 nobody_asks
! "$bin/flashscope" status --socket "$socket" | grep 'asked for by a mark' || fail 'a mark that ended asks'
id=$("$bin/flashscope" mark --socket "$socket" start written)
until_true 1 sh -c "sqlite3 -readonly '$work/f.db' 'SELECT label FROM marks' | grep -q written"
kill -9 "$daemon"
wait "$daemon" 2>/dev/null || true
is written "$(sqlite3 -readonly "$work/f.db" "SELECT label FROM marks WHERE label NOT IN ('asks', 'bounded')")" 'mark after SIGKILL'
start
again=$("$bin/flashscope" mark --socket "$socket" start again)
[ "$again" -gt "$id" ] || fail "mark $again after mark $id"

# Two signals do no more than one.
kill -TERM "$daemon"
kill -TERM "$daemon" 2>/dev/null || true
kill -INT "$daemon" 2>/dev/null || true
wait "$daemon" || fail "status $? after two signals"
daemon=
is ok "$(sqlite3 "$work/f.db" 'PRAGMA integrity_check')" 'integrity after two signals'

is 5 "$(events daemon_crashed)" 'events of runs that did not stop cleanly'
[ -n "$(sqlite3 -readonly "$work/f.db" "SELECT 1 FROM events WHERE kind = 'daemon_crashed' AND
	json_extract(evidence, '\$.same_boot') AND json_extract(evidence, '\$.last_sample') LIKE '2%' LIMIT 1")" ] ||
	fail 'no evidence of the unclean stop'

# Switched off collectors are not sampled.
printf '[collector load]\nenabled = no\n' >"$work/off.conf"
start --config "$work/off.conf"
get /api/v1/status | json '(.sampled | map(.collector) | index("load")) == null and
	(.not_sampled | map(select(.collector == "load"))[0].outcome) == "switched_off"' 'switched off'
get /api/v1/collectors | json 'map(select(.collector == "mmc_health"))[0] | .outcome == "switched_off" and
	(.reason | test("command queueing")) and (.advice | test("enabled = yes"))' 'what is off by default'
stop
echo ok
