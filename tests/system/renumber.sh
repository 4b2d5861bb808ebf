#!/usr/bin/env bash
# Disks that come back under other names, in a recorded tree that changes: what a disk is known by is
# its serial, so it goes on under its new name, and another disk under its old name is another one.
# label: long single
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3

tree=$work/tree

# machine NAME=SERIAL=READS...: the disks that it has from now on
machine()
{
	local disk name serial reads lines='' n=0

	rm -rf "$work/sys" "$work/old"
	for disk; do
		IFS='=' read -r name serial reads <<<"$disk"
		mkdir -p "$work/sys/block/$name/device"
		echo "$serial" >"$work/sys/block/$name/device/serial"
		lines+="8 $((16 * n)) $name $reads 5 2000 30 50 6 1000 40 0 60 70"$'\n'
		n=$((n + 1))
	done
	[ ! -e "$tree/sys" ] || mv "$tree/sys" "$work/old"
	mv "$work/sys" "$tree/sys"
	# As in /proc it stays the same file, and no read finds it half written.
	printf '%-1000s' "${lines%$'\n'}" | dd of="$tree/proc/diskstats" conv=notrunc bs=1000 status=none
}

# nodes_are 'NAME IDENTITY RUN GONE, ...'
nodes_are()
{
	[ "$(ask '/api/v1/nodes?collector=diskstats' |
		jq -r '[.[] | "\(.node) \(.identity) \(.run) \(.gone)"] | join(", ")')" = "$1" ]
}

came()
{
	ask '/api/v1/events?from=-1h' | jq -e --arg node "$1" --arg before "$2" 'any(.[];
		.kind == "node_came" and .node == $node and .evidence.before == $before)' >/dev/null
}

make_tree "$tree"
machine sda=S1=100 nvme0n2=N2=100 nvme0n10=N10=100
start --root "$tree"
until_true 10 nodes_are \
	'nvme0n2 serial:N2 1 false, nvme0n10 serial:N10 1 false, sda serial:S1 1 false'

# The disk has another name, and another disk has its name. The counts of the newcomer are far from
# those of the disk that had the name, so an increase across both would show.
machine sda=S2=900000 sdb=S1=110 nvme0n2=N2=100 nvme0n10=N10=100
until_true 20 nodes_are 'nvme0n2 serial:N2 1 false, nvme0n10 serial:N10 1 false, sda serial:S1 1 true, sda serial:S2 1 false, sdb serial:S1 2 false'
until_true 5 came sdb sda
sleep 1.2
ask '/api/v1/latest?collector=diskstats&node=serial:S1' | json 'length == 1 and
	.[0].node == "sdb" and .[0].fields.reads == 110' 'the disk by its serial'
query='/api/v1/query?metric=diskstats.reads&from=-1min&step=1s'
ask "$query&agg=last&node=serial:S1" | json '[.series[] | .node] | sort == ["sda", "sdb"]' \
	'its series under both names'
ask "$query&agg=increase&node=sda" | json '[.series[].points[][1] | select(. != null)] |
	all(. >= 0) and (add // 0) < 1000' 'increase under the name that two had'
ask "$query&agg=last&node=serial:S9" -o "$work/answer" -w '%{http_code}' >"$work/code"
is 400 "$(cat "$work/code")" 'status for a serial that never was'

# It comes back in its old place.
machine sda=S1=120 nvme0n2=N2=100 nvme0n10=N10=100
until_true 20 came sda sdb
sleep 2
stop
is 'sda|serial:S1|1|1
sdb|serial:S1|2|1
sda|serial:S1|3|0' "$(sqlite3 "$work/f.db" "SELECT node, identity, run, gone FROM nodes
	WHERE collector='diskstats' AND identity='serial:S1' ORDER BY run")" 'the disk in the file'
is 'sda|100
sdb|110
sda|120' "$(sqlite3 "$work/f.db" "SELECT node, max(reads) FROM (SELECT s.node, s.reads, n.run, n.id
	FROM diskstats s JOIN nodes n ON n.node=s.node AND n.collector='diskstats' AND
	n.identity='serial:S1' AND
	s.t BETWEEN n.first_ms AND n.last_ms + 500 WHERE s.reads<1000) GROUP BY id ORDER BY run")" \
	'its samples in the file'
