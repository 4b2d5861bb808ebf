#!/usr/bin/env bash
# Clients that take all places of the TCP listener and send a byte now and then: they lose their
# places in the end, and the Unix socket answers all the time.
# label: slow
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq
start
port=${url##*:}
pids=()
dribble()
{
	exec 3<>"/dev/tcp/127.0.0.1/$port"
	printf 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ' >&3
	for _ in $(seq 60); do
		printf x >&3 || return 0
		sleep 2
	done
}
for _ in $(seq 70); do
	dribble 2>/dev/null &
	pids+=($!)
done
sleep 2
is ok "$(ask /healthz)" 'healthz over the socket beside 70 slow clients'
begin=$SECONDS
until [ "$(curl -s --max-time 5 "$url/healthz" || true)" = ok ]; do
	[ $((SECONDS - begin)) -lt 60 ] || fail 'slow clients keep their places for more than a minute'
	sleep 1
done
echo "TCP answers again after $((SECONDS - begin)) s"
is ok "$(ask /healthz)" 'healthz over the socket'
before=$(ask /api/v1/status | jq .sampling.n_missed_ticks)
is 0 "$before" 'missed ticks'
kill "${pids[@]}" 2>/dev/null || true
wait "${pids[@]}" 2>/dev/null || true
stop
echo ok
