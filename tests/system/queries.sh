#!/usr/bin/env bash
# The questions of schema/queries.sql, in the stock shells of SQLite: that of this machine, and those
# of Debian 11 (3.34) and 13 (3.46), which are fetched once; and the views of rollups, against what
# the file was made of. A shell that cannot be had is counted.
# label: long nosan
# timeout: 600
set -eu
export LC_ALL=C
top=$(cd "$(dirname "$0")/../.." && pwd -P)
build=$(cd "${1:?build directory}" && pwd -P)
cache=${FLASHSCOPE_SQLITE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flashscope/sqlite}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

note()
{
	echo "$*" >&2
}

cannot()
{
	echo "not fetched: $*"
	exit 1
}

fail()
{
	echo "FAILED: $shell: $*"
	exit 1
}

# fetch SUITE: its shell with its own C library, into the cache. In a subshell: it may give up.
fetch()
(
	[ ! -x "$cache/$1/usr/bin/sqlite3" ] || exit 0
	arch=$(dpkg --print-architecture 2>/dev/null) || cannot 'no dpkg here'
	# shellcheck source=tests/vm/lib/packages.sh
	. "$top/tests/vm/lib/packages.sh"
	mkdir -p "$cache"
	fetch_packages "$1" "$arch" "$cache/$1" sqlite3 libc6
)

# sql [OPTION...]: the shell at hand
sql()
{
	if [ "$shell" = here ]; then
		sqlite3 "$@"
	else
		"$loader" --library-path "$libraries" "$cache/$shell/usr/bin/sqlite3" "$@"
	fi
}

# find_loader SUITE: sets loader and libraries
find_loader()
{
	loader=$(find "$cache/$1" -name 'ld-linux*.so.*' | head -1)
	libraries=$(find "$cache/$1" -name '*.so.*' -printf '%h\n' | sort -u | tr '\n' ':')
	[ -n "$loader" ]
}

# is WANT GOT WHAT
is()
{
	[ "$1" = "$2" ] || fail "$3: $2 instead of $1"
}

# ask SQL
ask()
{
	sql "$work/q.db" "$1"
}

# one PLACE: the answer to the question with this number
one()
{
	awk -v n="$1" '/^-- [0-9]+\./ { on = $2 == n "." } on' "$top/schema/queries.sql" | sql "$work/q.db"
}

check()
{
	local n

	sql "$work/q.db" <"$top/schema/queries.sql" >"$work/answers" 2>"$work/err" ||
		fail "$(tail -3 "$work/err")"
	[ ! -s "$work/err" ] || fail "$(tail -3 "$work/err")"
	for n in 1 2 3 4 5 6 7 8 9 10 11; do
		[ -n "$(one $n)" ] || fail "question $n has no answer"
	done
	is 2 "$(one 1 | wc -l | tr -d ' ')" boots
	is 'the last' "$(one 3 | cut -d'|' -f4 | head -1)" 'the mark'
	# Ten writes of 20 ms in each tick of the third minute of each hour, and in no other one.
	# The last hour of the last boot is in the tail, and in no minute yet.
	is 59 "$(one 6 | wc -l | tr -d ' ')" 'slow minutes'
	is '60|20' "$(one 6 | cut -d'|' -f3,4 | sort -u)" 'a slow minute'
	is '60000|60000' "$(one 10 | cut -d'|' -f3,4 | sort -u)" 'a busy minute'
	is 'process|a writer|a.service|12' "$(one 11 | cut -d'|' -f1-4)" 'who wrote'
	is "$(ask 'SELECT count(*) FROM diskstats')" 21600 ticks
	# A file that was closed has all its minutes but those that are in the tail still.
	is 480 "$(ask "SELECT DISTINCT sum FROM minutes WHERE grp='diskstats' AND name='write_sectors'
		AND boot=1 AND t>60000")" 'sectors in a minute'
	is 28800 "$(ask "SELECT DISTINCT sum FROM hours WHERE grp='diskstats' AND name='write_sectors'
		AND boot=1 AND t>3600000 AND sum IS NOT NULL")" 'sectors in an hour'
	is '41009|41000' "$(ask "SELECT max||'|'||min FROM minutes WHERE name='temp' AND boot=1
		AND t=5400000")" 'least and highest of a minute'
	is 1800 "$(ask "SELECT count(*) FROM minutes WHERE name='temp' AND boot=1")" 'minutes of a boot'
}

command -v sqlite3 >/dev/null || {
	echo "skipped: no sqlite3"
	exit 77
}
"$build/tests/queries_file" "$work/q.db" 30
shell=here
ask "INSERT INTO writer(boot,t,since,n,until,source,name,unit,written,read) SELECT id,0,60000,0,120000,'process',
	'a writer','a.service',6000000,0 FROM boot UNION ALL SELECT id,0,60000,1,120000,'device','sda',NULL,9000000,0 FROM boot"
shell=here
check
done_shells="$(sqlite3 --version | cut -d' ' -f1)"
missing=
for shell in bullseye trixie; do
	if fetch $shell >"$work/fetch" 2>&1 && find_loader $shell; then
		check
		done_shells="$done_shells $(sql --version | cut -d' ' -f1)"
	else
		tail -1 "$work/fetch"
		missing="$missing $shell"
	fi
done
[ -z "$missing" ] || echo "SKIPPED $(echo "$missing" | wc -w) of 3 shells:$missing"
echo "shells: $done_shells"
