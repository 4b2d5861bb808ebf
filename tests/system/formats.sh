#!/usr/bin/env bash
# Files that earlier versions wrote (tests/formats): what they answered is answered, before and
# after a daemon of this version went on with them, and their rows are as they were. One of a later
# format is refused and left alone.
# label: long single
# timeout: 600
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need sqlite3 gzip
formats=$(cd "$(dirname "$0")/../formats" && pwd -P)
fs=$bin/flashscope

# answers FILE: as format-N.expected has them
answers()
{
	local metric step
	for metric in diskstats.writes diskstats.write_bytes diskstats.io_time load.threads load.load1 \
		thermal.temp diskstats.in_flight; do
		for step in 1s 10s 1min; do
			echo "$metric $step"
			"$fs" query "$metric" --db "$1" --from 2026-12-02T09:25:00Z \
				--to 2026-12-02T09:28:00Z --step $step --csv
		done
	done
	"$fs" events --db "$1" --from 2026-12-02T09:25:00Z --to 2026-12-02T09:28:00Z --json
}

# The SQL that shows the rows of all views of $work/old.db, those of the boots that were in it. A node
# moves on to its last boot.
rows_sql()
{
	local view columns where
	sqlite3 -separator '	' "$work/old.db" "SELECT v.name, (SELECT group_concat('\"'||name||'\"')
			FROM pragma_table_info(v.name) WHERE name NOT IN
			('part','id','t0','n','last','last_ms','gone','ended','certainty','how','evidence'))
		FROM sqlite_master v WHERE type='view' AND name<>'nodes' AND name NOT LIKE '%\_rows' ESCAPE '\'
			AND name NOT LIKE '%\_last' ESCAPE '\' ORDER BY name" |
		while IFS='	' read -r view columns; do
			where=
			case $columns in *'"boot"'*) where='WHERE boot<=2' ;; esac
			printf "SELECT '%s %s';\nSELECT %s FROM \"%s\" %s ORDER BY %s;\n" \
				"$view" "$columns" "$columns" "$view" "$where" "$columns"
		done
}

rows()
{
	sqlite3 "$1" <"$work/rows.sql"
}

make_tree "$work/tree"
echo '0b0b0b0b-1111-2222-3333-444444444444' >"$work/tree/proc/sys/kernel/random/boot_id"
n=0
for file in "$formats"/format-*.db.gz; do
	gzip -dc "$file" >"$work/old.db"
	cp "$work/old.db" "$work/f.db"
	rm -f "$work"/f.db-*
	answers "$work/old.db" >"$work/before" 2>/dev/null
	diff "${file%.db.gz}.expected" "$work/before" || fail "$file is read as something else"
	rows_sql >"$work/rows.sql"
	rows "$work/old.db" >"$work/rows"
	[ "$(grep -c '^2026' "$work/rows")" -gt 100 ] || fail "few rows in $file"
	start --root "$work/tree"
	sleep 1
	stop
	is 2 "$(sqlite3 "$work/f.db" 'PRAGMA user_version')" 'format after a daemon went on'
	is ok "$(sqlite3 "$work/f.db" 'PRAGMA integrity_check')" integrity
	is 3 "$(sqlite3 "$work/f.db" 'SELECT count(*) FROM boot')" boots
	answers "$work/f.db" >"$work/after" 2>/dev/null
	diff "$work/before" "$work/after" || fail "$file answers otherwise after a daemon went on"
	rows "$work/f.db" | diff "$work/rows" - || fail "rows of $file have changed"
	"$fs" recover "$work/old.db" --to "$work/recovered-$n.db" >"$work/said"
	rows "$work/recovered-$n.db" | diff "$work/rows" - || fail "recover of $file changes rows"
	n=$((n + 1))
done
[ $n -ge 1 ] || fail 'no file of an earlier format'

# A later one.
sqlite3 "$work/f.db" 'PRAGMA user_version=3'
cp "$work/f.db" "$work/later.db"
! "$fs" events --db "$work/f.db" 2>"$work/err" || fail 'a later format is read'
grep -q 'newer flashscope' "$work/err" || fail 'wrong words for a later format'
! "$bin/flashscoped" --db "$work/f.db" --runtime-dir "$work/run" --root "$work/tree" >"$work/log2" 2>&1 ||
	fail 'a daemon goes on with a later format'
cmp "$work/f.db" "$work/later.db" || fail 'a file of a later format was changed'
echo "$n files of earlier formats"
