#!/usr/bin/env bash
# flashscope events: what happened and the marks in one order of time, from the daemon as from its
# file; and a mark as the window of a query.
# label: long
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need jq

says()
{
	local status=$1 text=$2 said is=0

	shift 2
	said=$(timeout 10 "$bin/flashscope" "$@" 2>&1) || is=$?
	[ "$is" = "$status" ] || fail "flashscope $*: exit status $is, not $status: $said"
	case $said in
	*"$text"*) ;;
	*) fail "flashscope $*: said \"$said\" instead of \"$text\"" ;;
	esac
}

start
until_true 10 sh -c "'$bin/flashscope' query load.threads --socket '$socket' --csv | grep -q ,system,."
"$bin/flashscope" mark --socket "$socket" 'run 1' -- sleep 2.2
"$bin/flashscope" mark --socket "$socket" 'run 1' -- sleep 1.2
open=$("$bin/flashscope" mark --socket "$socket" start 'still open')
"$bin/flashscope" events --socket "$socket" --json >"$work/now"

# In the order of time: the start, the first mark with its id, the one that is open.
"$bin/flashscope" events --socket "$socket" | sed 's/  */ /g; s/20[0-9T:.-]*Z/T/g; s/ $//' |
	grep -E ' (start|mark) ' >"$work/got"
cat >"$work/wanted" <<END
T 1 info start flashscoped VERSION started
T 1 T mark 1 run 1
T 1 T mark 2 run 1
T 1 open mark $open still open
END
sed -i 's/flashscoped [0-9.]* started/flashscoped VERSION started/' "$work/got"
diff "$work/wanted" "$work/got" || fail 'events'

# A label that two marks have is the newer one; an id is exact. Each line is a second of the mark.
span()
{
	"$bin/flashscope" query load.threads --json "$@" | jq -c '[.from, .to]'
}
wanted()
{
	jq -c ".marks[] | select(.id == $1) | [.t, .t_end]" "$work/now"
}
is "$(wanted 2)" "$(span --socket "$socket" --mark 'run 1')" 'a mark by its label'
is "$(wanted 1)" "$(span --socket "$socket" --mark 1)" 'a mark by its id'
"$bin/flashscope" query load.threads --socket "$socket" --mark 1 --json --step 1s |
	json '.series[0].points | length >= 2' 'a query over a mark has its points'
says 2 'no mark has the id or the label "nothing"; flashscope events shows them' \
	query load.threads --socket "$socket" --mark nothing
says 2 '--mark is a window' query load.threads --mark 1 --from -1h
says 2 'from: "soon" is no time' events --socket "$socket" --from soon
says 2 'takes no argument "now"' events now
says 2 '--db reads a file' events --db x --socket y
says 1 'no daemon can be reached' events --socket "$work/none"
says 1 'No such file' events --db "$work/none"
(cd "$work" && [ ! -e /run/flashscope/flashscoped.sock ] && [ ! -e /var/lib/flashscope/flashscope.db ]) &&
	(cd "$work" && says 1 'no daemon can be reached at var/run/flashscoped.sock or' status)

# The page says of each collector that is not sampled what the probe says of it. There is always one:
# nvme_smart, which sends commands.
"$bin/flashscope" status --json --socket "$socket" |
	jq -r '.not_sampled[] | select(.node == null and .outcome != "switched_off" and .reason != null) |
		"<td>\(.collector)</td><td>\(.outcome)</td><td>\(.reason | @html)"' >"$work/reasons"
grep -q '^<td>nvme_smart<' "$work/reasons" || fail 'status gives no reason for nvme_smart'
get / >"$work/page"
while IFS= read -r reason; do
	grep -qF -- "$reason" "$work/page" || fail "the page does not say: $reason"
done <"$work/reasons"

stop
f=$work/f.db
"$bin/flashscope" events --db "$f" --json >"$work/file"
is "$(jq -c '.marks' "$work/now")" "$(jq -c '.marks' "$work/file")" 'the marks of the file'
jq -e '.events[-1].kind == "stop"' "$work/file" >/dev/null || fail 'the file ends with a stop'
is "$(wanted 1)" "$(span --db "$f" --mark 1)" 'a mark of the file'
# A mount of another test may come in the last second; the start of the daemon is before it.
is "$(jq -c '[.events[] | select(.kind == "stop")]' "$work/file")" \
	"$("$bin/flashscope" events --db "$f" --json --from now |
		jq -c '[.events[] | select(.kind == "stop" or .kind == "start")]')" 'now is the end of the file'
says 0 'nothing happened' events --db "$f" --to 2001-01-01
says 2 'from: "soon"' events --db "$f" --from soon
