#!/usr/bin/env bash
# A libmicrohttpd that initializes gnutls when it is loaded finds our own function, which does
# nothing (daemon/no_tls.c).
# label: single
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"

LD_DEBUG=bindings "$bin/flashscoped" --version >/dev/null 2>"$work/bindings"
grep 'symbol .gnutls_global_init' "$work/bindings" | grep 'libmicrohttpd' >"$work/calls" || {
	echo 'skipped: this libmicrohttpd initializes no gnutls'
	exit 77
}
! grep -v 'to [^ ]*flashscoped ' "$work/calls" || fail 'gnutls is initialized'
grep "symbol ._gnutls_global_init_skip" "$work/bindings" | grep -q 'to [^ ]*flashscoped ' ||
	fail 'gnutls initializes itself'
echo ok
