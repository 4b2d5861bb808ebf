#!/usr/bin/env bash
# A daemon that does not answer, and an output that takes nothing: who waits is told why.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
fs=$bin/flashscope
make_tree "$work/tree"
start --root "$work/tree"
"$fs" status --socket "$socket" >/dev/null 2>"$work/err" || fail 'no status'
[ ! -s "$work/err" ] || fail "an answer at once: $(cat "$work/err")"

# Its connection is taken by the kernel; it answers later, and then that is the answer.
kill -STOP "$daemon"
"$fs" status --socket "$socket" >"$work/out" 2>"$work/err" &
asked=$!
until_true 10 grep -q 'the daemon has not answered for 3 s' "$work/err"
[ ! -s "$work/out" ] || fail 'an answer of a stopped daemon'
kill -CONT "$daemon"
wait "$asked" || fail "no answer of a daemon that goes on: $(cat "$work/err")"
grep -q '^database ' "$work/out" || fail 'no status later'
is 1 "$(wc -l <"$work/err")" 'lines of patience'
stop

full()
{
	! "$fs" "$@" --db "$work/f.db" >/dev/full 2>"$work/err" || fail "$1 wrote to a full disk"
	grep -q 'No space left on device' "$work/err" || fail "$1: $(cat "$work/err")"
	is 1 "$(wc -l <"$work/err")" "lines of $1"
}
full status
full events
full boots --json
full export --csv load
full query load.threads
echo ok
