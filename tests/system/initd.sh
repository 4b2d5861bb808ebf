#!/usr/bin/env bash
# The script for /etc/init.d: starts, starts again after a kill, reloads, stops; refuses a wrong
# configuration.
# label: nosan
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need start-stop-daemon curl
make_tree "$work/tree"
shells=(sh)
[ -x /bin/busybox ] && shells+=('busybox sh')
mkdir -p "$work/etc/flashscope" "$work/etc/default"
printf '[daemon]\nroot = %s\ndatabase = %s\nruntime_dir = %s\n[http]\nlisten = none\n' "$work/tree" "$work/f.db" \
	"$work/run" >"$work/etc/flashscope/flashscope.conf"
cat >"$work/log.sh" <<END
#!/bin/sh
exec cat >>$work/log
END
chmod +x "$work/log.sh"
echo "LOG=$work/log.sh" >"$work/etc/default/flashscoped"

daemon_pid()
{
	pgrep -f "^$bin/flashscoped --config $work/etc" | head -1
}

another_pid()
{
	local pid
	pid=$(daemon_pid)
	[ -n "$pid" ] && [ "$pid" != "$1" ]
}

serves()
{
	ask /healthz >/dev/null 2>&1
}

# Whatever happens, nothing is left running.
end()
{
	local status=$?
	[ ! -x "$work/S60flashscoped" ] || "$work/S60flashscoped" stop >/dev/null || true
	[ $status = 0 ] || [ $status = 77 ] || tail -40 "$work/log"
	rm -rf "$work"
	exit $status
}
trap end EXIT

for shell in "${shells[@]}"; do
	sed "s,@sbindir@,$bin,g; s,@sysconfdir@,$work/etc,g; s,@runstatedir@,$work,g; 1s,.*,#!/usr/bin/env -S $shell," \
		"$(dirname "$0")/../../packaging/busybox/S60flashscoped.in" >"$work/S60flashscoped"
	chmod +x "$work/S60flashscoped"
	script=$work/S60flashscoped
	: >"$work/log"
	! "$script" status >/dev/null || fail 'it runs before it was started'
	"$script" start
	until_true 10 serves
	"$script" status | grep -q 'flashscoped runs'
	"$script" reload
	until_true 10 grep -q 'reads the configuration again' "$work/log"
	first=$(daemon_pid)
	# An error in the configuration stops nothing.
	cp "$work/etc/flashscope/flashscope.conf" "$work/good"
	echo nonsense >>"$work/etc/flashscope/flashscope.conf"
	! "$script" restart 2>"$work/said" || fail 'a restart takes a wrong configuration'
	! "$script" reload 2>>"$work/said" || fail 'a reload takes a wrong configuration'
	[ "$(grep -c 'neither \[section\]' "$work/said")" = 2 ] || fail 'a restart or a reload does not say the error'
	[ "$(daemon_pid)" = "$first" ] || fail 'a wrong configuration has stopped the recorder'
	cp "$work/good" "$work/etc/flashscope/flashscope.conf"
	kill -9 "$first"
	until_true 15 another_pid "$first"
	until_true 15 serves
	"$script" stop
	[ -z "$(daemon_pid)" ] || fail 'it runs after it was stopped'
	grep -q 'stopping on SIGTERM' "$work/log" || fail 'the stop was not clean'
	# One that fails at each start: who has mended the cause restarts it while its keeper waits.
	: >"$work/log"
	rm -f "$work/run/flashscoped.lock"
	mkdir "$work/run/flashscoped.lock"
	"$script" start
	until_true 20 eval '[ "$(grep -c "cannot be" "$work/log")" -ge 4 ]'
	rmdir "$work/run/flashscoped.lock"
	began=$SECONDS
	"$script" restart || fail "it is not started again while the keeper waits"
	[ $((SECONDS - began)) -lt 6 ] || fail "a keeper that waits is slow to stop"
	until_true 5 serves
	"$script" stop
	# The number of a keeper that was killed belongs to somebody else now.
	sleep 600 &
	stranger=$!
	echo "$stranger" >"$work/flashscoped.pid"
	! "$script" status >/dev/null || fail 'a stranger passes for the keeper'
	"$script" stop
	"$script" reload && fail 'a stranger is told to reload'
	kill -0 "$stranger" || fail 'stop has killed a stranger'
	"$script" start
	until_true 10 serves
	kill -0 "$stranger" || fail 'start has killed a stranger'
	kill "$stranger"
	# A keeper that gives up leaves no number behind.
	echo nonsense >>"$work/etc/flashscope/flashscope.conf"
	kill -9 "$(daemon_pid)"
	until_true 15 eval '! "$script" status >/dev/null'
	[ ! -e "$work/flashscoped.pid" ] || fail 'the number of a keeper that has gone is left'
	cp "$work/good" "$work/etc/flashscope/flashscope.conf"
done
echo nonsense >>"$work/etc/flashscope/flashscope.conf"
! "$script" start 2>"$work/said" || fail 'a wrong configuration is started'
grep -q 'neither \[section\]' "$work/said" || fail 'the error is not said'
echo ok
