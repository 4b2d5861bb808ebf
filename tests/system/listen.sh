#!/usr/bin/env bash
# Several addresses, Unix sockets and passed sockets; who comes from elsewhere needs the token.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq
make_tree "$work/tree"
pass=$bin/../tests/pass_sockets
token=c2VjcmV0LXNlY3JldC1zZWNyZXQ=
echo $token >"$work/token"
chmod 600 "$work/token"

# place N: the address of the Nth socket beside that of the runtime folder
place()
{
	ask /api/v1/status | jq -r ".listeners[$1].address"
}

# answer URL [CURL OPTION...]: the status alone
answer()
{
	curl -sS --max-time 20 -o "$work/answer" -w '%{http_code}' "${@:2}" "$1"
}

is_let_in()
{
	[ "$(answer "$1/healthz" -H "Authorization: Bearer $token")" = 200 ]
}

run()
{
	: >"$work/log"
	"$@" >>"$work/log" 2>&1 &
	daemon=$!
	until_true 10 grep -q '^runtime folder' "$work/log"
	until_true 10 test -S "$socket"
}

options=(--db "$work/f.db" --runtime-dir "$work/run" --root "$work/tree")
printf '[http]\nlisten = 127.0.0.1:0 unix:%s 0.0.0.0:0\ntoken_file = %s\n' "$work/other.sock" \
	"$work/token" >"$work/conf"

# With a token: asked for where others come from, and nowhere else.
run "$bin/flashscoped" "${options[@]}" --config "$work/conf"
ask /api/v1/status | json '[.listeners[] | [.elsewhere, .token]] ==
	[[false, false], [false, false], [true, true]] and .listen == .listeners[0].address'
here=http://$(place 0)
open=http://127.0.0.1:$(place 2 | sed 's/.*://')
is 660 "$(stat -c %a "$work/other.sock")" 'mode of a socket'
is 200 "$(answer "$here/healthz")" 'loopback without a token'
is 200 "$(answer http://localhost/healthz --unix-socket "$work/other.sock")" 'a second socket'
for path in /healthz /api/v1/events /api/v1/status /nowhere; do
	is 401 "$(answer "$open$path" -D "$work/headers")" "$path without a token"
	json '.status == 401' 'the problem' <"$work/answer"
	grep -qi '^www-authenticate: Bearer realm="flashscope"' "$work/headers" || fail 'no challenge'
	grep -qi '^content-type: application/problem+json' "$work/headers" || fail 'no problem'
done
is 401 "$(answer "$open/healthz" -H "Authorization: Bearer ${token%=}x" -D "$work/headers")" 'a wrong token'
grep -qi 'error="invalid_token"' "$work/headers" || fail 'the challenge does not say so'
is 200 "$(answer "$open/healthz" -H "Authorization: Bearer $token")" 'the token'
is 200 "$(answer "$open/api/v1/events" -H "Authorization: Bearer $token" -H 'Host: proxy.example')" \
	'the token under another name'
is 403 "$(answer "$open/api/v1/marks" -H "Authorization: Bearer $token" -d '{"label":"x"}')" 'a mark'
is 403 "$(answer "$here/healthz" -H 'Host: evil.example')" 'another name on loopback'

# The command.
! "$bin/flashscope" status --url "$open" 2>"$work/said" >&2 || fail 'it is let in'
grep -q 'wants the token' "$work/said" || fail "no word of the token: $(cat "$work/said")"
"$bin/flashscope" --token-file "$work/token" status --url "$open" >"$work/said"
grep -q . "$work/said" || fail 'an empty status'
# So does the command without libcurl.
plain=$bin/../tests/flashscope_plain
if [ -x "$plain" ]; then
	"$plain" --token-file "$work/token" status --url "$open" | cmp -n 10 - "$work/said"
fi
FLASHSCOPE_TOKEN_FILE=$work/token "$bin/flashscope" status --url "$open" | cmp -n 10 - "$work/said"
! grep '^warning.*elsewhere' "$work/said" || fail 'an address with a token is warned about'
! "$bin/flashscope" --token-file "$work/nowhere" status --url "$open" 2>"$work/said" || fail 'no such file'
grep -q 'the token file .*/nowhere: No such file' "$work/said" || fail "it says: $(cat "$work/said")"
stop
[ ! -e "$work/other.sock" ] || fail 'a socket is left'

# A file that others may read, or that is missing, is an error of the configuration.
# refuses TEXT OPTION...
refuses()
{
	local status=0
	timeout 20 "$bin/flashscoped" "${options[@]}" "${@:2}" >"$work/said" 2>&1 || status=$?
	is 2 $status "the status of ${*:2}"
	grep -q "$1" "$work/said" || fail "${*:2} says: $(cat "$work/said")"
}
chmod 644 "$work/token"
refuses 'has mode 0644, so others may know the token: chmod 600' --config "$work/conf"
refuses 'has mode 0644' --config "$work/conf" --check-config
rm "$work/token"
refuses 'No such file' --config "$work/conf" --check-config
# A recorder does not stop for a file that is not there: nobody from elsewhere is let in.
run "$bin/flashscoped" "${options[@]}" --config "$work/conf"
grep -q 'token cannot be opened: No such file.*nobody from elsewhere is let in' "$work/log" || fail "it says: $(cat "$work/log")"
open=http://127.0.0.1:$(place 2 | sed 's/.*://')
is 401 "$(answer "$open/healthz" -H "Authorization: Bearer $token")" 'a token before it can be read'
(umask 077 && echo $token >"$work/token")
until_true 60 eval 'is_let_in "$open"'
stop
refuses 'can be reached from elsewhere' --listen 0.0.0.0:0

