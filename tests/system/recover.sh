#!/usr/bin/env bash
# What flashscope recover makes of copies of a running daemon's file that lack this and that, and
# that it leaves them as they are.
# label: long single
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need sqlite3 jq curl
fs=$bin/flashscope
make_tree "$work/tree"
start --root "$work/tree"
until_true 10 sh -c "curl -sS '$url/api/v1/latest?collector=load' | grep -q threads"
ask /api/v1/marks -X POST -d '{"label":"first"}' >/dev/null
until_true 30 sh -c "sqlite3 -readonly '$work/f.db' 'SELECT label FROM marks' | grep -q first"
# Both of one moment.
mkdir "$work/copy"
kill -STOP "$daemon"
cp "$work/f.db" "$work/f.db-wal" "$work/copy/"
kill -CONT "$daemon"

# With its journal, and in a folder that cannot be written.
(cd "$work/copy" && sha256sum ./*) >"$work/sums"
chmod a-w "$work/copy"
"$fs" recover "$work/copy/f.db" --to "$work/new.db" >"$work/said"
cat "$work/said"
chmod u+w "$work/copy"
(cd "$work/copy" && sha256sum --quiet -c "$work/sums") || fail 'the old file was changed'
is 'f.db f.db-wal' "$(cd "$work/copy" && echo ./* | tr -d ./ | sed 's/fdb/f.db/g')" 'files of the copy'
is ok "$(sqlite3 "$work/new.db" 'PRAGMA integrity_check')" integrity
is first "$(sqlite3 "$work/new.db" 'SELECT label FROM marks')" 'a mark that was only in the journal'
[ "$(sqlite3 "$work/new.db" 'SELECT count(*) FROM load')" -ge 1 ] || fail 'no samples'
grep -q 'pages were taken from the journal' "$work/said" || fail 'the journal is not told of'
grep -q 'was not closed' "$work/said" || fail 'it is not said that the file was not closed'
grep -q 'nothing was found to be damaged' "$work/said" || fail 'a sound file is said to be damaged'
"$fs" query load.threads --db "$work/new.db" --csv | grep -q 234 || fail 'no answer from the new file'

sqlite3 "$work/new.db" "VACUUM INTO '$work/copy2.db'"
# Without it.
rm "$work/copy/f.db-wal"
"$fs" recover "$work/copy/f.db" --to "$work/new2.db" | grep -q 'no journal beside it' ||
	fail 'a missing journal is not told of'
# A young file may have all of its events, and its samples, in the journal.
for table in event tail; do
	sqlite3 "$work/copy/f.db" "DELETE FROM $table"
	rm -f "$work"/copy/f.db-* "$work/new2.db"
	"$fs" recover "$work/copy/f.db" --to "$work/new2.db" >"$work/said"
	cat "$work/said"
	grep -q 'no journal beside it' "$work/said" || fail "a missing journal is not told of without $table"
done

# Cut off, and without a beginning.
stop
head -c 900000 "$work/f.db" >"$work/cut.db"
! "$fs" events --db "$work/cut.db" >/dev/null 2>"$work/err" || fail 'a cut file opens'
"$fs" recover "$work/cut.db" >"$work/said"
grep -q 'are cut off' "$work/said" || fail 'cut pages are not told of'
is ok "$(sqlite3 "$work/cut.db.recovered" 'PRAGMA integrity_check')" 'integrity of what was cut'
cp "$work/f.db" "$work/headless.db"
dd if=/dev/urandom of="$work/headless.db" bs=4096 count=1 conv=notrunc status=none
! "$fs" events --db "$work/headless.db" >/dev/null 2>&1 || fail 'a file without its head opens'
"$fs" recover "$work/headless.db" --to "$work/head.db" >"$work/said"
cat "$work/said"
grep -q 'names of tables' "$work/said" || fail 'a lost head is not told of'
for view in load diskstats events marks nodes infos outcomes; do
	is "$(sqlite3 "$work/f.db" "SELECT count(*) FROM $view")" \
		"$(sqlite3 "$work/head.db" "SELECT count(*) FROM $view")" "rows of $view without a head"
done
is "$(sqlite3 "$work/f.db" 'SELECT wall,node,threads,runnable FROM load')" \
	"$(sqlite3 "$work/head.db" 'SELECT wall,node,threads,runnable FROM load')" 'samples without a head'

# Samples of the tail whose nodes are lost are shown, by nodes that are numbers.
cp "$work/copy2.db" "$work/nodeless.db"
ticks=$(sqlite3 "$work/nodeless.db" "SELECT count(*) FROM load")
sqlite3 "$work/nodeless.db" 'DELETE FROM node'
"$fs" recover "$work/nodeless.db" >"$work/said"
cat "$work/said"
[ "$ticks" -ge 1 ] || fail 'no samples in the tail'
is "$ticks" "$(sqlite3 "$work/nodeless.db.recovered" 'SELECT count(*) FROM load')" 'samples of nodes without rows'
grep -q 'have lost their rows' "$work/said" || fail 'it is not said that nodes were made up'
"$fs" query load.threads --db "$work/nodeless.db.recovered" --csv | grep -q 234 || fail 'no answer without rows of nodes'

# A page of the tail in the midst: which times may be missing. Its seconds are whole, so what is left
# of them says what is not there.
cp "$work/f.db" "$work/holed.db"
sqlite3 "$work/holed.db" "UPDATE tail SET seq = 1000 + slot, boot = (SELECT max(id) FROM boot),
	dir = json_object('load', json_object('t0', 1000 * slot, 'step', 1000, 'n', 1, 'nodes', json('[[1,0,1,2,3,4,5]]')))
	WHERE slot BETWEEN 1 AND 60; UPDATE meta SET folded = 1000; UPDATE boot SET wall_offset_ms = 1790000000000"
leaf=$(sqlite3 "$work/holed.db" "SELECT pageno FROM dbstat WHERE name = 'tail' AND pagetype = 'leaf'
	AND pageno = (SELECT min(pageno) + 20 FROM dbstat WHERE name = 'tail' AND pagetype = 'leaf')" 2>/dev/null || true)
if [ -n "$leaf" ]; then
	dd if=/dev/urandom of="$work/holed.db" bs=4096 seek=$((leaf - 1)) count=1 conv=notrunc status=none
	"$fs" recover "$work/holed.db" >"$work/said"
	cat "$work/said"
	grep -q '^  tail: .*: from 2026-09-21T14:1[34]:..Z to 2026-09-21T14:1[34]:..Z$' "$work/said" ||
		fail 'the times of a hole in the tail are not told'
fi

# What a file says of itself: a newer format, or nothing.
cp "$work/f.db" "$work/newer.db"
sqlite3 "$work/newer.db" 'PRAGMA user_version = 3'
"$fs" recover "$work/newer.db" | grep -q '^its format is 3, which a newer flashscope wrote' || fail 'a newer format is not told of'
cp "$work/f.db" "$work/beheaded.db"
dd if=/dev/urandom of="$work/beheaded.db" bs=100 count=1 conv=notrunc status=none
"$fs" recover "$work/beheaded.db" >"$work/said"
grep -q '^its first 100 bytes' "$work/said" || fail 'a damaged header is not told of'
! grep -q 'nothing was found to be damaged' "$work/said" || fail 'a damaged header is no damage'

# A daemon goes on with it.
cp "$work/head.db" "$work/f.db"
rm -f "$work"/f.db-*
start --root "$work/tree"
stop
is 2 "$(sqlite3 "$work/f.db" "SELECT count(*) FROM events WHERE kind='stop'")" 'stops'

# What is no database, what is there, what cannot be.
head -c 100000 /dev/urandom >"$work/noise"
! "$fs" recover "$work/noise" 2>"$work/err" || fail 'noise is a database'
grep -q 'nothing of a flashscope database' "$work/err" || fail 'wrong words for noise'
[ ! -e "$work/noise.recovered" ] || fail 'a file of nothing'
! "$fs" recover "$work/headless.db" --to "$work/new.db" 2>"$work/err" || fail 'a file was replaced'
grep -q 'is there already' "$work/err" || fail 'wrong words for a file that is there'
! "$fs" recover "$work/none" 2>/dev/null || fail 'no file, and no complaint'
is '' "$(find "$work" -name '*.part-*')" 'what is left of failures'
echo ok
