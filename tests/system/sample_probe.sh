#!/usr/bin/env bash
# flashscope sample and probe: one tree, series of trees with and without clocks of their own, this
# machine, and wrong usage.
# label: long single
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
# The table is for people, in the units of query; JSON has the kernel's.
echo '8 0 sda 100 0 3000 0 0 0 0 0 0 0 0' >"$dir/a/proc/diskstats"
echo '8 0 sda 101 0 3001 0 0 0 0 0 0 0 0' >"$dir/b/proc/diskstats"
"$flashscope" sample --root "$dir/a" diskstats | grep -q '1\.536 MB' || fail "sectors are not shown as bytes"
expect 0 '"read_sectors":3000,' sample --root "$dir/a" --json diskstats
echo "1003.00 1.0" >"$dir/b/proc/uptime"
expect 0 '0.3333' sample --root "$dir/a" --root "$dir/b" diskstats
expect 0 '170.7 B/s' sample --root "$dir/a" --root "$dir/b" diskstats
# Hours are hours, and a drive that counts in kelvins has no hundredths of a degree.
x86=$(dirname "$0")/../fixtures/x86/root
expect 0 ' 35 degC ' sample --root "$x86" nvme_smart
expect 0 ' 0 degC ' sample --root "$x86" nvme_identify
expect 0 ' 12798 h ' sample --root "$x86" nvme_smart
expect 0 '"temperature":34850,' sample --root "$x86" --json nvme_smart
expect 0 '"power_on_time":12798,' sample --root "$x86" --json nvme_smart

# What is named: a collector, a group, a metric. Only of that, and what explains it.
said=$("$flashscope" sample --root "$x86" --json nvme_identify ata_smart.temperature)
[ "$(grep -c '^{' <<<"$said")" = 2 ] || fail "not the two groups that were named: $said"
grep -q '"group":"nvme_identify"' <<<"$said" || fail "no nvme_identify: $said"
grep -qF '"fields":{"temperature":37000},"faults":{}' <<<"$said" || fail "not the temperature alone: $said"

# A sample of which nothing could be read is none, though it has rows.
cp -r "$x86" "$dir/mute"
chmod -R u+w "$dir/mute"
echo ETIMEDOUT >"$dir/mute/COMMANDS/nvme0/log-02.status"
expect 1 'nothing of it could be read' sample --root "$dir/mute" nvme_smart.temperature
expect 1 '"temperature":"ETIMEDOUT"' sample --root "$dir/mute" --json nvme_smart.temperature
expect 0 'the command timed out' sample --root "$dir/mute" nvme_smart

# This machine.
expect 0 '"collector":"load"' sample --json
expect 0 '"t":' sample --interval 50ms --json load
[ "$("$flashscope" sample --interval 50ms --count 3 --json load | grep -c '"load1"')" = 3 ] ||
	fail "three samples were asked for"
expect 0 'load1' sample
expect 0 'COLLECTOR' probe --all
expect 0 '--all shows every node' probe
expect 0 '"collector":"load","node":"","state":"ok"' probe --json
expect 0 '"state":"no_node"' probe --root "$dir/empty" --json load

# A table for people is not cut when it is piped.
"$flashscope" probe --all --root "$dir/empty" | grep -q 'tools/capture as root copies it' || fail "the table is cut"

# Of a probe only what is not well is shown: the worst first, what carries an advice, no node that is
# left out; piped, each is one line.
board=$(dirname "$0")/../fixtures/sm8850/root
collectors="cpufreq diskstats mmc_host thermal ufs_monitor"
cat >"$dir/wanted" <<'END'
cpufreq      ok           2 nodes
  policy0  ok: CPUs 0 1 2 3 4 5: cpuinfo_cur_freq may not be read -> run as root, or with read access to cpuinfo_cur_freq, for the clock that the hardware reports
  policy6  ok: CPUs 6 7: cpuinfo_cur_freq may not be read -> run as root, or with read access to cpuinfo_cur_freq, for the clock that the hardware reports
diskstats    ok           28 nodes, 40 left out
mmc_host     no_hardware  no host in /sys/class/mmc_host: no such hardware, or a kernel without CONFIG_MMC (no kernel config found that tells) -> with a host there: its driver (CONFIG_MMC_SDHCI_...); needs CONFIG_MMC
thermal      ok           53 nodes, 5 not ok
  thermal_zone25  failed: camera-0: no reading now (ENODATA): not ready, or its subsystem is off -> look again while its device is in use; if it stays so, see what its driver says in the kernel log
  thermal_zone28  failed: mdmss-1: no number (EINVAL): sensor off or not calibrated -> look again while its device is in use; if it stays so, see what its driver says in the kernel log
  thermal_zone39  unsupported: vbat: by its name a voltage and no temperature
  thermal_zone40  unsupported: ibat-lvl0: by its name a current and no temperature
  thermal_zone41  unsupported: socd: by its name a percentage and no temperature
