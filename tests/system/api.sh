#!/usr/bin/env bash
# Every route of the API on a running daemon: documents, problems, bounds.
# label: long
# timeout: 300
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq
start
until_true 10 sh -c "curl -s '$url/api/v1/latest?collector=load' | jq -e 'length == 1' >/dev/null"
sleep 1.5

# Documents.
rfc='test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\\.[0-9]+)?Z$")'
get /api/v1/status | json ".version and .uptime_ms > 0 and (.boot.t_start | $rfc) and
	.sampling.n_ticks > 0 and (.sampled | map(.collector) | index(\"load\")) != null and
	.store.size_max_bytes == 134217728 and .store.error == null" status
get /api/v1/collectors | json 'map(select(.collector == "load"))[0] |
	.enabled and .outcome == "ok" and .state == "ok" and .n_samples > 0 and
	.groups[0].period_ms == 1000 and .groups[0].cost == "F" and .nodes[0].node == "system"' collectors
get /api/v1/collectors | json 'all(.outcome != null)' 'outcome of each collector'
get /api/v1/nodes | json 'map(select(.collector == "load" and .node == "system")) | length == 1' nodes
get '/api/v1/nodes?collector=load' | json 'length == 1 and .[0].run == 1 and (.[0].gone | not)' nodes
get /api/v1/fields | json 'map(select(.metric == "diskstats.read_bytes" and .derived)) | length == 1' fields
get '/api/v1/fields?collector=load' | json 'all(.group == "load") and length >= 5' fields
get /api/v1/boots | json 'length == 1 and .[0].current and .[0].boot_id != null' boots
get /api/v1/events | json "(map(.kind) | index(\"start\")) != null and all(.t | $rfc)" events
get '/api/v1/events?limit=1&from=-30d' | json 'length == 1' 'events with a limit'
get '/api/v1/events?from=now' | json 'length == 0' 'events of the future'
get /api/v1/marks | json 'length == 0' marks
get '/api/v1/latest?node=system' | json 'length >= 1 and all(.node == "system") and
	all(.age_ms >= 0 and .age_ms < 15000 and (.stale | not))' latest
get '/api/v1/latest?collector=load' | json '.[0] | .collector == "load" and .group == "load" and
	(.fields.load1 | type) == "number" and .faults == {} and .flags == {} and .info == {} and
	.boot == 1 and .boot_ms > 0' 'latest load'
get '/api/v1/query?metric=load.threads&from=-1min&step=1s' | json '.metric == "load.threads" and
	.series[0].node == "system" and ([.series[0].points[] | select(.[1] != null)] | length) >= 2' query
# Nothing is known of this machine but that something is mounted; no disk has to be under it.
until_true 10 sh -c "curl -s '$url/api/v1/latest?collector=mounts' | jq -e 'length > 0' >/dev/null"
cat >"$work/iopath.jq" <<'END'
def keys_are($names): keys == ($names | sort);
def layer_is_good($i): keys_are(["kind", "name", "above", "depth", "shared", "facts", "missing"]) and
	(if $i == 0 then .above == null and .depth == 0 else .above < $i and .depth > 0 end) and
	all(.facts[]; keys_are(["value", "unit", "source"]) and (.value | type) != "null") and
	all(.missing[]; keys_are(["why", "source"]) and .why != "");
keys_are(["of", "taken_from", "paths", "without_disk", "truncated"]) and (.truncated | not) and
all(.paths[]; keys_are(["mounts", "layers"]) and
	all(.mounts[]; keys_are(["mount_point", "root", "options"])) and
	(.layers | to_entries | length > 0 and all(.[]; .key as $i | .value | layer_is_good($i)))) and
all(.without_disk[]; keys_are(["mount_point", "fs_type"]))
END
get /api/v1/iopath >"$work/iopath"
json "$(cat "$work/iopath.jq")" iopath <"$work/iopath"
json '.of == null and (.paths + .without_disk | length) > 0' 'all paths' <"$work/iopath"
get '/api/v1/iopath?of=/' | json "$(cat "$work/iopath.jq")" 'iopath of /'
get '/api/v1/iopath?of=/' | json '.of == "/" and .taken_from == null and (.paths | length) == 1 and
	.paths[0].layers[0].kind == "file_system"' 'one path'
get '/api/v1/iopath?of=/no/such/file' | json '.taken_from == "/"' 'a file that nobody looked for'
"$bin/flashscope" path --socket "$socket" --json / | json '.paths | length == 1' 'path of the daemon'
"$bin/flashscope" path --url "$url" >"$work/said" || fail 'path of the daemon as a drawing'
get /metrics | grep '^flashscope_load_load1{node="system"} [0-9.]*$' >/dev/null || fail 'no load1 in /metrics'
get /metrics -o /dev/null -w '%{content_type}' | grep -q '^text/plain; version=0.0.4'
get /metrics | grep '^flashscope_sample_age_seconds{' >"$work/ages" || true
grep -q 'group="load"' "$work/ages" && fail 'an age of what is sampled each second'
grep -Ev '^flashscope_sample_age_seconds\{group="[a-z_]+",node="[^"]+"\} [0-9.]+$' "$work/ages" && fail 'an odd age'
if [ -s "$work/ages" ]; then
	get / | grep 'How old slow values are' >/dev/null || fail 'the page has no ages'
fi
get / | grep "<code>$work/f.db</code>" >/dev/null || fail 'the page does not name the database'

# HEAD has the headers of GET and no body.
for path in / /healthz /metrics /api/v1/status '/api/v1/query?metric=load.load1'; do
	is 200 "$(code "$path" -I)" "HEAD $path"
	is 0 "$(get "$path" -I -o /dev/null -w '%{size_download}')" "body of HEAD $path"
done
get /api/v1/status -D "$work/headers" -o /dev/null
for header in 'Content-Type: application/json' 'Cache-Control: no-store' 'X-Content-Type-Options: nosniff'; do
	grep -qi "^$header" "$work/headers" || fail "no header $header"
done
grep -qi '^Access-Control' "$work/headers" && fail 'CORS is allowed'

# Problems: PATH STATUS PARAMETER, and what curl shall send besides
problem()
{
	is "$2" "$(code "$1" "${@:4}")" "status of $1 ${*:4}"
	get "$1" "${@:4}" | json ".status == $2 and (.parameter // \"\") == \"$3\" and .detail != \"\"" "problem of $1"
	get "$1" -o /dev/null -w '%{content_type}' "${@:4}" | grep -qx 'application/problem+json' ||
		fail "type of the problem of $1"
}
problem /nothing 404 ''
problem /api/v1/status/ 404 ''
problem /api/v2/status 404 ''
problem '/api/v1/status?x=1' 400 x
problem '/api/v1/query' 400 metric
problem '/api/v1/query?metric=load.nothing' 400 metric
problem '/api/v1/query?metric=load.load1&step=1ms' 400 step
problem '/api/v1/query?metric=load.load1&from=-365d&step=1s' 400 step
problem '/api/v1/query?metric=load.load1&agg=median' 400 agg
problem '/api/v1/query?metric=load.load1&node=nobody' 400 node
problem '/api/v1/query?metric=load.load1&from=soon' 400 from
problem '/api/v1/query?metric=load.load1&metric=load.load5' 400 metric
problem '/api/v1/query?metric=load%00.load1' 400 ''
problem '/api/v1/latest?collector=nobody' 400 collector
problem '/api/v1/iopath?of=nobody' 400 of
problem '/api/v1/iopath?of=%1b%5b2J' 400 of
problem '/api/v1/iopath?mount=/' 400 mount
get '/api/v1/iopath?mount=/' | json '.detail == "/api/v1/iopath has no parameter of this name; it has of"' \
	'the parameters of iopath'
get '/api/v1/query?metrics=x' | json '.detail | endswith("; it has metric, node, from, to, step, agg")' \
	'the parameters of query'
get '/api/v1/status?x=1' | json '.detail == "/api/v1/status has no parameters"' 'no parameters'
get / | grep -F 'href="/api/v1/iopath?of=/"' >/dev/null || fail 'the page does not name ?of='
problem '/api/v1/events?limit=many' 400 limit
problem "/api/v1/status?$(printf 'a%s=1&' $(seq 30))" 400 ''
problem /api/v1/status 405 '' -X POST
problem /api/v1/marks 405 '' -X DELETE
problem /api/v1/marks 403 '' -d '{"label":"x"}'
problem /healthz 403 '' -H 'Host: evil.example'

# One header and one body, also where HTTP/1.1 comes without its Host.
exec 3<>"/dev/tcp/127.0.0.1/${url##*:}"
printf 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n' >&3
said=$(timeout 10 cat <&3)
exec 3>&-
is 1 "$(grep -c '^HTTP/1.1 400 ' <<<"$said")" "answers without a Host"
json '.status == 400' "the answer without a Host" <<<"$(sed '1,/^\r$/d' <<<"$said")"
problem /api/v1/status 403 '' -H 'Host: localhost.evil.example:9750'
for host in localhost LOCALHOST:1 127.0.0.1 '[::1]:80'; do
	is 200 "$(code /healthz -H "Host: $host")" "Host $host"
done
get /api/v1/marks -X DELETE -o /dev/null -D - | grep -qi '^Allow: GET, HEAD, POST' || fail 'no Allow'

# Bounds of what a client may send.
long=$(printf 'x%.0s' $(seq 40000))
case $(code "/api/v1/status?$long" 2>/dev/null || true) in
414 | 431 | 400 | 000) ;;
*) fail 'a URI of 40 KB was taken' ;;
esac
case $(code /healthz -H "X-Long: $long" 2>/dev/null || true) in
431 | 413 | 400 | 000) ;;
*) fail 'a header of 40 KB was taken' ;;
esac
is 413 "$(ask /api/v1/marks -o /dev/null -w '%{http_code}' -d "{\"label\":\"$long\"}")" 'a body of 40 KB'
is 200 "$(code /healthz)" 'healthz after that'

