#!/usr/bin/env bash
# The daemon under a service manager that is played by a socket: ready, status, signs of life, reload,
# stop. What SIGHUP changes and what it cannot.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq
make_tree "$work/tree"
told=$work/told
timeout 100 "$bin/../tests/notify_listen" "$work/notify" >"$told" &
listener=$!
until_true 5 test -S "$work/notify"

configure()
{
	printf '[store]\ncommit_interval = %s\n[http]\ntoken_file = %s\n[daemon]\n%s\n[collector load]\nperiod.load = %s\n' \
		"$1" "$work/token" "$3" "$2" >"$work/conf"
}

# said N TEXT: the log has so many lines with the text by now
said()
{
	[ "$(grep -c "$2" "$work/log")" -ge "$1" ]
}

hup()
{
	local n
	n=$(grep -c 'reads the configuration again' "$work/log") || true
	kill -HUP "$daemon"
	until_true 10 said $((n + 1)) 'reads the configuration again'
	until_true 10 grep -q "$1" "$work/log"
}

echo 0123456789abcdef >"$work/token"
chmod 600 "$work/token"
configure 60s 1s 'log_level = info'
export NOTIFY_SOCKET=$work/notify WATCHDOG_USEC=1000000
start --config "$work/conf" --root "$work/tree" --listen '127.0.0.1:0 0.0.0.0:0' </dev/null
unset NOTIFY_SOCKET WATCHDOG_USEC
open=http://127.0.0.1:$(ask /api/v1/status | jq -r '.listeners[1].address' | sed 's/.*://')
until_true 10 grep -q "^$daemon READY=1$" "$told"
until_true 10 grep -q "^$daemon STATUS=samples [1-9][0-9]* of [1-9][0-9]* collectors; last commit 20" "$told"

# A sign of life each half second from the loop's process; none while that one stands still.
sleep 3
n=$(grep -c "^$daemon WATCHDOG=1$" "$told")
[ "$n" -ge 3 ] || fail "$n signs of life in 3 s"
kill -STOP "$daemon"
sleep 0.3
n=$(grep -c WATCHDOG=1 "$told")
sleep 1.5
is "$n" "$(grep -c WATCHDOG=1 "$told")" 'signs of life of a process that is stopped'
kill -CONT "$daemon"
! grep -v "^$daemon " "$told" || fail 'another process speaks'

# SIGHUP: what can be changed is, and what cannot is named.
is 200 "$(curl -s -o /dev/null -w '%{http_code}' "$open/healthz" -H 'Authorization: Bearer 0123456789abcdef')" \
	'the first token'
echo fedcba9876543210 >"$work/token"
configure 30s 500ms "log_level = debug
database = $work/other.db"
hup 'taken over: log_level of \[daemon\], commit_interval of \[store\], period.load of \[collector load\]'
! grep 'taken over' "$work/log" | grep -q 'database' || fail 'it says that the database changed'
"$bin/flashscope" status --socket "$socket" >/dev/null
ask /api/v1/status | json ".store.commit_interval_ms == 30000 and .store.path == \"$work/f.db\""
ask /api/v1/collectors | json 'any(.[].groups[]; .group == "load" and .period_ms == 500)'
is 401 "$(curl -s -o /dev/null -w '%{http_code}' "$open/healthz" -H 'Authorization: Bearer 0123456789abcdef')" \
	'the token before'
is 200 "$(curl -s -o /dev/null -w '%{http_code}' "$open/healthz" -H 'Authorization: Bearer fedcba9876543210')" \
	'the new token'
grep -q "^$daemon RELOADING=1 MONOTONIC_USEC=[0-9]* STATUS=" "$told" || fail 'no RELOADING'
is 2 "$(grep -c "^$daemon READY=1$" "$told")" 'times it became ready'
sed -i '/^database/d' "$work/conf"
hup 'nothing in the configuration is new'

# The command line has the last word, as at the start: --db of it hides that of the file.
printf '[sampling]\nlane_deadline = 9s\n' >>"$work/conf"
hup 'warning: not changed before the next start: lane_deadline of \[sampling\]$'
! grep 'not changed before' "$work/log" | grep -q database || fail 'the command line lost'

# With an error nothing changes; a token that others may read is not taken.
configure nonsense 2s ''
hup 'error: the configuration stays as it was'
grep -q "$work/conf:2: .store. commit_interval = nonsense" "$work/log" || fail 'the error is not said'
ask /api/v1/status | json '.store.commit_interval_ms == 30000'
configure 30s 500ms 'log_level = debug'
chmod 644 "$work/token"
hup 'error: the token stays as it was: .*has mode 0644'
is 200 "$(curl -s -o /dev/null -w '%{http_code}' "$open/healthz" -H 'Authorization: Bearer fedcba9876543210')" \
	'the token that stays'

# What is no file is not waited for: the loop goes on, and hears the stop.
chmod 600 "$work/token"
rm "$work/conf"
mkfifo "$work/conf"
hup "error: $work/conf: no plain file"
ask /api/v1/status | json '.store.commit_interval_ms == 30000'
stop
until_true 5 grep -q "^$daemon STOPPING=1 \|STOPPING=1" "$told"

# A socket that nobody reads any more costs nothing.
kill $listener
export NOTIFY_SOCKET=$work/notify
chmod 600 "$work/token"
start --root "$work/tree" </dev/null
stop
echo ok
