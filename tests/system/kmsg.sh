#!/usr/bin/env bash
# label: slow
# The kernel's log becomes events and counts: of a recorded tree, again after a restart, and of this
# machine by a daemon that may not open it itself.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3
flashscope=$bin/flashscope
cp -r "$(cd "$(dirname "$0")/.." && pwd -P)/fixtures/x86/root" "$work/tree"
# As in all boots of one machine; without it each start is another boot.
mkdir -p "$work/tree/dev" "$work/tree/proc/sys/kernel/random"
echo 5a1b0f2c-7a34-4a55-9df1-2f4f5e3b6a01 >"$work/tree/proc/sys/kernel/random/boot_id"

log_is()
{
	get /api/v1/status | jq -e ".kernel_log | $1" >/dev/null
}

# events_are JQ: of those of the kernel's log
events_are()
{
	get '/api/v1/events?from=1970-01-01T00:00:00Z' |
		jq -e "[.[] | select(.kind | startswith(\"kernel_\"))] | $1" >/dev/null ||
		fail "events are not: $1: $(get '/api/v1/events?from=1970-01-01T00:00:00Z')"
}

# A tree without a log says so, and what to do.
start --root "$work/tree"
log_is '.followed == false and (.reason | test("recorded")) and (.advice | test("dev/kmsg"))' ||
	fail "$(get /api/v1/status)"
"$flashscope" status --socket "$socket" >"$work/status"
grep -q '^kernel log not followed: .*recorded' "$work/status" || fail "$(cat "$work/status")"
stop
"$flashscope" probe kmsg --root "$work/tree" >"$work/probe" || true
grep -q 'kmsg.*no_node.*recorded' "$work/probe" || fail "$(cat "$work/probe")"

# 5000 lines about a drive and its partition are one incident; what a process wrote is none.
{
	printf '6,100,1000000,-;Linux version 6.1\n'
	for i in $(seq 0 4999); do
		printf '3,%d,%d,-;I/O error, dev nvme0n1, sector %d op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2\n' \
			$((101 + i)) $((2000000 + i)) $((16384 + 8 * i))
		printf ' SUBSYSTEM=block\n DEVICE=b259:0\n'
	done
	printf '3,5101,2100000,-;Buffer I/O error on dev nvme0n1p1, logical block 2048, async page read\n'
	printf '11,5102,2200000,-;I/O error, dev sda, sector 1 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2\n'
	printf '6,5110,2300000,-;nothing\n'
} >"$work/tree/dev/kmsg"
rm -f "$work/f.db"*
start --root "$work/tree"
until_true 10 log_is '.followed and .n_records == 5004 and .n_lost == 7 and .n_incidents == 1 and .n_open_incidents == 0'
log_is '.reason == null and .n_unreadable == 0' || fail "$(get /api/v1/status)"
events_are 'length == 1 and (.[0] | .node == "nvme0" and .collector == "kmsg" and .boot_ms == 2000 and
	.boot_ms_end >= 2004 and .evidence.count == 5001 and .evidence.first_sector == 16384 and
	.evidence.last_sector == 56376 and (.evidence.lines | length) >= 2)'
is 0 "$(get /api/v1/status | jq .sampling.n_missed_ticks)" 'missed ticks'
"$flashscope" events --socket "$socket" >"$work/events"
grep -q 'kernel_.*kmsg nvme0.*5001 messages' "$work/events" || fail "$(cat "$work/events")"
"$flashscope" status --socket "$socket" | grep -q '^kernel log 5004 records, 7 lost, 1 incidents' || fail 'status'
until_true 20 sh -c "curl -s '$url/api/v1/latest?collector=kmsg' | jq -e '
	([.[] | select(.node == \"nvme0\") | .fields.findings] == [5001]) and
	([.[] | select(.node == \"sda\") | .fields.findings] == [0]) and
	([.[] | select(.node == \"kmsg\") | .fields.lost] == [7])' >/dev/null"
get /metrics >"$work/metrics"
grep -q 'kernel_incidents.*nvme0' "$work/metrics" || fail 'no metrics of incidents'
stop
is 1 "$(sqlite3 "$work/f.db" "SELECT count(*) FROM event WHERE kind LIKE 'kernel_%'")" 'events in the file'
is 5111 "$(sqlite3 "$work/f.db" 'SELECT next FROM log_position')" 'position'

# The next run goes on behind it.
printf '3,5111,3000000,-;I/O error, dev sda, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2\n' \
	>>"$work/tree/dev/kmsg"
start --root "$work/tree"
until_true 10 log_is '.followed and .n_records == 1 and .n_lost == 0'
events_are 'length == 2 and .[1].node == "sda"'
stop

# This machine's.
[ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/dmesg_restrict 2>/dev/null)" = 1 ] &&
	dd if=/dev/kmsg of=/dev/null bs=8k count=1 iflag=nonblock 2>/dev/null || {
	echo 'skipped: this machine does not keep its log from others, or from us'
	exit 0
}
nobody=$(id -u nobody)
chmod 755 "$work"
mkdir "$work/bin" "$work/live"
cp "$bin/flashscoped" "$bin/flashscope-helper" "$work/bin"
bin=$work/bin
chown "$nobody" "$work/live"
printf '[daemon]\nuser = nobody\n' >"$work/nobody.conf"

start_live()
{
	: >"$work/log"
	"$@" --db "$work/live/f.db" --runtime-dir "$work/live/run" --listen 127.0.0.1:0 --root / >>"$work/log" 2>&1 &
	daemon=$!
	until_true 15 grep -q '^open http' "$work/log"
	url=$(sed -n 's,^open \(http://[^/]*\)/.*,\1,p' "$work/log")
}

# With a helper, the descriptor is all that the daemon has of it: to be read, by no right of its own.
start_live "$bin/flashscoped" --config "$work/nobody.conf"
until_true 15 log_is '.followed and .n_records > 0'
is 0000000000000000 "$(sed -n 's/^CapEff:[[:space:]]*//p' "/proc/$daemon/status")" 'capabilities of the daemon'
for fd in "/proc/$daemon/fd/"*; do
	[ "$(readlink "$fd")" = /dev/kmsg ] || continue
	grep -q '^flags:.*[04]$' "/proc/$daemon/fdinfo/${fd##*/}" || fail 'the log is open for writing'
	found=yes
done
[ "${found:-}" = yes ] || fail 'the daemon has no log open'
stop
# Without one it says what is missing.
chown -R "$nobody" "$work/live"
start_live setpriv --reuid "$nobody" --regid "$nobody" --clear-groups "$bin/flashscoped"
until_true 15 log_is '.followed == false and (.reason | test("dmesg_restrict")) and (.advice | test("flashscope-helper"))'
stop