# Of several addresses the one that is in use is named; one that this machine lacks is told, and waited for.
run "$bin/flashscoped" "${options[@]}" --listen 127.0.0.1:0
used=$(place 0)
refused=0
timeout 20 "$bin/flashscoped" --db "$work/g.db" --runtime-dir "$work/run2" --root "$work/tree" \
	--listen "127.0.0.1:0 $used" >"$work/said" 2>&1 || refused=$?
[ $refused != 0 ] || fail 'two daemons have one port'
grep -q "^error: $used is in use by another program" "$work/said" || fail "it says: $(cat "$work/said")"
stop
printf '[http]\nlisten = 127.0.0.1:0 192.0.2.7:0\nallow_unauthenticated = yes\n' >"$work/conf"
run "$bin/flashscoped" "${options[@]}" --config "$work/conf"
until_true 10 grep -q 'is no address of this machine now; it is served once it is' "$work/log"
is 1 "$(grep -c 'no address of this machine' "$work/log")" 'addresses that are not there'
stop

# Everybody may read: but no page of a strange site under a name of its own.
printf '[http]\nlisten = 0.0.0.0:0\nallow_unauthenticated = yes\n' >"$work/conf"
run "$bin/flashscoped" "${options[@]}" --config "$work/conf"
grep -q '^listens on .*, for everybody, without a token' "$work/log" || fail 'it is not said'
open=http://127.0.0.1:$(place 0 | sed 's/.*://')
is 200 "$(answer "$open/healthz")" 'everybody'
is 200 "$(answer "$open/healthz" -H 'Host: 192.168.7.7:9750')" 'an address'
is 403 "$(answer "$open/healthz" -H 'Host: evil.example')" 'a strange name'
"$bin/flashscope" status --socket "$socket" >"$work/said"
grep -q '^warning   http://0.0.0.0:[0-9]*/ can be reached from elsewhere, and everybody may read' "$work/said" ||
	fail 'the status says nothing of an open address'
stop

# Sockets that are passed take the place of the default; they stay when the daemon ends.
run "$pass" tcp:127.0.0.1 "unix:$work/passed.sock" -- "$bin/flashscoped" "${options[@]}"
ask /api/v1/status | json '[.listeners[].elsewhere] == [false, false]'
is 200 "$(answer "http://$(place 0)/healthz")" 'a passed port'
"$bin/flashscope" status --socket "$socket" | grep '^address ' >"$work/said"
is 2 "$(wc -l <"$work/said")" 'addresses in the status'
grep -qx "address   http://$(place 0)/" "$work/said" || fail "addresses: $(cat "$work/said")"
grep -q "^address   [^h].*passed.sock$" "$work/said" || fail "addresses: $(cat "$work/said")"
is 200 "$(answer http://localhost/healthz --unix-socket "$work/passed.sock")" 'a passed socket'
for child in $(pgrep -P "$daemon"); do
	[ "$(find "/proc/$child/fd" -lname 'socket:*' | wc -l)" -le 1 ] || fail 'a child holds a socket'
done
stop
[ -S "$work/passed.sock" ] || fail 'a passed socket was removed'
rm "$work/passed.sock"

# The socket of the runtime folder may be one of them.
run "$pass" "unix:$socket" -- "$bin/flashscoped" "${options[@]}" --listen 'systemd 127.0.0.1:0'
ask /api/v1/status | json '.listeners | length == 1'
stop
[ -S "$socket" ] || fail 'the passed socket of the runtime folder was removed'
rm "$socket"

# What was passed and is not wanted is said; what is open needs a token as well; what is no stream
# cannot be served.
run "$pass" tcp:127.0.0.1 -- "$bin/flashscoped" "${options[@]}" --listen none
grep -q '1 sockets were passed, and are not served' "$work/log" || fail 'it is not said'
stop
status=0
"$pass" tcp:0.0.0.0 -- "$bin/flashscoped" "${options[@]}" >"$work/said" 2>&1 || status=$?
is 2 $status 'an open socket without a token'
grep -q 'can be reached from elsewhere' "$work/said" || fail "it says: $(cat "$work/said")"
status=0
"$pass" "packets:$work/p" -- "$bin/flashscoped" "${options[@]}" >"$work/said" 2>&1 || status=$?
is 1 $status 'a socket of packets'

# A database in memory is warned about.
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ]; then
	"$bin/flashscoped" --db /dev/shm/no/such/folder.db --check-config 2>"$work/said" | grep -qx ok
	grep -q 'will not survive a restart' "$work/said" || fail 'no word of memory'
	memory=$(mktemp -d /dev/shm/flashscope.XXXXXX)
	# The root of many boards: an overlay that takes its writes in memory.
	mkdir "$memory/upper" "$memory/work" "$work/lower" "$work/overlay"
	if mount -t overlay none "$work/overlay" \
		-o "lowerdir=$work/lower,upperdir=$memory/upper,workdir=$memory/work" 2>/dev/null; then
		"$bin/flashscoped" --db "$work/overlay/f.db" --check-config >"$work/said" 2>&1
		umount "$work/overlay"
		grep -q 'will not survive a restart' "$work/said" || fail 'no word of memory below an overlay'
	fi
	run "$bin/flashscoped" --db "$memory/f.db" --runtime-dir "$work/run" --root "$work/tree" --listen none
	ask /api/v1/status | json .store.in_memory
	"$bin/flashscope" status --socket "$socket" >"$work/said"
	stop
	rm -r "$memory"
	grep -q '^warning   the database lies in memory' "$work/said" || fail 'the status says nothing of memory'
fi
echo ok
