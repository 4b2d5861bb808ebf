#!/usr/bin/env bash
# The disk below a database is that of the folder that takes the writes of an overlay.
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need curl jq unshare
mkdir "$work/low" "$work/over" "$work/upper" "$work/scratch"
make_tree "$work/tree"

# in_namespace FOLDER LOG: the daemon, where an overlay is mounted
in_namespace()
{
	# shellcheck disable=SC2016 # of the inner shell
	exec unshare -Urm sh -euc '
		mount -t overlay overlay -o "lowerdir=$1/low,upperdir=$1/upper,workdir=$1/scratch" "$1/over"
		exec "$3" --db "$2/f.db" --runtime-dir "$1/run" --listen none --root "$1/tree"' \
		sh "$work" "$1" "$bin/flashscoped" >"$work/log" 2>&1
}

# disk_of FOLDER
disk_of()
{
	in_namespace "$1" &
	daemon=$!
	until_true 10 test -S "$work/run/flashscoped.sock"
	ask /api/v1/status | jq -r '.store.disk'
	stop
}

unshare -Urm mount -t overlay overlay \
	-o "lowerdir=$work/low,upperdir=$work/upper,workdir=$work/scratch" "$work/over" 2>/dev/null || {
	echo "skipped: no overlay may be mounted here"
	exit 77
}
bare=$(disk_of "$work")
[ "$bare" != null ] || { echo "skipped: the disk of $work is not known"; exit 77; }
is "$bare" "$(disk_of "$work/over")" 'the disk below an overlay'
[ -s "$work/upper/f.db" ] || fail 'it was not on the overlay'
echo ok
