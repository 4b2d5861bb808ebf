#!/usr/bin/env bash
# What is installed is this list, and the units are understood and tight.
# label: nosan
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
build=$(cd "$1" && pwd -P)

DESTDIR=$work/root cmake --install "$build" --prefix /usr >"$work/said" 2>&1 ||
	fail "cmake --install: $(tail -5 "$work/said")"
units=$(dirname "$(cd "$work/root" && find . -name flashscoped.service)")
units=${units#.}
(cd "$work/root" && find . -type f | sort) >"$work/list"
cat >"$work/wanted" <<END
./etc/flashscope/flashscope.conf
.$units/flashscope-helper.service
.$units/flashscope-helper.socket
.$units/flashscoped.service
.$units/flashscoped.socket
END
for file in bin/flashscope sbin/flashscoped sbin/flashscope-helper share/man/man1/flashscope.1 \
	share/man/man8/flashscoped.8 share/man/man8/flashscope-helper.8 share/flashscope/busybox/S60flashscoped \
	lib/sysusers.d/flashscope.conf lib/tmpfiles.d/flashscope.conf; do
	echo "./usr/$file"
done >>"$work/wanted"
for file in README.md ARCHITECTURE.md HACKING.md docs/BENCHMARKS.md docs/FAULTS.md docs/METRICS.md docs/UFS-MONITOR.md \
	docs/openapi.json docs/deploy/android.md docs/deploy/systemd.md schema/FORMAT.md schema/queries.sql flashscope.conf.example; do
	echo "./usr/share/doc/flashscope/$file"
done >>"$work/wanted"
sort -o "$work/wanted" "$work/wanted"
diff "$work/wanted" "$work/list" || fail 'the list of what is installed differs'
! grep -rl '@[a-z]*dir@' "$work/root$units" "$work/root/usr/share/flashscope" || fail 'a path was not filled in'

# No page links to one that is not there.
(cd "$work/root/usr/share/doc/flashscope" && find . -name '*.md' | while read -r page; do
	grep -oE '\]\([^)#]*' "$page" | sed 's,^](,,' | grep -v '^https*:' | while read -r link; do
		[ -e "${page%/*}/$link" ] || echo "$page: $link"
	done
done) >"$work/dead"
[ ! -s "$work/dead" ] || fail "dead links: $(cat "$work/dead")"

# The programs that units and script start are those that are installed with them, whatever the prefix was.
DESTDIR=$work/opt cmake --install "$build" --prefix /opt/recorder >/dev/null 2>&1 || fail 'another prefix'
grep -rhoE '[^ =]*/s?bin/flashscope[a-z-]*' "$work/opt$units" "$work/opt/opt/recorder/share/flashscope/busybox" |
	sort -u >"$work/programs"
[ "$(wc -l <"$work/programs")" -ge 2 ] || fail "programs of the units: $(cat "$work/programs")"
while read -r program; do
	[ -x "$work/opt$program" ] || fail "$program is started, and not installed"
done <"$work/programs"

# Other folders: the programs have them built in, and all that is installed names them, and no others.
cmake -S "$(dirname "$0")/../.." -B "$work/build" -G Ninja -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_SYSCONFDIR=/srv/fs/etc \
	-DCMAKE_INSTALL_LOCALSTATEDIR=/srv/fs/var -DCMAKE_INSTALL_RUNSTATEDIR=/srv/fs/run >"$work/said" 2>&1 ||
	fail "other folders: $(tail -5 "$work/said")"
objects='CMakeFiles/config.dir/config/option.c.o CMakeFiles/daemon.dir/daemon/going_down.c.o'
# shellcheck disable=SC2086
ninja -C "$work/build" $objects >"$work/said" 2>&1 || fail "other folders: $(tail -5 "$work/said")"
for folder in /srv/fs/var/lib/flashscope/flashscope.db /srv/fs/run/flashscope /srv/fs/run/flashscope-stop; do
	# shellcheck disable=SC2086
	(cd "$work/build" && cat $objects) | grep -qa "$folder" || fail "$folder is not built in"
done
mkdir -p "$work/build/bin"
cp "$bin/flashscope" "$bin/flashscoped" "$bin/flashscope-helper" "$work/build/bin"
DESTDIR=$work/folders cmake --install "$work/build" >"$work/said" 2>&1 || fail "other folders: $(tail -5 "$work/said")"
[ -f "$work/folders/srv/fs/etc/flashscope/flashscope.conf" ] || fail 'the configuration is not in its folder'
find "$work/folders" -type f ! -path '*/share/doc/*' ! -path '*/bin/*' ! -path '*/sbin/*' \
	-exec grep -nE '(^|[^a-z])(/etc|/var|/run)/' {} + | grep -v '/srv/fs\|/etc/init.d\|/var/lib/systemd\|/run/systemd\|/proc' >"$work/left" || true
[ ! -s "$work/left" ] || fail "folders that were not asked for: $(cat "$work/left")"
is 3 "$(grep -l /srv/fs "$work/folders/usr/share/man"/man*/* | wc -l)" 'pages with the folders'
for line in ReadWritePaths=/srv/fs/var/lib/flashscope ReadWritePaths=/srv/fs/run/flashscope; do
	grep -qx "$line" "$work/folders$units/flashscoped.service" || fail "no $line"
done
grep -qx ReadWritePaths=/srv/fs/run/flashscope-helper "$work/folders$units/flashscope-helper.service" || fail 'the helper'
grep -q '^d /srv/fs/run/flashscope-helper 0700 root' "$work/folders/usr/lib/tmpfiles.d/flashscope.conf" ||
	fail "the helper's folder is not made"

# What is installed there already is not overwritten.
echo '; mine' >"$work/root/etc/flashscope/flashscope.conf"
DESTDIR=$work/root cmake --install "$build" --prefix /usr >/dev/null 2>&1
grep -qx '; mine' "$work/root/etc/flashscope/flashscope.conf" || fail 'a configuration was overwritten'
example=$(find "$work/root" -name flashscope.conf.example)
"$bin/flashscoped" --config "$example" --check-config 2>/dev/null | grep -qx ok || fail 'the example has errors'
"$bin/flashscoped" --config "$(dirname "$0")/../../packaging/flashscope.conf" --check-config 2>/dev/null |
	grep -qx ok || fail 'the configuration has errors'
sh -n "$(find "$work/root" -name S60flashscoped)"

# Each open door of a unit says why: a comment stands above it.
for unit in flashscoped flashscope-helper; do
	sed -n '/^# Open doors/,/^\[Install\]/p' "$work/root$units/$unit.service" >"$work/doors"
	cp "$work/root$units/$unit.service" "$work/doors.$unit"
	[ "$(grep -c '^#' "$work/doors")" -ge 4 ] || fail "$unit does not say why its doors are open"
done

need systemd-analyze
# verify looks whether the programs are there, and does not know options that are newer than itself.
sed -i "s,^\(Exec[A-Za-z]*=\)[^ ]*/\(flashscope[a-z-]*\),\1$bin/\2," "$work/root$units"/*.service
status=0
systemd-analyze verify --man=no "$work/root$units"/flashscope* >"$work/said" 2>&1 || status=$?
grep 'flashscope' "$work/said" | grep -vE "Unknown key (name )?'(RestartSteps|RestartMaxDelaySec)'|not-found|Failed to (create|open|prepare)" >"$work/bad" || true
[ ! -s "$work/bad" ] || fail "systemd-analyze verify: $(cat "$work/bad")"

# exposure UNIT: as a number of tenths
exposure()
{
	systemd-analyze security --offline=true "$work/root$units/$1" 2>/dev/null |
		sed -n 's/.*Overall exposure level for .*: \([0-9]*\)\.\([0-9]\).*/\1\2/p'
}
daemon_level=$(exposure flashscoped.service)
helper_level=$(exposure flashscope-helper.service)
if [ -z "$daemon_level" ]; then
	echo 'skipped: this systemd-analyze cannot judge units offline'
	exit 77
fi
# What systemd holds against a unit is named there, with the reason.
for unit in flashscoped flashscope-helper; do
	systemd-analyze security --offline=true --json=short "$work/root$units/$unit.service" 2>/dev/null |
		grep -oE '"name":"[A-Za-z]+[^"]*","json_field":"[^"]*","description":"[^"]*","exposure":"[0-9]' |
		sed 's/^"name":"\([A-Za-z]*\).*/\1/' | sort -u >"$work/open"
	[ "$(wc -l <"$work/open")" -ge 5 ] || fail "doors of $unit: $(cat "$work/open")"
	while read -r door; do
		grep -q "$door=" "$work/doors.$unit" || fail "$unit does not say why $door= is open"
	done <"$work/open"
done
[ "$daemon_level" -le 20 ] || fail "the daemon's unit is exposed by $daemon_level tenths"
[ "$helper_level" -le 25 ] || fail "the helper's unit is exposed by $helper_level tenths"
echo ok
