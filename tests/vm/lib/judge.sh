# shellcheck shell=bash
# What a scenario's host part, judge(), may use. It judges by what the guest left in $out.

judged_bad=0 n_judged=0

verdict()
{
	n_judged=$((n_judged + 1))
	if [ "$1" = 0 ]; then
		echo "  ok      $2"
	else
		echo "  NOT OK  $2"
		judged_bad=$((judged_bad + 1))
		[ -z "${3:-}" ] || printf '%s\n' "$3" | head -n 20 | sed 's/^/          /'
	fi
}

# expect TEXT COMMAND...
expect()
{
	local text=$1 said
	shift
	said=$("$@" 2>&1)
	verdict $? "$text" "$said"
}

# expect_json NAME TEXT EXPRESSION: an expression of jq that is true for NAME.json. Facts of the
# guest are there as $fact.NAME.
expect_json()
{
	local said status
	said=$(jq -e --argjson fact "$(facts_json)" "$3" "$out/$1.json" 2>&1)
	status=$?
	[ $status = 0 ] || said="$said
of $3
in $(head -c 1500 "$out/$1.json" 2>&1)"
	verdict $status "$2" "$said"
}

# sql STATEMENT: its answer, from the file that the guest left
sql()
{
	sqlite3 -readonly "file:$out/flashscope.db?immutable=0" "$1"
}

# expect_sql TEXT STATEMENT: the statement's answer is 1
expect_sql()
{
	local said
	said=$(sql "$2" 2>&1)
	[ "$said" = 1 ]
	verdict $? "$1" "$said, from $2"
}

fact()
{
	sed -n "s/^$1=//p" "$out/facts" 2>/dev/null | tail -n 1
}

facts_json()
{
	jq -nR '[inputs | capture("^(?<key>[^=]+)=(?<value>.*)$") |
		.value = (.value | tonumber? // .)] | from_entries' "$out/facts"
}

# What the guest checked itself
judge_checks()
{
	local result text

	while read -r result text; do
		case $result in
		ok) verdict 0 "$text" ;;
		*) verdict 1 "${text#ok }" ;;
		esac
	done < <(cat "$out/checks" 2>/dev/null)
}

# What holds in every scenario: it ran to its end, and the daemon ended well
judge_run()
{
	local phase

	for phase in $(seq "$n_phases"); do
		case " $cut_phases " in *" $phase "*) continue ;; esac
		expect "the guest's part $phase ran to its end" test -e "$out/end.$phase"
	done
	if [ -n "$(fact daemon_status)" ]; then
		expect "the daemon ended with status 0" test "$(fact daemon_status)" = 0
	fi
	expect "no complaint of the kernel about the daemon" \
		test -z "$(grep -E 'flashscope.*(segfault|general protection)|(Oops|BUG|WARNING): ' \
			"$work/console.log" "$out"/dmesg.* 2>/dev/null | head -n 3)"
}

# judge_cut NAME...: what cut_power() and after_the_cut() of the guest left
judge_cut()
{
	local lost of_boot_1 committed_ms

	of_boot_1="boot = (SELECT boot FROM boots WHERE boot_id = '$(fact boot_id)')"
	committed_ms=$(jq '.store.last_commit.boot_ms // 0' "$out/committed.json")
	expect "there was a commit before the cut" test "$committed_ms" -gt 0
	for lost; do
		expect "$lost: writes were lost" test "$(fact "lost_$lost")" -gt 0
		cp "$out/$lost/end/flashscope.db" "$out/"
		expect "$lost: the file was sound after the cut" \
			test "$(sqlite3 "$out/$lost/flashscope.db" 'PRAGMA integrity_check')" = ok
		expect_json "boots_$lost" "$lost: there are two boots" \
			'length == 2 and any(.[]; .boot_id == $fact.boot_id and (.current | not))'
		expect_json "boots_$lost" "$lost: how the first one ended" \
			'.[0].end.cause == "reset_or_power_cut"'
		# The last tick before it, which may have been late.
		expect_sql "$lost: all that was committed is there" \
			"SELECT max(t) >= $committed_ms - 2000 FROM load WHERE $of_boot_1"
		# The interval, a tick, and the time of the cut itself.
		expect_sql "$lost: at most the commit interval is lost" \
			"SELECT max(t) >= $(fact cut_ms) - 5000 - 2000 FROM load WHERE $of_boot_1"
		expect_sql "$lost: no tick is missing before" \
			"SELECT count(DISTINCT t) >= (max(t) - min(t)) / 1000 FROM load WHERE $of_boot_1"
		expect_json "status_$lost" "$lost: the file is in use again" \
			'.store.attached and .store.error == null'
		expect_sql "$lost: boot 2 is in the file" "SELECT count(*) = 2 FROM boots"
		expect "$lost: the file is sound at the end" test "$(sql 'PRAGMA integrity_check')" = ok
	done
}
