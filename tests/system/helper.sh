#!/usr/bin/env bash
# label: slow
# The life of flashscope-helper beside its daemon: started by it, killed, started again, never left
# behind; and what is said while there is none. With a recorded tree, which any user may sample.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3 ps
tree=$(cd "$(dirname "$0")/.." && pwd -P)/fixtures/x86/root
client=$(cd "$1/tests" && pwd -P)/helper_client
printf '[collector mounts]\nperiod.mounts = 1s\n' >"$work/fast.conf"

# child PID NAME: the first child of that name
child()
{
	ps -o pid=,comm= --ppid "$1" | awk -v name="$2" '$2 == name { print $1; exit }'
}

family()
{
	guardian=$(child "$daemon" flashscope-help)
	server=$(child "$guardian" flashscope-help)
	[ -n "$guardian" ] && [ -n "$server" ] || fail "no helper below the daemon $daemon"
}

helper_is()
{
	get /api/v1/status | jq -e ".helper | $1" >/dev/null
}

# The number of samples of a collector that the helper reads, and sends commands.
samples()
{
	get /api/v1/collectors | jq "map(select(.collector == \"$1\"))[0].n_samples"
}

samples_go_on()
{
	[ "$(samples mounts)" -gt "$1" ]
}

state_is()
{
	get /api/v1/collectors | jq -e "map(select(.collector == \"nvme_smart\"))[0].state == \"$1\"" >/dev/null
}

event_came()
{
	get /api/v1/events | jq -e "map(select(.kind == \"$1\")) | length >= $2" >/dev/null
}

is_gone()
{
	! kill -0 "$1" 2>/dev/null || [ "$(ps -o stat= -p "$1" | cut -c1)" = Z ]
}

start --config "$work/fast.conf" --root "$tree"
until_true 10 helper_is '.state == "up" and .n_workers >= 2'
family
until_true 10 state_is ok
# What it remembers of the monitors is not shared with a daemon of another runtime folder.
ps -o args= -ww -p "$guardian" | grep -qE -- "--memory [^ ]+-[0-9a-f]{8}( |$)" ||
	fail "its memory is that of all: $(ps -o args= -ww -p "$guardian")"
is 600 "$(stat -c %a "$work/run/helper.sock")" 'mode of the socket'
is "$(id -u)" "$(stat -c %u "$work/run/helper.sock")" 'owner of the socket'

"$bin/flashscope" status --url "$url" | grep -qE '^helper +up, [2-9] workers, 0 restarted$' ||
	fail "status: $("$bin/flashscope" status --url "$url" | grep ^helper)"

# The start of the daemon is told before what came of it.
get /api/v1/events | json 'sort_by(.t, .id) | [.[].kind] | index("start") < index("helper_up")' 'order of the events'

# Who switches the UFS monitors dies alone: said, and said when another one does.
ufs=$(child "$server" flashscope-ufs)
[ -n "$ufs" ] || fail 'nobody switches the UFS monitors'
kill -KILL "$ufs"
until_true 5 event_came ufs_switch_down 1
until_true 10 event_came ufs_switch_up 1
helper_is '.state == "up" and .n_connects == 1' || fail 'the helper went with it'

# One daemon is served.
is "refused: process $daemon asks flashscope-helper already" \
	"$("$client" "$work/run/helper.sock" hello)" 'a second daemon'
helper_is '.state == "up"' || fail 'the first daemon lost its helper'

# The server is killed: a state with its reason, an event, and another one.
lane=$(child "$daemon" flashscope-lane)
kill -KILL "$server"
until_true 5 helper_is '.state == "down" and (.reason | length > 0) and .n_workers == null'
until_true 5 state_is failed
until_true 5 event_came helper_down 1
is_gone "$daemon" && fail 'the daemon went with its helper'
until_true 15 helper_is '.state == "up" and .reason == null and .n_connects >= 2'
until_true 5 event_came helper_up 2
until_true 10 state_is ok
was=$(samples mounts)
until_true 10 samples_go_on "$was"
[ "$(child "$guardian" flashscope-help)" != "$server" ] || fail 'the killed process is still there'
is "$lane" "$(child "$daemon" flashscope-lane)" 'the lane, which has nothing to do with it'

