#!/usr/bin/env bash
# SIGPWR commits at once and stops nothing.
# label: long
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3
newest()
{
	sqlite3 -readonly "$work/f.db" "SELECT coalesce(max(t), 0) FROM load"
}

start
until_true 10 sh -c "curl -s '$url/api/v1/status' | jq -e '.store.n_commits > 0' >/dev/null"
sleep 2
before=$(get /api/v1/status | jq .boot_ms)
[ "$(newest)" -lt $((before - 1500)) ] || fail 'there is nothing to commit'
kill -PWR "$daemon"
is_in_the_file()
{
	[ "$(newest)" -ge $((before - 1500)) ]
}
until_true 10 is_in_the_file
is 1 "$(sqlite3 "$work/f.db" "SELECT count(*) FROM events WHERE kind = 'power_fails'")" 'events'
is ok "$(get /healthz)" 'healthz after SIGPWR'
stop
echo ok
