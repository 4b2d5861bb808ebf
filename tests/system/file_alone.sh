#!/usr/bin/env bash
# A copy of the database alone, without its journal: what it has, and that it says what it may lack.
# label: long
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need sqlite3 jq setpriv

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

# With its journal, pulled into a folder that cannot be written and without the index that the daemon
# has in memory: all of it is read, and nothing is made there. Then with a journal that may not be
# read, and with one that is damaged.
mkdir "$work/pulled"
chmod 755 "$work"
"$bin/flashscope" events --json --db "$work/f.db" >"$work/events"
cp "$work/f.db" "$work/f.db-wal" "$work/pulled"
chmod 555 "$work/pulled"
as_nobody()
{
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$bin/flashscope" "$@"
	else
		"$bin/flashscope" "$@"
	fi
}
if as_nobody --version >/dev/null 2>&1; then
	as_nobody events --json --db "$work/pulled/f.db" >"$work/pulled_events"
	[ "$(jq length "$work/pulled_events")" -ge "$(jq length "$work/events")" ] ||
		fail 'events of the journal are missing'
	as_nobody snapshot --db "$work/pulled/f.db" "$work/pulled.snapshot" >/dev/null 2>&1 || true
	is "$(ls "$work/pulled" | wc -l)" 2 'files in the folder'
	chmod 700 "$work/pulled"
	chmod 000 "$work/pulled/f.db-wal"
	chmod 555 "$work/pulled"
	as_nobody boots --db "$work/pulled/f.db" 2>&1 | grep -q 'f.db-wal cannot be read: Permission denied' ||
		fail 'nobody says that the journal could not be read'
fi
chmod -R u+w "$work/pulled"
rm "$work/pulled/f.db-wal"
cp "$work/f.db" "$work/f.db-wal" "$work/pulled"
"$bin/flashscope" events --json --db "$work/pulled/f.db" >"$work/events"
"$bin/flashscope" snapshot --db "$work/pulled/f.db" "$work/pulled.copy" >/dev/null
"$bin/flashscope" snapshot --check "$work/pulled.copy" >/dev/null
is "$("$bin/flashscope" events --json --db "$work/pulled.copy" | jq length)" "$(jq length "$work/events")" \
	'events of a copy of a pulled file'
mkdir "$work/link"
ln -s ../pulled/f.db "$work/link/f.db"
is "$("$bin/flashscope" events --json --db "$work/link/f.db" | jq length)" "$(jq length "$work/events")" \
	'events behind a link'
printf 'garbage' | dd of="$work/pulled/f.db-wal" bs=1 seek=16 conv=notrunc status=none
"$bin/flashscope" events --db "$work/pulled/f.db" 2>&1 >/dev/null | grep -q 'f.db-wal is damaged' ||
	fail 'nobody says that the journal is damaged'
stop
cp "$work/f.db" "$work/closed.db"
! lacks "$work/closed.db" || fail 'a closed file is said to lack something'
echo ok
