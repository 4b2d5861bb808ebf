#!/usr/bin/env bash
# docs/METRICS.md is what the field tables say, and each group says what its nodes are and what
# absence means.
set -eu
cd "$(dirname "$0")/../.."
page=$(mktemp)
trap 'rm -f "$page"' EXIT
"${1:?build directory}/bin/flashscope" fields --markdown >"$page"
if ! diff -u docs/METRICS.md "$page"; then
	echo "docs/METRICS.md is old: build/dev/bin/flashscope fields --markdown >docs/METRICS.md"
	exit 1
fi
n_groups=$(grep -c '^### Group' "$page")
n_told=$(grep -c ' Node: .* Absent: ' "$page")
if [ "$n_groups" -ne "$n_told" ]; then
	echo "$n_groups groups, of which $n_told say .node and .absence"
	exit 1
fi
