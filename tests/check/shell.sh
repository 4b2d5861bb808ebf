#!/usr/bin/env bash
# Shell scripts parse, and shellcheck finds nothing in them.
# label: long
set -eu
cd "$(dirname "$0")/../.."
bad=0 scripts=()
while IFS= read -r -d '' file; do
	IFS= read -r line <"$file" || true
	case $line in
	'#!'*bash) bash -n "$file" || bad=1 ;;
	'#!/bin/sh'*) sh -n "$file" || bad=1 ;;
	*) continue ;;
	esac
	scripts+=("$file")
done < <(find . \( -name build -o -name var -o -name .git -o -path ./tests/fixtures -o \
	-path ./tests/cases -o -path ./tests/fuzz/corpus \) -prune -o -type f \
	\( -perm -u+x -o -name '*.sh' \) -print0)
[ $bad = 0 ] || exit 1
[ ${#scripts[@]} -gt 5 ] || {
	echo "found only ${#scripts[@]} scripts"
	exit 1
}
command -v shellcheck >/dev/null || {
	echo "no shellcheck; ${#scripts[@]} scripts parse"
	exit 77
}
shellcheck --severity=warning -x "${scripts[@]}"