# Marks, over the socket only.
id=$("$bin/flashscope" mark --socket "$socket" start 'fio "rnd4k" run 3')
get /api/v1/marks | json ".[0].id == $id and .[0].label == \"fio \\\"rnd4k\\\" run 3\" and
	.[0].t_end == null and .[0].boot_ms_end == null" 'the open mark'
"$bin/flashscope" mark --socket "$socket" end "$id"
get /api/v1/marks | json ".[0].id == $id and .[0].boot_ms_end >= .[0].boot_ms" 'the ended mark'
status=0
"$bin/flashscope" mark --socket "$socket" end "$id" 2>"$work/said" || status=$?
is 1 $status 'ending a mark twice'
grep -q 'no open mark' "$work/said"
status=0
"$bin/flashscope" mark --socket "$socket" 'around' -- sh -c 'sleep 0.3; exit 7' || status=$?
is 7 $status 'status of the command'
get /api/v1/marks | json '.[1].label == "around" and .[1].boot_ms_end - .[1].boot_ms >= 300' 'mark around a command'
status=0
"$bin/flashscope" mark --socket "$socket" 'signal' -- sh -c 'kill -TERM $$' || status=$?
is 143 $status 'status of a command that a signal ended'
status=0
"$bin/flashscope" mark --socket "$socket" 'missing' -- "$work/no-such-command" 2>/dev/null || status=$?
is 127 $status 'status of a command that does not exist'
"$bin/flashscope" mark --socket "$socket" 'passed on' -- sleep 30 &
mark=$!
until_true 5 pgrep -P $mark >/dev/null
kill -TERM $mark
status=0
wait $mark || status=$?
is 143 $status 'status of a command that got a signal from outside'
get /api/v1/marks | json 'map(select(.t_end == null)) | length == 0' 'no mark left open'
ask /api/v1/marks -d '{"label":"past","from":"-1s","to":"now"}' | json '.boot_ms_end - .boot_ms >= 900' 'a mark in the past'
ask /api/v1/marks -d '{"label":"x","color":1}' | json '.status == 400' 'a mark with an unknown member'
status=0
"$bin/flashscope" mark --url "$url" start x 2>"$work/said" || status=$?
is 1 $status 'a mark over TCP'
grep -q 'Unix socket' "$work/said"

