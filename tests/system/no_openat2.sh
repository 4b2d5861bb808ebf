#!/usr/bin/env bash
# Without openat2 a recorded tree would read as an empty machine: it is refused with a reason.
# label: single
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
without=$(cd "$1/tests" && pwd -P)/without_openat2

make_tree "$work/tree"
status=0
"$without" "$(command -v true)" || status=$?
if [ $status = 77 ]; then
	echo "skipped: no seccomp here"
	exit 77
fi

# refused COMMAND...: it fails, and says why
refused()
{
	local said status=0

	said=$("$without" "$@" 2>&1) || status=$?
	is 1 $status "status of $*"
	case $said in
	*"a recorded tree needs the system call openat2: Linux 5.6, and a seccomp filter"*) ;;
	*) fail "$* says: $said" ;;
	esac
}

refused "$bin/flashscope" probe --root "$work/tree"
refused "$bin/flashscope" sample --root "$work/tree"
refused "$bin/flashscoped" --root "$work/tree" --db "$work/f.db" --runtime-dir "$work/run" \
	--listen none
[ ! -e "$work/f.db" ] || fail 'a database was made'
"$without" "$bin/flashscope" sample load | grep -q load1 || fail 'this machine is not read'
