# shellcheck shell=sh
# What a scenario's guest part may use. Sourced by a busybox sh.

complain()
{
	echo "@@ $*"
	echo "not ok $*" >>/out/checks
}

# check TEXT COMMAND...: what must be so in the guest; the host judges by it
check()
{
	check_text=$1
	shift
	if "$@"; then
		echo "@@ ok: $check_text"
		echo "ok $check_text" >>/out/checks
	else
		complain "$check_text"
	fi
}

# fact NAME VALUE: for the host's part, which reads it with `fact NAME`
fact()
{
	echo "@@ $1=$2"
	echo "$1=$2" >>/out/facts
}

uptime_ms()
{
	awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime
}

# wait_for SECONDS COMMAND...
wait_for()
{
	wait_left=$(($1 * 5))
	shift
	until "$@"; do
		[ "$wait_left" -gt 0 ] || return 1
		wait_left=$((wait_left - 1))
		sleep 0.2
	done
}

# host LINE...: has the host run QMP commands, `power-cut` or `call X`, prints its answers
host()
{
	rm -f /out/answer
	printf '%s\n' "$@" >/out/request.new
	mv /out/request.new /out/request
	wait_for 30 test -e /out/answer || complain "the host does not answer to $*"
	cat /out/answer
	! grep -q '"error":' /out/answer || complain "QEMU refuses $*"
}

# Devices by what they are: their names differ from boot to boot.

