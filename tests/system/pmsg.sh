#!/usr/bin/env bash
# A machine that ends at once, with a ring that outlives it: the next boot has the seconds that no
# commit held. A pipe stands for /dev/pmsg0, a tree for the machine in its boots; what came out of the
# pipe last is what the next kernel finds.
# label: long
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3
tree=$work/tree
ring=$work/pmsg0
n=0
printf '[store]\ncommit_interval = 1h\npmsg = %s\n' "$ring" >"$work/f.conf"
mkfifo "$ring"

# boot: the next one, with the last bytes of what the one before has written
boot()
{
	rm -rf "$tree"
	make_tree "$tree"
	n=$((n + 1))
	printf '0a0a0a0a-1111-2222-3333-%012d\n' $n >"$tree/proc/sys/kernel/random/boot_id"
	mkdir -p "$tree/sys/fs/pstore"
	if [ -e "$work/written" ]; then
		{ tail -c 60000 "$work/written" && printf '\nNo errors detected\n'; } \
			>"$tree/sys/fs/pstore/pmsg-ramoops-0"
	fi
}

# Who opens a pipe for writing needs a reader, and the keeper may come late: both ends are held until
# the daemon is there.
start_here()
{
	exec 9<>"$ring"
	cat "$ring" 9>&- >>"$work/written" &
	keeper=$!
	start --root "$tree" --config "$work/f.conf"
	exec 9>&-
}

die()
{
	kill -9 "$daemon"
	wait "$daemon" 2>/dev/null || true
	daemon=
	wait "$keeper"
}

sql()
{
	sqlite3 -readonly "$work/f.db" "$1"
}

boot
start_here
get /api/v1/status | json '.store | .in_pmsg and .pmsg_reason == null' 'the ring'
sleep 5
get /api/v1/status | json '.store | .pmsg_bytes > 1000 and .n_not_in_pmsg == 0' 'what is in the ring'
last=$(get '/api/v1/latest?collector=load' | jq '.[0].boot_ms')
die
before=$(sql "SELECT coalesce(max(t), 0) FROM load WHERE boot = 1")
[ "$before" -lt "$last" ] || fail "the file has all without the ring: $before"

# The mirror is of this boot, so it is not what helps.
rm -f "$work"/run/mirror.*
boot
start_here
get '/api/v1/events?from=1970-01-01T00:00:00Z' | json 'map(select(.kind == "pmsg_recovered")) |
	length == 1 and .[0].boot == 2 and (.[0].evidence | .boot == 1 and .ticks > 0)' 'what came back'
grep -q 'boot 1: pmsg has kept' "$work/log" || fail 'the log does not say so'
[ "$(sql "SELECT max(t) FROM load WHERE boot = 1")" -ge "$last" ] ||
	fail "the tick of $last is lost"
is "$(sql 'SELECT count(*) FROM load WHERE boot = 1')" \
	"$(sql 'SELECT count(DISTINCT t) FROM load WHERE boot = 1')" 'ticks that are there twice'
get /api/v1/boots | json "map(select(.boot == 1)) | length == 1" 'the boot'

is_told()
{
	[ "$(sql "SELECT count(*) FROM event WHERE kind = 'pmsg_recovered'")" = 1 ]
}
until_true 15 is_told

# A daemon that starts again in this boot has nothing to do, and one that stops in order leaves nothing.
kill -9 "$daemon"
wait "$daemon" 2>/dev/null || true
wait "$keeper"
start_here
stop
wait "$keeper"
boot
start_here
stop
wait "$keeper"
boot
start_here
get '/api/v1/events?from=1970-01-01T00:00:00Z' | json '[.[] | select(.kind == "pmsg_recovered") | .evidence.boot] |
	map(select(. == 1)) == [1] and all(.[]; . != 3)' 'it came back once'
stop
wait "$keeper"
is ok "$(sql 'PRAGMA integrity_check')" 'the file'

# What is no device is left alone: a file would grow for ever.
rm "$ring"
: >"$ring"
start --root "$tree" --config "$work/f.conf"
get /api/v1/status | json '.store | (.in_pmsg | not) and .pmsg_reason == "it is no device"' 'a file'
stop
[ ! -s "$ring" ] || fail 'a file was written to'
echo ok
