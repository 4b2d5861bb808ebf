#!/usr/bin/env bash
# The words of flashscope: a file older than the window, sockets that may not or cannot be used,
# wrong usage, a mark without a daemon.
# label: long single
# timeout: 240
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need sqlite3 jq curl

# says STATUS TEXT ARGUMENT...: exit status, and a text on stdout or stderr
says()
{
	local status=$1 text=$2 said is=0

	shift 2
	said=$(timeout 10 "$bin/flashscope" "$@" 2>&1) || is=$?
	[ "$is" = "$status" ] || fail "flashscope $*: exit status $is, not $status: $said"
	case $said in
	*"$text"*) ;;
	*) fail "flashscope $*: said \"$said\" instead of \"$text\"" ;;
	esac
}

start
until_true 10 sh -c "'$bin/flashscope' query load.threads --socket '$socket' --csv | grep -q ,system,."
sleep 2

# A label that looks like an option.
says 0 '' mark --socket "$socket" start -x
says 0 ran mark --socket "$socket" -- -y -- echo ran
"$bin/flashscope" mark --socket "$socket" --json start '--json' | json '.label == "--json"'
curl -s --unix-socket "$socket" http://localhost/api/v1/marks | json '[.. | .label? // empty] | contains(["-x", "-y"])'

# The address as it is printed, with a slash.
says 0 flashscoped status --url "$url/"
says 0 load.threads query load.threads --url "$url/"
says 1 'is no socket' status --socket "$work/f.db"
says 1 'no daemon can be reached' status --socket "$work/none"

# A folder that is no tree of nodes gives reasons about a kernel that is not there; and a file of which
# a part is missing is told from one of another kind.
mkdir "$work/nothing"
for command in probe sample path; do
	said=$("$bin/flashscope" $command --root "$work/nothing" 2>&1 >/dev/null) || true
	case $said in
	*"has neither proc nor sys"*) ;;
	*) fail "$command of an empty folder: $said" ;;
	esac
done
sqlite3 "$work/f.db" "VACUUM INTO '$work/whole.db'"
head -c 20000 "$work/whole.db" >"$work/cut.db"
says 1 'cut.db: is damaged or cut off' status --db "$work/cut.db"
says 1 'cut.db: is damaged or cut off' events --db "$work/cut.db"

# May not is not the same as is not there, and then no file is shown in its place.
if [ "$(id -u)" != 0 ]; then
	other=()
elif command -v setpriv >/dev/null; then
	other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
if [ -n "${other+x}" ]; then
	mkdir -p "$work/home/var"
	cp "$bin/flashscope" "$work/home/"
	ln -s "$work/run" "$work/home/var/run"
	sqlite3 "$work/f.db" 'VACUUM INTO '"'$work/home/var/flashscope.db'"
	chmod 755 "$work" "$work/home" "$work/home/var"
	chmod 644 "$work/home/var/flashscope.db"
	chmod 0 "$work/run"
	is=0
	said=$(cd "$work/home" && "${other[@]}" ./flashscope query load.threads 2>&1) || is=$?
	chmod 755 "$work/run"
	[ "$is" = 1 ] || fail "exit status $is where the socket may not be opened: $said"
	case $said in
	*"permission denied"*) ;;
	*) fail "does not say that permission is denied: $said" ;;
	esac
fi
stop

# A file that is two hours old: now is its end, and an empty window says where it begins.
sqlite3 "$work/f.db" 'UPDATE boot SET wall_offset_ms = wall_offset_ms - 7200000'
[ "$("$bin/flashscope" query load.threads --db "$work/f.db" --csv | grep -c ,system,.)" -ge 1 ] ||
	fail "nothing in the last hour of an old file"
"$bin/flashscope" query load.threads --db "$work/f.db" --from -1s --step 1s --json |
	jq -e '[.series[].points[]] | length == 1' >/dev/null || fail "the last second is not one point"
end=$("$bin/flashscope" status --db "$work/f.db" | sed -n 's/^boot .* to //p')
says 0 "to $end" query load.threads --db "$work/f.db" --from 1000000 --to 1000100
says 0 'the file holds 2' query load.threads --db "$work/f.db" --from 1000000 --to 1000100 --json

# The newest values, with their age: of a daemon and of its file the same rows.
says 0 'as it was at the end of' latest --db "$work/f.db"
says 2 '"nonsense" is no collector, group or metric' latest nonsense --db "$work/f.db"
says 2 'flashscope latest: --db reads a file' latest --db f --url u
rm -f "$work"/f.db*
fixture=$(dirname "$0")/../fixtures/iq9075/root
start --root "$fixture"
until_true 10 sh -c "'$bin/flashscope' latest --socket '$socket' ufs_health thermal | grep -q '^thermal_zone9 .*ENODATA'"
said=$("$bin/flashscope" latest --socket "$socket" load)
grep -Eq '^load +AGE +load1 ' <<<"$said" || fail "latest has no age: $said"
grep -Eq '^system +[0-9] s ' <<<"$said" || fail "latest has no age in seconds: $said"
"$bin/flashscope" latest --socket "$socket" --json thermal.temp --node thermal_zone0 |
	json 'length == 1 and (.[0].fields | keys) == ["temp"] and .[0].age_ms >= 0' 'one metric of one node'
