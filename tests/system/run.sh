#!/usr/bin/env bash
# ./run from another folder: builds, serves, stops at Ctrl-C with everything committed.
# label: slow nosan
# timeout: 300
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd -P)
work=$(mktemp -d)
pid=
cleanup()
{
	[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT

fail()
{
	echo "run.sh: $1"
	cat "$work/log"
	exit 1
}

"$top/run" --help | grep -q -- --build-only
cd "$work"
"$top/run" --build-only >log 2>&1 || fail "--build-only failed"

# A non-interactive shell starts background jobs with SIGINT ignored; env brings the default back.
env --default-signal=INT "$top/run" --db here.db --runtime-dir rundir --listen 127.0.0.1:0 >log 2>&1 &
pid=$!
for _ in $(seq 300); do
	! curl -sf --unix-socket rundir/flashscoped.sock http://localhost/healthz >/dev/null || break
	kill -0 "$pid" 2>/dev/null || fail "it ended by itself"
	sleep 0.1
done
sleep 3
grep -q diskstats log || fail "does not say what it samples"
grep -q 'http://127.0.0.1:' log || fail "does not say where to look"
kill -INT "$pid"
status=0
wait "$pid" || status=$?
pid=
[ "$status" = 0 ] || fail "Ctrl-C ended it with status $status"
[ "$(sqlite3 here.db 'PRAGMA integrity_check')" = ok ] || fail "the file is damaged"
n=$(sqlite3 here.db 'SELECT count(*) FROM load')
[ "$n" -ge 2 ] || fail "$n ticks of load in the file, after three seconds"

status=0
"$top/run" --no-such-option >log 2>&1 || status=$?
[ "$status" = 2 ] || fail "an unknown option ends with status $status"
