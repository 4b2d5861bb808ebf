#!/usr/bin/env bash
# Narrow terminals: whatever the width, no word of a table is lost or cut; text is broken between
# words, stands below its line where a column would be too narrow, and many columns are continued
# below.
# timeout: 120
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
cd "$(dirname "$0")/../.." || exit 1
need script stty
script -qec true /dev/null </dev/null >/dev/null 2>&1 || {
	echo "skipped: script has no terminal to give"
	exit 77
}

# on WIDTH ARGUMENT...: what a terminal of this width shows
on()
{
	local width=$1

	shift
	script -qec "stty cols $width; '$bin/flashscope' $*" /dev/null </dev/null | tr -d '\r'
}

words()
{
	tr -s ' ,' '\n' | sed 's/^[|`-]*//' | sort -u
}

root=tests/fixtures
while read -r widest arguments; do
	# shellcheck disable=SC2086
	"$bin/flashscope" $arguments | grep -v '^[A-Z ]*$' | words >"$work/all"
	for width in 20 40 60 80 100 132; do
		on "$width" "$arguments" >"$work/got"
		words <"$work/got" >"$work/words"
		lost=$(comm -23 "$work/all" "$work/words" | head -3)
		[ -z "$lost" ] || fail "$arguments on $width columns lost: $lost"
		[ "$width" -lt "$widest" ] || ! grep -E "^.{$((width + 1))}" "$work/got" ||
			fail "$arguments is wider than $width columns"
	done
done <<END
70 fields
60 fields pressure
80 probe --all --root $root/x86/root blockqueue cpufreq
100 probe --all --root $root/sm8850/root
80 probe --root $root/sm8850/root
60 path --root $root/imx8mp/root /mnt/nvme
40 sample --root $root/x86/root diskstats
200 sample --root $root/hostile/root
END

# What may command a terminal does not reach it, in a list either.
for width in 20 80; do
	! on $width path --root $root/hostile/root | grep -q $'[\x01-\x08\x1b]' ||
		fail "a control character on $width columns"
done

cat >"$work/wanted" <<'END'
pressure.some_total  counter  microseconds
    meaning: Time in which some task waited.
pressure.full_share  gauge  ratio
    made of: d(full_total) / interval / 1000, at
      most 1
    meaning: Share of the time in which all tasks
      waited.
END
on 52 fields pressure | sed -n '/some_total /,+1p; /full_share/,$p' >"$work/got"
diff "$work/wanted" "$work/got" || fail "a list"

cat >"$work/wanted" <<'END'
LAYER                KIND        WHAT
/mnt/nvme            file system f2fs, rw,noatime, rw,lazytime,background_gc=on,
|                                discard,no_heap,user_xattr,inline_xattr,acl,
|                                inline_data,inline_dentry,flush_merge,
|                                extent_cache,mode=adaptive,active_logs=6,
|                                alloc_mode=default,checkpoint_merge,
|                                fsync_mode=posix,discard_unit=block
`-nvme0n1p1          partition   partition number 1, "data", 256.1 GB
END
on 80 path --root $root/imx8mp/root /mnt/nvme | head -8 >"$work/got"
diff "$work/wanted" "$work/got" || fail "a tree"

cat >"$work/wanted" <<'END'
load   load1 [1/100] load5 [1/100] load15 [1/100]
system            62            48             39

load   runnable threads
system        2     409
END
on 50 sample --root $root/iq9075/root load >"$work/got"
diff "$work/wanted" "$work/got" || fail "columns that are continued below"
