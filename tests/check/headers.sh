#!/usr/bin/env bash
# Each header compiles alone, and twice.
# label: long
set -eu
cd "$(dirname "$0")/../.."
bad=0
for header in */*.h; do
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
		cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -I. \
			-include base/banned.h -x c - || {
		echo "$header does not stand alone"
		bad=1
	}
done
exit $bad
