#!/usr/bin/env bash
# A copy of the database alone, without its journal: what it has, and that it says what it may lack.
# label: long
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need sqlite3

# lacks FILE: the commands say that the newest minutes may be missing
lacks()
{
	"$bin/flashscope" status --db "$1" 2>&1 >/dev/null | grep -q 'may lack the newest minutes' &&
		"$bin/flashscope" query load.threads --db "$1" 2>&1 >/dev/null |
		grep -q 'may lack the newest minutes'
}

printf '[store]\ncommit_interval = 2s\n' >"$work/often.conf"
start --config "$work/often.conf"
# Without a lock of a reader, which would keep the journal from being moved into the file.
young()
{
	cp "$work/f.db" "$work/young.db"
	[ "$(sqlite3 "file:$work/young.db?immutable=1" 'SELECT count(*) FROM load' 2>/dev/null || echo 0)" -ge 1 ]
}
until_true 30 young
lacks "$work/young.db" || fail 'a copy of an open file does not say what it may lack'
sqlite3 -readonly "$work/f.db" "VACUUM INTO '$work/whole.db'"
! lacks "$work/whole.db" || fail 'a whole copy is said to lack something'
stop
cp "$work/f.db" "$work/closed.db"
! lacks "$work/closed.db" || fail 'a closed file is said to lack something'
echo ok
