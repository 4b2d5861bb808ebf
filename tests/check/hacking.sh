#!/usr/bin/env bash
# The collector that HACKING.md shows compiles as it stands there.
set -eu
cd "$(dirname "$0")/../.."
sed -n '/^```c$/,/^```$/p' HACKING.md | sed '/^```/d' >"${1:?build directory}/hacking_example.c"
grep -q 'const struct collector collector_' "$1/hacking_example.c"
cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wno-missing-field-initializers -Werror -fsyntax-only -I. \
	-include base/banned.h "$1/hacking_example.c"