ufs_monitor  disabled     1 node, 1 not ok
  1d84000.ufshc  disabled: the monitor is off (monitor_enable is 0), as it is after each boot -> flashscope mark --ufs-monitor, or monitor = on in [ufs]; as root: echo 1 > /sys/devices/platform/soc/1d84000.ufshc/monitor/monitor_enable; costs speed: one lock for every I/O of all 9 hardware queues
collectors: 3 ok, 2 not; nodes: 78 ok, 6 not, 40 left out; --all shows every node
END
# shellcheck disable=SC2086
"$flashscope" probe --root "$board" $collectors >"$dir/got"
diff "$dir/wanted" "$dir/got" || fail "probe, piped"
# shellcheck disable=SC2086
"$flashscope" probe --partitions --root "$board" $collectors | grep -q '^diskstats *ok *68 nodes$' ||
	fail "--partitions takes the nodes that are left out"

# A terminal's lines are broken at blanks, and an advice has lines of its own. With one column more or
# less they are others.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	cat >"$dir/wanted" <<'END'
cpufreq   ok           2 nodes
  policy0  ok: CPUs 0 1 2 3 4 5: cpuinfo_cur_freq may
      not be read
      -> run as root, or with read access to
         cpuinfo_cur_freq, for the clock that the
         hardware reports
  policy6  ok: CPUs 6 7: cpuinfo_cur_freq may not be
      read
      -> run as root, or with read access to
         cpuinfo_cur_freq, for the clock that the
         hardware reports
mmc_host  no_hardware  no host in /sys/class/mmc_host:
    no such hardware, or a kernel without CONFIG_MMC (no
    kernel config found that tells)
    -> with a host there: its driver
       (CONFIG_MMC_SDHCI_...); needs CONFIG_MMC
collectors: 1 ok, 1 not; nodes: 2 ok, 0 not; --all shows
    every node
END
	script -qec "stty cols 56; '$flashscope' probe --root '$board' cpufreq mmc_host" /dev/null \
		</dev/null | tr -d '\r' >"$dir/got"
	diff "$dir/wanted" "$dir/got" || fail "probe on a terminal"
fi

# Is it really UHS-I? A card that could be and runs at 25 MB/s is told, with what to look at.
"$flashscope" probe --root "$board/../../imx8mp/root1" mmc_host | tr '\n' ' ' |
	grep -q 'mmc1  ok: mmcblk1: sd high-speed, 4 lines at 50000000 Hz, 3.30 V: capped, for the card is UHS (U3) -> the host offers no UHS mode' ||
	fail "a capped card is not told"
"$flashscope" sample --json --root "$board/../../imx8mp/root1" mmc_host | tr -d ' \n' |
	grep -q '"node":"mmc1"[^}]*"capped":1[,}]' || fail "capped is not 1"

expect 2 '"nope" is no collector, group or metric; there are: ata ' sample nope
expect 2 'diskstats has no nope; there are: reads ' sample diskstats.nope
expect 2 '"nope" is no collector, group or metric; there are: ata ' probe nope
# The reference takes what sample takes: a collector, a group of it, a metric with what it is made of.
metrics()
{
	"$flashscope" fields --json "$@" | tr '{' '\n' | sed -n 's/^ *"metric": *"\([^"]*\)".*/\1/p' | paste -sd' '
}
[ "$(metrics)" = "$("$flashscope" fields | awk 'NR > 1 && $1 ~ /[.]/ {print $1}' | paste -sd' ')" ] || fail "table and JSON of fields differ"
[ "$(metrics writers_top diskstats.read_bytes)" = "diskstats.read_sectors diskstats.read_bytes $(metrics writers_top)" ] ||
	fail "fields of a group and a metric: $(metrics writers_top diskstats.read_bytes)"
[ "$(metrics writers)" = "$(metrics | tr ' ' '\n' | grep '^writers' | paste -sd' ')" ] || fail "fields of a collector: $(metrics writers)"
metrics writers_top | grep -q '^writers_top.written .*writers_top.device$' || fail "fields of writers_top: $(metrics writers_top)"
expect 0 'writers_top.written' fields writers_top
expect 2 '"nope" is no collector, group or metric; there are: ata ' fields nope
expect 2 'diskstats has no nope; there are: reads ' fields diskstats.nope
expect 0 'timex  ' probe timex
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
