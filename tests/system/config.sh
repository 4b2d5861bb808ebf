#!/usr/bin/env bash
# The configuration of flashscoped: defaults, files, errors, dump.
# label: single
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

# Files of FILE.d come after FILE, in the order of their names, and before the next --config.
mkdir one.conf.d
printf '[collector load]\nperiod.load = 2s\n[store]\nsize_max = 5MiB\n' >one.conf.d/20-b.conf
printf '[collector load]\nperiod.load = 3s\nenabled = yes\n' >one.conf.d/10-a.conf
printf 'nonsense' | tee one.conf.d/30-c.conf.old one.conf.d/.40-d.conf one.conf.d/README >/dev/null
"$bin/flashscoped" --config one.conf --dump-config >dirs.conf
for line in 'period.load = 2s' 'size_max = 5MiB' 'enabled = yes' 'log_level = debug'; do
	grep -qx "$line" dirs.conf || fail "no $line in the dump"
done
"$bin/flashscoped" --config one.conf --config two.conf --dump-config | grep -qx 'period.load = 250ms' ||
	fail 'a folder wins over a later file'
"$bin/flashscoped" --config one.conf --db /x/z.db --dump-config | cmp - <("$bin/flashscoped" --config dirs.conf \
	--db /x/z.db --dump-config)
printf '[store]\n\nsize_maxx = 5MiB\n' >one.conf.d/50-e.conf
refuses 'one.conf.d/50-e.conf:3: unknown key size_maxx in [store]' --config one.conf --check-config
refuses 'one.conf.d/50-e.conf:3: unknown key size_maxx in [store]' --config one.conf --dump-config
rm one.conf.d/50-e.conf

# What is no file, or has no name for one, is an error and holds nobody up.
mkfifo one.conf.d/60-f.conf
refuses 'one.conf.d/60-f.conf: no plain file' --config one.conf
rm one.conf.d/60-f.conf
mkdir one.conf.d/60-f.conf
refuses 'one.conf.d/60-f.conf: Is a directory' --config one.conf
rmdir one.conf.d/60-f.conf
ln -s nowhere one.conf.d/60-f.conf
refuses 'one.conf.d/60-f.conf: No such file' --config one.conf
rm one.conf.d/60-f.conf
: >$'one.conf.d/a\n\e[2J%s.conf'
refuses 'one.conf.d: the name a???2J?s.conf has other characters' --config one.conf
rm one.conf.d/a*
for i in $(seq 100 161); do : >one.conf.d/$i.conf; done
"$bin/flashscoped" --config one.conf --check-config | grep -qx ok || fail '64 files'
: >one.conf.d/162.conf
refuses 'one.conf.d: more than 64 files' --config one.conf
rm -r one.conf.d
: >one.conf.d
refuses 'one.conf.d: Not a directory' --config one.conf
rm one.conf.d

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
refuses '--listen: [http] listen: 0.0.0.0:9750 can be reached from elsewhere: set token_file' --listen 0.0.0.0:9750
refuses '[::]:9750 can be reached from elsewhere: set token_file' --listen '127.0.0.1:1 [::]:9750' --check-config
refuses 'cannot be read: 9750 has no port' --listen 9750
printf '[http]\n\nlisten = 0.0.0.0:9750\n' >open.conf
refuses 'open.conf:3: [http] listen: 0.0.0.0:9750 can be reached from elsewhere' --config open.conf --check-config
printf '[http]\nlisten = 0.0.0.0:9750\ntoken_file = /nowhere/token\n' >open.conf
refuses 'open.conf:3: [http] token_file: /nowhere/token cannot be opened: No such file' --config open.conf --check-config
printf '[http]\ntoken_file = token\n' >open.conf
refuses 'open.conf:2: [http] token_file = token does not begin with /; allowed: a path that begins with /, or none' \
	--config open.conf
# An address of documents (RFC 5737) is none of this machine; it may become one, so that is no error.
printf '[http]\nlisten = 127.0.0.1:9750 192.0.2.7:9750 [2001:db8::7]:9750\nallow_unauthenticated = yes\n' >open.conf
"$bin/flashscoped" --config open.conf --check-config >said 2>&1
grep -q '192.0.2.7:9750 is no address of this machine now' said || fail "a foreign address: $(cat said)"
! grep -q 127.0.0.1 said || fail "an address of its own: $(cat said)"
grep -qx ok said || fail "a foreign address is an error: $(cat said)"
refuses 'no such argument' extra
refuses 'unrecognized option' --nonsense
"$bin/flashscoped" --help | grep -q -- --dump-config
"$bin/flashscoped" --version | grep -q '^flashscoped [0-9]'
[ ! -e run ] && [ ! -e f.db ] || fail "a check started something"
echo ok
