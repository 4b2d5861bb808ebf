#!/usr/bin/env bash
# Promises about the tree that a search can hold: no floating point in what is stored or asked, no
# exit or log below daemon and cli, nothing left for later, files of a size that can be read.
set -eu
cd "$(dirname "$0")/../.."
bad=0

complain()
{
	echo "$1"
	[ -z "${2:-}" ] || echo "$2"
	bad=1
}

sources()
{
	local folder files=()

	for folder in "$@"; do
		for file in "$folder"/*.[ch]; do [ ! -e "$file" ] || files+=("$file"); done
	done
	printf '%s\n' "${files[@]}"
}

# Code without comments and texts, as FILE:LINE:CODE
code()
{
	sources "$@" | xargs awk '
	FNR == 1 { comment = 0 }
	{
		line = $0
		gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
		gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
		if (comment && line !~ /\*\//) next
		if (comment) { sub(/.*\*\//, "", line); comment = 0 }
		if (line ~ /\/\*/) { sub(/\/\*.*/, "", line); comment = 1 }
		print FILENAME ":" FNR ":" line
	}'
}

lower='base model collectors store export config sampling query'
# shellcheck disable=SC2086
{
	found=$(code base model collectors store sampling query export | grep -wE 'float|double') &&
		complain "floating point:" "$found"
	found=$(code $lower | grep -E '[^_a-z](exit|abort|_exit)\(' | grep -v '^sampling/lane') &&
		complain "a lower layer ends the process:" "$found"
	found=$(code model collectors store export config sampling query |
		grep -E '[^_a-z](log_(error|warning|info|debug)|perror|printf)\(') &&
		complain "a lower layer writes for people:" "$found"
	found=$(sources $lower daemon cli | xargs grep -nwE 'TO''DO|FIX''ME|XX''X') &&
		complain "left for later:" "$found"
	found=$(sources $lower daemon cli | xargs wc -l | grep -v ' total$' | awk '$1 > 700' | grep .) &&
		complain "longer than 700 lines:" "$found"
} || true
head -40 README.md | grep -q '^\./run' || complain "README.md does not show ./run near its top"
# The daemon does not show what sends commands to a device: who looks for it has to know its name.
for collector in $(grep -l '\.cost = COST_Q' collectors/*.c); do
	collector=$(basename "$collector" .c)
	grep -q "^|.*\`flashscope sample [a-z_ ]*\b$collector\b" README.md ||
		complain "README.md does not say who needs flashscope sample $collector"
done
head -40 README.md | grep -q '^\./test' || complain "README.md does not show ./test near its top"
exit $bad
