# shellcheck shell=bash
# One run of a guest: its disks, QEMU, and what the guest asks the host for.
#
# Sets of a run: work (a folder), out (in it, shared with the guest), phase, qemu_pid. The guest asks with
# lines in out/request: QMP commands as JSON, power-cut, or "call X" for the scenario's host_X().

# Disks with their sizes; eMMC sizes are powers of two.
disks=(nvme:256M sd:128M emmc:256M ufs0:256M ufs1:64M system:128M sata:64M usb:64M uas:64M paths:64M)

# What a guest without KVM does not have to spend its boot on
quick_boot='mitigations=off nopti init_on_alloc=0 audit=0 lsm= cryptomgr.notests nowatchdog memmap=1M$0x20000000'
quick_boot="$quick_boot kfence.sample_interval=0 noresume raid=noautodetect nokaslr"

make_disks()
{
	local disk

	for disk in "${disks[@]}"; do
		truncate -s "${disk#*:}" "$work/${disk%:*}.img"
	done
	cat >"$work/errors.conf" <<-END
	[inject-error]
	event = "read_aio"
	errno = "5"
	sector = "16384"
	once = "off"
	immediately = "off"
	END
}

# drive NAME: the image behind it. With "read-errors" in the scenario's machine the second UFS unit,
# the NVMe and the SATA disk cannot read at 8 MiB; with "write-log" all writes to the NVMe are written down, for
# lose_writes().
drive()
{
	case $machine:$1 in
	*read-errors*:nvme | *read-errors*:ufs1 | *read-errors*:sata)
		echo "if=none,id=$1,driver=raw,file.driver=blkdebug,file.image.driver=file,file.image.filename=$work/$1.img,file.config=$work/errors.conf"
		;;
	*write-log*:nvme)
		: >"$work/$1.$phase.writes"
		echo "if=none,id=$1,driver=raw,file.driver=blklogwrites,file.file.driver=file,file.file.filename=$work/$1.img,file.log.driver=file,file.log.filename=$work/$1.$phase.writes"
		;;
	*) echo "if=none,id=$1,file=$work/$1.img,format=raw,cache=writeback" ;;
	esac
}

# The overlay of the device tree fits this machine alone.
arm64_machine=(-M virt -cpu cortex-a57 -smp 2 -m 1024)

# machine_arguments KERNEL: the machine with its devices; sets qemu_program and qemu_arguments
machine_arguments()
{
	local serial=stdio
	# Keys go to the guest, Ctrl-C too; Ctrl-A X ends it.
	[ "$interactive" = 0 ] || serial=mon:stdio

	case $(kernel_field "$1" 2) in
	amd64)
		# More serial ports than one hold the registers of the ACPI table.
		qemu_program=usr/bin/qemu-system-x86_64 console=ttyS0
		qemu_arguments=(-M q35 -cpu Westmere -smp 2 -m 1024 -serial "$serial" -serial null -serial null -serial null
			-acpitable "file=$firmware")
		;;
	arm64)
		qemu_program=usr/bin/qemu-system-aarch64 console=ttyAMA0
		qemu_arguments=("${arm64_machine[@]}" -serial "$serial" -dtb "$firmware")
		;;
	esac
	# shellcheck disable=SC2054
	qemu_arguments+=(
		-L "$qemu_dir/usr/share/qemu" -L "$qemu_dir/usr/share/seabios"
		-L "$qemu_dir/usr/lib/ipxe/qemu"
		-accel tcg,thread=single,tb-size=512 -icount shift=1,sleep=on
		-nodefaults -display none -monitor none -qmp "pipe:$work/qmp"
		-fsdev "local,id=out,path=$out,security_model=none"
		-device virtio-9p-pci,fsdev=out,mount_tag=out
		-device pcie-root-port,id=slot1,chassis=1,slot=1
		-drive "$(drive nvme)" -device nvme,id=nvme0,serial=NVME0001,drive=nvme,bus=slot1
		-device sdhci-pci,id=sdhc0 -drive "$(drive sd)"
		-device sd-card,drive=sd,bus=pcie.0/sdhc0/sd-bus
		-device sdhci-pci,id=sdhc1 -drive "$(drive emmc)"
		-device emmc,drive=emmc,bus=pcie.0/sdhc1/sd-bus
		-device ufs,id=ufs,serial=UFS0001
		-drive "$(drive ufs0)" -device ufs-lu,drive=ufs0,bus=ufs,lun=0
		-drive "$(drive ufs1)" -device ufs-lu,drive=ufs1,bus=ufs,lun=1
		-drive "$(drive system)" -device virtio-blk-pci,drive=system,serial=SYSTEM01
	)
	case $machine in
	*debian*)
		# shellcheck disable=SC2054
		qemu_arguments+=(-drive "if=none,id=root,file=$debian_image,format=raw,snapshot=on"
			-device virtio-blk-pci,drive=root,serial=ROOT0001)
		;;
	esac
	# The SATA ports are those of the chip set. The one stick hangs on a hub of USB 2, the other is fast.
	case $machine in
	*sata-usb*)
		# shellcheck disable=SC2054
		qemu_arguments+=(
			-drive "$(drive sata)" -device ide-hd,drive=sata,bus=ide.0,serial=SATA0001
			-device qemu-xhci,id=xhci -device usb-hub,bus=xhci.0,port=1
			-drive "$(drive usb)"
			-device usb-storage,drive=usb,bus=xhci.0,port=1.1,serial=USB0001,id=stick
			-device usb-uas,id=uas,bus=xhci.0,port=2
			-drive "$(drive uas)" -device scsi-hd,drive=uas,bus=uas.0,scsi-id=0,lun=0
		)
		;;
	esac
	# Two controllers of one drive, with one namespace on both.
	case $machine in
	*nvme-paths*)
		# shellcheck disable=SC2054
		qemu_arguments+=(
			-device nvme-subsys,id=paths
			-device nvme,id=path0,serial=NVME0002,subsys=paths
			-device nvme,id=path1,serial=NVME0002,subsys=paths
			-drive "$(drive paths)" -device nvme-ns,drive=paths,bus=path0,nsid=1,shared=on
		)
		;;
	esac
	# A machine that reboots keeps its memory, and its phases are of one run.
	case $machine in *reboot*) ;; *) qemu_arguments+=(-no-reboot) ;; esac
	case $machine in
	*watchdog*) qemu_arguments+=(-device i6300esb -watchdog-action reset) ;;
	esac
	[ -z "$rtc" ] || qemu_arguments+=(-rtc "base=$rtc,clock=host")
}