# The command for people, over both ways.
for how in "--socket $socket" "--url $url"; do
	# shellcheck disable=SC2086
	"$bin/flashscope" status $how >"$work/said"
	grep -q "database  $work/f.db: " "$work/said"
	grep -Eq '^load +1 +ok' "$work/said"
	# shellcheck disable=SC2086
	"$bin/flashscope" status $how --json | json '.name == "flashscope"' 'status --json'
done
status=0
"$bin/flashscope" status --socket "$work/nowhere" 2>/dev/null || status=$?
is 1 $status 'status without a daemon'
get /api/v1/status | jq -c '[.store.size_max_bytes, (.store.kept | map([.what, .share_bytes]))]' >"$work/live"
stop
"$bin/flashscope" status --db "$work/f.db" --json | jq -c '[.size_max_bytes, (.kept | map([.what, .share_bytes]))]' >"$work/file"
is "$(cat "$work/live")" "$(cat "$work/file")" 'what is kept, of the daemon and of its file'
"$bin/flashscope" status --db "$work/f.db" | grep -Eq '^kept +raw .* of .*; minute .* of .*; hour .* of ' ||
	fail 'what the file keeps'
"$bin/flashscope" status --db "$work/f.db" | grep -Eq '^load +system' || fail 'status of the file'
"$bin/flashscope" status --db "$work/f.db" --json |
	json '(.boots | length) == 1 and (.nodes | map(.node) | index("system")) != null' 'status of the file'
echo ok
