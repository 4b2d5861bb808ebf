#!/usr/bin/env bash
# label: long
# The scenarios of tests/vm: each parses and has a complete head, docs/FAULTS.md is what the heads say,
# where QEMU cannot be fetched a scenario is skipped with a reason, and a cut of the power takes from a
# disk what it must.
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0

complain()
{
	echo "$1"
	bad=1
}

n=0
for file in tests/vm/scenarios/*; do
	n=$((n + 1))
	for key in title set kernels fault made shows; do
		grep -qE "^# $key: ." "$file" || complain "$file: no line \"# $key:\""
	done
	sh -n "$file" || complain "$file does not parse"
	for part in guest judge; do
		grep -qx "$part()" "$file" || complain "$file has no $part()"
	done
done
[ "$n" -gt 0 ] || complain "no scenarios"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests/vm/vm faults >"$work/page" || complain "tests/vm/vm faults fails"
diff -u docs/FAULTS.md "$work/page" ||
	complain "docs/FAULTS.md is old: tests/vm/vm faults >docs/FAULTS.md"

# An empty cache and no mirror
mkdir "$work/bin" "$work/tmp"
printf '#!/bin/sh\nexit 100\n' >"$work/bin/apt-get"
chmod +x "$work/bin/apt-get"
PATH=$work/bin:$PATH TMPDIR=$work/tmp FLASHSCOPE_VM_CACHE=$work/cache tests/vm/vm collectors diskstats \
	>"$work/said" 2>&1
status=$?
[ $status = 77 ] || complain "without packages: status $status, not 77: $(cat "$work/said")"
[ "$(grep -c '^skipped: .' "$work/said")" = 2 ] ||
	complain "without packages no reason is given: $(cat "$work/said")"
[ -z "$(ls "$work/tmp")" ] || complain "temporary files are left: $(ls "$work/tmp")"
# A log of writes as QEMU makes it, of sectors that are all one letter
sectors()
{
	head -c $(($1 * 512)) /dev/zero | tr '\0' "$2"
}

entry()
{
	local number hex

	for number in "$1" "$2" "$3" 0; do
		hex=$(printf '%016x' "$number" | sed 's/../&\n/g' | sed '/^$/d' | tac | sed 's/^/\\x/' | tr -d '\n')
		printf '%b' "$hex"
	done
	sectors 1 '\0' | tail -c 480
	[ "$3" != 0 ] || sectors "$2" "$4"
}

# after_cut KIND: the disk's sectors as letters, . for zeros
after_cut()
{
	(
		work=$work out=$work
		note() { :; }
		truncate -s $((8 * 512)) "$work/nvme.img"
		. tests/vm/lib/writes.sh
		lose_writes 1 "$1"
	)
	tr '\0' . <"$work/nvme.img" | fold -w 512 | cut -c 1 | tr -d '\n'
}

{
	sectors 1 S
	entry 0 2 0 A
	entry 2 2 0 B
	entry 0 0 1
	entry 0 8 4
	entry 0 2 0 C
	entry 4 2 0 D
	entry 6 2 0 E
	entry 4 4 0 F | head -c 1000
} >"$work/nvme.1.writes"
: >"$work/facts"
[ "$(after_cut all)" = AABB.... ] || complain "after the cut the disk has $(after_cut all)"
[ "$(after_cut torn)" = CABB..E. ] || complain "after the cut the torn disk has $(after_cut torn)"
[ "$(tail -n 1 "$work/facts")" = lost_torn=3 ] || complain "lost: $(cat "$work/facts")"

for wrong in '' '--kernel' '--kernel none collectors' 'none' '../guest/run' 'shell' 'shell none' '--none'; do
	# shellcheck disable=SC2086
	tests/vm/vm $wrong >"$work/said" 2>&1
	status=$?
	[ $status = 2 ] || complain "tests/vm/vm $wrong: status $status, not 2"
done

if command -v shellcheck >/dev/null; then
	# Variables of the guest's library and of the judge come from outside.
	shellcheck --severity=warning -s sh -e SC2154,SC2034 tests/vm/scenarios/* tests/vm/guest/lib.sh ||
		bad=1
	shellcheck --severity=warning -s bash -e SC2154,SC2034 tests/vm/lib/*.sh || bad=1
fi
exit $bad
