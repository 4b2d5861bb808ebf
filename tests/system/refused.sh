#!/usr/bin/env bash
# A start that is refused says why and leaves nothing behind.
# label: single
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need sqlite3 curl jq

# refused TEXT OPTION...: the daemon ends by itself, fails, and says TEXT
refused()
{
	local text=$1 status=0
	shift
	timeout 20 "$bin/flashscoped" --runtime-dir "$work/run2" --listen none "$@" >"$work/log" 2>&1 ||
		status=$?
	is 1 $status "status with $*"
	grep -q "$text" "$work/log" || fail "with $* it does not say: $text"
}

# holds NAME...: that and no more stands in the folder
holds()
{
	is "$*" "$(cd "$work/d" && echo *)" "files beside the database"
}

mkdir "$work/d" "$work/d/folder"
echo 'root:x:0:0' >"$work/d/passwd"
sqlite3 "$work/d/other.db" 'CREATE TABLE x(y)'
refused 'is no database of flashscope' --db "$work/d/passwd"
refused 'is no database of flashscope' --db "$work/d/other.db"
refused 'is no database of flashscope' --db /dev/null
refused 'is a directory' --db "$work/d/folder"
holds folder other.db passwd
[ ! -e /dev/null.lock ] || fail '/dev/null.lock was made'

start
refused 'is in use' --db "$work/d/new.db" --listen "${url#http://}"
refused 'is in use' --db "$work/e/new.db" --listen "${url#http://}"
holds folder other.db passwd
[ ! -e "$work/e" ] || fail 'a folder was made for a daemon that did not start'
stop

# What is made is said.
start --db "$work/e/f/new.db"
grep -q "the folder of $work/e/f/new.db was made" "$work/log" || fail 'a folder was made silently'
stop
start --db "$work/e/f/new.db"
! grep -q 'folder of' "$work/log" || fail 'a folder was made twice'
stop

# A folder that nobody may make: why, in place of a file that is not there; and one event of it afterwards.
mkdir -m 555 "$work/closed"
printf '[store]\ncommit_interval = 1s\n[helper]\nmode = off\n' >"$work/soon.conf"
start --config "$work/soon.conf" --db "$work/closed/deep/er/new.db"
until_true 10 grep -q 'cannot write the database' "$work/log"
is "$work/closed/deep/er/new.db: its folder is not there, below $work/closed, where user $(id -u) may make nothing (EACCES)" \
	"$(get /api/v1/status | jq -r .store.error)" 'why nothing is written'
chmod 755 "$work/closed"
mkdir -p "$work/closed/deep/er"
until_true 20 grep -q 'the database is written now' "$work/log"
get /api/v1/events | json 'map(select(.kind == "database_trouble")) | length == 1 and (.[0].text | test("EACCES"))' 'its event'
stop
echo ok
