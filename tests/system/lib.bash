# For the tests that drive a daemon: start, stop, ask, compare. Sourced with the build directory as
# $1; everything lies in $work, which goes away at the end.
# shellcheck shell=bash
set -eu
export LC_ALL=C
bin=$(cd "${1:?build directory}/bin" && pwd -P)
work=$(mktemp -d)
daemon=
socket=$work/run/flashscoped.sock

finish()
{
	status=$?
	# Whoever is left would hold the output open, and keep waiting who reads it to its end.
	for left in $daemon $(jobs -p); do
		kill -9 "$left" 2>/dev/null || true
		wait "$left" 2>/dev/null || true
	done
	if [ $status != 0 ] && [ $status != 77 ] && [ -s "$work/log" ]; then
		echo "--- the daemon's log"
		tail -40 "$work/log"
	fi
	rm -rf "$work"
	exit $status
}
trap finish EXIT

need()
{
	for tool in "$@"; do
		command -v "$tool" >/dev/null || {
			echo "skipped: no $tool"
			exit 77
		}
	done
}

fail()
{
	echo "FAILED: $*"
	exit 1
}

# start [OPTION...]: a daemon with everything below $work, ready when this returns; sets $url.
start()
{
	: >"$work/log"
	"$bin/flashscoped" --db "$work/f.db" --runtime-dir "$work/run" --listen 127.0.0.1:0 \
		"$@" >>"$work/log" 2>&1 &
	daemon=$!
	for _ in $(seq 200); do
		if url=$(sed -n 's,^open \(http://[^/]*\)/.*,\1,p' "$work/log") && [ -n "$url" ]; then
			return 0
		fi
		kill -0 "$daemon" 2>/dev/null || fail "the daemon did not start"
		sleep 0.05
	done
	fail "the daemon is not ready after 10 s"
}

# stop [SIGNAL]: and its exit status must be 0
stop()
{
	kill "-${1:-TERM}" "$daemon"
	wait "$daemon" || fail "the daemon ended with status $?"
	daemon=
}

# get PATH [CURL OPTION...]: over TCP. ask: over the socket.
get()
{
	curl -sS --max-time 20 "${@:2}" "$url$1"
}

ask()
{
	curl -sS --max-time 20 --unix-socket "$socket" "${@:2}" "http://localhost$1"
}

# code PATH [CURL OPTION...]: the status alone
code()
{
	get "$1" -o /dev/null -w '%{http_code}' "${@:2}"
}

# is WANT GOT WHAT
is()
{
	[ "$1" = "$2" ] || fail "$3: $2 instead of $1"
}

# json FILTER [WHAT]: the document on stdin fulfils the filter
json()
{
	local document
	document=$(cat)
	jq -e "$1" >/dev/null <<<"$document" || fail "${2:-document} lacks $1: ${document:0:2000}"
}

# until_true SECONDS COMMAND...: tries again until it succeeds; a busy machine has thrice the time
until_true()
{
	local end=$((SECONDS + 3 * $1))
	until "${@:2}"; do
		[ $SECONDS -le $end ] || fail "not within 3 times $1 s: ${*:2}"
		sleep 0.2
	done
}

# A small machine in a folder, whose disk never moves.
make_tree()
{
	mkdir -p "$1/proc/sys/kernel/random" "$1/sys/block/sda" "$1/sys/class/block"
	echo '   8       0 sda 100 5 2000 30 50 6 1000 40 0 60 70 1 2 3 4 5 6' >"$1/proc/diskstats"
	echo '0.10 0.20 0.30 1/234 5678' >"$1/proc/loadavg"
	echo '6.1.0-tree' >"$1/proc/sys/kernel/osrelease"
	echo '0a0a0a0a-1111-2222-3333-444444444444' >"$1/proc/sys/kernel/random/boot_id"
}
