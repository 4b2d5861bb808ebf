#!/usr/bin/env bash
# A snapshot of a daemon that writes: it has what was not committed, needs nothing beside it, is
# sealed, and appears whole or not at all.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need sqlite3 jq curl
fs=$bin/flashscope
make_tree "$work/tree"
start --root "$work/tree"
until_true 10 sh -c "curl -sS '$url/api/v1/latest?collector=load' | grep -q threads"
ask /api/v1/marks -X POST -d '{"label":"just before"}' >/dev/null
"$fs" snapshot --socket "$socket" "$work/a.snap" >"$work/said"
cat "$work/said"

# One file, which a shell reads where nothing can be written.
mkdir "$work/ro"
cp "$work/a.snap" "$work/ro/a.snap"
chmod a-w "$work/ro"
is ok "$(sqlite3 "$work/ro/a.snap" 'PRAGMA integrity_check')" 'integrity of a snapshot'
is 'just before' "$(sqlite3 "$work/ro/a.snap" "SELECT label FROM marks")" 'a mark that was just set'
[ "$(sqlite3 "$work/ro/a.snap" 'SELECT count(*) FROM load')" -ge 1 ] || fail 'no sample in a snapshot'
is '' "$(find "$work/ro" -name 'a.snap?*')" 'files beside a snapshot'
chmod u+w "$work/ro"
"$fs" status --db "$work/a.snap" 2>&1 | (! grep 'may lack') || fail 'a whole snapshot is said to lack something'
! grep lacks "$work/said" || fail 'what was committed is said to be missing'

# The sum is that of stock tools, and of the command.
sum=$(head -c -256 "$work/a.snap" | sha256sum | cut -d' ' -f1)
is "$sum" "$(sed -n 's/^sha256 //p' "$work/said")" 'sum of a snapshot'
is "$sum" "$(tail -c 256 "$work/a.snap" | sed -n 's/^sha256 //p')" 'sum in its seal'
is "$sum" "$("$fs" snapshot --check "$work/a.snap" | sed -n 's/^sha256 //p')" 'sum of --check'
cp "$work/a.snap" "$work/bad.snap"
printf X | dd of="$work/bad.snap" bs=1 seek=50000 conv=notrunc status=none
! "$fs" snapshot --check "$work/bad.snap" 2>"$work/err" || fail 'a damaged snapshot passes'
grep -q 'not what was sealed' "$work/err" || fail 'wrong words for a damaged snapshot'
head -c -1 "$work/a.snap" >"$work/cut.snap"
! "$fs" snapshot --check "$work/cut.snap" 2>"$work/err" || fail 'a cut snapshot passes'
grep -q 'no seal' "$work/err" || fail 'wrong words for a cut snapshot'

# What is there is not replaced.
! "$fs" snapshot --socket "$socket" "$work/a.snap" 2>"$work/err" || fail 'a file was replaced'
grep -q 'is there already' "$work/err" || fail 'wrong words for a file that is there'

# By HTTP, with its length.
get /api/v1/snapshot -D "$work/head" -o "$work/b.snap"
is "$(stat -c %s "$work/b.snap")" "$(tr -d '\r' <"$work/head" | sed -n 's/^Content-Length: //p')" length
"$fs" snapshot --check "$work/b.snap" >/dev/null
is 400 "$(code '/api/v1/snapshot?x=1')" 'an unknown parameter'
get /api/v1/snapshot -I -o /dev/null

# What is kept of each resolution is told, and its shares make up no more than the whole.
get /api/v1/status | json '.store.kept | [.[].what] == ["raw", "minute", "hour", "slow"] and
	all(.bytes >= 0 and .share_bytes > 0)' 'what is kept'
get /api/v1/status | json '([.store.kept[].share_bytes] | add) <= .store.size_max_bytes' 'shares'
"$fs" status --socket "$socket" | grep -q '^kept .*raw.*minute.*hour' || fail 'status does not tell what is kept'

# A slow client keeps out a second one, and commits go on; one that breaks off leaves nothing.
mkdir "$work/part"
curl -sS --limit-rate 20k -o "$work/slow.snap" --unix-socket "$socket" \
	http://localhost/api/v1/snapshot 2>/dev/null &
slow=$!
until_true 5 test -s "$work/slow.snap"
n=$(get /api/v1/status | jq .store.n_commits)
[ "$(code /api/v1/snapshot)" = 503 ] || echo 'note: the slow one was over before the second came'
ask /api/v1/marks -X POST -d '{"label":"meanwhile"}' >/dev/null
until_true 10 sh -c "[ \$(curl -sS '$url/api/v1/status' | jq .store.n_commits) -gt $n ]"
kill $slow
wait $slow || true
until_true 10 sh -c "[ \$(curl -sS -o /dev/null -w '%{http_code}' '$url/api/v1/snapshot') = 200 ]"

# Of the file, while the daemon has it, and when nobody has.
"$fs" snapshot --db "$work/f.db" "$work/c.snap" >"$work/said"
grep -q 'lacks what was sampled after' "$work/said" || fail 'a copy of an open file does not say what it lacks'
"$fs" snapshot --check "$work/c.snap" >/dev/null
stop
"$fs" snapshot --db "$work/f.db" "$work/d.snap" >"$work/said"
! grep -q lacks "$work/said" || fail 'a copy of a closed file is said to lack something'
is ok "$(sqlite3 "$work/d.snap" 'PRAGMA integrity_check')" 'integrity of a snapshot of a closed file'
is meanwhile "$(sqlite3 "$work/d.snap" "SELECT label FROM marks ORDER BY id DESC LIMIT 1")" 'the last mark'

# A daemon may take a snapshot for its database.
cp "$work/d.snap" "$work/f.db"
rm -f "$work"/f.db-*
start --root "$work/tree"
stop
is ok "$(sqlite3 "$work/f.db" 'PRAGMA integrity_check')" 'integrity after a daemon went on with a snapshot'

# Nothing is left behind where there is no room, no folder, no daemon.
! "$fs" snapshot --socket "$work/none.sock" "$work/part/x" 2>/dev/null || fail 'no daemon, and no complaint'
! "$fs" snapshot --db "$work/f.db" "$work/none/x" 2>/dev/null || fail 'no folder, and no complaint'
(
	ulimit -f 64
	trap '' XFSZ
	! "$fs" snapshot --db "$work/f.db" "$work/part/x" 2>/dev/null
) || fail 'no room, and no complaint'
is '' "$(ls "$work/part")" 'what failed snapshots left'
echo ok
