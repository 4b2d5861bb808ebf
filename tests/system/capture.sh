#!/bin/bash
# tools/capture copies a tree so that flashscope finds in the copy what it found before: on a fixture,
# whose errors and free space are lost (a copy of files cannot fail to be read), and on this machine.
# timeout: 600
# label: slow nosan
set -u
command -v jq >/dev/null || { echo "skipped: jq is not installed"; exit 77; }
flashscope=$1/bin/flashscope
tests=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

fail()
{
	echo "$1"
	exit 1
}

# Names of groups and nodes, and texts: what does not move from one moment to the next. The queues of
# loop and RAM devices are not copied.
nodes_of()
{
	"$flashscope" sample --json --root "$1" blockqueue cpufreq diskstats load mmc mounts pressure thermal \
		2>"$work/err" |
		jq -cS '.[] | select(.group == "mounts_space" or .group == "cpufreq_hardware" or
				.group == "blockqueue" and (.node | test("^(loop|ram)")) | not) |
			[.group, .node, .info]'
}

# What disks are known by (model/block.c), from below a root
identities_of()
{
	(cd "$1" && grep -s '' sys/class/block/*/wwid sys/class/block/*/serial \
		sys/class/block/*/device/wwid sys/class/block/*/device/cid \
		sys/class/block/*/device/device/cid sys/class/block/*/dm/uuid \
		sys/class/block/*/dm/name sys/class/block/*/md/uuid \
		sys/class/block/*/loop/backing_file sys/class/block/*/device/serial)
}

# All of UFS but what is left alone because reading it would wake the controller
ufs_of()
{
	"$flashscope" sample --json --root "$1" ufs ufs_monitor 2>"$work/err" |
		jq -cS '.[] | del(.fields.auto_hibern8)'
}

pci_of()
{
	"$flashscope" sample --json --root "$1" nvme pcie 2>"$work/err" | jq -cS '.[]'
}

mkdir "$work/fixture" "$work/live" "$work/ufs" "$work/asleep"
"$tests/../tools/capture" -r "$tests/fixtures/imx8mp/root" "$work/fixture" >"$work/out" 2>&1 ||
	fail "capture of a fixture: $(cat "$work/out")"
diff <(nodes_of "$tests/fixtures/imx8mp/root") <(nodes_of "$work/fixture") ||
	fail "the copy of a fixture is another machine"
diff <(identities_of "$tests/fixtures/imx8mp/root") <(identities_of "$work/fixture") ||
	fail "disks of the copy of a fixture are not known by what they were"

diff <(pci_of "$tests/fixtures/imx8mp/root") <(pci_of "$work/fixture") ||
	fail "NVMe and PCI functions of the copy of a fixture are others"
[ "$(pci_of "$work/fixture" | wc -l)" -ge 5 ] || fail "NVMe and PCI functions are missing"


# sensors_of ROOT: those that are no drive's, and how good the clock is
sensors_of()
{
	"$flashscope" sample --json --root "$1" hwmon timex 2>"$work/err" | jq -cS '.[]'
}

diff <(sensors_of "$tests/fixtures/imx8mp/root") <(sensors_of "$work/fixture") ||
	fail "sensors or clock of the copy of a fixture are others"
[ "$(sensors_of "$work/fixture" | wc -l)" -ge 5 ] || fail "sensors are missing"
[ -z "$(cd "$work/fixture" && find . -path '*/nvme/*' -name 'temp*_input')" ] || fail "a drive was asked its temperature"

# The PCI of the board, with its NVMe asleep and a function that is no storage
mkdir -p "$work/sleeper/sys/class/block" "$work/sleeper/sys/devices/platform/soc@0" "$work/sleeper/sys/bus"
cp -a "$tests/fixtures/imx8mp/root/sys/class/nvme" "$work/sleeper/sys/class"
cp -a "$tests/fixtures/imx8mp/root/sys/class/block"/nvme* "$work/sleeper/sys/class/block"
cp -a "$tests/fixtures/imx8mp/root/sys/bus/pci" "$work/sleeper/sys/bus"
cp -a "$tests/fixtures/imx8mp/root/sys/devices/platform/soc@0/33800000.pcie" \
	"$work/sleeper/sys/devices/platform/soc@0"
