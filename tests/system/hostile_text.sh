#!/usr/bin/env bash
# Texts of a database from elsewhere do not reach the terminal as they are.
# label: single
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need sqlite3
start
sleep 1.2
stop
sqlite3 "$work/f.db" "UPDATE boot SET kernel = 'k' || char(27) || '[2J';
	UPDATE node SET name = 'n' || char(27) || '[31m', identity = 'i' || char(7)"
"$bin/flashscope" status --db "$work/f.db" >"$work/said" 2>&1 || fail "status: $(cat "$work/said")"
"$bin/flashscope" query load.load1 --db "$work/f.db" >>"$work/said" 2>&1 || fail "query: $(cat "$work/said")"
"$bin/flashscope" query load.load1 --db "$work/f.db" --node nobody >>"$work/said" 2>&1 && fail 'no error'
grep -q 'kernel k?\[2J' "$work/said" || fail 'no kernel in the status'
! LC_ALL=C grep -n '[[:cntrl:]]' "$work/said" || fail 'control characters'
echo ok
