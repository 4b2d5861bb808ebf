#!/usr/bin/env bash
# docs/METRICS.md is what the field tables say.
set -eu
cd "$(dirname "$0")/../.."
"${1:?build directory}/bin/flashscope" fields --markdown | diff -u docs/METRICS.md - && exit 0
echo "docs/METRICS.md is old: build/dev/bin/flashscope fields --markdown >docs/METRICS.md"
exit 1
