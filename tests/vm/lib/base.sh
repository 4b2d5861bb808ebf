# shellcheck shell=bash
# The base of a guest's initramfs: a kernel's modules and a few tools, one archive for each kernel, kept
# in the cache until this file changes. The kernel unpacks what is under test behind it.

# What the scenarios need; what a kernel does not have is left out.
guest_modules=(
	virtio_pci 9p 9pnet_virtio virtio_blk
	nvme ufshcd-pci sd_mod sdhci-pci mmc_block ahci xhci-pci usb-storage uas
	ext4 f2fs crc32c_generic crc32_generic libcrc32c crc16
	dm-mod dm-crypt xts aesni-intel dm-flakey dm-delay dm-log-writes loop null_blk scsi_debug zram
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
	recipe=$({ cat "$here/lib/base.sh" && echo "${guest_packages[*]}"; } | sha256sum | cut -c 1-12)
	base_image=$cache/images/$kernel-$kernel_version-$recipe.cpio
	[ -e "$base_image" ] && return 0
	note "making the base image of $kernel"
	mkdir -p "$cache/images"
	rm -f "$cache/images/$kernel"-*.cpio
	root=$(mktemp -d -p "$scratch")
	mkdir -p "$root"/{dev,proc,sys,tmp,run,mnt,out,root,etc,var}
	ln -s ../run "$root/var/run"
	copy_tools "$root"
	copy_modules "$root" && make_archive "$root" "$base_image"
	rm -rf "$root"
	[ -e "$base_image" ] || cannot "the base image of $kernel cannot be made"
}
