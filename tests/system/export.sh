#!/usr/bin/env bash
# Plain rows are those that the views of the stock shell have, in each form, from a file and from a
# daemon, within a window.
# label: long single
# timeout: 600
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need sqlite3 jq curl gzip
fs=$bin/flashscope
gzip -dc "$(dirname "$0")/../formats/format-1.db.gz" >"$work/old.db"

# same FILE GROUP: CSV and the view have the same rows
same()
{
	local columns
	columns=$(sqlite3 "$1" "SELECT group_concat('\"'||name||'\"') FROM (SELECT name FROM field
		WHERE grp='$2' AND col IS NOT NULL ORDER BY col)")
	"$fs" export "$2" --csv --db "$1" >"$work/csv"
	sqlite3 -csv "$1" "SELECT v.wall,v.boot,v.t,v.node,d.identity,$columns FROM \"$2\" v
		JOIN (SELECT id AS chunk, node AS num FROM \"$2_rows\") c ON c.chunk=v.id
		JOIN node d ON d.id=c.num" | tr -d '"\r' | sort >"$work/view"
	sed 1d "$work/csv" | tr -d '"' | sort | diff "$work/view" - || fail "rows of $2 in $1"
}

# groups FILE: those with rows
groups()
{
	local group
	sqlite3 "$1" 'SELECT DISTINCT grp FROM field WHERE col IS NOT NULL' >"$work/groups"
	while read -r group; do
		echo "SELECT '$group' WHERE EXISTS(SELECT 1 FROM \"${group}_rows\");"
	done <"$work/groups" | sqlite3 "$1"
}

# whole FILE: every group that has rows, and one that has none
whole()
{
	local group n=0
	for group in $(groups "$1"); do
		same "$1" "$group"
		[ -s "$work/view" ] || fail "no rows of $group in $1"
		n=$((n + 1))
	done
	[ $n -ge 2 ] || fail "only $n groups have rows in $1"
	same "$1" nvme_smart
	[ ! -s "$work/view" ] || fail "$1 has rows of nvme_smart"
}

whole "$work/old.db"

# In SQLite: a table for each, with units; the same numbers.
"$fs" export --sqlite "$work/plain.db" --db "$work/old.db"
is ok "$(sqlite3 "$work/plain.db" 'PRAGMA integrity_check')" integrity
for table in diskstats load thermal events marks boots nodes infos outcomes; do
	[ "$(sqlite3 "$work/plain.db" "SELECT count(*) FROM $table")" -ge 1 ] || fail "no rows of $table"
	is "$(sqlite3 "$work/old.db" "SELECT count(*) FROM $table")" \
		"$(sqlite3 "$work/plain.db" "SELECT count(*) FROM $table")" "rows of $table"
done
is "$(sqlite3 "$work/old.db" 'SELECT wall,boot,t,node,reads,write_sectors FROM diskstats ORDER BY 1')" \
	"$(sqlite3 "$work/plain.db" 'SELECT wall,boot,boot_ms,node,reads,write_sectors FROM diskstats ORDER BY 1')" \
	'samples in SQLite'
is millidegrees "$(sqlite3 "$work/plain.db" "SELECT unit FROM columns WHERE \"table\"='thermal' AND name='temp'" |
	sed 's/millicelsius/millidegrees/')" 'the unit of a temperature'
! "$fs" export --sqlite "$work/plain.db" --db "$work/old.db" 2>"$work/err" || fail 'a file was replaced'
grep -q 'is there already' "$work/err" || fail 'wrong words for a file that is there'

# As JSON, each line an object; what a sample has not has no key.
"$fs" export --json --db "$work/old.db" >"$work/lines"
jq -c 'select(.table == "load") | [.wall, .threads]' "$work/lines" | wc -l >"$work/n"
is "$(sqlite3 "$work/old.db" 'SELECT count(*) FROM load')" "$(tr -d ' ' <"$work/n")" 'lines of load'
! jq -e 'to_entries[] | select(.value == null)' "$work/lines" >/dev/null || fail 'a key without a value'
is 3 "$(jq -r 'select(.table == "marks") | .label' "$work/lines" | wc -l | tr -d ' ')" 'lines of marks'

# A window, its ends included.
read -r from to < <(sqlite3 -separator ' ' "$work/old.db" \
	"SELECT min(wall),max(wall) FROM (SELECT wall FROM load ORDER BY wall LIMIT 10 OFFSET 20)")
is 10 "$("$fs" export load --csv --db "$work/old.db" --from "$from" --to "$to" | sed 1d | wc -l)" 'rows of a window'
is 0 "$("$fs" export load --csv --db "$work/old.db" --to 2020-01-01T00:00:00Z | sed 1d | wc -l)" 'rows of before'
is 0 "$("$fs" export events --csv --db "$work/old.db" --from 2036-01-01T00:00:00Z | sed 1d | wc -l)" 'events of later'

# Wrong use.
for wrong in '--csv' '--csv load thermal' 'load' '--csv --json load' 'nothing --csv' '--json nothing'; do
	set +e
	# shellcheck disable=SC2086
	"$fs" export $wrong --db "$work/old.db" >/dev/null 2>&1
	status=$?
	set -e
	is 2 $status "the status of export $wrong"
done
"$fs" export --json --db "$work/old.db" 2>/dev/null | head -1 >/dev/null

# Of a daemon: with what it has in memory. Nothing is left in TMPDIR.
make_tree "$work/tree"
start --root "$work/tree"
until_true 10 sh -c "curl -sS '$url/api/v1/latest?collector=load' | grep -q threads"
mkdir "$work/tmp"
TMPDIR=$work/tmp "$fs" export load --csv --socket "$socket" >"$work/live"
grep -q ',234$' "$work/live" || fail 'no sample of a daemon'
is '' "$(ls "$work/tmp")" 'what is left in TMPDIR'
"$fs" export load --csv --db "$work/f.db" | grep -q ',234$' || fail 'no sample of a file in use'
stop
whole "$work/f.db"
echo ok
