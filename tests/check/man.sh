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
if command -v groff >/dev/null; then
	for file in "$top"/docs/*.[18]; do
		said=$(groff -man -Tutf8 -ww -z "$file" 2>&1) || true
		[ -z "$said" ] || { echo "$said" && bad=1; }
	done
fi
exit $bad
