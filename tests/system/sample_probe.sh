#!/usr/bin/env bash
# flashscope sample and probe: one tree, series of trees with and without clocks of their own, this
# machine, and wrong usage.
set -eu
flashscope=$1/bin/flashscope
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail()
{
	echo "$1"
	exit 1
}
# expect STATUS TEXT ARGUMENT...: exit status, and a text that stdout or stderr has
expect()
{
	status=0
	said=$("$flashscope" "${@:3}" 2>&1) || status=$?
	[ "$status" = "$1" ] || fail "flashscope ${*:3}: exit status $status, not $1: $said"
	case $said in
	*"$2"*) ;;
	*) fail "flashscope ${*:3}: no '$2' in: $said" ;;
	esac
}
# tree NAME READS UPTIME
tree()
{
	mkdir -p "$dir/$1/proc"
	echo "8 0 sda $2 0 0 0 0 0 0 0 0 0 0" >"$dir/$1/proc/diskstats"
	[ -z "$3" ] || echo "$3 1.0" >"$dir/$1/proc/uptime"
}

tree a 100 ""
tree b 150 ""
tree c 120 ""
expect 0 '"node":"sda","fields":{"reads":100,' sample --root "$dir/a" --json
expect 0 '"faults":{},"flags":{},' sample --root "$dir/a" --json diskstats
expect 0 '"rates":{"reads":50,' sample --root "$dir/a" --root "$dir/b" --json diskstats
expect 0 '"rates":{"reads":5,' sample --root "$dir/a" --root "$dir/b" --interval 10s --json
expect 0 '"flags":{"reads":"reset",' sample --root "$dir/b" --root "$dir/c" --json
expect 0 '"rates":{"reads":null,' sample --root "$dir/b" --root "$dir/c" --json

# Clocks of the trees count when all have one.
tree a 100 1000.00
tree b 150 1002.50
expect 0 '{"t":2500,' sample --root "$dir/a" --root "$dir/b" --json
expect 0 '"rates":{"reads":20,' sample --root "$dir/a" --root "$dir/b" --json
# A clock that falls is another boot: nothing to divide by.
expect 0 '"rates":{"reads":null,' sample --root "$dir/b" --root "$dir/a" --json

# Every object stands on a line of its own, inside one array.
lines=$("$flashscope" sample --root "$dir/a" --json | sed -e 1d -e '$d' | grep -cv '^{.*},\{0,1\}$' || true)
[ "$lines" = 0 ] || fail "$lines lines are no objects"
mkdir "$dir/empty"
[ "$("$flashscope" sample --root "$dir/empty" --json | tr -d '\n')" = "[]" ] || fail "an empty tree"
expect 1 'load: no_node: /proc/loadavg' sample --root "$dir/empty"
expect 1 'there is nothing to show' sample --root "$dir/empty" --root "$dir/empty" --json
# Fields in the kernel's unit, in the table as in JSON; what is made from them is for people.
echo '8 0 sda 100 0 3000 0 0 0 0 0 0 0 0' >"$dir/a/proc/diskstats"
echo '8 0 sda 101 0 3001 0 0 0 0 0 0 0 0' >"$dir/b/proc/diskstats"
expect 0 'read_sectors [sectors]' sample --root "$dir/a" diskstats
"$flashscope" sample --root "$dir/a" diskstats | grep -qw 3000 || fail "sectors are not shown as sectors"
echo "1003.00 1.0" >"$dir/b/proc/uptime"
expect 0 'read_sectors [sectors/s]' sample --root "$dir/a" --root "$dir/b" diskstats
expect 0 '0.3333' sample --root "$dir/a" --root "$dir/b" diskstats
expect 0 '170.7 B/s' sample --root "$dir/a" --root "$dir/b" diskstats

# This machine.
expect 0 '"collector":"load"' sample --json
expect 0 '"t":' sample --interval 50ms --json load
[ "$("$flashscope" sample --interval 50ms --count 3 --json load | grep -c '"load1"')" = 3 ] ||
	fail "three samples were asked for"
expect 0 'load1' sample
expect 0 'COLLECTOR' probe
expect 0 '"collector":"load","node":"","state":"ok"' probe --json
expect 0 '"state":"no_node"' probe --root "$dir/empty" --json load

# A table for people is not cut when it is piped.
"$flashscope" probe --root "$dir/empty" | grep -q 'mount procfs on /proc' || fail "the table is cut"

expect 2 'no such collector: nope' sample nope
expect 2 'no such collector: nope' probe nope
expect 1 "$dir/none" sample --root "$dir/none"
expect 1 "$dir/none" probe --root "$dir/none"
expect 2 '--interval' sample --interval 0s
expect 2 '--interval' sample --interval tomorrow
expect 2 '--count' sample --count 0
expect 2 '--count' sample --root "$dir/a" --root "$dir/b" --count 2
expect 2 "unrecognized option '--nonsense'" sample --nonsense
expect 2 "unrecognized option '--nonsense'" probe --nonsense
expect 0 'Usage' sample --help
expect 0 'Usage' probe --help
