# shellcheck shell=bash
# What the base images do not have: the programs under test with their libraries, the scenario, the
# firmware that gives a guest clocks and heat, and a Debian on a disk.

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

# bench_programs: what a scenario with "bench" in its machine measures with
bench_programs()
{
	case $machine in *bench*) echo "$programs/bench/bench_pace" ;; esac
}

# make_overlay SCENARIO-FILE FILE: what is under test
make_overlay()
{
	local scenario=$1 image=$2 root program library path
	root=$(mktemp -d -p "$scratch")

	mkdir -p "$root"/{usr/bin,vm}
	for program in "$programs"/bin/flashscope{,d,-helper} $(bench_programs); do
		strip -o "$root/usr/bin/${program##*/}" "$program" 2>/dev/null ||
			cp "$program" "$root/usr/bin/"
		while read -r library path; do
			mkdir -p "$root$(dirname "$path")"
			cp -L "$library" "$root$path"
		done < <(libraries_of "$program")
	done
	# The units as they are installed, for a guest with systemd
	if [ -d "$build/install" ]; then
		mkdir -p "$root/vm/install"
		cp "$build/install"/flashscope* "$root/vm/install/"
	fi
	install -m 755 "$here/guest/init" "$root/init"
	cp "$here/guest/lib.sh" "$here/guest/run" "$top/tools/capture" "$root/vm/"
	[ -z "$scenario" ] || cp "$scenario" "$root/vm/scenario"
	case $machine in *static*) cp -R "$top/init.rc" "$root/vm/android" ;; esac
	case $machine in *initd*) copy_initd "$root" ;; esac
	make_archive "$root" "$image"
	rm -rf "$root"
}

# copy_initd ROOT: what is installed for busybox init
copy_initd()
{
	mkdir -p "$1/etc/init.d" "$1/etc/flashscope"
	sed 's,@sbindir@,/usr/bin,g; s,@sysconfdir@,/etc,g; s,@runstatedir@,/run,g' \
		"$top/packaging/busybox/S60flashscoped.in" >"$1/etc/init.d/S60flashscoped"
	chmod 755 "$1/etc/init.d/S60flashscoped"
	# The static programs look in Android's folders by themselves.
	{
		cat "$top/packaging/flashscope.conf"
		printf '\n%s\n' '[daemon]' 'database = /var/lib/flashscope/flashscope.db' \
			'runtime_dir = /run/flashscope'
	} >"$1/etc/flashscope/flashscope.conf"
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
	"make_$kind" "$source" "$scratch/firmware.$kind" >/dev/null 2>&1 &&
		mv "$scratch/firmware.$kind" "$firmware" || cannot "${source##*/} cannot be compiled"
}

make_aml()
{
	in_tools usr/bin/iasl -p "${2%.aml}" "$1"
}

# The device tree that QEMU makes for the machine, with the overlay on it
make_dtb()
{
	local dir replace='' name path

	dir=$(mktemp -d -p "$scratch")
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

# Owners are right only if root makes it.
can_make_debian()
{
	command -v mmdebstrap >/dev/null && command -v mke2fs >/dev/null && [ "$(id -u)" = 0 ]
}

# need_debian: a Debian with systemd as an image of a disk; sets debian_image
need_debian()
{
	local dir address
	debian_image=$cache/images/debian-$guest_suite.ext4

	[ -e "$debian_image" ] && return 0
	can_make_debian || cannot "a Debian is made by root, with mmdebstrap and mke2fs"
	note "making a Debian with systemd (once, into $cache)"
	address=$(mirror)
	dir=$(mktemp -d -p "$scratch")
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
	rm -f "$debian_image.new"
	mke2fs -q -t ext4 -d "$dir" -L root "$debian_image.new" 512M && mv "$debian_image.new" "$debian_image"
	rm -rf "$dir"
	[ -e "$debian_image" ] || cannot "no image of the Debian"
}
