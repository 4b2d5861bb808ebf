#!/usr/bin/env bash
# How a boot ended is told by the next one: trees of one machine in its boots.
# label: long single
# timeout: 300
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3
flashscope=$bin/flashscope
tree=$work/tree
n=0

# boot: the machine in its next boot, which has nothing left of the one before
boot()
{
	rm -rf "$tree"
	make_tree "$tree"
	n=$((n + 1))
	printf '0a0a0a0a-1111-2222-3333-%012d\n' $n >"$tree/proc/sys/kernel/random/boot_id"
	mkdir -p "$tree/sys/class/watchdog/watchdog0" "$tree/sys/fs/pstore" "$tree/run"
	echo 0 >"$tree/sys/class/watchdog/watchdog0/bootstatus"
	echo 'i6300ESB timer' >"$tree/sys/class/watchdog/watchdog0/identity"
}

start_here()
{
	start --root "$tree"
	sleep 1.2
}

die()
{
	until_true 15 sh -c "sqlite3 -readonly '$work/f.db' 'SELECT count(*) FROM event WHERE boot=$n' | grep -qv '^0'"
	kill -9 "$daemon"
	wait "$daemon" 2>/dev/null || true
	daemon=
}

# ended CAUSE CERTAINTY: of the boot before this one, by all that tell of it
ended()
{
	local before=$((n - 1))
	until_true 15 sh -c "curl -s '$url/api/v1/status' | jq -e '.last_boot.boot == $before' >/dev/null"
	get /api/v1/status | json ".last_boot | .cause == \"$1\" and .certainty == \"$2\"" "boot $before"
	until_true 15 sh -c "curl -s '$url/api/v1/boots' | jq -e '.[] | select(.boot == $before) | .end' >/dev/null"
	get /api/v1/boots | json ".[] | select(.boot == $before) | .end |
		.cause == \"$1\" and .certainty == \"$2\" and (.evidence.reasons | length) > 0" "boots"
	get '/api/v1/events?from=1970-01-01T00:00:00Z' | json "[.[] | select(.kind == \"boot_ended\" and
		.evidence.boot == $before)] | length == 1 and .[0].node == null and .[0].boot == $n and
		.[0].evidence.cause == \"$1\"" 'event'
	is "$1|$2" "$(sqlite3 -readonly "$work/f.db" "SELECT ended, certainty FROM boots WHERE boot = $before")" 'view'
}

# Boot 1 is stopped as the machine goes down; the first boot of a file tells of none.
boot
start_here
get /api/v1/status | json '.last_boot == null' 'no boot before'
echo 'System is going down. Unprivileged users are not permitted to log in anymore.' >"$tree/run/nologin"
stop
"$flashscope" boots --db "$work/f.db" >"$work/boots"
grep -q '^BOOT *BEGAN *UP AT LEAST' "$work/boots" || fail "$(cat "$work/boots")"
for wrong in "$tree" "--root $tree" "$work/f.db"; do
	status=0
	# shellcheck disable=SC2086
	"$flashscope" boots $wrong 2>"$work/said" || status=$?
	[ $status = 2 ] || fail "boots $wrong: status $status"
	grep -q -e '--db' "$work/said" || fail "boots $wrong: $(cat "$work/said")"
done
grep -q 'not known here: decided when the next boot starts; the recorder was stopped as the machine went down' \
	"$work/boots" || fail "$(cat "$work/boots")"

# Boot 2 says so, though a watchdog did the reset and there is a record of a panic long ago.
boot
echo 32 >"$tree/sys/class/watchdog/watchdog0/bootstatus"
printf 'Panic#1 Part1\n<0>[  1.0] Kernel panic - not syncing: old\n' >"$tree/sys/fs/pstore/dmesg-ramoops-0"
touch -d '2026-01-01' "$tree/sys/fs/pstore/dmesg-ramoops-0"
start_here
ended clean_stop likely
get /api/v1/boots | json '.[0].end.evidence | .watchdogs[0].flags == ["CARDRESET"] and
	.recorder.machine == "going_down" and (.records[0] | .kind == "panic" and (.counts | not))' evidence

# A run that is killed is no end of the boot.
die
start_here
get '/api/v1/events?from=1970-01-01T00:00:00Z' |
	json '([.[] | select(.kind == "daemon_crashed")] | length == 1) and
		([.[] | select(.kind == "boot_ended")] | length == 1)' 'a crash of the daemon'
get /api/v1/status | json '.last_boot.cause == "clean_stop"' 'status after it'

