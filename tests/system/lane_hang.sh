#!/usr/bin/env bash
# label: long
# A node that hangs in the kernel (a file system that takes a read and does not answer it) is a state
# of that node: the fast ticks stay on time, the other nodes come back with another lane, and the
# node comes back when it answers again.
set -eu
build=$1

skip()
{
	echo "$1"
	exit 77
}
[ "$(id -u)" = 0 ] || skip "mounting a file system over a file needs root"
[ -w /dev/fuse ] || skip "no /dev/fuse"
[ -x "$build/tests/hangfs" ] || skip "hangfs was not built: no libfuse3"
command -v fusermount3 >/dev/null || skip "no fusermount3"

dir=$(mktemp -d)
zones=$dir/root/sys/class/thermal
hanging=$zones/thermal_zone1/temp
cleanup()
{
	rm -f "$dir/hang"
	fusermount3 -u "$hanging" 2>/dev/null || umount -l "$hanging" 2>/dev/null || true
	wait
	rm -rf "$dir"
}
trap cleanup EXIT

for i in 0 1 2; do
	mkdir -p "$zones/thermal_zone$i"
	echo "${i}5000" >"$zones/thermal_zone$i/temp"
	echo "zone-$i" >"$zones/thermal_zone$i/type"
done
mkdir "$dir/root/proc"
echo "0.10 0.20 0.30 1/99 1234" >"$dir/root/proc/loadavg"

"$build/tests/hangfs" "$hanging" "$dir/hang" &
for _ in $(seq 50); do
	[ "$(cat "$hanging")" = 47312 ] && break
	sleep 0.1
done
[ "$(cat "$hanging")" = 47312 ] || skip "the file system could not be mounted here"

"$build/tests/lane_watch" "$dir/root" 14 >"$dir/out" &
watch=$!
sleep 3
touch "$dir/hang"
sleep 6
held=$(ps -o pid=,stat=,comm= --ppid "$watch" | grep -c ' D.*flashscope-lane' || true)
rm "$dir/hang"
wait "$watch"
cat "$dir/out"

fail()
{
	echo "$1"
	exit 1
}
# in ORDER: the patterns are found in the output, each behind the one before
in_order()
{
	line=0
	for pattern in "$@"; do
		found=$(tail -n +$((line + 1)) "$dir/out" | grep -nE "$pattern" | head -1 | cut -d: -f1)
		[ -n "$found" ] || fail "missing behind line $line: $pattern"
		line=$((line + found))
	done
}
[ "$held" = 1 ] || fail "$held lanes are held by the kernel, one is expected: does it hang at all?"
in_order \
	'rows thermal .* thermal_zone0=5000 thermal_zone1=47312 thermal_zone2=25000' \
	'state thermal thermal_zone1 hung age [0-9]+' \
	'rows thermal .* thermal_zone0=5000 thermal_zone1=ETIME thermal_zone2=25000' \
	'nodes thermal_zone1=hung:[1-9][0-9]{3}' \
	'state thermal thermal_zone1 ok' \
	'rows thermal .* thermal_zone0=5000 thermal_zone1=47312 thermal_zone2=25000'
! grep -qE 'state thermal thermal_zone[02]' "$dir/out" || fail "another zone was blamed"

# The deadline of the lane is 1 s; a fast tick that had waited for it would be that late.
late=$(sed -n 's/.* late_max_ms \([0-9]*\) .*/\1/p' "$dir/out")
[ "$late" -lt 800 ] || fail "a fast tick was $late ms late"
grep -qE '^end ticks [0-9]+ missed 0 ' "$dir/out" || fail "the loop missed ticks of its own"
echo "the latest fast tick was $late ms late while a lane hung in the kernel"