ufs_host()
{
	for dir in /sys/bus/pci/drivers/ufshcd/*:*; do
		[ ! -d "$dir" ] || echo "$dir"
	done
}

# disk_ufs LUN
disk_ufs()
{
	for dir in "$(ufs_host)"/host*/target*/*:"$1"/block/*; do
		[ ! -d "$dir" ] || basename "$dir"
	done
}

# disk_mmc SD|MMC
disk_mmc()
{
	for dir in /sys/block/mmcblk*; do
		case $dir in *boot[0-9] | *rpmb) continue ;; esac
		[ "$(cat "$dir/device/type" 2>/dev/null)" != "$1" ] || basename "$dir"
	done
}

# nvme_controller SERIAL
nvme_controller()
{
	for dir in /sys/class/nvme/nvme*; do
		# The kernel pads the serial with spaces.
		[ "$(tr -d ' ' <"$dir/serial" 2>/dev/null)" != "$1" ] || basename "$dir"
	done
}

# disk_nvme SERIAL
disk_nvme()
{
	controller=$(nvme_controller "$1")
	[ -n "$controller" ] || return 0
	for dir in "/sys/class/nvme/$controller"/nvme*n*; do
		[ ! -d "$dir" ] || basename "$dir"
	done
}

devices_ready()
{
	[ -n "$(disk_ufs 0)" ] && [ -n "$(disk_ufs 1)" ] && [ -n "$(disk_mmc SD)" ] &&
		[ -n "$(disk_mmc MMC)" ] && [ -n "$(disk_nvme NVME0001)" ]
}

# The daemon

database=/var/lib/flashscope/flashscope.db
daemon=

api_answers()
{
	timeout 5 wget -q -O /dev/null http://127.0.0.1:9750/healthz 2>/dev/null
}

# start_daemon [OPTION...]
start_daemon()
{
	mkdir -p "$(dirname "$database")" /run/flashscope
	flashscoped --db "$database" --runtime-dir /run/flashscope --listen 127.0.0.1:9750 "$@" \
		>>/out/daemon.log 2>&1 &
	daemon=$!
	wait_for 20 api_answers || complain "the daemon does not answer"
}

stop_daemon()
{
	[ -n "$daemon" ] || return 0
	kill -TERM "$daemon" 2>/dev/null
	stop_left=100
	while kill -0 "$daemon" 2>/dev/null && [ "$stop_left" -gt 0 ]; do
		stop_left=$((stop_left - 1))
		sleep 0.2
	done
	if kill -0 "$daemon" 2>/dev/null; then
		complain "the daemon does not stop"
		kill -KILL "$daemon"
	fi
	wait "$daemon"
	fact daemon_status $?
	daemon=
	[ ! -e "$database" ] || cp "$database"* /out/
}

daemon_alive()
{
	[ -n "$daemon" ] && kill -0 "$daemon" 2>/dev/null
}

# Whether it is decided how the boot before ended.
last_boot_told()
{
	timeout 5 wget -q -O - http://127.0.0.1:9750/api/v1/status | grep -q '"last_boot": *{'
}

# api PATH NAME: the answer goes to NAME.json
api()
{
	timeout 20 wget -q -O "/out/$2.json" "http://127.0.0.1:9750$1" ||
		complain "no answer to $1"
}

# query METRIC NODE FROM TO STEP AGGREGATE NAME
query()
{
	api "/api/v1/query?metric=$1&node=$2&from=$3&to=$4&step=$5&agg=$6" "$7"
}

# diskstats NODE COLUMN: columns are counted from the number of reads, 1
diskstats()
{
	awk -v disk="$1" -v column="$2" '$3 == disk { print $(column + 3) }' /proc/diskstats
}

# read_disk DISK BLOCKS [SKIP]: reads of 4 KiB that no cache answers
read_disk()
{
	dd if="/dev/$1" of=/dev/null bs=4k count="$2" skip="${3:-0}" iflag=direct 2>/tmp/dd
}

# write_disk DISK BLOCKS
write_disk()
{
	dd if=/dev/zero of="/dev/$1" bs=4k count="$2" oflag=direct 2>/tmp/dd
}

# settings LINE...: a configuration for `start_daemon --config /tmp/flashscope.conf`
settings()
{
	printf '%s\n' "$@" >/tmp/flashscope.conf
}

# disk_virtio SERIAL
disk_virtio()
{
	for dir in /sys/block/vd*; do
		[ "$(cat "$dir/serial" 2>/dev/null)" != "$1" ] || basename "$dir"
	done
}

disk_exists()
{
	[ -n "$(disk_virtio "$1")" ]
}

# disk_system: a disk that no scenario needs as it is
disk_system()
{
	disk_virtio SYSTEM01
}

# map NAME DISK: /dev/mapper/NAME over the disk, so that it can be made to fail
map()
{
	dmsetup create "$1" --table "0 $(cat "/sys/block/$2/size") linear /dev/$2 0"
}

# remap NAME DISK linear|error: what the mapped disk does from now on
remap()
{
	case $3 in
	linear) remap_table="linear /dev/$2 0" ;;
	*) remap_table=error ;;
	esac
	dmsetup suspend --noflush --nolockfs "$1"
	dmsetup load "$1" --table "0 $(cat "/sys/block/$2/size") $remap_table"
	dmsetup resume "$1"
}

# api_true PATH WORDS: whether the answer has these words now
api_true()
{
	timeout 5 wget -q -O - "http://127.0.0.1:9750$1" 2>/dev/null | grep -qF "$2"
}

# A database on the NVMe, whose power is cut; the machine is "write-log".

# database_for_cut ext4|f2fs
database_for_cut()
{
	database=/mnt/db/flashscope.db
	mkdir -p /mnt/db
	modprobe "$1"
	mount -t "$1" /dev/"$(disk_nvme NVME0001)" /mnt/db
	settings '[store]' 'commit_interval = 5s'
}

write_on()
{
	while dd if=/dev/urandom of=/mnt/db/written bs=16k count=4 oflag=direct conv=notrunc; do
		sleep 0.1
	done 2>/dev/null
}

# cut_power: while samples wait, pages are dirty and a file is being written past the page cache
cut_power()
{
	write_on &
	sleep 2
	# Something dirty that nobody flushes.
	dd if=/dev/urandom of=/mnt/db/dirty bs=64k count=40 2>/dev/null
	fact boot_id "$(cat /proc/sys/kernel/random/boot_id)"
	api /api/v1/status committed
	fact cut_ms "$(uptime_ms)"
	host power-cut
	sleep 30
}

# after_the_cut NAME ext4|f2fs: the file goes to /out/NAME as the cut left it, and to /out/NAME/end
after_the_cut()
{
	check "$1: the file system mounts" database_for_cut "$2"
	mkdir "/out/$1"
	cp /mnt/db/flashscope.db* "/out/$1/"
	start_daemon --config /tmp/flashscope.conf
	check "$1: the boot before is told of" wait_for 70 last_boot_told
	sleep 7
	api /api/v1/boots "boots_$1"
	api /api/v1/status "status_$1"
	check "$1: the daemon is alive" daemon_alive
	stop_daemon
	mkdir "/out/$1/end"
	cp /mnt/db/flashscope.db "/out/$1/end/"
}
