#!/usr/bin/env bash
# The scenarios of tests/vm: each parses and has a complete head, and docs/FAULTS.md is what the
# heads say.
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

page=$(mktemp)
trap 'rm -f "$page"' EXIT
tests/vm/vm faults >"$page" || complain "tests/vm/vm faults fails"
diff -u docs/FAULTS.md "$page" ||
	complain "docs/FAULTS.md is old: tests/vm/vm faults >docs/FAULTS.md"

if command -v shellcheck >/dev/null; then
	# Variables of the guest's library and of the judge come from outside.
	shellcheck --severity=warning -s sh -e SC2154,SC2034 tests/vm/scenarios/* tests/vm/guest/lib.sh ||
		bad=1
	shellcheck --severity=warning -s bash -e SC2154,SC2034 tests/vm/lib/*.sh || bad=1
fi
exit $bad
