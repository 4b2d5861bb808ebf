# shellcheck shell=bash
# Programs for a guest of another architecture: clang and lld, with Debian's libraries for it unpacked
# into a folder of the cache. Nothing foreign is installed.

cross_packages=(libc6-dev linux-libc-dev libgcc-12-dev libsqlite3-dev libmicrohttpd-dev libjson-c-dev
	libinih-dev libcurl4-gnutls-dev libsmartcols-dev)

# need_sysroot ARCH: sets sysroot
need_sysroot()
{
	local link target

	sysroot=$cache/sysroot/$guest_suite-$1
	[ -d "$sysroot" ] && return 0
	note "fetching libraries to build for $1 (once, into $cache)"
	mkdir -p "$cache/sysroot"
	# What clang calls for 128-bit arithmetic is not in libgcc.
	fetch_packages "$guest_suite" "$1" "$sysroot" "${cross_packages[@]}" \
		"libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
	# Absolute links would lead out of it.
	find "$sysroot" -type l -lname '/*' | while read -r link; do
		target=$(readlink "$link")
		ln -snfr "$sysroot$target" "$link"
	done
}

# cross_build ARCH: sets programs to a folder with them, as fresh as the tree
cross_build()
{
	local arch=$1 triplet=aarch64-linux-gnu tool log=$top/build/vm-$1.log

	for tool in clang ld.lld cmake ninja; do
		command -v "$tool" >/dev/null || cannot "no $tool here to build for $arch"
	done
	need_guest_tools "$arch"
	need_sysroot "$arch"
	programs=$top/build/vm-$arch
	mkdir -p "$programs"
	export PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_PATH=''
	export PKG_CONFIG_LIBDIR=$sysroot/usr/lib/$triplet/pkgconfig:$sysroot/usr/share/pkgconfig
	if ! { [ -e "$programs/build.ninja" ] || cmake -S "$top" -B "$programs" -G Ninja \
		-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_SYSTEM_NAME=Linux \
		-DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=clang \
		-DCMAKE_C_COMPILER_TARGET=$triplet -DCMAKE_SYSROOT="$sysroot" \
		-DCMAKE_C_STANDARD_LIBRARIES="$(find "$sysroot/usr/lib" -name 'libclang_rt.builtins-*.a')" \
		-DCMAKE_EXE_LINKER_FLAGS="-fuse-ld=lld -s -Wl,-rpath-link,$sysroot/usr/lib/$triplet" \
		-DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER; } >"$log" 2>&1 ||
		! cmake --build "$programs" --target flashscoped flashscope flashscope-helper >>"$log" 2>&1; then
		tail -n 30 "$log"
		echo "the build for $arch fails"
		exit 1
	fi
}

# static_build ARCH: sets programs to the folder of the static ones, as fresh as the tree
static_build()
{
	local preset log=$top/build/vm-static.log
	case $1 in
	arm64) preset=static-aarch64 ;;
	amd64) preset=static-x86_64 ;;
	esac

	# What cannot be fetched or compiled for is a skip, with its reason.
	"$top/tools/static_libraries" "${preset#static-}" >"$log" 2>&1 || {
		[ $? = 77 ] || tail -n 30 "$log"
		cannot "no libraries for the static programs: $(tail -n 1 "$log")"
	}
	programs=$top/build/$preset
	"$top/tools/build" "$preset" >"$log" 2>&1 || {
		tail -n 30 "$log"
		echo "the static build for $1 fails"
		exit 1
	}
}

# cross_libraries PROGRAM...: as libraries_of, from the sysroot
cross_libraries()
{
	local todo=("$@") seen=' ' name file

	while [ ${#todo[@]} -gt 0 ]; do
		file=${todo[0]}
		todo=("${todo[@]:1}")
		for name in $(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
			case $seen in *" $name "*) continue ;; esac
			seen="$seen$name "
			file=$(find "$sysroot/lib/" "$sysroot/usr/lib/" -maxdepth 2 -name "$name" | head -n 1)
			[ -n "$file" ] || continue
			echo "$file"
			todo+=("$file")
		done
	done
}
