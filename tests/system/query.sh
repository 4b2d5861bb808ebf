#!/usr/bin/env bash
# flashscope query: daemon and file give the same answer, in every form, and mistakes are named.
# label: long
set -eu
bin=$(cd "${1:?build directory}" && pwd -P)/bin
work=$(mktemp -d)
daemon=
stop()
{
	[ -z "$daemon" ] || { kill "$daemon" && wait "$daemon"; } 2>/dev/null || true
	daemon=
}
trap 'stop; rm -rf "$work"' EXIT
sock=$work/run/flashscoped.sock
db=$work/flashscope.db

fail()
{
	echo "$*"
	exit 1
}

query()
{
	"$bin/flashscope" query "$@"
}

# refused STATUS TEXT ARGUMENT...: the command fails with that status and says TEXT
refused()
{
	local status=$1 text=$2 said is=0

	shift 2
	said=$(query "$@" 2>&1 >"$work/out") || is=$?
	[ "$is" = "$status" ] || fail "query $*: exit status $is, not $status: $said"
	[ ! -s "$work/out" ] || fail "query $*: an answer beside the error"
	case $said in
	*"$text"*) ;;
	*) fail "query $*: said \"$said\" instead of $text" ;;
	esac
}

"$bin/flashscoped" --db "$db" --runtime-dir "$work/run" --listen 127.0.0.1:0 \
	--log-level warning &
daemon=$!
for _ in $(seq 100); do
	query load.threads --socket "$sock" --from -1min --csv 2>/dev/null | grep -q ,system,. && break
	sleep 0.1
done
sleep 3

# While it runs: people and programs.
to=$(date +%s)
window="--from $((to - 20)) --to $to --step 1s"
# shellcheck disable=SC2086
{
	query load.threads --socket "$sock" $window --json >"$work/daemon.json"
	query load.threads --socket "$sock" $window --csv >"$work/daemon.csv"
	query load.threads --socket "$sock" $window >"$work/daemon.txt"
	query self.cpu_time --socket "$sock" --from -1min --step 10s --agg last >/dev/null
}
head -1 "$work/daemon.csv" | grep -qx wall,boot,boot_ms,node,value,flag || fail "CSV without its header"
[ "$(grep -c ,system,. "$work/daemon.csv")" -ge 3 ] || fail "less than 3 values: $(cat "$work/daemon.csv")"
grep -q '^load.threads, mean in steps of 1 s: Threads that exist.$' "$work/daemon.txt" ||
	fail "no title: $(head -1 "$work/daemon.txt")"
grep -q '^END OF STEP  *system$' "$work/daemon.txt" || fail "no column for the node"
[ "$(wc -l <"$work/daemon.txt")" -gt 4 ] || fail "a short table"

refused 2 'metric: "load.thread": the group has no such quantity; did you mean load.threads' \
	load.thread --socket "$sock"
refused 2 'node: load never had a node "moon"; it knows system' load.threads --node moon --socket "$sock"
refused 2 'agg: threads has no rate' load.threads --agg rate --socket "$sock"
refused 2 'step: 86400 points are too many' load.threads --from -1d --step 1s --socket "$sock"
refused 2 'from: "soon" is no time' load.threads --from soon --socket "$sock"
refused 1 'no daemon can be reached' load.threads --socket "$work/none"
refused 2 "which METRIC"
refused 2 "one METRIC at a time" load.threads load.load1

# The file that it left tells the same.
stop
# What is not there says why it may be so, and what to do about it.
query ufs_monitor.read_req_latency_avg --db "$db" 2>&1 | tr '\n' ' ' |
	grep -q 'no samples.* when: the monitor is off.*as root: echo 1 > .*nothing was sampled.*, or nothing was counted.*ufs_monitor was not sampled when this was recorded: ' ||
	fail "no word of why there is no sample"
# shellcheck disable=SC2086
{
	query load.threads --db "$db" $window --json >"$work/file.json"
	query load.threads --db "$db" $window --csv >"$work/file.csv"
	query load.threads --db "$db" $window >"$work/file.txt"
}
for form in json csv txt; do
	diff -u "$work/daemon.$form" "$work/file.$form" || fail "daemon and file differ ($form)"
done
first=$(sed -n 2p "$work/file.csv" | cut -d, -f2,3 | tr , +)
query load.threads --db "$db" --from "$first" --to "$to" --step 1s --csv >"$work/boot.csv"
[ "$(wc -l <"$work/boot.csv")" -ge 2 ] || fail "no answer from boot time $first"

# And so does the stock shell: a step of one second holds one tick.
if command -v sqlite3 >/dev/null; then
	query load.threads --db "$db" --from -1min --step 1s --agg last --csv | tail -n +2 |
		cut -d, -f5 | grep . >"$work/values"
	sqlite3 "$db" "SELECT threads FROM load ORDER BY t" >"$work/shell"
	[ -s "$work/shell" ] || fail "the shell finds nothing"
	diff -u "$work/values" "$work/shell" || fail "query and the stock shell differ"
fi

# A window without values is told from one in which every sample failed.
if command -v sqlite3 >/dev/null; then
	sqlite3 "$db" ".backup $work/faults.db"
	sqlite3 "$work/faults.db" "INSERT INTO fault(boot,t,node,grp,field,error)
		SELECT boot, -1000000000, id, 'load', 'threads', 'EINVAL' FROM node WHERE collector = 'load'"
	window_before="--from -2h --to -1h --db $work/faults.db"
	# shellcheck disable=SC2086
	query load.threads $window_before 2>&1 >/dev/null | grep -q 'system: every sample failed: EINVAL since 2' ||
		fail 'does not say that every sample failed'
	# shellcheck disable=SC2086
	! query load.load1 $window_before 2>&1 >/dev/null | grep -q failed || fail 'the fault of another field'
fi

# Where no daemon answers the usual file is read, and that is said.
if [ ! -e /run/flashscope/flashscoped.sock ]; then
	mkdir -p "$work/home/var"
	ln -s "$db" "$work/home/var/flashscope.db"
	# shellcheck disable=SC2086
	(cd "$work/home" && query load.threads $window --csv) >"$work/usual.csv" 2>"$work/said"
	diff -u "$work/file.csv" "$work/usual.csv" || fail "the usual file differs"
	grep -q 'no daemon answers; this is var/flashscope.db' "$work/said" ||
		fail "does not say that it reads a file: $(cat "$work/said")"
fi

refused 2 'node: load never had a node "moon"' load.threads --node moon --db "$db"
refused 2 'names a boot that is not in this file' load.threads --from 77+0 --db "$db"
echo nonsense >"$work/other"
refused 1 'is no flashscope database' load.threads --db "$work/other"
refused 1 'No such file' load.threads --db "$work/none"
