#!/usr/bin/env bash
# dd moves the counters of the disk below it, and API, stock shell and kernel agree on them.
# label: long single
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3 dd

# The disk that holds this folder, if it is one that /proc/diskstats knows.
device=$(stat -c %d "$work")
disk=$(basename "$(readlink -f "/sys/dev/block/$((device >> 8 & 0xfff)):$((device & 0xff))" || true)")
[ -e "/sys/class/block/$disk/partition" ] &&
	disk=$(basename "$(dirname "$(readlink -f "/sys/class/block/$disk")")")
grep -q " $disk " /proc/diskstats || {
	echo "skipped: $work lies on no block device"
	exit 77
}
start
until_true 10 sh -c "curl -s '$url/api/v1/latest?collector=diskstats&node=$disk' | jq -e 'length == 1' >/dev/null"
sleep 2
from=$(date -u +%Y-%m-%dT%H:%M:%SZ)
before=$(get "/api/v1/latest?collector=diskstats&node=$disk" | jq '.[0].fields.write_sectors')
dd if=/dev/urandom of="$work/junk" bs=1M count=32 conv=fsync 2>/dev/null
sleep 2.5
after=$(get "/api/v1/latest?collector=diskstats&node=$disk" | jq '.[0].fields.write_sectors')
[ $((after - before)) -ge $((32 * 2048)) ] || fail "$disk: from $before to $after sectors while dd wrote 32 MiB"
get "/api/v1/query?metric=diskstats.write_bytes&node=$disk&from=$from&step=1s&agg=increase" >"$work/increase"
sum=$(jq '[.series[].points[][1] | select(. != null)] | add' "$work/increase")
[ "${sum%.*}" -ge $((32 << 20)) ] || fail "increase of write_bytes is $sum"

# The stock shell shows the same numbers as the API, and neither more than the kernel.
get "/api/v1/query?metric=diskstats.write_sectors&node=$disk&from=-1min&step=1s&agg=last" |
	jq -r '.series[].points[] | select(.[1] != null) | .[1]' | sort -un >"$work/api"
kernel=$(awk -v d="$disk" '$3 == d {print $10}' /proc/diskstats)
stop
sqlite3 -readonly "$work/f.db" "SELECT DISTINCT write_sectors FROM diskstats WHERE node = '$disk'" |
	sort -un >"$work/shell"
missing=$(comm -23 <(sort "$work/api") <(sort "$work/shell"))
[ -z "$missing" ] || fail "the shell lacks values of the API: $missing"
[ "$(tail -1 "$work/api")" -le "$kernel" ] || fail 'the API is ahead of the kernel'
[ "$(wc -l <"$work/api")" -ge 2 ] || fail 'the counter did not move in the API'
[ -n "$(sqlite3 -readonly "$work/f.db" "SELECT wall FROM diskstats_last WHERE node = '$disk' LIMIT 1")" ] ||
	fail 'nothing in diskstats_last'
echo ok
