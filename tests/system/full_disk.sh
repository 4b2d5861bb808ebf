#!/usr/bin/env bash
# A disk that is full at the first start: nothing counts as damaged, and it is written once there is
# room.
# label: slow
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
need sqlite3 curl
mkdir "$work/disk"
mount -t tmpfs -o size=2m none "$work/disk" 2>/dev/null || {
	echo 'skipped: no right to mount'
	exit 77
}
leave()
{
	[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null || true
	umount -l "$work/disk"
	daemon=
}
trap 'status=$?; leave; (exit $status); finish' EXIT
printf '[store]\ncommit_interval = 1s\n' >"$work/f.conf"

for free_kib in 0 8 16 640 660 760 1000 1200; do
	rm -f "$work"/disk/*
	mount -o remount,size=2m "$work/disk"
	dd if=/dev/zero of="$work/disk/fill" bs=1k count=$((2048 - free_kib)) 2>/dev/null
	start --config "$work/f.conf" --db "$work/disk/f.db"
	sleep 2.5
	rm "$work/disk/fill"
	mount -o remount,size=8m "$work/disk"
	until_true 5 grep -q 'the database is written now' "$work/log"
	stop
	is 1 "$(grep -c 'the database is written' "$work/log")" "times said with $free_kib KiB"
	is 'f.db f.db.lock' "$(cd "$work/disk" && echo *)" "files after $free_kib KiB"
	trouble=$(sqlite3 "$work/disk/f.db" "SELECT count(*) FROM event WHERE kind = 'database_trouble' AND
		t_end > t AND text LIKE '%could not be written: %/f.db: %'")
	is "$(grep -c 'cannot write the database' "$work/log")" "$trouble" "events of trouble with $free_kib KiB"
	is ok "$(sqlite3 "$work/disk/f.db" 'PRAGMA integrity_check')" "integrity after $free_kib KiB"
	[ "$(sqlite3 "$work/disk/f.db" 'SELECT count(*) FROM load')" -ge 2 ] || fail "ticks after $free_kib KiB"
done

# A journal that cannot be moved into the file for want of room is held by no reader.
rm -f "$work"/disk/*
mount -o remount,size=2m "$work/disk"
printf '[store]\ncommit_interval = 1s\nsize_max = 4MiB\n' >"$work/small.conf"
start --config "$work/small.conf" --db "$work/disk/f.db"
until_true 10 grep -q 'cannot write the database' "$work/log"
grep -q 'cannot write the database.* (ENOSPC)$' "$work/log" || fail 'the cause is not that the disk is full'
"$bin/flashscope" status --socket "$socket" | grep -q '^trouble .* (ENOSPC)$' || fail 'status tells another cause'
mount -o remount,size=8m "$work/disk"
until_true 5 grep -q 'the database is written now' "$work/log"
stop

# A damaged one is moved aside, and the daemon says so once.
dd if=/dev/urandom of="$work/disk/f.db" bs=1 seek=110 count=16000 conv=notrunc 2>/dev/null
start --config "$work/f.conf" --db "$work/disk/f.db"
until_true 5 grep -q 'the database is written now' "$work/log"
sleep 2
stop
is 1 "$(grep -c 'the database was damaged' "$work/log")" 'times that it was damaged'
echo ok
