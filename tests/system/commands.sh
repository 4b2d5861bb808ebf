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

"$bin/flashscope" sample --json --root "$tests/fixtures/x86/root" nvme_smart |
	json 'any(.[]; .fields.media_errors == 7)' 'a sample by name'
