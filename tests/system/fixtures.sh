#!/bin/bash
# Samples and probes every tree below tests/fixtures by the built binary and compares with what is
# expected there: expected.json, expected.probe, expected.series (rates from root to root1), and
# expected.asked (cards that are asked when they are named).
# UPDATE=1 accepts what comes out; read the difference before you do. TREES="a b" takes only these.
# label: single
set -u
build=$1
tests=$(cd "$(dirname "$0")/.." && pwd)
flashscope=$build/bin/flashscope
export LC_ALL=C
[ -x "$flashscope" ] || { echo "no $flashscope"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# check NAME COMMAND...: what the command prints on stdout is to be the file NAME of the tree.
check()
{
	local expected=$tests/fixtures/$tree/$1
	shift
	# Where a tree has nothing to sample, that is said and the command fails.
	if ! "$@" >"$work/out" 2>"$work/err" && [ "$(tr -d '\n' <"$work/out")" != '[]' ]; then
		echo "$tree: failed: ${*#"$tests"/}"
		cat "$work/err"
		failed=1
		return
	fi
	sed -i 's/ *$//' "$work/out"
	if [ "${UPDATE:-}" = 1 ]; then
		cp "$work/out" "$expected"
	elif ! diff -u "$expected" "$work/out" | cut -c1-2000 | head -40 >"$work/diff" ||
		[ -s "$work/diff" ]; then
		echo "$tree: not as expected:"
		cat "$work/diff"
		failed=1
	fi
}

for root in "$tests"/fixtures/*/root; do
	dir=${root%/root}
	tree=${dir##*/}
	case " ${TREES:-$tree} " in *" $tree "*) ;; *) continue ;; esac
	check expected.json "$flashscope" sample --json --root "$root"
	check expected.probe "$flashscope" probe --all --root "$root"
	# What is asked of who is named, and of nobody else.
	for card in "$root"/COMMANDS/mmcblk*; do
		[ ! -d "$card" ] ||
			check expected.asked "$flashscope" sample --json --root "$root" mmc_health
	done
	[ -d "$dir/root1" ] || continue
	check expected.series "$flashscope" sample --json --root "$root" --root "$dir/root1"
done
exit $failed
