#!/usr/bin/env bash
# What commits write is counted, by the kernel's own count of this thread, and shown beside what the
# disk has written in all; making the file is counted as well. A small flash_budget makes them rare, says so, and is remembered by the
# next run.
# label: long
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3

printf '[store]\ncommit_interval = 1s\n' >"$work/f.conf"
start --config "$work/f.conf"
until_true 40 eval 'get /api/v1/status | jq -e ".store.n_commits > 2" >/dev/null'
if get /api/v1/status | jq -e '.store.commit_bytes == null or .store.commit_bytes == 0' >/dev/null; then
	echo "skipped: the kernel does not count what is written to $work (CONFIG_TASK_IO_ACCOUNTING, or in memory)"
	exit 77
fi
get /api/v1/status | json '.store | .commit_interval_ms == 1000 and .spent_bytes >= .commit_bytes and
	.spent_bytes >= 1048576 and .commits.bound > 0 and .commit_time_us > 0' 'what commits wrote'
get /api/v1/status | json '.store.kept | length > 0 and all(.bytes_per_day == 0 and .days == null)' 'a rate of seconds'
# Not more than the whole process, and most of it.
get /api/v1/status | json '.store.disk == null or .store.disk_write_sectors > 0' 'the disk'

# Opening it again is little.
stop
made=$(sqlite3 "$work/f.db" 'SELECT sum(bytes) FROM spent; DELETE FROM spent' )
[ "$made" -ge 1048576 ] || fail "making the file is not in it: $made"
printf '[store]\ncommit_interval = 1s\nflash_budget = 512KiB\n' >"$work/f.conf"
start --config "$work/f.conf"

# The budget is used up after a few commits.
until_true 60 eval 'get /api/v1/status | jq -e ".store | .budget_widens and .commit_bound_ms > 2000" >/dev/null'
get '/api/v1/events?from=-1h' | json 'map(select(.kind == "flash_budget")) | length == 1 and
	.[0].severity == "warning" and .[0].evidence.flash_budget_bytes == 524288 and
	.[0].evidence.spent_bytes > 380000' 'the event'
grep -q 'three quarters of flash_budget are spent' "$work/log" || fail 'the log does not say so'
# It is sampled each ten seconds.
until_true 20 eval 'get "/api/v1/latest?collector=self" | jq -e ".[0].fields.commits > 0" >/dev/null'
get '/api/v1/latest?collector=self' |
	json '.[0].fields | .commits > 0 and .commit_write_bytes > 0 and .turns > 0 and
		.write_bytes >= .commit_write_bytes' 'the series'

# Who makes marks in a loop spends the budget, and no more: then they go along with commits.
mark()
{
	ask /api/v1/marks -d '{"label":"again","from":"-1s","to":"now"}'
}
spends()
{
	mark | jq -e '.committed_at_once == false' >/dev/null
}
until_true 60 spends
commits=$(get /api/v1/status | jq .store.n_commits)
for _ in $(seq 100); do mark; done | json -s 'length == 100 and all(.id > 0 and .committed_at_once == false)' 'marks that wait'
get /api/v1/status | json ".store.n_commits - $commits <= 2" 'commits for marks that wait'
spent=$(get /api/v1/status | jq .store.spent_bytes)
# What is spent already is not said to be kept.
"$bin/flashscope" status --socket "$socket" >"$work/said"
grep -q '^commits .*flash_budget 512 KiB: exceeded by [0-9.]* [KM]*i*B, so commits are as rare as they may be' "$work/said" ||
	fail "$(grep '^commits' "$work/said")"
stop

# It goes on where it was, also in the next run.
start --config "$work/f.conf"
until_true 10 eval 'get /api/v1/status | jq -e ".store | .n_commits > 0 and .spent_bytes != null" >/dev/null'
get /api/v1/status | json ".store.spent_bytes >= $spent and .store.commit_bound_ms > 2000" 'after a restart'
stop
[ "$(sqlite3 -readonly "$work/f.db" 'SELECT sum(bytes) FROM spent')" -ge "$spent" ] || fail 'not in the file'
echo ok
