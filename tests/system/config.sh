#!/usr/bin/env bash
# The configuration of flashscoped: defaults, files, errors, dump.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
cd "$work"

# refuses TEXT ARGUMENT...: exit status 2, and the message has TEXT
refuses()
{
	local status=0 said
	said=$("$bin/flashscoped" "${@:2}" 2>&1 </dev/null) || status=$?
	is 2 $status "status of flashscoped ${*:2}"
	case $said in
	*"$1"*) ;;
	*) fail "flashscoped ${*:2} says '$said', not '$1'" ;;
	esac
}

# A dump is a configuration that gives the same dump.
"$bin/flashscoped" --dump-config >defaults.conf
"$bin/flashscoped" --config defaults.conf --dump-config >again.conf
cmp defaults.conf again.conf
"$bin/flashscoped" --config defaults.conf --check-config | grep -qx ok
for section in daemon store sampling 'collector load' 'collector diskstats'; do
	grep -qx "\[$section\]" defaults.conf || fail "no section $section in the dump"
done

# The command line wins over files, a later file over an earlier one.
printf '[http]\nlisten = none\n[daemon]\nlog_level = debug\n[collector load]\nenabled = no\n' >one.conf
printf '[http]\nlisten = [::1]:1\n[collector load]\nperiod.load = 250ms\n' >two.conf
"$bin/flashscoped" --db /x/y.db --config one.conf --config two.conf --dump-config >both.conf
for line in 'listen = \[::1\]:1' 'log_level = debug' 'database = /x/y.db' 'enabled = no' \
	'period.load = 250ms'; do
	grep -qx "$line" both.conf || fail "no $line in the dump"
done
"$bin/flashscoped" --listen 127.0.0.1:2 --config one.conf --dump-config |
	grep -qx 'listen = 127.0.0.1:2' || fail "a file wins over the command line"

# Errors name file, line and what is allowed; all of them are said.
printf '[daemon]\nlissen = none\n[store]\ncommit_interval = 5h\n[nonsense]\n' >bad.conf
refuses 'bad.conf:2: unknown key lissen in [daemon]; allowed: root,' --config bad.conf
refuses 'bad.conf:4: [store] commit_interval = 5h is out of range; allowed: 1s to 1h' \
	--config bad.conf --check-config
refuses 'bad.conf:5: unknown section [nonsense]' --config bad.conf --dump-config
printf '[collector load]\nperiod.load = 50ms\n' >fast.conf
refuses 'is out of range; allowed: 100ms to 1d' --config fast.conf
printf '[store]\nsize_max = 4MiB\nsize_max = 4MiB\n' >twice.conf
refuses 'twice.conf:3: [store] size_max was already set in line 2' --config twice.conf
printf '[daemon]\n\nuser = nosuchuser\n' >user.conf
refuses "user.conf:3: [daemon] user = nosuchuser is no user of this machine" --config user.conf --check-config
printf '[daemon]\nuser = root\n' >user.conf
"$bin/flashscoped" --config user.conf --check-config | grep -qx ok || fail 'a user that there is'
refuses 'missing.conf: No such file' --config missing.conf
refuses '0.0.0.0 can be reached from elsewhere: set token_file' --listen 0.0.0.0:9750
refuses ':: can be reached from elsewhere: set token_file' --listen '127.0.0.1:1 [::]:9750' --check-config
refuses 'cannot be read' --listen 9750
refuses 'no such argument' extra
refuses 'unrecognized option' --nonsense
"$bin/flashscoped" --help | grep -q -- --dump-config
"$bin/flashscoped" --version | grep -q '^flashscoped [0-9]'
[ ! -e run ] && [ ! -e f.db ] || fail "a check started something"
echo ok
