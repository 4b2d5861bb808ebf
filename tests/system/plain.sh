#!/usr/bin/env bash
# The command without libcurl and libsmartcols says what the one with them says, and reads a daemon
# through both of its doors.
# label: long nosan
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
cd "$(dirname "$0")/../.." || exit 1
plain=$bin/../tests/flashscope_plain
[ -x "$plain" ] || {
	echo "skipped: flashscope is built without the libraries here"
	exit 77
}
tty=0
script -qec true /dev/null </dev/null >/dev/null 2>&1 && command -v stty >/dev/null && tty=1

# on WIDTH PROGRAM ARGUMENT...: what a terminal of this width shows
on()
{
	local width=$1

	shift
	script -qec "stty cols $width; $*" /dev/null </dev/null | tr -d '\r'
}

# Blanks at the end of a line are not seen.
same()
{
	sed -i 's/ *$//' "$work/with" "$work/without"
	diff "$work/with" "$work/without" >"$work/diff" || {
		head -n 20 "$work/diff"
		fail "$* differs"
	}
	[ -s "$work/with" ] || fail "$* says nothing"
}

root=tests/fixtures
while read -r arguments; do
	for locale in C C.UTF-8; do
		export LC_ALL=$locale
		# shellcheck disable=SC2086
		"$bin/flashscope" $arguments >"$work/with"
		# shellcheck disable=SC2086
		"$plain" $arguments >"$work/without"
		same "$locale: $arguments"
		[ $tty = 1 ] || continue
		for width in 40 80 120; do
			on $width "'$bin/flashscope' $arguments" >"$work/with"
			on $width "'$plain' $arguments" >"$work/without"
			same "$locale, $width columns: $arguments"
		done
	done
done <<END
fields pressure
probe --all --root $root/x86/root blockqueue cpufreq
probe --all --root $root/sm8850/root
path --root $root/imx8mp/root /mnt/nvme
path --root $root/sm8850/root
path --root $root/hostile/root
sample --root $root/x86/root diskstats
sample --root $root/hostile/root
END

start --root $root/imx8mp/root
until_true 10 sh -c "'$plain' query load.threads --socket '$socket' --csv | grep -q ,system,."
sleep 1.2
for door in "--socket $socket" "--url $url" "--url $url/" "--url ${url/127.0.0.1/localhost}"; do
	# shellcheck disable=SC2086
	"$plain" status $door | grep -q flashscoped || fail "no status by $door"
	# shellcheck disable=SC2086
	"$plain" query load.threads $door --from -1h --csv | grep -q ,system, || fail "no rows by $door"
done
# A POST, and a label with what a URL has to escape.
"$plain" mark --socket "$socket" 'a b&c=%/é' -- true
"$bin/flashscope" query load.threads --socket "$socket" --mark 'a b&c=%/é' --csv >/dev/null ||
	fail "the mark is not there"
"$plain" query load.threads --socket "$socket" --mark 'a b&c=%/é' --csv >/dev/null ||
	fail "the mark is not found"

# refuses TEXT ARGUMENT...
refuses()
{
	local text=$1 said

	shift
	! said=$("$plain" "$@" 2>&1) || fail "$* did not fail"
	case $said in
	*"$text"*) ;;
	*) fail "$*: said \"$said\" instead of \"$text\"" ;;
	esac
}

refuses 'no daemon can be reached' status --url http://127.0.0.1:1
refuses 'is no socket' status --socket "$work/f.db"
refuses 'no daemon can be reached' status --socket "$work/none"
refuses 'is no URL' status --url https://127.0.0.1:1
refuses 'metric' query no.such --socket "$socket"
stop