rows='map([.group, .node, .fields, .faults, .flags, .info]) | sort'
"$bin/flashscope" latest --socket "$socket" --json ufs ufs_health thermal >"$work/latest.json"
stop
"$bin/flashscope" latest --db "$work/f.db" --json ufs ufs_health thermal >"$work/latest_file.json"
is "$(jq -c "$rows" "$work/latest.json")" "$(jq -c "$rows" "$work/latest_file.json")" 'latest of the file'

# Also where a text cannot be read.
rm -f "$work"/f.db*
start --root "$(dirname "$0")/../fixtures/x86/root"
until_true 10 sh -c "'$bin/flashscope' latest --socket '$socket' --json cpufreq | jq -e '[.[].faults.governor] | any' >/dev/null"
"$bin/flashscope" latest --socket "$socket" --json cpufreq >"$work/latest.json"
stop
"$bin/flashscope" latest --db "$work/f.db" --json cpufreq >"$work/latest_file.json" || fail "latest of a file with a text that failed"
is "$(jq -c "$rows" "$work/latest.json")" "$(jq -c "$rows" "$work/latest_file.json")" 'latest of the file of x86'

# Nodes come in the order of their numbers.
rm -f "$work"/f.db*
make_tree "$work/tree"
for i in 0 1 2 10; do
	echo " 259 $i nvme${i}n1 100 5 2000 30 50 6 1000 40 0 60 70 1 2 3 4 5 6"
	mkdir -p "$work/tree/sys/block/nvme${i}n1"
done | sort >"$work/tree/proc/diskstats"
start --root "$work/tree"
until_true 10 sh -c "'$bin/flashscope' query diskstats.in_flight --socket '$socket' --csv | grep -q nvme"
"$bin/flashscope" query diskstats.in_flight --socket "$socket" --csv >"$work/csv"
says 2 'did you mean self.write_bytes' query self.write --socket "$socket"
is "nvme0n1 nvme1n1 nvme2n1 nvme10n1" "$(tail -n +2 "$work/csv" | cut -d, -f4 | uniq | paste -sd ' ')" "order of nodes"
stop

# Also in the table, when a node came in a later boot.
sed -i 's/nvme2n1/nvme3n1/' "$work/tree/proc/diskstats"
mv "$work/tree/sys/block/nvme2n1" "$work/tree/sys/block/nvme3n1"
echo '1b1b1b1b-1111-2222-3333-444444444444' >"$work/tree/proc/sys/kernel/random/boot_id"
start --root "$work/tree"
until_true 10 sh -c "'$bin/flashscope' query diskstats.in_flight --socket '$socket' --csv | grep -q nvme3"
is "nvme0n1 nvme1n1 nvme2n1 nvme3n1 nvme10n1" "$("$bin/flashscope" query diskstats.in_flight \
	--socket "$socket" | sed -n '2s/.*BOOT//p' | xargs)" "order of columns"
stop

# What is no database at all.
mkfifo "$work/fifo"
says 1 "$work: Is a directory" query load.threads --db "$work"
says 1 "$work: Is a directory" status --db "$work"
says 1 "$work/fifo: is no flashscope database" status --db "$work/fifo"
says 1 "$work/fifo: is no flashscope database" query load.threads --db "$work/fifo"
says 1 "$work/none: No such file" status --db "$work/none"
for path in "$work" "$work/none.conf"; do
	is=0
	said=$("$bin/flashscoped" --config "$path" --check-config 2>&1) || is=$?
	[ $is = 2 ] || fail "flashscoped --config $path: exit status $is"
	case $said in
	*"$path: Is a directory"* | *"$path: No such file or directory"*) ;;
	*) fail "flashscoped --config $path: said $said" ;;
	esac
done

# A mark that cannot be: the command does not run.
says 125 'touch was not run' mark --socket "$work/none" 'fio rnd4k run 3' -- touch "$work/ran"
[ ! -e "$work/ran" ] || fail "the command ran without its mark"

# Each mistake has its reason.
says 2 'flashscope query: one METRIC at a time, not also "B"' query A B
says 2 'flashscope query: which METRIC' query
says 2 'flashscope query: --json or --csv' query A --json --csv
says 2 'flashscope query: --db reads a file' query A --db f --url u
says 2 'flashscope status: takes no argument, not "extra"' status extra
says 2 'flashscope status: --db reads a file' status --db f --socket s
says 2 'flashscope mark: start needs a LABEL' mark start
says 2 'flashscope mark: end takes one ID' mark end
says 2 'flashscope mark: after the label "run" come -- and a COMMAND' mark run true
says 2 'flashscope mark: no COMMAND' mark run --
says 2 'flashscope mark: --for goes with --ufs-monitor' mark --for 10m start x
says 2 'flashscope mark: --for 0: a duration' mark --ufs-monitor --for 0 start x
says 2 'flashscope mark: --for soon: a duration' mark --ufs-monitor --for soon start x
says 2 "flashscope probe: unrecognized option '--nonsense'" probe --nonsense
for command in probe sample latest query fields status mark; do
	says 0 "Usage: flashscope $command" $command -h
	says 2 "flashscope $command --help" $command --nonsense
done
says 0 Usage: -h
