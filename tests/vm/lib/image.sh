# shellcheck shell=bash
# The guest's initramfs: a base for each kernel (its modules, a few tools), kept in the cache, and
# behind it what is under test: binaries with their libraries, the scenario. The kernel unpacks one
# behind the other.

# What the scenarios need; what a kernel does not have is left out.
guest_modules=(
	virtio_pci 9p 9pnet_virtio virtio_blk
	nvme ufshcd-pci sd_mod sdhci-pci mmc_block
	ext4 f2fs crc32c_generic crc32_generic libcrc32c crc16
	dm-mod dm-flakey dm-delay dm-log-writes loop null_blk scsi_debug zram
	acpi-cpufreq cpufreq_ondemand cpufreq_userspace thermal processor
	cpufreq-dt clk-gpio gpio-pl061 bcm2711_thermal
	ramoops i6300esb softdog
)

# make_archive DIR FILE
make_archive()
{
	(cd "$1" && find . -mindepth 1 | LC_ALL=C sort | in_tools usr/bin/cpio -o -H newc --quiet \
		-R 0:0) >"$2.new" && mv "$2.new" "$2"
}

copy_modules()
{
	local root=$1 base=${kernel_modules%/lib/modules} module kind file

	[ -e "$kernel_modules/$kernel_version/modules.dep" ] ||
		in_tools usr/sbin/depmod -b "$base" "$kernel_version" || return 1
	for module in "${guest_modules[@]}"; do
		in_tools usr/sbin/modprobe -d "$base" -S "$kernel_version" --show-depends "$module" \
			2>/dev/null
	done | sort -u | while read -r kind file _; do
		[ "$kind" = insmod ] || continue
		module=$root/usr/lib/modules/${file#*/lib/modules/}
		mkdir -p "$(dirname "$module")"
		case $file in
		*.xz) xz -dc "$file" >"${module%.xz}" ;;
		*.zst) zstd -qdc "$file" >"${module%.zst}" ;;
		*) cp "$file" "$module" ;;
		esac
	done
	cp "$kernel_modules/$kernel_version"/modules.{builtin*,order} "$root/usr/lib/modules/$kernel_version/"
	# Newer kernels lack a file that it would like.
	in_tools usr/sbin/depmod -b "$root/usr" "$kernel_version" 2>/dev/null
}

copy_tools()
{
	local root=$1 part

	for part in bin sbin lib lib64; do
		mkdir -p "$root/usr/$part"
		ln -s "usr/$part" "$root/$part"
		# A link here: the package has its files below usr.
		if [ -d "$guest_tools/$part" ] && [ ! -L "$guest_tools/$part" ]; then
			cp -a "$guest_tools/$part/." "$root/usr/$part/"
		fi
	done
	cp -a "$guest_tools/usr/." "$root/usr/"
	ln -sf busybox "$root/usr/bin/sh"
	ln -sf ../bin/busybox "$root/usr/sbin/modprobe"
}

# need_base_image KERNEL: sets base_image
need_base_image()
{
	local kernel=$1 arch recipe root

	arch=$(kernel_field "$kernel" 2)
	need_guest_tools "$arch"
	recipe=$(cat "$here/lib/image.sh" "$here/lib/packages.sh" | sha256sum | cut -c 1-12)
	base_image=$cache/images/$kernel-$kernel_version-$recipe.cpio
	[ -e "$base_image" ] && return 0
	note "making the base image of $kernel"
	mkdir -p "$cache/images"
	rm -f "$cache/images/$kernel"-*.cpio
	root=$(mktemp -d)
	mkdir -p "$root"/{dev,proc,sys,tmp,run,mnt,out,root,etc,var}
	ln -s ../run "$root/var/run"
	copy_tools "$root"
	copy_modules "$root" && make_archive "$root" "$base_image"
	rm -rf "$root"
	[ -e "$base_image" ] || cannot "the base image of $kernel cannot be made"
}

