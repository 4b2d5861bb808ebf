#!/bin/bash
# Samples the dumps of real kernels in tests/dumps: what the files say is what comes out, no value is
# flagged and nothing fails that the kernel answered, and what is found stands in tests/dumps/expected.
# UPDATE=1 accepts the latter.
# timeout: 120
set -u
command -v jq >/dev/null || { echo "skipped: jq is not installed"; exit 77; }
flashscope=$1/bin/flashscope
dumps=$(cd "$(dirname "$0")/../dumps" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
failed=0

fail()
{
	echo "$name: $1"
	failed=1
}

# The lines of diskstats as the rows of the collector, in its order.
disks_of()
{
	awk 'BEGIN {
		split("reads reads_merged read_sectors read_time writes writes_merged write_sectors " \
			"write_time in_flight io_time weighted_io_time discards discards_merged " \
			"discard_sectors discard_time flushes flush_time", names, " ")
	}
	{
		printf "{\"node\":\"%s\",\"fields\":{", $3
		for (i = 4; i <= NF; i++)
			printf("%s\"%s\":%s", (i > 4) ? "," : "", names[i - 3], $i)
		print "}}"
	}' "$1/proc/diskstats"
}

check_values()
{
	disks_of "$1" | jq -cS . >"$work/wanted"
	jq -cS '.[] | select(.group == "diskstats") | {node, fields}' "$work/json" >"$work/got"
	cmp -s "$work/wanted" "$work/got" || fail "diskstats: $(diff "$work/wanted" "$work/got" | head -5)"
	jq -e 'map(.flags == {} and .faults == {}) | all' "$work/json" >/dev/null ||
		fail "flags or faults: $(jq -c 'map(select(.flags != {} or .faults != {}))' "$work/json")"
	jq -r '.[] | select(.group == "thermal") | "\(.node) \(.fields.temp)"' "$work/json" >"$work/zones"
	while read -r zone temp; do
		[ "$(cat "$1/sys/class/thermal/$zone/temp")" = "$temp" ] || fail "$zone: $temp"
	done <"$work/zones"
}

for archive in "$dumps"/*.tar.gz; do
	name=${archive##*/}
	name=${name%.tar.gz}
	mkdir "$work/$name"
	tar -xzf "$archive" -C "$work/$name" || fail "cannot be unpacked"
	"$flashscope" sample --json --partitions --root "$work/$name" >"$work/json" 2>"$work/err" ||
		fail "sample: $(cat "$work/err")"
	check_values "$work/$name"
	"$flashscope" probe --root "$work/$name" | sed 's/ *$//' >"$work/probe"
	if [ "${UPDATE:-}" = 1 ]; then
		mkdir -p "$dumps/expected"
		cp "$work/probe" "$dumps/expected/$name.probe"
	fi
	diff -u "$dumps/expected/$name.probe" "$work/probe" >"$work/diff" || fail "$(head -40 "$work/diff")"
done
exit $failed
