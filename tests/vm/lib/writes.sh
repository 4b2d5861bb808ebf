# shellcheck shell=bash
# What a disk with a write cache has after a cut of its power. QEMU alone does not show it: what it
# wrote to the image stays there when it is killed, flushed or not. So its driver blklogwrites writes
# down each write and flush in their order, and the disk is made anew from that.
#
# The log is that of the kernel's Documentation/admin-guide/device-mapper/log-writes.rst, in sectors of
# 512 bytes: a super block; then for each entry a sector that begins with four 64-bit numbers (sector,
# number of sectors, flags, unused), and behind it the data, which a discard has none of.

log_flush=1 log_discard=4

# lose_writes PHASE all|torn: for a before_N() of a scenario with the machine "write-log"; the NVMe as
# the cut at the end of that phase left it. What was written after the last flush is lost: all of it, or
# each second write and half of each other. The facts lost_all and lost_torn tell how many.
lose_writes()
{
	local log=$work/nvme.$1.writes image=$work/nvme.img size at sector n flags i last=-1 n_lost=0
	local entries=()

	size=$(stat -c %s "$log") || return 1
	at=512
	while [ $((at + 512)) -le "$size" ]; do
		read -r sector n flags _ < <(od -A n -t u8 -w32 -j "$at" -N 32 "$log")
		# Nothing was written here yet, or not all of it.
		[ $((n + flags)) -gt 0 ] || break
		[ $((flags & log_discard)) = 0 ] || n=0
		at=$((at + 512))
		[ $((at + n * 512)) -le "$size" ] || break
		[ $((flags & log_flush)) = 0 ] || last=${#entries[@]}
		entries+=("$at $sector $n")
		at=$((at + n * 512))
	done

	size=$(stat -c %s "$image")
	rm -f "$image"
	truncate -s "$size" "$image"
	for ((i = 0; i < ${#entries[@]}; i++)); do
		read -r at sector n <<<"${entries[i]}"
		[ "$n" -gt 0 ] || continue
		if [ "$i" -gt "$last" ]; then
			n_lost=$((n_lost + 1))
			[ "$2" = torn ] && [ $((i % 2)) = 0 ] && [ "$n" -gt 1 ] || continue
			n=$((n / 2))
		fi
		dd if="$log" of="$image" bs=1M conv=notrunc iflag=skip_bytes,count_bytes,fullblock \
			oflag=seek_bytes skip="$at" count=$((n * 512)) seek=$((sector * 512)) status=none
	done
	echo "lost_$2=$n_lost" >>"$out/facts"
	note "$n_lost of ${#entries[@]} writes and flushes came after the last flush: $2"
}
