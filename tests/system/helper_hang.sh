#!/usr/bin/env bash
# label: slow
# A device that does not answer a command, held by the kernel: its worker hangs alone, the others are
# sampled, the daemon stops as ever, and the helper says at its stop which process it waits for.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3 ps
skip()
{
	echo "skipped: $1"
	exit 77
}
[ "$(id -u)" = 0 ] || skip 'mounting a file system over a file needs root'
[ -w /dev/fuse ] || skip 'no /dev/fuse'
hangfs=$1/tests/hangfs
[ -x "$hangfs" ] || skip 'hangfs was not built: no libfuse3'
command -v fusermount3 >/dev/null || skip 'no fusermount3'

cp -r "$(cd "$(dirname "$0")/.." && pwd -P)/fixtures/x86/root" "$work/tree"
hanging=$work/tree/COMMANDS/nvme0/log-02
helper=
unmount()
{
	rm -f "$work/hang"
	fusermount3 -u "$hanging" 2>/dev/null || umount -l "$hanging" 2>/dev/null || true
}
trap 'status=$?; unmount; [ -z "$helper" ] || kill -9 "$helper" 2>/dev/null || true; set +e; (exit $status); finish' EXIT

touch "$work/hang"
"$hangfs" "$hanging" "$work/hang" &
for _ in $(seq 50); do
	grep -q " $hanging fuse" /proc/mounts && break
	sleep 0.1
done
grep -q " $hanging fuse" /proc/mounts || skip 'the file system could not be mounted here'

mkdir "$work/run"
"$bin/flashscope-helper" --socket "$work/run/helper.sock" --root "$work/tree" --command-deadline 1s \
	--log-level info 2>"$work/helper.log" &
helper=$!
until_true 5 test -S "$work/run/helper.sock"
printf '[helper]\nmode = connect\n[collector mounts]\nperiod.mounts = 1s\n' >"$work/connect.conf"
start --config "$work/connect.conf" --root "$work/tree"

held()
{
	get /api/v1/status | jq -e '.helper | .state == "up" and .n_held_processes == 1' >/dev/null
}
other_came()
{
	get '/api/v1/latest?collector=ata_smart&node=sda' | grep -q power_on
}
number()
{
	get /api/v1/collectors | jq "map(select(.collector == \"$1\"))[0].n_samples"
}
more_mounts()
{
	[ "$(number mounts)" -gt "$1" ]
}
until_true 15 held
until_true 10 other_came
is 1 "$(ps -eo pid=,ppid=,stat=,comm= | awk -v p="$helper" '$2 == p && $3 ~ /^D/' | wc -l)" \
	'workers that the kernel holds'
"$bin/flashscope" status --url "$url" | grep -qE '^helper +up, .* 1 held by the kernel' || fail 'status of a held worker'
was=$(number mounts)
until_true 10 more_mounts "$was"
get /api/v1/collectors | json 'map(select(.collector == "nvme_smart"))[0] | .state != "ok"' 'the hanging drive'
grep -q 'nvme0 does not answer' "$work/helper.log" || fail "the helper does not say it: $(cat "$work/helper.log")"

before=$(date +%s%N)
stop TERM
took=$((($(date +%s%N) - before) / 1000000))
# On a busy machine, with a sanitizer, it takes longer than alone; who waits for the device takes minutes.
[ $took -lt 5000 ] || fail "the daemon took $took ms to stop"

pid=$(ps -eo pid=,ppid=,stat= | awk -v p="$helper" '$2 == p && $3 ~ /^D/ { print $1 }')
kill -TERM "$helper"
wait "$helper" || fail "the helper ended with status $?"
helper=
grep -q "waiting for process $pid, the worker of nvme0: the kernel has held it in /COMMANDS/nvme0/log-02 for" \
	"$work/helper.log" || fail "it does not say what it waits for: $(tail -3 "$work/helper.log")"
grep -q "leaving behind process $pid," "$work/helper.log" || fail 'it does not say what it leaves behind'
echo "the daemon stopped in $took ms while a worker hung in the kernel"
