#!/usr/bin/env bash
# tools/check_layers passes on this tree, and fails on a copy with one forbidden include.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd -P)
"$top/tools/check_layers" "$top"

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# must_fail FILE LINE TEXT: with LINE added to FILE the check fails and says TEXT
must_fail()
{
	rm -rf "$copy/tree"
	mkdir "$copy/tree"
	for layer in base model collectors sampling store query export config daemon cli; do
		[ ! -d "$top/$layer" ] || cp -r "$top/$layer" "$copy/tree/"
	done
	mkdir -p "$copy/tree/$(dirname "$1")"
	echo "$2" >>"$copy/tree/$1"
	if said=$("$top/tools/check_layers" "$copy/tree"); then
		echo "check_layers allows in $1: $2"
		exit 1
	fi
	case $said in
	*"$3"*) ;;
	*)
		echo "check_layers complains of something else than $1: $said"
		exit 1
		;;
	esac
}

must_fail base/zz.c '#include "model/unit.h"' 'base may not include model/unit.h'
must_fail model/zz.c '#include "store/store.h"' 'model may not include store/store.h'
must_fail collectors/zz.c '#include "base/clock.h"' 'a collector may not include base/clock.h'
must_fail collectors/zz.h '' 'collectors have no headers'
must_fail store/zz.c '#include "export/json.h"' 'store may not include export/json.h'
must_fail query/zz.c '#include "sampling/sampler.h"' 'query may not include sampling/sampler.h'
must_fail query/zz.c '#include <sqlite3.h>' 'may include <sqlite3.h>'
must_fail base/zz.c '#include <zlib.h>' 'may include <zlib.h>'
must_fail daemon/zz.c '#  include <microhttpd.h>' 'may include <microhttpd.h>'
must_fail cli/zz.c '#include <json-c/json.h>' 'may include <json-c/json.h>'
