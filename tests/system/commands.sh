#!/usr/bin/env bash
# What is asked of devices by commands: the daemon has flashscope-helper do it, and says so while
# there is none.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3
tests=$(cd "$(dirname "$0")/.." && pwd -P)

smart_came()
{
	get '/api/v1/latest?collector=nvme_smart&node=nvme0' | grep -q media_errors &&
		get '/api/v1/latest?collector=nvme_hwmon&node=nvme0' | grep -q temp1_crit
}

start --root "$tests/fixtures/x86/root"
get /api/v1/status | json '.helper | .state == "up" and .reason == null and .n_workers == 3' 'the helper'
get /api/v1/collectors | json 'map(select(.collector == "nvme_smart"))[0] | .outcome == "ok" and .state == "ok"' collectors
until_true 5 smart_came
# What is asked once an hour has its age beside it.
get /metrics | grep -qE '^flashscope_sample_age_seconds\{group="nvme_smart",node="nvme0"\} [0-9]+\.?[0-9]*$' ||
	fail "no age of nvme_smart in /metrics: $(get /metrics | grep sample_age)"
stop TERM
is 1 "$(sqlite3 "$work/f.db" 'SELECT count(*) FROM nvme_smart_rows')" 'ticks of nvme_smart in the file'
is ok "$(sqlite3 "$work/f.db" "SELECT outcome FROM outcomes WHERE collector='nvme_smart' AND node=''")" outcome
rm "$work/f.db"

# unsampled METRIC WORDS...: a query for it answers that there is nothing, and why
unsampled()
{
	"$bin/flashscope" query "$1" --socket "$socket" >"$work/said" 2>&1 || fail "query $1: status $?"
	grep -q '^no samples in this window$' "$work/said" || fail "query $1 has samples: $(cat "$work/said")"
	for words in "${@:2}"; do
		grep -q "^the daemon does not sample ${1%.*}: $words" "$work/said" ||
			fail "query $1 does not say \"$words\": $(cat "$work/said")"
	done
}

printf '[helper]\nmode = off\n[collector load]\nenabled = no\n' >"$work/off.conf"
start --config "$work/off.conf" --root "$tests/fixtures/x86/root"
grep -q '^leaves out .*nvme_smart: .*it is switched off' "$work/log" || fail 'the daemon does not say that it asks no drive'
get /api/v1/status | json '.helper | .state == "off" and (.reason | test("switched off"))' 'no helper'
get /api/v1/collectors | json 'map(select(.collector == "nvme_smart"))[0] | .outcome == "disabled" and
	(.reason | test("by commands")) and .state == "unsupported" and .n_samples == 0' collectors
get '/api/v1/latest' | json '[.. | objects | select(.group? == "nvme_smart" or .collector? == "nvme_smart")] == []' latest
unsampled nvme_smart.percentage_used 'disabled: .*by commands.*switched off'
unsampled load.load1 'switched_off: the configuration says so; enabled = yes below \[collector load\]$'
unsampled mmc_health.life_time_a 'switched_off: not unless asked for: .*command queueing.*; enabled = yes below \[collector mmc_health\]$'
stop TERM
is 0 "$(sqlite3 "$work/f.db" 'SELECT count(*) FROM nvme_smart_rows')" 'ticks of nvme_smart in the file'
is disabled "$(sqlite3 "$work/f.db" "SELECT outcome FROM outcomes WHERE collector='nvme_smart' AND node=''")" outcome

printf '[helper]\nmode = connect\n' >"$work/connect.conf"
rm "$work/f.db"
start --config "$work/connect.conf" --root "$tests/fixtures/x86/root"
unsampled nvme_smart.percentage_used 'denied: .*cannot be reached'
stop TERM

# What risks something is asked by the helper only after somebody has switched it on.
emmc_came()
{
	get '/api/v1/latest?collector=mmc_health&node=mmcblk2' | grep -q life_time_a
}
printf '[collector mmc_health]\nenabled = yes\n' >"$work/on.conf"
rm "$work/f.db"
start --config "$work/on.conf" --root "$tests/fixtures/imx8mp/root"
until_true 5 emmc_came
grep -q '^samples mmc_health: mmcblk2' "$work/log" || fail 'mmc_health is not told of'
stop TERM
is 1 "$(sqlite3 "$work/f.db" 'SELECT count(*) FROM mmc_health_rows')" 'ticks of mmc_health in the file'

# It is off by default, which is said with the risk.
"$bin/flashscoped" --dump-config | awk '/^\[collector mmc_health/ { on = 1 } on && /^enabled/ { print; exit }' >"$work/said"
is 'enabled = no' "$(cat "$work/said")" 'default of mmc_health'
"$bin/flashscoped" --dump-config | grep -q '^; .*What it risks: .*command queueing' || fail 'no word of the risk'
printf '[collector mmc_health]\nperiod.mmc_health = 59m\n' >"$work/hourly.conf"
! "$bin/flashscoped" --config "$work/hourly.conf" --check-config 2>"$work/said" || fail 'mmc_health more than hourly'
board=$tests/fixtures/imx8mp/root
"$bin/flashscope" probe --json --root "$board" mmc_health |
	json 'any(.[]; .node == "" and .state == "disabled" and (.reason | test("command queueing")) and
		(.advice | test("enabled = yes")))' 'the probe of mmc_health'
"$bin/flashscope" sample --json --root "$board" | json 'all(.[]; .group != "mmc_health")' 'not by name'
"$bin/flashscope" sample --json --root "$board" mmc_health |
	json 'length == 1 and .[0].fields.life_time_a == 7' 'mmc_health by name'

"$bin/flashscope" sample --json --root "$tests/fixtures/x86/root" nvme_smart |
	json 'any(.[]; .fields.media_errors == 7)' 'a sample by name'
"$bin/flashscope" sample --json --root "$tests/fixtures/x86/root" ata_smart |
	json 'any(.[]; .fields.crc_errors == 37 and .fields.life_left == 88)' 'a disk by name'
