#!/usr/bin/env bash
# The IO path of a board is the same from its tree, from a daemon that samples it, and from the file
# that the daemon left: also when it was killed, and when the file stands alone.
# label: long nosan
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3
tests=$(cd "$(dirname "$0")/.." && pwd)
"$bin/flashscoped" --dump-config | awk '
	/^\[/ { section = $0 }
	/^period/ && section ~ /^\[collector/ && section !~ /_smart|mmc_health|nvme_hwmon|ufs_health/ {
		print section; print $1 " = 1s" }' >"$work/periods"
# Of each collector all groups below its one section. Whoever commands a drive has a longer period.
awk '/^\[/ { if ($0 != last) print; last = $0; next } { print }' "$work/periods" >"$work/f.conf"
printf '[store]\ncommit_interval = 1s\n' >>"$work/f.conf"

# What the answers have in common, without the order of facts that come from different rows.
path_of()
{
	"$bin/flashscope" path --json "$@" | jq -S .
}

infos_are_committed()
{
	[ "$(sqlite3 "$work/f.db" "SELECT count(*) > 50 FROM info WHERE grp = 'topology'")" = 1 ]
}

for board in sm8850 x86 imx8mp; do
	root=$tests/fixtures/$board/root
	path_of --root "$root" >"$work/tree"
	start --config "$work/f.conf" --root "$root"
	# Rows of the lane come one after the other.
	for _ in $(seq 100); do
		path_of --socket "$socket" >"$work/daemon" 2>/dev/null || true
		cmp -s "$work/tree" "$work/daemon" && break
		sleep 0.2
	done
	diff "$work/tree" "$work/daemon" >"$work/diff" || {
		head -20 "$work/diff"
		fail "$board: the daemon says something else than the tree"
	}
	until_true 20 infos_are_committed
	sleep 2.2
	if [ $board = sm8850 ]; then
		kill -9 "$daemon"
		wait "$daemon" 2>/dev/null || true
		daemon=
	else
		stop
		rm -f "$work"/f.db-*
	fi
	path_of --db "$work/f.db" >"$work/file" || fail "$board: no path in the file"
	diff "$work/tree" "$work/file" >"$work/diff" || {
		head -20 "$work/diff"
		fail "$board: the file says something else than the tree"
	}
	"$bin/flashscope" path --db "$work/f.db" / 2>"$work/said" | grep -q '^/ ' ||
		fail "$board: no drawing of /"
	end=$("$bin/flashscope" status --db "$work/f.db" | sed -n 's/^boot .* to //p' | tail -1)
	grep -q "as it was at the end of $work/f.db, $end" "$work/said" ||
		fail "$board: not of $end: $(cat "$work/said")"
	rm -f "$work"/f.db*
done

# What a file from elsewhere holds does not reach the terminal, and breaks no document.
start --config "$work/f.conf" --root "$tests/fixtures/x86/root"
until_true 20 sh -c "curl -s '$url/api/v1/latest?collector=topology' | jq -e 'length > 5' >/dev/null"
stop
sqlite3 "$work/f.db" "UPDATE info SET value = char(27) || '[2J' || value || char(34, 10)
	WHERE field IN ('on', 'label', 'size', 'model', 'options', 'partition')"
"$bin/flashscope" path --db "$work/f.db" >"$work/said" 2>&1 || fail "status of a hostile file"
! LC_ALL=C grep -n '[[:cntrl:]]' "$work/said" || fail 'control characters'
"$bin/flashscope" path --json --db "$work/f.db" | jq . >"$work/said" || fail 'no JSON'
"$bin/flashscope" path --db "$work/nothing.db" 2>"$work/said" && fail 'no file: status 0'
grep -q 'No such file' "$work/said" || fail "said: $(cat "$work/said")"
echo ok
