#!/usr/bin/env bash
# Who writes is named, with its bytes: by the daemon, by the command on it, and by the file alone.
# label: long
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq sqlite3
flashscope=$bin/flashscope
skip()
{
	echo "skipped: $*"
	exit 77
}
[ "$(id -u)" = 0 ] || skip 'only root reads the accounts of others'
[ -r /proc/self/io ] || skip 'this kernel has no /proc/PID/io (CONFIG_TASK_IO_ACCOUNTING)'

# A directory on a disk: tmpfs is no storage.
disk=$(mktemp -d -p "$PWD" .writers-XXXXXX)
stays=
trap 'status=$?; [ -z "$stays" ] || kill -9 "$stays" 2>/dev/null; rm -rf "$disk"; (exit $status); finish' EXIT
dd if=/dev/zero of="$disk/probe" bs=64k count=1 conv=fsync status=none
# shellcheck disable=SC2016
before=$(bash -c 'dd if=/dev/zero of="$0" bs=1M count=1 conv=fsync status=none; grep ^write_bytes /proc/$$/io' "$disk/probe")
[ "${before#write_bytes: }" -ge 1000000 ] || skip 'the file system here is no storage'

cat >"$work/conf" <<X
[collector writers]
period.writers_top = 1s
period.writers = 1s
X
start --config "$work/conf"
# The first look only finds out where the counters stand.
until_true 40 sh -c "curl -s '$url/api/v1/latest?collector=writers' | jq -e '.[] | select(.node == \"process\") | .fields.known > 0' >/dev/null"
sleep 2.2

# One that goes on, with a name that may do harm to a terminal.
name=$(printf 'w\033[31m,"w')
cp "$(command -v dd)" "$disk/$name"
mkfifo "$disk/hold"
"$disk/$name" if=/dev/zero of="$disk/a" bs=1M count=24 conv=fsync status=none
"$disk/$name" if=/dev/zero of="$disk/b" bs=1M count=24 conv=fsync status=none
# One that stays there until it was seen.
bash -c 'printf flashwriter >/proc/self/comm; exec 3<>"$0/hold"
	for _ in {1..32}; do printf "%1048576s" x; done >"$0/c"; sync "$0/c"; read -r -t 60 -u 3' "$disk" </dev/null >/dev/null 2>&1 &
stays=$!

answer()
{
	get '/api/v1/writers?by=process'
}
has()
{
	answer | jq -e "$1" >/dev/null
}
until_true 40 sh -c "curl -s '$url/api/v1/writers?by=process' | jq -e '.writers[] | select(.name == \"flashwriter\") | .written >= 33554432' >/dev/null"
answer >"$work/answer"
# What the children of the shell wrote that it waited for counts for it, once.
json '[.writers[] | select(.name == "flashwriter")] | length == 1 and .[0].written < 40000000 and
	.[0].share > 0 and .[0].pid != null' 'the one that goes on' <"$work/answer"
# Those that came and went between two looks stand with who waited for them.
json '[.writers[].written] | add >= 80000000' 'short-lived ones' <"$work/answer"
json '.by == "process" and .hours >= 1 and (.accounts | index("process")) and .from < .to' 'the head' <"$work/answer"
has '.devices_written >= 0 and .not_attributed >= 0' || fail 'the disks are not told of'
echo >"$disk/hold"
wait $stays || true
stays=

# A snapshot has the hour that goes on as well.
"$flashscope" snapshot --url "$url" "$work/snap" >/dev/null
"$flashscope" writers --db "$work/snap" --by process | grep -q flashwriter ||
	fail "the snapshot has no writers: $("$flashscope" writers --db "$work/snap")"
"$flashscope" writers --url "$url" >"$work/table"
for wanted in '^counted from 20.* to 20.* ([0-9 min]* s[;)]' flashwriter 'written by all of them'; do
	grep -q "$wanted" "$work/table" || fail "the table lacks $wanted: $(cat "$work/table")"
