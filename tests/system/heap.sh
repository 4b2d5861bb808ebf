#!/usr/bin/env bash
# label: long nosan
# What is freed goes back to the kernel (daemon/heap.c): the daemon starts itself anew with glibc's
# caches of threads switched off, keeps its name, pid and arguments, and leaves a choice that was
# made for it alone.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"

tunables()
{
	tr '\0' '\n' <"/proc/$daemon/environ" | sed -n 's/^GLIBC_TUNABLES=//p'
}

ldd --version 2>&1 | grep -qi 'glibc\|gnu libc' || {
	echo 'skipped: not glibc'
	exit 77
}
start
[ "$(tunables)" = glibc.malloc.tcache_count=0 ] || fail "the cache is on: $(tunables)"
[ "$(cat "/proc/$daemon/comm")" = flashscoped ] || fail "it is called $(cat "/proc/$daemon/comm")"
stop
export GLIBC_TUNABLES=glibc.malloc.tcache_count=3
start
[ "$(tunables)" = "$GLIBC_TUNABLES" ] || fail "a choice that was made is overridden: $(tunables)"
stop

# A C library that takes the variable away is started anew once, not for ever.
cat >"$work/strip.c" <<END
#include <stdlib.h>
__attribute__((constructor)) static void strip(void) { unsetenv("GLIBC_TUNABLES"); }
END
unset GLIBC_TUNABLES
if cc -shared -fPIC -o "$work/strip.so" "$work/strip.c"; then
	LD_PRELOAD=$work/strip.so timeout 20 "$bin/flashscoped" --version >/dev/null ||
		fail 'it starts itself anew for ever'
fi
echo ok
