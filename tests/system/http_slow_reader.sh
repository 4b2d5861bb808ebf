#!/usr/bin/env bash
# A client that takes a long answer slowly, with a pause, gets all of it; one that takes next to
# nothing loses its place, and the one snapshot that may be read at a time is free again.
# label: slow nosan
# timeout: 600
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3
fs=$bin/flashscope
make_tree "$work/tree"
start --root "$work/tree"
stop
# More than any socket holds.
sqlite3 "$work/f.db" 'CREATE TABLE ballast (b); INSERT INTO ballast VALUES (randomblob(2000000))'
start --root "$work/tree"

# slowly RATE FILE [CURL OPTION...]: over the socket, which holds less than TCP does
slowly()
{
	exec curl -sS --limit-rate "$1" -o "$2" "${@:3}" --unix-socket "$socket" \
		http://localhost/api/v1/snapshot
}

slowly 25k "$work/slow" &
slow=$!
begin=$SECONDS
until_true 5 test -s "$work/slow"
kill -STOP $slow
sleep 20
kill -CONT $slow
is 503 "$(code /api/v1/snapshot -D "$work/head")" 'a second snapshot'
grep -q '^Retry-After: [0-9]' "$work/head" || fail 'nobody says when to ask again'
wait $slow || fail "a slow client was cut off after $((SECONDS - begin)) s, with $(stat -c %s "$work/slow") bytes"
"$fs" snapshot --check "$work/slow" >/dev/null
echo "all of it within $((SECONDS - begin)) s"

# What curl takes at once, however slow it shall be, may be enough for the first minute.
slowly 100 "$work/cut" &
slow=$!
begin=$SECONDS
until_true 5 test -s "$work/cut"
kill -STOP $slow
is 503 "$(code /api/v1/snapshot)" 'a second snapshot beside one that stands still'
until [ "$(code /api/v1/snapshot -o /dev/null)" = 200 ]; do
	[ $((SECONDS - begin)) -lt 150 ] || fail 'a client that takes nothing keeps its place for two minutes'
	sleep 1
done
echo "free again after $((SECONDS - begin)) s"
[ $((SECONDS - begin)) -ge 50 ] || fail 'it was given no time'
kill -KILL $slow
wait $slow 2>/dev/null || true
stop
echo ok