done
if grep -q "$(printf '\033')" "$work/table"; then fail 'a name commands the terminal'; fi
"$flashscope" writers --url "$url" --csv >"$work/csv"
grep -q '^process,"flashwriter",' "$work/csv" || fail 'no csv' 
"$flashscope" writers --url "$url" --from -1h --to now --json | json '.writers | length > 0' 'json'
"$flashscope" writers --url "$url" --from 2000-01-01T00:00:00Z --to 2001-01-01T00:00:00Z >"$work/none"
grep -q '^not counted by process: counted from .*, not in this window' "$work/none" || fail "outside: $(cat "$work/none")"
"$flashscope" writers --url "$url" --by uid --json | json '.state == "not_counted" and .written == null and
	.not_attributed == null and (.reason | length > 0)' 'an account that is not here'
get '/api/v1/writers?from=-1d' | json '.state == "counted" and .uncounted_ms > 0 and .uncounted[0].to == .from' 'what was not counted'
grep -q '^not counted from 20' "$work/table" || fail 'the table hides what was not counted'
grep -q CANCELLED "$work/table" || fail 'the table lacks what was cancelled'
"$flashscope" query writers_top --url "$url" 2>"$work/refused" && fail 'writers_top has no series'
grep -q 'flashscope writers' "$work/refused" || fail "no way to it: $(cat "$work/refused")"
is 400 "$(code '/api/v1/query?metric=writers_top.written')" 'no series'
is 400 "$(code '/api/v1/writers?limit=0')" 'a limit of 0'
"$flashscope" writers --root "$work" 2>"$work/refused" && fail '--root was taken'
grep -q 'sample --root' "$work/refused" || fail 'no word on --root'

is 400 "$(code '/api/v1/writers?by=cat')" 'a wrong word'
is 400 "$(code '/api/v1/writers?from=never')" 'a wrong time'
"$flashscope" writers --by cat 2>/dev/null && fail 'a wrong --by was taken'

# No series is made of them.
get /api/v1/nodes | json '[.[] | select(.collector == "writers") | .node] | sort | unique |
	all(. == "process" or . == "cgroup" or . == "uid" or . == "device")' 'nodes'
stop

# The file says the same, also to the stock shell.
"$flashscope" writers --db "$work/f.db" --json | json '[.writers[] | select(.name == "flashwriter")] |
	length == 1 and .[0].written >= 33554432 and .[0].written < 40000000' 'the file'
[ "$(sqlite3 -readonly "$work/f.db" "SELECT count(*) FROM writers_top WHERE name='flashwriter' AND written>=33554432 AND wall<wall_until")" = 1 ] ||
	fail 'the view has no such row'

# A share is rounded: two thirds are 66.7 %.
cp "$work/f.db" "$work/shares.db"
sqlite3 "$work/shares.db" "CREATE TEMP TABLE h AS SELECT boot,t,since,until FROM writer LIMIT 1; DELETE FROM writer;
	INSERT INTO writer(boot,t,since,n,until,source,name,written,read) SELECT boot,t,since,0,until,'process','two',2000000,0 FROM h
	UNION ALL SELECT boot,t,since,1,until,'process','one',1000000,0 FROM h"
is '66.7 33.3' "$("$flashscope" writers --db "$work/shares.db" | awk '/ % /{printf "%s%s", n++ ? " " : "", $3}')" 'shares'
is '[0.6667,0.3333]' "$("$flashscope" writers --db "$work/shares.db" --json | jq -c '[.writers[].share]')" 'shares for programs'
# One who wrote little is not one who wrote nothing.
sqlite3 "$work/shares.db" "UPDATE writer SET written=1000 WHERE name='one'"
is '100 <0.1' "$("$flashscope" writers --db "$work/shares.db" | awk '/ % /{printf "%s%s", n++ ? " " : "", $3}')" 'a small share'

# A new run goes on in the same hour: both are added.
start --config "$work/conf"
until_true 40 sh -c "curl -s '$url/api/v1/writers?by=process' | jq -e '.writers[] | select(.name == \"flashwriter\") | .written >= 33554432 and .written < 40000000' >/dev/null"
stop
