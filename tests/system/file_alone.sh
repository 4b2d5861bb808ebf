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

# Neither does the seal of a copy of it claim that, without a sample as well.
sed_lacks()
{
	sed -n 's/^lacks what was sampled after //p'
}
cp "$work/young.db" "$work/early.db"
sqlite3 "$work/early.db" 'DELETE FROM tail; UPDATE boot SET last_ms=0'
event=$(sqlite3 "$work/early.db" 'SELECT wall FROM events ORDER BY t DESC LIMIT 1')
is "$event" "$("$bin/flashscope" snapshot --db "$work/early.db" "$work/early.copy" 2>/dev/null | sed_lacks)" \
	'what the copy of a file without a sample lacks'

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
# Why there is none of it is told by the file, not by the machine that it is read on.
sqlite3 "$work/closed.db" "DELETE FROM outcome WHERE collector='thermal'; INSERT INTO outcome(boot,t,collector,node,outcome,reason)
	VALUES(1,(SELECT max(t) FROM event),'thermal','','no_hardware','no sensor on this board'); DELETE FROM tail"
"$bin/flashscope" query thermal.temp --from -1s --db "$work/closed.db" >"$work/said" 2>&1 || fail "$(cat "$work/said")"
grep -q '^flashscope query: thermal was not sampled when this was recorded: no_hardware: no sensor on this board (boot 1, since 2.*Z)$' "$work/said" ||
	fail "$(cat "$work/said")"
! grep 'flashscope probe' "$work/said" || fail 'advice for another machine'
! lacks "$work/closed.db" || fail 'a closed file is said to lack something'
echo ok