# libraries_of PROGRAM: the files that the loader would take, as PATH PATH-IN-GUEST
libraries_of()
{
	local file path

	if [ "$programs" = "$build" ]; then
		ldd "$1" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u
	else
		cross_libraries "$1"
	fi | while read -r file; do
		path=${file#"${sysroot:-}"}
		echo "$file /usr/${path#/}" | sed 's: /usr/usr/: /usr/:'
	done
}

# make_overlay SCENARIO-FILE FILE: what is under test
make_overlay()
{
	local scenario=$1 image=$2 root program library path
	root=$(mktemp -d)

	mkdir -p "$root"/{usr/bin,vm}
	for program in flashscope flashscoped; do
		strip -o "$root/usr/bin/$program" "$programs/bin/$program" 2>/dev/null ||
			cp "$programs/bin/$program" "$root/usr/bin/"
		while read -r library path; do
			mkdir -p "$root$(dirname "$path")"
			cp -L "$library" "$root$path"
		done < <(libraries_of "$programs/bin/$program")
	done
	install -m 755 "$here/guest/init" "$root/init"
	cp "$here/guest/lib.sh" "$here/guest/run" "$top/tools/capture" "$root/vm/"
	[ -z "$scenario" ] || cp "$scenario" "$root/vm/scenario"
	make_archive "$root" "$image"
	rm -rf "$root"
}

# need_firmware ARCH: what gives the guest clocks and a thermal zone; sets firmware
need_firmware()
{
	local source kind
	case $1 in
	amd64) source=$here/acpi/throttle.asl kind=aml ;;
	arm64) source=$here/dt/throttle.dtso.in kind=dtb ;;
	esac

	firmware=$cache/images/throttle-$(sha256sum "$source" | cut -c 1-12).$kind
	[ -e "$firmware" ] && return 0
	mkdir -p "$cache/images"
	"make_$kind" "$source" "$firmware" >/dev/null 2>&1
	[ -e "$firmware" ] || cannot "${source##*/} cannot be compiled"
}

make_aml()
{
	in_tools usr/bin/iasl -p "${2%.aml}" "$1"
}

# The device tree that QEMU makes for the machine, with the overlay on it
make_dtb()
{
	local dir replace='' name path

	dir=$(mktemp -d)
	in_tools usr/bin/qemu-system-aarch64 -M "virt,dumpdtb=$dir/machine" "${arm64_machine[@]:2}" \
		-nodefaults -display none
	for name in GPIO=/pl061@9030000 CPU0=/cpus/cpu@0 CPU1=/cpus/cpu@1; do
		path=${name#*=}
		replace="$replace s/@${name%%=*}@/0x$(in_tools usr/bin/fdtget -t x "$dir/machine" \
			"$path" phandle)/g;"
	done
	sed "$replace" "$1" >"$dir/overlay.dtso" &&
		in_tools usr/bin/dtc -@ -q -I dts -O dtb -o "$dir/overlay" "$dir/overlay.dtso" &&
		in_tools usr/bin/fdtoverlay -i "$dir/machine" -o "$2" "$dir/overlay"
	rm -rf "$dir"
}

# need_debian: a Debian with systemd as an image of a disk; sets debian_image
need_debian()
{
	local dir address
	debian_image=$cache/images/debian-$guest_suite.ext4

	[ -e "$debian_image" ] && return 0
	command -v mmdebstrap >/dev/null || cannot "no mmdebstrap to make a Debian with"
	[ "$(id -u)" = 0 ] || cannot "only root can make a Debian with the right owners"
	note "making a Debian with systemd (once, into $cache)"
	address=$(mirror)
	dir=$(mktemp -d)
	mkdir -p "$cache/images"
	mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,udev,dbus,kmod \
		"$guest_suite" "$dir" "deb $address $guest_suite main" >"$cache/images/debian.log" 2>&1 ||
		{
			tail -n 3 "$cache/images/debian.log" >&2
			rm -rf "$dir"
			cannot "mmdebstrap failed"
		}
	echo guest >"$dir/etc/hostname"
	: >"$dir/etc/machine-id"
	# What would only cost time
	for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
		fstrim.timer systemd-timesyncd.service e2scrub_reap.service; do
		ln -sf /dev/null "$dir/etc/systemd/system/$unit"
	done
	(cd "$dir" && rm -rf usr/share/doc usr/share/locale var/lib/apt/lists dev/*)
	mke2fs -q -t ext4 -d "$dir" -L root "$debian_image.new" 512M && mv "$debian_image.new" "$debian_image"
	rm -rf "$dir"
	[ -e "$debian_image" ] || cannot "no image of the Debian"
}
