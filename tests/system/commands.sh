#!/usr/bin/env bash
# What would send a command to a device is asked for by name alone: the daemon says that it does not.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3
tests=$(cd "$(dirname "$0")/.." && pwd -P)

start --root "$tests/fixtures/x86/root"
grep -q '^leaves out nvme_smart: .*the daemon sends none' "$work/log" || fail 'the daemon does not say that it asks no drive'
get /api/v1/collectors | json 'map(select(.collector == "nvme_smart"))[0] | .outcome == "disabled" and
	(.reason | test("by commands")) and .state == "unsupported" and .n_samples == 0' collectors
get '/api/v1/latest' | json '[.. | objects | select(.group? == "nvme_smart" or .collector? == "nvme_smart")] == []' latest
stop TERM
is 0 "$(sqlite3 "$work/f.db" 'SELECT count(*) FROM nvme_smart_rows')" 'ticks of nvme_smart in the file'
is disabled "$(sqlite3 "$work/f.db" "SELECT outcome FROM outcomes WHERE collector='nvme_smart'")" outcome

# What risks something is off by default, which is said with the risk.
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
