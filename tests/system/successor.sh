#!/usr/bin/env bash
# label: slow
# timeout: 300
# A daemon that was killed and cannot end, since the kernel holds its loop in a read, keeps its locks, its
# sockets and its helper. The next one takes its folder over, has a helper of its own that serves it, and
# gets the database as soon as the old one is let go.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3 ps
skip()
{
	echo "skipped: $1"
	exit 77
}
[ "$(id -u)" = 0 ] || skip 'mounting a file system over a file needs root'
[ -w /dev/fuse ] || skip 'no /dev/fuse'
hangfs=$1/tests/hangfs
[ -x "$hangfs" ] || skip 'hangfs was not built: no libfuse3'
command -v fusermount3 >/dev/null || skip 'no fusermount3'

fixture=$(cd "$(dirname "$0")/.." && pwd -P)/fixtures/x86/root
cp -r "$fixture" "$work/tree"
hanging=$work/tree/proc/loadavg
old=
unmount()
{
	rm -f "$work/hang"
	[ -z "$old" ] || kill -9 "$old" 2>/dev/null || true
	fusermount3 -u "$hanging" 2>/dev/null || umount -l "$hanging" 2>/dev/null || true
}
trap 'status=$?; unmount; set +e; (exit $status); finish' EXIT

"$hangfs" "$hanging" "$work/hang" &
mounted()
{
	grep -q " $hanging fuse" /proc/mounts
}
for _ in $(seq 50); do
	mounted && break
	sleep 0.1
done
mounted || skip 'the file system could not be mounted here'
printf '[collector mounts]\nperiod.mounts = 1s\n' >"$work/fast.conf"

# child PID NAME: the first child of that name
child()
{
	ps -o pid=,comm= --ppid "$1" | awk -v name="$2" '$2 == name { print $1; exit }'
}
helper_is()
{
	get /api/v1/status | jq -e ".helper | $1" >/dev/null
}
drive_came()
{
	get '/api/v1/latest?collector=nvme_smart&node=nvme0' | grep -q percentage_used
}
is_held()
{
	grep -qE '^[0-9]+ \([^)]*\) D ' /proc/"$1"/task/*/stat 2>/dev/null
}
is_gone()
{
	! kill -0 "$1" 2>/dev/null || [ "$(ps -o stat= -p "$1" | cut -c1)" = Z ]
}
is_attached()
{
	get /api/v1/status | jq -e '.store.attached' >/dev/null
}

start --config "$work/fast.conf" --root "$work/tree"
until_true 10 helper_is '.state == "up"'
until_true 10 drive_came
guardian=$(child "$daemon" flashscope-help)
server=$(child "$guardian" flashscope-help)
[ -n "$server" ] || fail 'no helper below the daemon'
touch "$work/hang"
stands_still()
{
	grep -qx request_wait_answer "/proc/$daemon/wchan"
}
until_true 10 stands_still
sleep 0.5 # until the file system has taken the read, from where on a kill does not end it
old=$daemon daemon=
kill -KILL "$old"
until_true 5 is_held "$old"

start --config "$work/fast.conf" --root "$fixture"
grep -q "process $old was killed and cannot end .* is taken over" "$work/log" ||
	fail 'it does not say whose folder it takes over'
grep -q "process $old, which writes the database .* cannot end" "$work/log" ||
	fail 'it does not say that the database is held'
is_held "$old" || fail 'the old daemon is not held any more'
until_true 10 helper_is '.state == "up" and .reason == null and .n_workers >= 2'
until_true 10 drive_came
again=$(child "$(child "$daemon" flashscope-help)" flashscope-help)
[ -n "$again" ] && [ "$again" != "$server" ] || fail "no helper of its own: $again, before $server"

# The old one is let go and ends with its helper; the new one keeps what it has.
rm "$work/hang"
for pid in $old $guardian $server; do
	until_true 10 is_gone "$pid"
done
wait "$old" 2>/dev/null || true
old=
helper_is '.state == "up" and .n_connects == 1' || fail 'the end of the old helper was felt'
[ -S "$work/run/helper.sock" ] || fail 'the old helper took the socket with it'
until_true 70 is_attached
stop TERM
[ ! -e "$work/run/helper.sock" ] || fail 'a stop leaves the socket'
is ok "$(sqlite3 "$work/f.db" 'PRAGMA integrity_check')" integrity