# The guardian alone is killed: what it has started ends, nobody starts it again, and that is said.
nothing_left()
{
	! ps -o pid=,stat= -p "$1" | grep -qv Z
}
family
worker=$(child "$server" flashscope-lane)
kill -KILL "$guardian"
until_true 5 nothing_left "$server"
until_true 5 nothing_left "$worker"
until_true 10 helper_is '.state == "down" and (.reason | test("cannot be reached.*; all of it has ended; a restart of flashscoped"))'
until_true 5 event_came helper_down 3
get /api/v1/events | jq -e 'map(select(.text | test("all of it has ended"))) | length == 1' >/dev/null ||
	fail "the events do not say it: $(get /api/v1/events)"
"$bin/flashscope" status --url "$url" | grep -qE '^helper +down: it cannot be reached at .*all of it has ended' ||
	fail "status does not say it: $("$bin/flashscope" status --url "$url" | grep -A2 ^helper)"
stop TERM
[ ! -e "$work/run/helper.sock" ] || fail 'a stop leaves the socket'
rm "$work/f.db"
start --config "$work/fast.conf" --root "$tree"
until_true 10 helper_is '.state == "up"'

# Both are killed: nobody starts it again, the rest goes on, and the stop is as always.
family
kill -KILL "$guardian" "$server"
until_true 5 helper_is '.state == "down"'
until_true 10 helper_is '(.reason | test("refused|reached"))'
was=$(samples mounts)
until_true 10 samples_go_on "$was" # by the lane
"$bin/flashscope" status --url "$url" | grep -qE '^helper +down: it cannot be reached at ' || fail 'status without a helper'
helper_is '.state == "down"' || fail 'somebody has started a helper'
until_true 5 is_gone "$guardian"
is_reaped()
{
	! kill -0 "$guardian" 2>/dev/null
}
until_true 5 is_reaped
stop TERM
[ "$(sqlite3 "$work/f.db" "SELECT count(*) FROM events WHERE kind='helper_down'")" -ge 2 ] ||
	fail 'the events are not in the file'
rm "$work/f.db"

# At once another daemon: it has a helper of its own, whatever the one before is about to do.
for _ in 1 2 3; do
	start --config "$work/fast.conf" --root "$tree"
	until_true 10 helper_is '.state == "up"'
	family
	old="$guardian $server"
	stop TERM
done
start --root "$tree"
until_true 10 helper_is '.state == "up"'
for pid in $old; do
	until_true 5 is_gone "$pid"
done
helper_is '.state == "up"' || fail 'it was connected to the helper of the one before'

# The daemon is killed: nothing stays behind.
family
worker=$(child "$server" flashscope-lane)
kill -KILL "$daemon"
wait "$daemon" || true
daemon=
for pid in $guardian $server $worker; do
	until_true 5 is_gone "$pid"
done

# A daemon that cannot start leaves no helper.
start --root "$tree"
"$bin/flashscoped" --db "$work/g.db" --runtime-dir "$work/run2" --listen "${url#http://}" --root "$tree" \
	>"$work/second" 2>&1 && fail 'two daemons on one port'
grep -q 'in use by another program' "$work/second" || fail "no word of the port: $(cat "$work/second")"
nobody_hears()
{
	"$client" "$work/run2/helper.sock" hello | grep -q 'cannot connect: No such file'
}
until_true 5 nobody_hears
stop TERM
rm -f "$work/f.db"

# Without the program: said, and all the rest is sampled.
mkdir "$work/bin"
cp "$bin/flashscoped" "$work/bin"
whole=$bin bin=$work/bin
start --config "$work/fast.conf" --root "$tree"
grep -q 'flashscope-helper is not beside flashscoped' "$work/log" || fail 'no word of the missing program'
helper_is '.state == "down" and (.reason | test("cannot be reached"))' || fail 'the reason is not said'
until_true 10 samples_go_on 1
get /api/v1/collectors | json 'map(select(.collector == "nvme_smart"))[0] | .outcome == "denied" and
	(.advice | test("flashscope-helper --socket .* --allow ")) and (.reason | test("cannot be reached"))' 'what to do'
