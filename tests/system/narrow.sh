#!/usr/bin/env bash
# Narrow terminals: whatever the width, no word of a table is lost or cut; text is broken between
# words, stands below its line where a column would be too narrow, and many columns are continued
# below.
# label: slow nosan
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

# tree NAME MOUNT-POINT: a board whose NVMe is mounted there, and its card on the same with "-card"
tree()
{
	cp -R $root/imx8mp/root "$work/$1"
	chmod -R u+w "$work/$1"
	for file in "$work/$1/STATVFS" "$work/$1/proc/self/mountinfo"; do
		grep -E '/mnt/nvme|/run/media/mmcblk1p1' "$file" |
			sed "s,/mnt/nvme,$2,; s,/run/media/mmcblk1p1,$2-card," >"$work/file"
		[ "$(wc -l <"$work/file")" = 2 ] || fail "$file has no such mounts"
		cp "$work/file" "$file"
	done
}

# Names beyond ASCII take the columns that they take, no more: all stands where it stands with a
# name in ASCII of the same width.
name='/mnt/größe-äöü-日本' ascii='/mnt/groSe-aou-JPJP'
tree beyond "$name"
tree ascii "$ascii"
for arguments in "path --root TREE" "sample --root TREE mounts" "probe --all --root TREE mounts"; do
	for width in 20 33 50 66 80 132; do
		LC_ALL=C.UTF-8 on $width "${arguments/TREE/$work/beyond}" | sed "s,$name,$ascii,g" >"$work/got"
		LC_ALL=C.UTF-8 on $width "${arguments/TREE/$work/ascii}" >"$work/wanted"
		grep -qF "$ascii" "$work/wanted" || [ "${arguments%% *}" = probe ] ||
			fail "$arguments does not show the name"
		diff "$work/wanted" "$work/got" || fail "$arguments with $name on $width columns"
	done
done

# So do the names of nodes over the columns of a query: two of 19 and 24 columns beside the time.
start --root "$work/beyond"
until_true 10 sh -c "'$bin/flashscope' query mounts_space.size --socket '$socket' --csv | grep -q -- -card,."
stop
LC_ALL=C.UTF-8 on 72 query mounts_space.size --db "$work/f.db" >"$work/got"
LC_ALL=C.UTF-8 grep -qE "^END OF STEP +$name +$name-card\$" "$work/got" || {
	cat "$work/got"
	fail "the names over the columns are not in one line"
}

# What may command a terminal does not reach it, in a list either: nor U+009B, as two bytes or one.
tree hostile "/mnt/a$(printf '\302\233')31mb$(printf '\233')c"
for width in 20 80; do
	for locale in C C.UTF-8; do
		for tree in $root/hostile/root "$work/hostile"; do
			LC_ALL=$locale on $width path --root "$tree" >"$work/got"
			! grep -qaE $'[\x01-\x08\x1b]|\xc2[\x80-\x9f]|a\x9b|b\x9b' "$work/got" ||
				fail "a control character on $width columns in locale $locale"
		done
		grep -qaE '31mb' "$work/got" || fail "the hostile mount point is not shown"
	done
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
load   load1 load5 load15
system  0.62  0.48   0.39

load   runnable threads
system        2     409
END
on 30 sample --root $root/iq9075/root load >"$work/got"
diff "$work/wanted" "$work/got" || fail "columns that are continued below"
