#!/usr/bin/env bash
# SIGKILL at any moment, some hundred times: the file opens clean, loses nothing that was committed,
# and the daemon goes on with it. Four daemons at a time, each with a file of its own.
# label: slow nosan
# timeout: 600
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need sqlite3
rounds=${KILL_ROUNDS:-25}
make_tree "$work/tree"
printf '[store]\ncommit_interval = 1s\nsize_max = 4MiB\n[collector load]\nperiod.load = 100ms\n' >"$work/f.conf"

# what FILE: number of ticks in it, after a check of all of it
what()
{
	local said
	said=$(sqlite3 -readonly "$1" 'PRAGMA integrity_check; SELECT count(*) FROM load;
		SELECT count(*) FROM load_last; SELECT count(*) FROM events' 2>&1) || {
		echo "$1: $said"
		return 1
	}
	[ "$(head -1 <<<"$said")" = ok ] || {
		echo "$1: $said"
		return 1
	}
	sed -n 2p <<<"$said"
}

# Prints how long a daemon needs here for its first commit with a sample in it; a life that is killed
# may be that long and three seconds.
first_commit_ms()
{
	local began pid dir=$work/first

	mkdir "$dir"
	began=$(date +%s%3N)
	"$bin/flashscoped" --config "$work/f.conf" --root "$work/tree" --db "$dir/f.db" \
		--runtime-dir "$dir/run" --listen none >"$dir/log" 2>&1 &
	pid=$!
	until [ "$(sqlite3 -readonly "$dir/f.db" 'SELECT count(*) > 0 FROM load_last' 2>/dev/null)" = 1 ]; do
		sleep 0.05
	done
	echo $(($(date +%s%3N) - began))
	kill -9 $pid
	wait $pid 2>/dev/null || true
}

# one NUMBER: kills a daemon after random times
one()
{
	local dir=$work/$1 before=0 after pid i life_ms
	RANDOM=$1
	mkdir "$dir"
	for ((i = 0; i < rounds; i++)); do
		"$bin/flashscoped" --config "$work/f.conf" --root "$work/tree" --db "$dir/f.db" \
			--runtime-dir "$dir/run" --listen none >"$dir/log" 2>&1 &
		pid=$!
		life_ms=$((RANDOM % max_ms))
		sleep "$((life_ms / 1000)).$(printf %03d $((life_ms % 1000)))"
		kill -9 $pid || {
			echo "round $i: the daemon had ended by itself"
			cat "$dir/log"
			return 1
		}
		wait $pid 2>/dev/null || true
		[ -e "$dir/f.db" ] || continue
		# Killed before the file was made: the next start makes it.
		if [ "$before" = 0 ] && [ -z "$(sqlite3 -readonly "$dir/f.db" .tables)" ]; then
			continue
		fi
		after=$(what "$dir/f.db") || {
			echo "round $i: $after"
			return 1
		}
		[ "$after" -ge "$before" ] || {
			echo "round $i: $before ticks were there, now $after"
			return 1
		}
		before=$after
	done
	echo "$rounds kills, $before ticks"
	[ "$before" -gt 0 ]
}

max_ms=$((3000 + $(first_commit_ms)))
pids=()
for number in 1 2 3 4; do
	one $number >"$work/said.$number" 2>&1 &
	pids+=($!)
done
status=0
for number in 1 2 3 4; do
	wait "${pids[$((number - 1))]}" || status=1
	cat "$work/said.$number"
done
exit $status