# Boot 2 ends by a panic; the older record is still there.
old=$(cat "$tree/sys/fs/pstore/dmesg-ramoops-0")
die
boot
printf '%s\n' "$old" >"$tree/sys/fs/pstore/dmesg-ramoops-0"
# In EFI variables, where the highest part is the oldest.
{
	printf 'Panic#2 Part2\n'
	for i in $(seq 200); do printf '<6>[ %3d.000000] a line\n' "$i"; done
} >"$tree/sys/fs/pstore/dmesg-efi-179600000002001"
printf 'Panic#2 Part1\n<0>[  201.5] Kernel panic - not syncing: sysrq triggered crash\n<4>[  201.6] \033Call Trace:\n' \
	>"$tree/sys/fs/pstore/dmesg-efi-179600000001001"
start_here
ended kernel_crash certain
get /api/v1/boots | json '.[1].end.evidence | .last_lines.from == "sys/fs/pstore/dmesg-efi-179600000001001" and
	(.last_lines.lines | length) == 40 and (.last_lines.lines[-2] | test("sysrq triggered crash")) and
	([.records[] | select(.counts)] | length) == 1' 'lines'
"$flashscope" boots --socket "$socket" 2 >"$work/boots"
grep -q 'because .*panic.* -> kernel_crash, certain' "$work/boots" || fail "$(cat "$work/boots")"
grep -q '^by .*panic.*: sysrq triggered crash$' "$work/boots" || fail "$(cat "$work/boots")"
! grep -q "$(printf '\033')" "$work/boots" || fail 'control characters'
"$flashscope" status --socket "$socket" | grep -q '^last boot  2: the kernel crashed (certain)' || fail 'status'

# Boot 3 ends by the watchdog; what was accounted is not accounted again.
cp -r "$tree/sys/fs/pstore" "$work/pstore"
die
boot
cp "$work/pstore/"* "$tree/sys/fs/pstore/"
echo 32 >"$tree/sys/class/watchdog/watchdog0/bootstatus"
start_here
ended watchdog likely
get /api/v1/boots | json '.[2].end.evidence.records | all(.counts | not)' 'accounted'

# Boot 4 is stopped by somebody, and its power is cut: nobody knows.
stop
boot
start_here
ended daemon_gone possible

# Boot 5: systemd-pstore has moved the record; the console says that it got too hot.
die
boot
mkdir -p "$tree/var/lib/systemd/pstore/1796000000/001"
read -r up _ </proc/uptime
printf '[ %s] thermal thermal_zone0: critical temperature reached\n[ %s] reboot: Power down\n' "$up" "$up" \
	>"$tree/var/lib/systemd/pstore/1796000000/001/console-ramoops-0"
mkdir -p "$tree/dev"
printf '3,1,%s000000,-;I/O error, dev sda, sector 4242 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2\n' \
	"${up%.*}" >"$tree/dev/kmsg"
start_here
ended thermal_shutdown certain

# Boot 6: a power cut. The records of old are readable again, and the panic is not accounted again.
# Without a record of the kernel's last words, what the recorder kept of its log is shown.
until_true 15 sh -c "sqlite3 -readonly '$work/f.db' 'SELECT kind FROM event WHERE boot=$n' | grep -q kernel_io"
die
boot
cp "$work/pstore/"* "$tree/sys/fs/pstore/"
start_here
ended reset_or_power_cut possible
get /api/v1/boots | json '.[5].end.evidence.records | length == 2 and all(.counts | not)' 'accounted for long ago'
get /api/v1/boots | json '.[5].end.evidence.last_lines | .from == "events" and
	(.lines[0] | startswith("I/O error, dev sda, sector 4242"))' 'lines of events'
"$flashscope" boots --socket "$socket" 6 >"$work/boots"
grep -q "^what the recorder kept of the kernel's log:" "$work/boots" || fail "$(cat "$work/boots")"
stop
"$flashscope" boots --db "$work/f.db" --json | json 'length == 7 and .[6].end == null and .[5].end.cause == "reset_or_power_cut"' 'file'

# A file of an earlier version opens, and goes on.
sqlite3 "$work/f.db" 'DROP VIEW boots; DROP TABLE boot_end'
"$flashscope" boots --db "$work/f.db" --json | json 'length == 7 and all(.end == null)' 'an older file'
boot
start_here
until_true 15 sh -c "curl -s '$url/api/v1/boots' | jq -e '.[6].end' >/dev/null"
stop

# Boot 9: its id cannot be read, so it may be boot 8; it is alive as boot 8 is asked for.
rm "$tree/proc/sys/kernel/random/boot_id"
start_here
get /api/v1/boots | json 'length == 9 and (map(.boot_id_is_own) | index(true)) == 8 and .[8].current and
	(.[7].end_note | startswith("not decided: the kernel'"'"'s boot id could not be read after it"))' 'no boot id'
"$flashscope" boots --socket "$socket" | grep -qx "boot id made up, as the kernel's could not be read: boot 9" ||
	fail 'boots do not say that a boot id was made up'
stop