stop TERM
rm "$work/f.db"
bin=$whole

# As on a machine, where an ordinary user cannot start it: it looks for one, and says what to do.
printf '[helper]\nmode = connect\n' >"$work/connect.conf"
start --config "$work/connect.conf" --root "$tree"
grep -q '^leaves out .*nvme_smart: .*cannot be reached' "$work/log" || fail 'not said at the start'
get /api/v1/collectors | json 'map(select(.collector == "nvme_smart"))[0] |
	(.advice | test("^as root: flashscoped starts it"))' 'what to do'
stop TERM

# Options that cannot be.
no_option()
{
	local status=0 said
	said=$("$bin/flashscope-helper" --socket "$work/run/no.sock" "${@:2}" 2>&1 </dev/null) || status=$?
	is 2 $status "status of flashscope-helper ${*:2}"
	case $said in
	*"$1"*) ;;
	*) fail "flashscope-helper ${*:2} says '$said', not '$1'" ;;
	esac
}
no_option "--root $work/none: No such file or directory" --root "$work/none"
no_option "--root $work/log: Not a directory" --root "$work/log"
no_option "--memory $work/none/ufs: No such file or directory" --memory "$work/none/ufs"
no_option "--memory $work: is no file" --memory "$work"
no_option '--memory ufs: is no absolute path' --memory ufs
no_option '--memory : is empty' --memory ''
no_option '--socket : is empty' --socket ''
no_option 'is too long' --socket "$work/$(printf '%0108d' 0)"
no_option 'there is one already' --passed-socket
no_option '--with-stdin goes with --keep' --with-stdin
[ ! -e "$work/run/no.sock" ] || fail 'one of them has made a socket'

# A helper that a service manager starts outlives its daemons.
"$bin/flashscope-helper" --socket "$work/run/helper.sock" --root "$tree" --log-level info 2>"$work/helper.log" &
helper=$!
until_true 5 test -S "$work/run/helper.sock"
sample_came()
{
	get '/api/v1/latest?collector=nvme_smart&node=nvme0' | grep -q media_errors
}
start --config "$work/connect.conf" --root "$tree"
until_true 10 helper_is '.state == "up"'
until_true 10 sample_came
stop TERM
# One that asks already, and then goes: said, all else is sampled, and it is tried again.
"$client" "$work/run/helper.sock" hello stay &
first=$!
sleep 0.5
start --config "$work/connect.conf" --config "$work/fast.conf" --root "$tree"
until_true 5 helper_is ".state == \"down\" and .reason == \"process $first asks flashscope-helper already\""
get /api/v1/events | jq -e "map(select(.text | test(\"process $first asks\"))) | length == 1" >/dev/null ||
	fail "the events do not say it: $(get /api/v1/events)"
was=$(samples mounts)
until_true 10 samples_go_on "$was"
kill -KILL "$first"
wait "$first" 2>/dev/null || true
until_true 15 helper_is '.state == "up"'
stop TERM
# What it takes from one that may ask, and is nonsense.
s=$work/run/helper.sock
is 'closed' "$("$client" "$s" garbage)" garbage
is 'closed' "$("$client" "$s" tick)" 'a request before the greeting'
is 'closed' "$("$client" "$s" rescan)" 'a request before the greeting'
"$client" "$s" other | grep -q '^refused: .*does not belong to .*of another build' || fail 'another build'
is hello "$("$client" "$s" hello)" 'a daemon of this build'
"$client" "$s" hello nogroup garbage nothing nothing nothing nothing nothing nothing nothing nothing \
	nothing nothing nothing nothing nothing | tail -1 | grep -q closed || fail 'a group that there is none of'
is_gone "$helper" && fail 'the helper went for it'
kill -TERM "$helper"
wait "$helper" || fail "the helper ended with status $?"
[ ! -e "$s" ] || fail 'a helper that was stopped leaves its socket'
grep -q '^flashscope-helper: process [0-9]*: what it asks cannot be understood' "$work/helper.log" || fail 'the helper does not say it'
