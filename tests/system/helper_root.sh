#!/usr/bin/env bash
# label: slow nosan
# Started by root, with a user of its own: what daemon, lane and helper may do then, what belongs to
# the user, and who may ask the helper.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3 ps setpriv
[ "$(id -u)" = 0 ] || {
	echo 'skipped: only root can become another user'
	exit 77
}
nobody=$(id -u nobody) || {
	echo 'skipped: there is no user nobody'
	exit 77
}
# Where that user can reach it.
chmod 755 "$work"
cp -r "$(cd "$(dirname "$0")/.." && pwd -P)/fixtures/x86/root" "$work/tree"
mkdir "$work/bin" "$work/data" "$work/other"
cp "$bin/flashscoped" "$bin/flashscope-helper" "$1/tests/helper_client" "$work/bin"
bin=$work/bin client=$work/bin/helper_client
printf '[daemon]\nuser = nobody\n' >"$work/nobody.conf"
printf '[daemon]\nuser = nobody\n[helper]\nmode = connect\n' >"$work/connect.conf"

as()
{
	setpriv --reuid "$1" --regid "$1" --clear-groups --bounding-set -all --inh-caps -all --no-new-privs \
		"${@:2}"
}
as "$nobody" test -x "$client" || {
	echo "skipped: nobody cannot reach $work"
	exit 77
}

child()
{
	ps -o pid=,comm= --ppid "$1" | awk -v name="$2" '$2 == name { print $1; exit }'
}

field()
{
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"
}

# start_in FOLDER [OPTION...]: like start(), with database and runtime folder of its own
start_in()
{
	local dir=$1
	shift
	: >"$work/log"
	"$bin/flashscoped" --db "$dir/f.db" --runtime-dir "$dir/run" --listen 127.0.0.1:0 \
		--root "$work/tree" "$@" >>"$work/log" 2>&1 &
	daemon=$!
	for _ in $(seq 200); do
		url=$(sed -n 's,^open \(http://[^/]*\)/.*,\1,p' "$work/log") && [ -n "$url" ] && return 0
		kill -0 "$daemon" 2>/dev/null || fail 'the daemon did not start'
		sleep 0.05
	done
	fail 'the daemon is not ready after 10 s'
}

