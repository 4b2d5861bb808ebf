#!/usr/bin/env bash
# label: slow nosan
# timeout: 600
# Kills the writer with SIGKILL at random moments, some eighty times on one file. After each kill:
# the file passes integrity_check, all that was said to be committed is there, each tick once.
# With a second argument it drives a program of its own: "PROGRAM..." is started with the file as
# its last argument, and of the group load is asked that each tick is there once.
# KILL_ROUNDS: how often (80). KILL_MAX_MS: the longest life (120, and what a first commit takes
# here, which is long with a sanitizer on a busy machine).
# Usage: kill_sweep.sh BUILD_DIR [PROGRAM...]
set -eu
build=$1
shift
rounds=${KILL_ROUNDS:-80}
max_ms=${KILL_MAX_MS:-}
command -v sqlite3 >/dev/null || { echo "the sqlite3 shell is missing"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
db=$work/kill.db
boot=1
next=1000

# A boot whose lives were all too short for a commit has no number in the file.
boot_is()
{
	echo "boot=(SELECT id FROM boot WHERE boot_id='boot-$boot')"
}

fail()
{
	echo "round $round: $*"
	exit 1
}

# An early kill may leave a file without tables.
has_table()
{
	[ "$(sqlite3 "$db" "SELECT count(*) FROM sqlite_master WHERE name='kill_rows'")" = 1 ]
}

# What the writer promised, and the promise of the tick before the kill: each boot counts by itself.
check()
{
	[ "$(sqlite3 "$db" 'PRAGMA integrity_check')" = ok ] || fail "the file is damaged"
	sqlite3 "$db" "SELECT count(*), count(DISTINCT t), min(t), max(t),
		total(a<>t/1000 OR b IS NOT CASE WHEN t/1000%11=3 THEN NULL ELSE t/1000%97 END
		OR c<>1 OR d<>t/1000*2654435761%1000003)
		FROM kill WHERE node='n1' AND $(boot_is)" >"$work/seen"
	IFS='|' read -r n distinct first last bad <"$work/seen"
	[ "$bad" = 0.0 ] || fail "$bad ticks have other values"
	[ "$n" = "$distinct" ] || fail "$n ticks, but only $distinct times"
	[ "$n" = 0 ] || [ "$n" = $(((last - first) / 1000 + 1)) ] || fail "holes between $first and $last"
	[ "$promised" = 0 ] || [ "${last:-0}" -ge "$promised" ] || fail "committed to $promised, found ${last:-nothing}"
	next=$((${last:-0} + 1000))
}

now_ms()
{
	date +%s%3N
}

# Prints the time from the start of a writer to its first promise.
first_commit_ms()
{
	local began pid

	began=$(now_ms)
	"$build/tests/kill_writer" "$work/first.db" 1000 first >"$work/first" 2>&1 &
	pid=$!
	until [ -s "$work/first" ]; do sleep 0.01; done
	echo $(($(now_ms) - began))
	kill -9 $pid
	wait $pid 2>/dev/null || true
}

if [ -z "$max_ms" ]; then
	max_ms=120
	[ $# -gt 0 ] || max_ms=$((120 + $(first_commit_ms)))
fi
for round in $(seq "$rounds"); do
	if [ $# -gt 0 ]; then
		"$@" "$db" >"$work/out" 2>"$work/err" &
	else
		"$build/tests/kill_writer" "$db" "$next" "boot-$boot" >"$work/out" 2>"$work/err" &
	fi
	pid=$!
	life_ms=$((RANDOM % max_ms + 2))
	sleep "$((life_ms / 1000)).$(printf %03d $((life_ms % 1000)))"
	kill -9 $pid 2>/dev/null || fail "it ended by itself: $(cat "$work/err")"
	wait $pid 2>/dev/null || true
	if [ $# -gt 0 ]; then
		[ "$(sqlite3 "$db" 'PRAGMA integrity_check')" = ok ] || fail "the file is damaged"
		[ "$(sqlite3 "$db" "SELECT count(*) FROM sqlite_master WHERE name='load'")" = 0 ] ||
			[ "$(sqlite3 "$db" 'SELECT count(*)=count(DISTINCT t) FROM load')" = 1 ] ||
			fail "a tick is there twice"
		continue
	fi
	promised=$(tail -n 1 "$work/out")
	# The line may be cut by the kill.
	[ -z "$(tail -c 1 "$work/out")" ] || promised=$(tail -n 2 "$work/out" | head -n 1)
	promised=${promised:-0}
	# Decoding all of it takes long: the whole now and then, a new boot after it.
	if [ $((round % 30)) = 0 ] && has_table; then
		check
		boot=$((boot + 1))
		next=1000
	else
		[ "$(sqlite3 "$db" 'PRAGMA integrity_check')" = ok ] || fail "the file is damaged"
		last=0
		! has_table || last=$(sqlite3 "$db" "SELECT max(t0+(n-1)*step) FROM kill_rows WHERE $(boot_is)")
		[ "$promised" = 0 ] || [ "${last:-0}" -ge "$promised" ] ||
			fail "committed to $promised, found ${last:-nothing}"
		next=$((${last:-0} + 1000))
	fi
done
echo "$rounds kills, $(sqlite3 "$db" 'PRAGMA page_count') pages"
