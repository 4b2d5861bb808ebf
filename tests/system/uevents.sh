#!/usr/bin/env bash
# Uevents of this kernel: one has the nodes looked for at once, a storm of them costs few looks, and
# where none arrive the daemon says why.
# label: long
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq

discovery()
{
	ask /api/v1/status | jq -r ".discovery | $1"
}

at_least()
{
	[ "$(discovery "$1")" -ge "$2" ]
}

# Sockets of the daemon that listen to uevents: protocol 15 in the second column.
n_listeners()
{
	local n=0 inode

	while read -r inode; do
		n=$((n + $(awk -v inode="$inode" '$2 == 15 && $10 == inode' /proc/net/netlink | wc -l)))
	done < <(readlink "/proc/$daemon/fd/"* | sed -n 's/^socket:\[\(.*\)\]$/\1/p')
	echo "$n"
}

# A recorded tree makes no socket for them.
make_tree "$work/tree"
start --root "$work/tree"
get /api/v1/status | json '.discovery | .uevents == false and
	.reason == "a recorded tree has no uevents" and .rescan_interval_ms == 3600000' 'of a tree'
grep -q 'looks for new and vanished devices each 3600 s: a recorded tree' "$work/log" ||
	fail 'the log does not say how devices are noticed'
is 0 "$(n_listeners)" 'listeners of a daemon on a tree'
"$bin/flashscope" status --socket "$socket" | grep -q \
	'^discovery 0 rescans, each 1 h 0 min; a recorded tree has no uevents$' || fail 'status of a tree'
stop

# The kernel sends none into a network namespace that belongs to a user namespace.
if unshare -Urn true 2>/dev/null; then
	unshare -Urn "$bin/flashscoped" --db "$work/ns.db" --runtime-dir "$work/ns" --listen none \
		>"$work/ns.log" 2>&1 &
	daemon=$!
	until_true 10 grep -q '^socket ' "$work/ns.log"
	grep -q 'network namespace of a user namespace' "$work/ns.log" ||
		fail "in a user namespace: $(cat "$work/ns.log")"
	stop
fi

start
if ! discovery .uevents | grep -q true; then
	discovery .reason | grep -q . || fail 'no uevents, and no reason'
	echo "skipped: no uevents here: $(discovery .reason)"
	exit 77
fi
is 1 "$(n_listeners)" 'listeners of a daemon'
device=
for file in /sys/block/{loop,zram,ram}*/uevent; do
	if [ -w "$file" ] && ! [ -e "${file%/uevent}/loop" ]; then
		device=$file
		break
	fi
done
if [ -z "$device" ]; then
	echo "skipped: no unused pseudo disk whose uevent may be written"
	exit 77
fi

# One message, one look, soon.
before=$(discovery .n_rescans)
started=$(date +%s%N)
echo change >"$device"
until_true 3 at_least .n_rescans $((before + 1))
took=$((($(date +%s%N) - started) / 1000000))
[ $took -lt 1500 ] || fail "the look came after $took ms"
at_least .n_concerning 1 || fail 'no message was counted'
echo "a look $took ms after the message"

# A storm: five looks at the most in a row, one more each 10 s; the loop is not late for it.
for _ in $(seq 3000); do
	echo change >"$device"
done
until_true 20 at_least .n_rescans 2
ask /api/v1/status | json '.discovery.n_rescans <= 7' 'in a storm'
until_true 20 at_least .n_concerning 2
ask /api/v1/status | json '.sampling.n_missed_ticks == 0' 'ticks in a storm'
echo "in a storm of 3000: $(discovery '"\(.n_uevents) read, \(.n_overruns) overruns, \(.n_rescans) looks"')"
stop