is_gone()
{
	[ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"
}

helper_is()
{
	get /api/v1/status | jq -e ".helper | $1" >/dev/null
}

# Of a start by root, as it was before: everything is root's.
start_in "$work/data"
grep -q '^warning: it goes on as root' "$work/log" || fail 'no word of the daemon that is root'
is 0 "$(get /api/v1/status | jq .uid)" 'user of a daemon of root in status'
stop TERM
is 0 "$(stat -c %u "$work/data/f.db")" 'owner of a database of root'

# Now with a user. In its folder is nothing but the database and the runtime folder is beside it.
start_in "$work/data" --config "$work/nobody.conf"
until_true 10 helper_is '.state == "up"'
guardian=$(child "$daemon" flashscope-help)
server=$(child "$guardian" flashscope-help)
lane=$(child "$daemon" flashscope-lane)
scout=$(child "$server" flashscope-lane) # which was there before it knew of a device
find_worker()
{
	worker=$(ps -o pid=,comm= --ppid "$server" | awk -v not="$scout" '$2 == "flashscope-lane" && $1 != not { print $1; exit }')
	[ -n "$worker" ]
}
worker=
until_true 10 find_worker
find_ufs()
{
	ufs=$(child "$server" flashscope-ufs)
	[ -n "$ufs" ]
}
ufs=
until_true 10 find_ufs
! grep -q 'goes on as root' "$work/log" || fail 'a daemon of nobody says that it is root'
is "$nobody" "$(get /api/v1/status | jq .uid)" 'user in status'

for pid in "$daemon" "$lane"; do
	what=$([ "$pid" = "$daemon" ] && echo daemon || echo lane)
	for set in CapInh CapPrm CapEff CapBnd CapAmb; do
		is 0000000000000000 "$(field "$pid" $set)" "$set of the $what"
	done
	is 1 "$(field "$pid" NoNewPrivs)" "NoNewPrivs of the $what"
	is "$nobody $nobody $nobody $nobody" "$(field "$pid" Uid | tr '\t' ' ')" "user of the $what"
	is '' "$(field "$pid" Groups | tr -d ' ')" "groups of the $what"
	# Devices, and what only root may read: it holds none of it open.
	for fd in "/proc/$pid/fd/"*; do
		to=$(readlink "$fd") || continue
		case $to in
		/dev/null | /dev/urandom | /dev/pts/* | /dev/tty*) ;;
		/dev/*) fail "the $what has $to open" ;;
		/*) as "$nobody" test -r "$to" || [ "$to" = "$work/log" ] || fail "the $what has $to open" ;;
		esac
	done
done
# What these credentials cannot open, for each thread of the daemon.
touch "$work/secret" && chmod 600 "$work/secret"
mknod "$work/node" c 1 3 && chmod 600 "$work/node"
for path in "$work/secret" "$work/node"; do
	! as "$nobody" cat "$path" 2>/dev/null || fail "user $nobody can open $path"
done
for task in "/proc/$daemon/task/"*; do
	grep -q '^CapEff:.*0000000000000000$' "$task/status" || fail "a thread has capabilities: $task"
done

# Who can open what: tried with the user and the capabilities of each process. A node and a switch
# as a kernel makes them, and a file of somebody else.
like()
{
	local eff=$((16#$(field "$1" CapEff))) uid caps=-all n
	uid=$(field "$1" Uid | cut -f1)
	for n in $(seq 0 40); do
		[ $((eff >> n & 1)) = 0 ] || caps+=,+cap_$n
	done
	setpriv --reuid "$uid" --regid "$uid" --clear-groups --securebits +noroot --inh-caps "$caps" \
		--ambient-caps "$caps" --no-new-privs "${@:2}" 2>/dev/null
}
# can PID: which of them it can read, and write
can()
{
	local path to=
	for path in node switch others; do
		! like "$1" dd if="$work/$path" of=/dev/null count=0 || to+=" $path:r"
		! like "$1" dd of="$work/$path" if=/dev/null count=0 conv=notrunc || to+=" $path:w"
	done
	echo "${to# }"
}
touch "$work/switch" "$work/others"
chmod 644 "$work/switch"
chmod 600 "$work/others"
chown 1 "$work/others"
is 'switch:r' "$(can "$daemon")" 'what the daemon can open'
is 'switch:r' "$(can "$lane")" 'what the lane can open'
is 'node:r node:w switch:r switch:w others:r' "$(can "$server")" 'what the helper can open'
is 'node:r node:w switch:r switch:w others:r' "$(can "$worker")" 'what a worker can open'
is 'node:r node:w switch:r switch:w others:r' "$(can "$scout")" 'what the scout can open'
# It opens nothing, and starts who does.
is 'node:r node:w switch:r switch:w others:r' "$(can "$guardian")" 'what the guardian can open'
# It switches what belongs to root, and needs no more.
is 'node:r node:w switch:r switch:w' "$(can "$ufs")" 'what the one that switches UFS monitors can open'
for set in CapInh CapPrm CapEff CapAmb; do
	is 0000000000000000 "$(field "$ufs" $set)" "$set of the one that switches UFS monitors"
done

# The helper: what commands and reading need, of what there was.
own=$((16#$(field self CapBnd)))
for pid in "$server" "$scout" "$worker" "$ufs"; do
	# And CAP_SYSLOG for the kernel's log, which the server opens; SYS_PTRACE for the accounts of
	# processes, which the scout reads that it starts. Who asks a device has neither.
	case $pid in
	"$server") may=0x4002a0006 ;;
	"$scout") may=0x2a0006 ;;
	*) may=0x220006 ;;
	esac
	[ $((16#$(field "$pid" CapEff) & ~(own & may))) = 0 ] || fail "too much: $(field "$pid" CapEff)"
	[ $((16#$(field "$pid" CapBnd) & ~0x4002a0006)) = 0 ] || fail "too much can come back: $(field "$pid" CapBnd)"
	is 1 "$(field "$pid" NoNewPrivs)" 'NoNewPrivs of the helper'
done
for fd in "/proc/$server/fd/"* "/proc/$scout/fd/"* "/proc/$worker/fd/"* "/proc/$ufs/fd/"*; do
	case $(readlink "$fd") in
	*/f.db* | *.lock) fail "the helper has $(readlink "$fd") of the daemon open" ;;
	esac
done

# What was root's is the user's.
for path in "$work/data" "$work/data/f.db" "$work/data/run" "$work/data/run/helper.sock" \
	"$work/data/run/flashscoped.lock" "$work/data/run/flashscoped.sock"; do
	is "$nobody" "$(stat -c %u "$path")" "owner of $path"
done
# It ends with the daemon, which as another user could not even signal it: by a stop, and killed.
stop TERM
for pid in $guardian $server $scout $worker $ufs; do
	until_true 5 is_gone "$pid"
