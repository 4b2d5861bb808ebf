#!/usr/bin/env bash
# The clock of the first boot was ahead, that of the second one is right: the newest is what came
# last, not what the clock says.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need jq
f=$work/f.db
maker=$(dirname "$bin")/tests/queries_file

# From 14:13 to 16:13 by the one clock, then from 11:13 to 13:13 by the other.
"$maker" "$f" 2 -3
"$bin/flashscope" status --db "$f" | grep -q '^newest    sample 2026-09-21T13:13:20Z; the daemon was stopped' ||
	fail 'the newest sample'
"$bin/flashscope" query thermal.temp --db "$f" --json |
	jq -e '.to == "2026-09-21T13:13:20Z" and ([.series[].boot] | unique == [2])' >/dev/null ||
	fail 'the window of a query is not the end of the last boot'
"$bin/flashscope" events --db "$f" --json --from -1h |
	jq -e '[.events[] | select(.kind == "stop")] | map(.boot) == [1, 2]' >/dev/null || fail 'events of -1h'
"$bin/flashscope" events --db "$f" | sed 's/  */ /g' | grep -oE ' [12] .*(slow|mark|stop)' >"$work/got"
cat >"$work/wanted" <<-'END2'
	 1 warning slow
	 1 2026-09-21T16:13:20Z mark
	 1 warning slow
	 1 info stop
	 2 warning slow
	 2 2026-09-21T13:13:20Z mark
	 2 warning slow
	 2 info stop
END2
diff "$work/wanted" "$work/got" || fail 'the order of events'

# Boots that have left events alone.
rm -f "$f"*
"$maker" "$f" 0
"$bin/flashscope" status --db "$f" | grep -c '^boot [12]  kernel 6.1.0-test, began 2026-[^,]*, no samples$' |
	grep -qx 2 || fail 'boots without samples'

# An hour that both have.
rm -f "$f"*
"$maker" "$f" 2 1
"$bin/flashscope" query thermal.temp --db "$f" --from -2h |
	grep -q '^ambiguous: 2026-09-21T15:13:[0-9]*Z to 2026-09-21T16:13:20Z is in the boots 1 and 2$' ||
	fail 'an hour of two boots'
"$bin/flashscope" events --db "$f" --from -2h |
	grep -q '^ambiguous: .* is in the boots 1 and 2$' || fail 'events of two boots'
"$bin/flashscope" export events --csv --db "$f" --from -2h 2>&1 >/dev/null |
	grep -q '^flashscope export: ambiguous: .* is in the boots 1 and 2$' || fail 'rows of two boots'
"$bin/flashscope" writers --db "$f" --from -2h |
	grep -q '^ambiguous: .* is in the boots 1 and 2$' || fail 'writers of two boots'
"$bin/flashscope" writers --db "$f" --from -2h --csv 2>&1 >/dev/null |
	grep -q '^flashscope writers: ambiguous: ' || fail 'writers as CSV'
"$bin/flashscope" events --db "$f" --json | jq -e 'has("ambiguous") | not' >/dev/null || fail 'all events'
echo ok
