#!/usr/bin/env bash
# Start and stop of flashscoped: what it says, what it refuses, and that clients cannot stop it.
# label: long
# timeout: 300
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq

# On this machine. The lines at the start name what is sampled and where everything lies.
start
for line in "samples load: system" "database $work/f.db" "socket $socket" "runtime folder $work/run"; do
	grep -qF "$line" "$work/log" || fail "the daemon does not say: $line"
done
is ok "$(get /healthz)" healthz
is ok "$(ask /healthz)" 'healthz over the socket'
[ "$(awk '/^Max open files/ { print ($4 >= 16384 || $4 == $5) }' "/proc/$daemon/limits")" = 1 ] ||
	fail 'the limit of open files is not raised'
is 660 "$(stat -c %a "$socket")" 'mode of the socket'
port=${url##*:}

# A second daemon is refused, whatever it shares with the first.
for options in "--db $work/2.db --runtime-dir $work/run" "--db $work/f.db --runtime-dir $work/run2" \
	"--db $work/2.db --runtime-dir $work/run2 --listen 127.0.0.1:$port"; do
	status=0
	# shellcheck disable=SC2086
	said=$("$bin/flashscoped" --listen 127.0.0.1:0 $options 2>&1) || status=$?
	is 1 $status "status of a second daemon with $options"
	case $said in
	*"another flashscoped (process $daemon)"* | *"127.0.0.1:$port is in use"*) ;;
	*) fail "a second daemon with $options says: $said" ;;
	esac
done
is ok "$(ask /healthz)" 'healthz after the second daemon'

# Clients that send slowly, send rubbish, or go away in the middle.
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /healthz HTT' >&3
printf '\0\1\2\3\377\n\n' | timeout 5 curl -s --max-time 2 "telnet://127.0.0.1:$port" >/dev/null || true
timeout 0.1 curl -sN "$url/metrics" -o /dev/null || true
is ok "$(get /healthz)" 'healthz beside a slow client'

# 50 clients at once all get their answer.
pids=()
for i in $(seq 50); do
	get /api/v1/status -o "$work/status.$i" &
	pids+=($!)
done
for pid in "${pids[@]}"; do
	wait "$pid" || fail 'one of 50 clients got no answer'
done
for i in $(seq 50); do
	json '.name == "flashscope"' <"$work/status.$i"
done
exec 3>&-

# Ticks went on all the time.
sleep 1.2
ticks=$(ask /api/v1/status | jq .sampling.n_ticks)
sleep 2.2
more=$(ask /api/v1/status | jq .sampling.n_ticks)
[ $((more - ticks)) -ge 2 ] || fail "from $ticks to $more ticks in 2.2 s"

# Both ways to stop leave neither socket nor lane process, and commit.
stop INT
grep -q 'stopping on SIGINT' "$work/log"
[ ! -e "$socket" ] || fail 'the socket is still there'
[ -s "$work/f.db" ] || fail 'no database'
# On a tree; a stale socket is no obstacle, and the tree stays as it was.
make_tree "$work/tree"
before=$(cd "$work/tree" && find . -type f -exec cksum {} + | sort)
start --root "$work/tree"
until_true 10 sh -c "curl -s '$url/api/v1/latest?collector=load' | jq -e 'length == 1' >/dev/null"
get '/api/v1/latest?collector=load' | json '.[0].fields.load1 == 10' 'load of the tree'
get /api/v1/status | json '.boot.boot_id == "0a0a0a0a-1111-2222-3333-444444444444" and
	.boot.kernel == "6.1.0-tree"' 'boot of the tree'
kill -9 "$daemon"
wait "$daemon" 2>/dev/null || true
[ -S "$socket" ] || fail 'SIGKILL left no socket'
start --root "$work/tree"
is ok "$(ask /healthz)" 'healthz after a stale socket'
stop TERM
is "$before" "$(cd "$work/tree" && find . -type f -exec cksum {} + | sort)" 'the tree'

# On the boards: each gives rows, and nothing is written below its root.
top=$(cd "$(dirname "$0")/../.." && pwd -P)
for root in "$top"/tests/fixtures/*/root; do
	board=$(basename "$(dirname "$root")")
	before=$(find "$root" | cksum)
	start --root "$root"
	until_true 10 sh -c "curl -s '$url/api/v1/status' | jq -e '.sampling.n_ticks > 0' >/dev/null"
	get /api/v1/collectors | json 'all(.outcome != null and (.outcome == "ok" or .reason != null))' "$board"
	get /metrics >"$work/metrics" || fail "$board: no metrics"
	get /api/v1/latest | json 'all(.fields != null and .collector != null)' "$board"
	get / >/dev/null || fail "$board: no page"
	stop
	is "$before" "$(find "$root" | cksum)" "the tree of $board"
done

# What cannot be used is said, and nothing else is touched.
for options in "--root $work/nowhere" "--runtime-dir /proc/nowhere"; do
	status=0
	# shellcheck disable=SC2086
	said=$("$bin/flashscoped" --db "$work/3.db" --runtime-dir "$work/run3" --listen none $options \
		2>&1) || status=$?
	is 1 $status "status with $options"
	case $said in
	*error:*) ;;
	*) fail "no error with $options: $said" ;;
	esac
done
echo 'not a database, but somebody needs it' >"$work/other.db"
status=0
"$bin/flashscoped" --db "$work/other.db" --runtime-dir "$work/run3" --listen none \
	>"$work/said" 2>&1 || status=$?
is 1 $status 'status with a strange file as database'
grep -q 'no database of flashscope' "$work/said"
is 'not a database, but somebody needs it' "$(cat "$work/other.db")" 'the strange file'

# A database that cannot be opened is no reason to stop: it samples into memory and says so.
"$bin/flashscoped" --db /proc/nowhere/f.db --runtime-dir "$work/run" --listen 127.0.0.1:0 \
	>"$work/log" 2>&1 &
daemon=$!
until_true 10 grep -q '^open http' "$work/log"
until_true 10 sh -c "curl -s --unix-socket '$socket' 'http://localhost/api/v1/latest?collector=load' | grep -q threads"
ask /api/v1/status | json '(.store.attached | not) and .store.tail_bytes >= 0' 'no database'
ask /api/v1/events | json 'map(.kind) | index("start") != null' 'events in memory'
ask '/api/v1/query?metric=load.load1&from=-1min&step=1s' | json '.series | length == 1' 'a query of memory'
until_true 10 grep -q 'cannot write the database' "$work/log"
is 1 "$(grep -c 'cannot write the database' "$work/log")" 'times that it was said'
kill -TERM "$daemon"
status=0
wait "$daemon" || status=$?
daemon=
is 1 $status 'status when the last samples could not be written'

# IPv6 loopback, where there is one.
if grep -q '^00000000000000000000000000000001 ' /proc/net/if_inet6 2>/dev/null; then
	start --listen '[::1]:0'
	is ok "$(get /healthz -g)" 'healthz over IPv6'
	stop
fi
echo ok
