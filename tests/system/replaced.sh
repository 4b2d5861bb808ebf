#!/usr/bin/env bash
# The database, or its journal, goes away while the daemon has it open: it is told, and who reads the
# file afterwards is not told that nothing is missing.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need sqlite3
printf '[store]\ncommit_interval = 1s\n' >"$work/f.conf"

# begin: a daemon that has written twice, with an idle reader
begin()
{
	rm -rf "$work"/f.db*
	start --config "$work/f.conf" --root "$work/tree"
	until_true 10 grep -q 'the database is written now' "$work/log"
	until_true 10 has_rows
	get '/api/v1/events' >/dev/null
}
has_rows()
{
	[ "$(sqlite3 -readonly "$work/f.db" 'SELECT count(*) FROM load' 2>/dev/null || echo 0)" -ge 1 ]
}
told()
{
	until_true 10 grep -q "^warning: $1" "$work/log"
}
make_tree "$work/tree"

begin
rm "$work/f.db"
told 'the database was removed or replaced while it was open; what was recorded up to 20'
until_true 10 has_rows
get '/api/v1/events' | grep -q database_lost || fail 'no event that the database was removed'
stop
is 1 "$(grep -c 'removed or replaced' "$work/log")" 'times that it was said'
"$bin/flashscope" status --db "$work/f.db" >"$work/out"
grep -q '^before  .*removed or replaced.* is not in this file$' "$work/out" || fail "$(cat "$work/out")"
! grep -q 'nothing is missing$' "$work/out" || fail "$(cat "$work/out")"

begin
: >"$work/f.db"
told 'the database was emptied while it was open; what was recorded up to 20'
until_true 10 has_rows
stop
"$bin/flashscope" status --db "$work/f.db" >"$work/out"
grep -q '^before  .*emptied' "$work/out" || fail "$(cat "$work/out")"

# The readers of the daemon go on with the journal that is there.
begin
mv "$work/f.db-wal" "$work/gone"
told 'the journal of the database was removed or replaced'
"$bin/flashscope" snapshot --socket "$socket" "$work/copy" >/dev/null || fail 'no snapshot'
get '/api/v1/query?metric=load.threads&from=-1min' | grep -q '"points":\[\[' || fail 'no query'
stop
is 1 "$(grep -c 'removed or replaced' "$work/log")" 'times that it was said of the journal'
"$bin/flashscope" status --db "$work/f.db" >"$work/out"
grep -q 'the daemon was stopped, nothing is missing after it$' "$work/out" || fail "$(cat "$work/out")"
is ok "$(sqlite3 "$work/f.db" 'PRAGMA integrity_check')" integrity
echo ok
