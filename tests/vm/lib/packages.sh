# shellcheck shell=bash
# QEMU, kernels and tools: Debian packages, unpacked once below $cache and never installed. apt runs
# with a state of its own; the mirror's address, keys and proxies are this machine's.

tools_suite=trixie-backports # QEMU with UFS and eMMC, and what builds images
guest_suite=                 # user space of the guest: this machine's own release, whose libraries
                             # the built binaries need

qemu_packages=(qemu-system-x86 qemu-system-arm kmod cpio acpica-tools device-tree-compiler)
guest_packages=(busybox-static dmsetup e2fsprogs f2fs-tools nvme-cli)

# Kernels: name, architecture, suite, package whose dependency is the image
kernel_table()
{
	cat <<-END
	amd64-6.12 amd64 trixie linux-image-amd64
	amd64-6.1 amd64 bookworm linux-image-amd64
	amd64-new amd64 trixie-backports linux-image-amd64
	arm64-6.12 arm64 trixie linux-image-arm64
	END
}

kernel_names()
{
	kernel_table | cut -d' ' -f1
}

# kernel_field KERNEL NUMBER
kernel_field()
{
	kernel_table | awk -v name="$1" -v n="$2" '$1 == name { print $n }'
}

# The first Debian mirror of this machine's apt, with what signs it
mirror()
{
	local file

	for file in /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -r "$file" ] || continue
		awk '
		$1 == "URIs:" && /debian/ && !/security/ { print $2; exit }
		$1 == "deb" && /debian/ && !/security/ {
			for (i = 2; i <= NF; i++) if ($i ~ /^[a-z]+:\//) { print $i; exit }
		}' "$file"
	done | head -n 1
}

# apt_in SUITE ARCH COMMAND...: apt-get or apt-cache with a state of its own
apt_in()
{
	local suite=$1 arch=$2 command=$3 state=$cache/apt/$1-$2
	shift 3

	"$command" -o APT::Architecture="$arch" -o APT::Architectures::="$arch" \
		-o Dir::Etc::SourceList="$state/suite.sources" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::PreferencesParts=/dev/null -o Dir::Etc::Preferences=/dev/null \
		-o Dir::State="$state" -o Dir::State::Lists="$state/lists" \
		-o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" \
		-o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false \
		-o APT::Get::AllowUnauthenticated=false "$@"
}

