#!/usr/bin/env bash
# Copies that are asked for one after the other: the first has all that was sampled until it was
# asked for, and costs a commit; those that follow cost none, and say from when on they lack samples.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need sqlite3 jq curl
fs=$bin/flashscope
make_tree "$work/tree"
printf '[store]\ncommit_interval = 10min\n' >"$work/f.conf"
start --root "$work/tree" --config "$work/f.conf"
store()
{
	get /api/v1/status | jq ".store.$1"
}

# newest FILE: wall clock of its newest sample, in ms
newest()
{
	sqlite3 -readonly "$1" "SELECT max(strftime('%s',wall)*1000) FROM load"
}

# lacks FILE: what its seal says, in ms; empty when it lacks nothing
lacks()
{
	local at
	at=$(tail -c 256 "$1" | sed -n 's/^lacks-after //p')
	[ "$at" = - ] || date -d "$at" +%s%3N
}

until_true 10 eval '[ "$(store n_commits)" -ge 1 ]'
sleep 2
before=$(store n_commits)
asked=$(date +%s000)
"$fs" snapshot --socket "$socket" "$work/first"
is '' "$(lacks "$work/first")" 'what the first copy lacks'
[ "$(newest "$work/first")" -ge $((asked - 1000)) ] ||
	fail "the first copy ends at $(newest "$work/first"), asked for at $asked"
is $((before + 1)) "$(store n_commits)" 'commits after the first copy'
is 1 "$(store commits.asked)" 'commits that were asked for'
bytes=$(store commit_bytes)

for i in $(seq 12); do
	"$fs" snapshot --socket "$socket" "$work/again.$i" >/dev/null
	"$fs" snapshot --check "$work/again.$i" >/dev/null
done
sleep 1
"$fs" snapshot --socket "$socket" "$work/last" | grep 'lacks what was sampled after' ||
	fail 'a copy without a commit does not say so'
is $((before + 1)) "$(store n_commits)" 'commits after many copies'
is "$bytes" "$(store commit_bytes)" 'bytes that commits wrote'
# It lacks what came after the commit of the first one, and has all of before.
[ "$(lacks "$work/last")" -ge "$asked" ] || fail 'it lacks samples of before the first copy'
[ "$(newest "$work/last")" -ge $((asked - 1000)) ] || fail 'it has not even what the first has'
[ "$(newest "$work/last")" -le "$(lacks "$work/last")" ] || fail 'it has what it says that it lacks'
is 13 "$(find "$work" -maxdepth 1 -name 'again.*' -o -name last | wc -l)" copies
stop
echo ok
