#!/usr/bin/env bash
# The way of a sample in a few seconds: from the node through the daemon to a poll, over SIGKILL into
# the file, and to a clean stop. The parts of it are tested at length elsewhere.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3
tree=$work/tree
make_tree "$tree"
printf '[store]\ncommit_interval = 1s\n[collector diskstats]\nperiod.diskstats = 100ms\n' >"$work/f.conf"

# disk READS: the tree's disk has had that many reads
disk()
{
	echo "   8       0 sda $1 5 2000 30 50 6 1000 40 0 60 70 1 2 3 4 5 6" >"$tree/proc/diskstats"
}

# polled READS: the daemon's newest answer has that many
polled()
{
	get '/api/v1/latest' | jq -e --argjson reads "$1" \
		'[.. | objects | .reads? | select(. == $reads)] | length > 0' >/dev/null
}

# in_file READS: so has the file
in_file()
{
	[ "$(sqlite3 -readonly "$work/f.db" 'SELECT max(reads) FROM diskstats' 2>/dev/null)" = "$1" ]
}

start --config "$work/f.conf" --root "$tree"
is ok "$(get /healthz)" healthz
until_true 5 polled 100
disk 1234
until_true 5 polled 1234
get /metrics | grep -q '^flashscope_diskstats_reads_total{.*} 1234' || fail '/metrics has no 1234 reads'
until_true 5 in_file 1234
"$bin/flashscope" status --socket "$socket" | grep -q sda || fail 'status does not name the disk'

kill -9 "$daemon"
wait "$daemon" 2>/dev/null || true
is ok "$(sqlite3 "$work/f.db" 'PRAGMA integrity_check')" 'the file after SIGKILL'
in_file 1234 || fail 'SIGKILL lost what was committed'

start --config "$work/f.conf" --root "$tree"
disk 5678
until_true 5 polled 5678
stop TERM
in_file 5678 || fail 'the stop did not commit'
is 1 "$(sqlite3 "$work/f.db" "SELECT count(*) FROM events WHERE kind='stop'")" 'stops in the file'
