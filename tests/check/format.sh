#!/usr/bin/env bash
# Every C file is as clang-format leaves it.
set -eu
cd "$(dirname "$0")/../.."
command -v clang-format >/dev/null || {
	echo "no clang-format"
	exit 77
}
version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
[ "$version" = 14 ] || {
	echo "clang-format is $version, the tree is formatted by 14 (Debian 12)"
	exit 77
}
find . \( -name build -o -name var -o -name .git \) -prune -o -name '*.[ch]' -print0 |
	xargs -0 clang-format --dry-run --Werror