# apt_update SUITE ARCH: fetches the lists, once in each run
apt_update()
{
	local suite=$1 arch=$2 state=$cache/apt/$1-$2 address suites=$1

	[ ! -e "$state/fresh.$$" ] || return 0
	command -v apt-get >/dev/null || cannot "no apt-get here to fetch packages with"
	address=$(mirror)
	[ -n "$address" ] || cannot "the apt files of this machine name no Debian mirror"
	case $suite in *-backports) suites="${suite%-backports} $suite" ;; esac
	mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
	: >"$state/status"
	cat >"$state/suite.sources" <<-END
	Types: deb
	URIs: $address
	Suites: $suites
	Components: main
	Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
	END
	apt_in "$suite" "$arch" apt-get -qq update >"$state/log" 2>&1 &&
		[ -n "$(find "$state/lists" -name '*Packages*' -size +100k | head -n 1)" ] || {
		tail -n 3 "$state/log" >&2
		cannot "the package lists of $suite cannot be fetched"
	}
	# Of a fetch that was broken off
	rm -f "$state"/fresh.* "$state/cache/archives"/*.deb
	: >"$state/fresh.$$"
}

# fetch_packages SUITE ARCH DIR PACKAGE...: unpacks them and all that they need
fetch_packages()
{
	local suite=$1 arch=$2 dir=$3 state=$cache/apt/$1-$2 release=() file
	shift 3

	apt_update "$suite" "$arch"
	case $suite in *-backports) release=(-t "$suite") ;; esac
	apt_in "$suite" "$arch" apt-get -qq -y "${release[@]}" --download-only install "$@" \
		>"$state/log" 2>&1 || {
		tail -n 3 "$state/log" >&2
		cannot "packages of $suite cannot be fetched: $*"
	}
	unpack_fetched "$state/cache/archives" "$dir"
}

# download_packages SUITE ARCH DIR PACKAGE...: unpacks these alone
download_packages()
{
	local suite=$1 arch=$2 dir=$3 state=$cache/apt/$1-$2
	shift 3

	apt_update "$suite" "$arch"
	(cd "$state/cache/archives" && apt_in "$suite" "$arch" apt-get -qq download "$@") \
		>"$state/log" 2>&1 || {
		tail -n 3 "$state/log" >&2
		cannot "packages of $suite cannot be fetched: $*"
	}
	unpack_fetched "$state/cache/archives" "$dir"
}

# unpack_fetched ARCHIVES DIR: into DIR, and the packages themselves go
unpack_fetched()
{
	local file

	rm -rf "$2.new"
	mkdir -p "$2.new"
	for file in "$1"/*.deb; do
		case ${file##*/} in perl* | debconf* | dpkg* | libc-l10n* | tzdata*) continue ;; esac
		dpkg -x "$file" "$2.new"
	done
	rm -f "$1"/*.deb
	rm -rf "$2"
	mv "$2.new" "$2"
}

need_qemu()
{
	qemu_dir=$cache/qemu
	[ -d "$qemu_dir" ] && return 0
	note "fetching QEMU (once, into $cache)"
	fetch_packages "$tools_suite" "$(dpkg --print-architecture)" "$qemu_dir" "${qemu_packages[@]}"
}

# need_kernel NAME: sets kernel_dir, kernel_version, kernel_image
need_kernel()
{
	local name=$1 arch suite package image version

	kernel_dir=$cache/kernels/$name
	if [ ! -d "$kernel_dir" ]; then
		arch=$(kernel_field "$name" 2) suite=$(kernel_field "$name" 3)
		package=$(kernel_field "$name" 4)
		note "fetching the kernel $name (once, into $cache)"
		mkdir -p "$cache/kernels"
		apt_update "$suite" "$arch"
		image=$(kernel_package "$suite" "$arch" "$package")
		# Newer packages hold the image and the modules apart.
		version=${image#linux-image-}
		if apt_in "$suite" "$arch" apt-cache show "linux-modules-$version" >/dev/null 2>&1; then
			download_packages "$suite" "$arch" "$kernel_dir" "linux-binary-$version" \
				"linux-modules-$version"
		else
			download_packages "$suite" "$arch" "$kernel_dir" "$image"
		fi
	fi
	kernel_modules=$kernel_dir/usr/lib/modules
	[ -d "$kernel_modules" ] || kernel_modules=$kernel_dir/lib/modules
	kernel_version=$(basename "$kernel_modules"/*)
	kernel_image=$kernel_dir/boot/vmlinuz-$kernel_version
	[ -e "$kernel_image" ] || kernel_image=$kernel_modules/$kernel_version/vmlinuz
	[ -e "$kernel_image" ] || cannot "the package of $name holds no kernel image"
}

# The package linux-image-VERSION behind a metapackage
kernel_package()
{
	local suite=$1 arch=$2 from=$3

	case $suite in *-backports) from=$3/$suite ;; esac
	apt_in "$suite" "$arch" apt-cache show "$from" |
		sed -n 's/^Depends:.*\(linux-image-[0-9][^ ,]*\).*/\1/p' | head -n 1
}

# need_guest_tools ARCH: user space of the guest
need_guest_tools()
{
	guest_suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	[ -n "$guest_suite" ] || cannot "/etc/os-release names no release"
	# Another list of packages is another folder.
	guest_tools=$cache/guest/$guest_suite-$1-$(printf '%s ' "${guest_packages[@]}" | cksum | cut -d ' ' -f 1)
	[ -d "$guest_tools" ] && return 0
	note "fetching the guest's tools ($guest_suite, $1; once, into $cache)"
	mkdir -p "$cache/guest"
	fetch_packages "$guest_suite" "$1" "$guest_tools" "${guest_packages[@]}"
	(cd "$guest_tools" && rm -rf usr/share var usr/lib/*/gconv lib/systemd usr/lib/systemd)
}

# exec_tool PROGRAM...: replaces this shell by a program of the unpacked tools, which runs with its
# own libraries and loader, through the command $exec_through
exec_through=()
exec_tool()
{
	local program=$1 loader lib
	shift

	loader=$(find "$qemu_dir/usr/lib64" "$qemu_dir/lib64" "$qemu_dir/usr/lib" "$qemu_dir/lib" \
		-maxdepth 2 -name 'ld-linux-*.so.*' 2>/dev/null | head -n 1)
	lib=$(dirname "$(find "$qemu_dir/usr/lib" "$qemu_dir/lib" -name libc.so.6 2>/dev/null | head -n 1)")
	export QEMU_MODULE_DIR=$lib/qemu
	exec "${exec_through[@]}" "$loader" --library-path "$lib:$lib/systemd" --argv0 "${program##*/}" "$qemu_dir/$program" "$@"
}

in_tools()
{
	(exec_tool "$@")
}
