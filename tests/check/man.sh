#!/usr/bin/env bash
# The man pages name the options that --help names, no more and no less; and the commands. That of
# query tells of each flag what it means for a value.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd -P)
bin=${1:?build directory}/bin
bad=0

options()
{
	sed 's/\\-/-/g' | grep -oE '(^|[^a-z-])--[a-z][a-z-]*' | grep -oE -- '--.*' | sort -u
}

# compare WHAT HELP-TEXT MAN-TEXT
compare()
{
	local difference

	difference=$(diff <(echo "$2" | options) <(echo "$3" | options)) && return
	echo "$1: options of --help (<) and of the man page (>) differ:"
	echo "$difference" | grep '^[<>]'
	bad=1
}

# The part of a man page below ".SS NAME".
section()
{
	awk -v name="$2" '/^\.S[SH] / { on = $1 == ".SS" && $2 == name } on' "$1"
}

for program in flashscoped flashscope-helper; do
	compare $program "$("$bin/$program" --help)" "$(cat "$top/docs/$program.8")"
done

page=$top/docs/flashscope.1
commands=$("$bin/flashscope" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
[ -n "$commands" ] || {
	echo "flashscope --help lists no commands"
	exit 1
}
for command in $commands; do
	text=$(section "$page" "$command")
	[ -n "$text" ] || {
		echo "$page has no section for the command $command"
		bad=1
		continue
	}
	compare "flashscope $command" "$("$bin/flashscope" "$command" --help)" "$text"
done
for name in $(sed -n 's/^\.SS //p' "$page"); do
	case " $(echo $commands) " in
	*" $name "*) ;;
	*) echo "$page describes $name, which is no command" && bad=1 ;;
	esac
done
flags=$(sed -n 's/^\t\[FLAG_[A-Z_]*\] = "\([a-z_][a-z_]*\)",$/\1/p' "$top/model/sink.c")
[ "$(echo "$flags" | wc -l)" -ge 6 ] || {
	echo "model/sink.c has no names of flags that this check finds"
	bad=1
}
for flag in $flags; do
	section "$page" query | grep -qE "^\.BR? $flag( |\$)" || {
		echo "$page does not say of query what becomes of values flagged $flag"
		bad=1
	}
done
# What is asked for by commands stands in README.md and in the man page, with its periods.
people()
{
	case $1 in
	600s) echo '10 min' ;;
	3600s) echo hour ;;
	86400s) echo day ;;
	*) echo "$1" | sed 's/\([0-9]\)\([a-z]\)/\1 \2/' ;;
	esac
}
config=$("$bin/flashscoped" --dump-config)
by_command=$(awk '/^### Group/ { group = $3 } /Cost Q,/ { gsub("`", "", group); print group }' "$top/docs/METRICS.md")
[ "$(echo "$by_command" | wc -l)" -ge 6 ] || {
	echo "docs/METRICS.md has no groups of cost Q that this check finds"
	bad=1
}
for group in $by_command; do
	entry=$(echo "$config" | grep -B1 "^period\.$group = ")
	period=$(people "$(echo "$entry" | sed -n 's/^period.* = //p')")
	least=$(people "$(echo "$entry" | sed -n 's/^; Allowed: \([^ ]*\) to .*/\1/p')")
	grep -qE "^\| \`$group\` \| .*every $period.* \| $least \|$" "$top/README.md" || {
		echo "README.md does not say of $group: every $period, at least $least"
		bad=1
	}
	grep -qE "^\.BR $group \" .*every $period, at least $least\"$" "$top/docs/flashscoped.8" || {
		echo "docs/flashscoped.8 does not say of $group: every $period, at least $least"
		bad=1
	}
done
if command -v groff >/dev/null; then
	for file in "$top"/docs/*.[18]; do
		said=$(groff -man -Tutf8 -ww -z "$file" 2>&1) || true
		[ -z "$said" ] || { echo "$said" && bad=1; }
	done
fi
exit $bad