done
start_in "$work/data" --config "$work/nobody.conf"
guardian=$(child "$daemon" flashscope-help)
kill -KILL "$daemon"
wait "$daemon" || true
daemon=
until_true 5 is_gone "$guardian"
for path in "$work/data/"*; do
	is "$nobody" "$(stat -c %u "$path")" "owner of $path"
done
rows=$(sqlite3 "$work/data/f.db" 'SELECT count(*) FROM nvme_smart_rows')
[ "$rows" -ge 1 ] || fail 'nothing was sampled by the helper'

# A folder with other things in it stays root's, and so does a file with another name.
mkdir "$work/mixed" && echo x >"$work/mixed/notes"
echo secret >"$work/mixed/shadow" && chmod 600 "$work/mixed/shadow"
ln "$work/mixed/shadow" "$work/mixed/f.db-journal"
start_in "$work/mixed" --config "$work/nobody.conf" # it goes on in memory, and says so
is 0 "$(stat -c %u "$work/mixed")" 'owner of a folder with other things'
is 0 "$(stat -c %u "$work/mixed/shadow")" 'owner of a file with another name'
grep -q 'f.db-journal is not given to user' "$work/log" || fail 'no word of the file'
until_true 10 grep -q "cannot write the database.*$work/mixed" "$work/log"
kill -KILL "$daemon"
wait "$daemon" || true
daemon=
rm -rf "$work/mixed"
# Nor is a folder of everybody given away.
mkdir -m 1777 "$work/everybody"
start_in "$work/everybody" --config "$work/nobody.conf"
is 0 "$(stat -c %u "$work/everybody")" 'owner of a folder that everybody writes to'
stop TERM

# Who may ask: by the mode of the socket, and by the user that the kernel tells, each on its own.
mkdir -m 755 "$work/s" && chown "$nobody" "$work/s"
s=$work/s/helper.sock
"$bin/flashscope-helper" --socket "$s" --root "$work/tree" --allow nobody --log-level info 2>"$work/helper.log" &
helper=$!
until_true 5 test -S "$s"
is "600 $nobody" "$(stat -c '%a %u' "$s")" 'mode and owner of the socket'
is hello "$(as "$nobody" "$client" "$s" hello)" 'the user that may'
is 'cannot connect: Permission denied' "$(as 1 "$client" "$s" hello || true)" 'another user, by the mode'
chmod 666 "$s"
is 'refused: user 1 may not ask flashscope-helper' "$(as 1 "$client" "$s" hello)" 'another user, by who it is'
is 'refused: user 1 may not ask flashscope-helper' "$(as 1 "$client" "$s" garbage)" 'and with garbage'
is hello "$("$client" "$s" hello)" root
is closed "$(as "$nobody" "$client" "$s" garbage)" garbage
is hello "$(as "$nobody" "$client" "$s" hello)" 'the user that may, after all that'
grep -q 'user 1 may not ask' "$work/helper.log" || fail "the helper does not say it: $(cat "$work/helper.log")"
# Two of them on one socket.
! "$bin/flashscope-helper" --socket "$s" --root "$work/tree" --allow nobody 2>"$work/second" || fail 'two helpers'
grep -q 'another flashscope-helper listens there' "$work/second" || fail 'no word of the other helper'
kill -TERM "$helper"
wait "$helper" || fail "the helper ended with status $?"

# A daemon of a user that there is none of.
printf '[daemon]\nuser = nosuchuser\n' >"$work/none.conf"
! "$bin/flashscoped" --db "$work/x.db" --runtime-dir "$work/x" --listen none --root "$work/tree" \
	--config "$work/none.conf" 2>"$work/second" || fail 'a daemon of nobody at all'
grep -q 'none.conf:2: .* user = nosuchuser is no user' "$work/second" || fail 'no word of the user'
until_true 5 eval '! "$client" "$work/x/helper.sock" hello | grep -q hello'

# Whoever starts it as the user gets the same without a helper, and is told what to do.
rm -rf "$work/data/run"
install -d -o "$nobody" "$work/data/run"
: >"$work/log"
setpriv --reuid "$nobody" --regid "$nobody" --clear-groups "$bin/flashscoped" --db "$work/data/f.db" --runtime-dir "$work/data/run" --listen 127.0.0.1:0 \
	--root / >>"$work/log" 2>&1 &
daemon=$!
until_true 10 grep -q '^open http' "$work/log"
url=$(sed -n 's,^open \(http://[^/]*\)/.*,\1,p' "$work/log")
helper_is '.state == "down" and (.reason | test("cannot be reached"))' || fail 'no helper, and no reason'
[ -z "$(child "$daemon" flashscope-help)" ] || fail 'an ordinary user started a helper on a machine'
stop TERM