# qmp JSON...: prints what QEMU answers to each
qmp()
{
	local command line patience=20

	for command in "$@"; do
		printf '%s\n' "$command" >&"$qmp_in"
		while [ $patience -gt 0 ] && kill -0 "$qemu_pid" 2>/dev/null; do
			if ! IFS= read -r -t 1 line <&"$qmp_out"; then
				patience=$((patience - 1))
				continue
			fi
			case $line in
			'{"QMP"'* | *'"event"'*) printf '%s\n' "$line" >>"$work/qmp.log" ;;
			*) printf '%s\n' "$line" | tee -a "$work/qmp.log" && break ;;
			esac
		done
	done
}

# The request of the guest, if there is one
serve_request()
{
	local line

	[ -e "$out/request" ] || return 0
	while IFS= read -r line; do
		case $line in
		'{'*) qmp "$line" ;;
		power-cut) kill -KILL "$qemu_pid" ;;
		'call '*) "host_${line#call }" ;;
		*) echo "unknown request: $line" ;;
		esac
	done <"$out/request" >"$out/answer.new"
	rm -f "$out/request"
	mv "$out/answer.new" "$out/answer"
}

# start_machine KERNEL INITRAMFS "KERNEL ARGUMENTS" CONSOLE
start_machine()
{
	machine_arguments "$1"
	rm -f "$work/qmp.in" "$work/qmp.out"
	mkfifo "$work/qmp.in" "$work/qmp.out"
	if [ "$interactive" = 1 ]; then exec {keyboard}<&0; else exec {keyboard}</dev/null; fi
	exec {qmp_in}<>"$work/qmp.in" {qmp_out}<>"$work/qmp.out"
	(
		exec >>"$4" 2>&1
		renice -n 10 "$BASHPID" >/dev/null 2>&1
		# Nor does it outlive this program when that is killed.
		if setpriv --pdeathsig KILL true 2>/dev/null; then
			exec_through=(setpriv --pdeathsig KILL)
		fi
		exec_tool "$qemu_program" "${qemu_arguments[@]}" -kernel "$kernel_image" -initrd "$2" \
			-append "console=$console panic=1 loglevel=4 $quick_boot $3"
	) <&"$keyboard" {qmp_in}>&- {qmp_out}>&- {guest_lock}>&- &
	qemu_pid=$!
	disown "$qemu_pid"
}

# patience SECONDS: as many more as this machine is busy with other things. A guest's own clock goes
# slower then, so nothing in it needs more time; 1500 s lie within the limit of ctest.
patience()
{
	awk -v seconds="$1" -v cores="$(nproc)" '{
		busy = 1 + $1 / cores
		seconds = int(seconds * (busy > 4 ? 4 : busy))
		print (seconds > 1500 ? 1500 : seconds)
	}' /proc/loadavg
}

# run_machine KERNEL INITRAMFS "KERNEL ARGUMENTS" [CONSOLE]: until it ends or $limit seconds have passed,
# if there is a limit
run_machine()
{
	local end=$((SECONDS + ${limit:-0}))

	start_machine "$1" "$2" "$3" "${4:-$work/console.log}"
	sleep 0.2
	qmp '{"execute":"qmp_capabilities"}' >/dev/null
	while kill -0 "$qemu_pid" 2>/dev/null; do
		# The program that started this process may have been killed.
		kill -0 "$$" 2>/dev/null || exit 1
		serve_request
		if [ -n "$limit" ] && [ "$SECONDS" -ge "$end" ]; then
			echo "@@ the guest was stopped after $limit s" >>"$work/console.log"
			kill -KILL "$qemu_pid"
		fi
		sleep 0.1
	done
	qemu_pid=''
	exec {qmp_in}>&- {qmp_out}>&- {keyboard}<&-
}