function=$(cd -P "$work/sleeper/sys/bus/pci/devices/0000:01:00.0" && pwd -P)
echo suspended >"$function/power/runtime_status"
other=${function%/*}/0000:01:00.1
mkdir "$other"
echo 0x028000 >"$other/class"
echo 0x1111 >"$other/vendor"
ln -s "../../../${other#"$work/sleeper/sys/"}" "$work/sleeper/sys/bus/pci/devices/0000:01:00.1"
[ -e "$work/sleeper/sys/bus/pci/devices/0000:01:00.1/class" ] || fail "the other function is not there"
# What its kernel said, in this boot and in the last moments of the one before
mkdir -p "$work/sleeper/dev" "$work/sleeper/sys/fs/pstore"
echo '3,100,1000000,-;I/O error, dev nvme0n1, sector 8' >"$work/sleeper/dev/kmsg"
echo 'Kernel panic' >"$work/sleeper/sys/fs/pstore/dmesg-ramoops-0"
"$tests/../tools/capture" -r "$work/sleeper" "$work/asleep" >"$work/out" 2>&1 ||
	fail "capture of a board that sleeps: $(cat "$work/out")"
pci_of "$work/sleeper" | grep -q '"state":"suspended"' || fail "nothing sleeps"
diff <(pci_of "$work/sleeper") <(pci_of "$work/asleep") || fail "what sleeps is another machine"
for log in dev/kmsg sys/fs/pstore/dmesg-ramoops-0; do
	cmp "$work/sleeper/$log" "$work/asleep/$log" || fail "$log is not there"
done
[ -e "$work/asleep/${function#"$work/sleeper/"}/power_state" ] || fail "the function that sleeps is missing"
[ -z "$(find "$work/asleep" -path '*0000:01:00.0/*_link_*' -size +0)" ] || fail "a function that sleeps was woken"
[ -z "$(find "$work/asleep" -path '*0000:01:00.1/*')" ] || fail "a function without storage was copied"

# Only the part of a board that has UFS: each file costs some processes.
ufs=sys/devices/platform/soc/1d84000.ufshc
mkdir -p "$work/board/sys/class/block" "$work/board/$(dirname $ufs)"
cp -a "$tests/fixtures/sm8850/root/sys/class/block"/sd[a-f] "$work/board/sys/class/block"
cp -a "$tests/fixtures/sm8850/root/sys/class/scsi_host" "$work/board/sys/class"
cp -a "$tests/fixtures/sm8850/root/$ufs" "$work/board/$ufs"
"$tests/../tools/capture" -r "$work/board" "$work/ufs" >"$work/out" 2>&1 ||
	fail "capture of UFS: $(cat "$work/out")"
[ "$(ufs_of "$work/ufs" | grep -v '"fields":{}' | wc -l)" = 12 ] || fail "UFS nodes are missing"
diff <(ufs_of "$work/board") <(ufs_of "$work/ufs") ||
	fail "the copy of UFS is another one"
[ -z "$(find "$work/ufs" -name '*_descriptor' -o -name auto_hibern8 -o -name '*_avg')" ] ||
	fail "the copy has what must not be read"

"$tests/../tools/capture" "$work/live" >"$work/out" 2>&1 ||
	fail "capture of this machine: $(cat "$work/out")"
diff <(nodes_of / | grep -v '"mounts"') <(nodes_of "$work/live" | grep -v '"mounts"') ||
	fail "the copy of this machine is another one"
diff <(identities_of /) <(identities_of "$work/live") ||
	fail "disks of the copy of this machine are not known by what they were"
[ -e "$work/live/proc/self/mountinfo" ] || fail "no mounts"
