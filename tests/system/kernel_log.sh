#!/usr/bin/env bash
# flashscope kernel-log: the field cases of kernel logs by their expect.md, each form that a log is saved
# in, and what is no log.
# label: long single
# shellcheck source=tests/system/lib.bash
. "$(dirname "$0")/lib.bash"
cd "$(dirname "$0")/../cases" || exit 1
need jq
n_checks=0

# log NUMBER FILE [OPTION...]: the answer in $work/json, each line in $work/lines
log()
{
	file=$(echo "$1"-*)/input/$2
	shift 2
	"$bin/flashscope" kernel-log --json "$file" >"$work/json" || fail "$file: status $?"
	"$bin/flashscope" kernel-log --all "$file" | sed '/^$/,$d' >"$work/lines"
}

# expect JQ-EXPRESSION...: each is true of the answer
expect()
{
	local expression

	for expression in "$@"; do
		n_checks=$((n_checks + 1))
		jq -e ".incidents[0] as \$i | ($expression)" "$work/json" >/dev/null ||
			fail "$file: not so: $expression: $(jq -c . "$work/json")"
	done
}

# taken TIME CAUSE SEVERITY NODE: the line of this time was taken for that
taken()
{
	n_checks=$((n_checks + 1))
	awk -v time="$1" -v is="$2 $3 $4" '$1 == time && $2 " " $3 " " $5 == is { found = 1 }
		END { exit !found }' "$work/lines" || fail "$file: $* is not in: $(cat "$work/lines")"
}

# events: lines that are findings
events()
{
	awk '$3 != "-"' "$work/lines" | wc -l
}

log 48 dmesg.txt
expect '.incidents | length == 1' '$i.device == "179:0" and $i.severity == "error"' \
	'$i.text == "writeback hung" and $i.count == 1 and $i.cause == "hung"'
[ "$(events)" = 1 ] || fail "48: the lines behind are events"

log 49 dmesg.txt
expect '.incidents | length == 1' '$i.device == "vdb" and $i.count == 7 and $i.cause == "file_system"' \
	'$i.first_us == 3785008198203 and $i.last_us == 3786809222634' '$i.severity == "error"' \
	'$i.sectors == [] and $i.byte_first == null'
taken 3784708.859860 reminder - vdb
[ "$(events)" = 7 ] || fail "49: the reminder is an event"

log 52 dmesg.txt
expect '.incidents | length == 1' '$i.severity == "critical"' '$i.first_us == 43976878027119' \
	'$i.last_us == 43976892809741' '$i.count == 11' '$i.text == "recovery failed: device lost"' \
	'$i.names | contains(["mmc0", "mmcblk0", "mmcblk0p1"])' '$i.device == "mmcblk0"' \
	'$i.sectors == [4589584] and $i.byte_first == 2349867008' '$i.causes.gone == 2'
taken 43976878.027119 timeout error mmc0
taken 43976888.267487 timeout error mmc0
taken 43976891.203641 timeout error 0000:00:14.7
taken 43976891.309110 timeout error mmc0
taken 43976892.599663 reset error mmc0
taken 43976892.599668 gone critical mmcblk0
taken 43976892.656500 io error mmcblk0
taken 43976892.663560 timeout error 0000:00:14.7
taken 43976892.734746 file_system error mmcblk0p1
taken 43976892.809713 io error mmcblk0p1
taken 43976892.809741 gone critical mmcblk0
[ "$(awk '$2 == "detail"' "$work/lines" | wc -l)" = 22 ] || fail "52: 22 lines of registers"
grep -q '^ *43976892.663560 .* ETIMEDOUT | ' "$work/lines" || fail "52: no errno"
grep -q 'block 573442 |' "$work/lines" || fail "52: no block"

log 53 dmesg.txt
expect '.incidents == [] and .counts == []' '.lines.known == 3'
[ "$(awk '$2 == "benign"' "$work/lines" | wc -l)" = 3 ] || fail "53: RPMB is no noise"
# The exception is for that one name; the other wordings are the same.
file=wordings
for name in mmcblk0rpmb mmcblk0 mmcblk0p1; do
	for words in end_request:\  blk_update_request:\  print_req_error:\  ''; do
		echo "[    1.000000] ${words}I/O error, dev $name, sector 8"
	done
done >"$work/log"
"$bin/flashscope" kernel-log --json "$work/log" >"$work/json"
expect '.incidents | length == 1' '$i.count == 8 and $i.device == "mmcblk0"'

# The log itself says that sda hangs on the UFS controller: without a tree it is one incident.
{
	echo '[    1.000000] scsi host0: ufshcd'
	echo '[    1.100000] ufshcd-qcom 1d84000.ufshc: ufshcd_print_pwr_info:[RX, TX]: gear=[4, 4]'
	echo '[    1.200000] sd 0:0:0:0: [sda] Attached SCSI disk'
	echo '[    9.000000] ufshcd-qcom 1d84000.ufshc: ufshcd_abort: Device abort task at tag 3'
	echo '[    9.100000] I/O error, dev sda, sector 8'
} >"$work/log"
"$bin/flashscope" kernel-log --json "$work/log" >"$work/json"
expect '.incidents | length == 1' '$i.count == 2 and $i.device == "sda"'
sed -i 1d "$work/log"
"$bin/flashscope" kernel-log --json "$work/log" >"$work/json"
expect '.incidents | length == 2'

log 54 dmesg.txt
expect '.incidents | length == 1' '$i.cause == "link" and $i.severity == "critical"' '$i.count == 7' \
	'$i.causes == {"link": 3, "io": 3, "file_system": 1}' '$i.device == "mmcblk0"' \
	'$i.sectors == [26457304, 26457312, 26457320]' \
	'$i.byte_first == 13546139648 and $i.byte_last == 13546147840' \
	'$i.names == ["mmcblk0", "mmcblk0p3"]' '.lines.all == 12'
taken 305.092376 link warning mmcblk0
taken 305.129458 link error mmcblk0
taken 305.153172 file_system critical mmcblk0p3
taken 305.098242 - - -

log 55 kern.log
expect '.incidents | length == 1' '$i.cause == "link" and $i.severity == "critical"' '$i.count == 4' \
	'$i.causes.media == null' '$i.first_us == 40991192 and $i.last_us == 44076587' \
	'$i.text == "device removed"' '$i.device == "nvme0n1"' '$i.byte_first == 256060424192'
taken 40.991192 link error nvme0
taken 43.992405 io error nvme0n1
taken 44.064491 gone critical nvme0
taken 44.076587 io error nvme0n1
taken 8.010201 - - -
taken 8.020289 benign - nvme0
taken 8.029488 - - -
grep -q 'block 62514752 byte 256060424192 |' "$work/lines" || fail "55: the block is no place"
grep -q ' ENODEV | ' "$work/lines" || fail "55: no ENODEV"

log 56 dmesg.txt
expect '.incidents | length == 1' '$i.device == "1d84000.ufs" and $i.names == ["1d84000.ufs"]' \
	'$i.severity == "critical" and $i.cause == "link" and $i.count == 3' '$i.sectors == []'
taken 132.678296 link error 1d84000.ufs
taken 132.678298 link critical 1d84000.ufs
taken 132.687661 link error 1d84000.ufs
taken 132.687669 detail - 1d84000.ufs
[ "$(awk '$4 == "ufs-registers"' "$work/lines" | wc -l)" = 3 ] || fail "56: registers"

# The same log in other forms is the same incident; a log that ends in the middle of a line as well.
input=$(echo 54-*/input/dmesg.txt)
same()
{
	"$bin/flashscope" kernel-log --json "$@" | jq -c '.incidents[0] | [.count, .causes, .sectors]'
}
expected=$(same "$input")
for form in 's/^/<3>/' 's/^/May 21 18:07:14 host kernel: /' 's/\]/][  T123]/' 's/$/\r/' \
	's/^\[ *\([0-9]*\)\.\([0-9]*\)\] /3,17,\1\2,-;/' 's/^/kern  :err   : /' 's/^\[[^]]*\] //'; do
	sed "$form" "$input" >"$work/log"
	[ "$(same "$work/log")" = "$expected" ] || fail "$form: $(same "$work/log")"
done
[ "$(same - <"$input")" = "$expected" ] || fail "standard input"
[ "$(same <"$input")" = "$expected" ] || fail "standard input without an argument"
printf %s "$(cat "$input")" >"$work/log"
[ "$(same "$work/log")" = "$expected" ] || fail "without a newline at the end"

# Wall times are kept where there are no stamps: they are shown, and part what lies minutes apart.
file=wall
{
	echo '[Mon May 21 18:07:20 2018] I/O error, dev sda, sector 8'
	echo '[Mon May 21 18:07:22 2018] I/O error, dev sda, sector 16'
	echo '[Mon May 21 18:57:22 2018] I/O error, dev sda, sector 16'
} >"$work/log"
"$bin/flashscope" kernel-log --json "$work/log" >"$work/json"
expect '.incidents | length == 2' '$i.first_wall == "2018-05-21T18:07:20" and $i.first_us == null' \
	'$i.last_wall == "2018-05-21T18:07:22" and $i.count == 2'
"$bin/flashscope" kernel-log "$work/log" | grep -q '^2018-05-21T18:57:22 .* sda ' || fail "no wall time in the table"
sed 's/.*\(..:..:..\) 2018\] /2018-05-21T\1,250000+02:00 /' "$work/log" >"$work/iso"
"$bin/flashscope" kernel-log --json "$work/iso" >"$work/json"
expect '.incidents | length == 2' '$i.first_wall == "2018-05-21T16:07:20.250Z"'
sed 's/.*\(..:..:..\) 2018\] /May 21 \1 host kernel: [    7.5] /' "$work/log" >"$work/both"
"$bin/flashscope" kernel-log --json "$work/both" >"$work/json"
expect '$i.first_wall == "05-21T18:07:20" and $i.first_us == 7500000'
"$bin/flashscope" kernel-log "$work/both" | grep -q 'WALL TIME' || fail "one of two clocks is not shown"

# A syslog writes one line for messages that are alike: they count, and the last came about then.
file=repeated
{
	echo 'May 21 18:07:14 host kernel: [  100.000000] I/O error, dev sda, sector 8'
	echo 'May 21 18:07:20 host kernel: message repeated 5 times: [ [  100.000000] I/O error, dev sda, sector 8]'
	echo 'May 21 18:07:21 host kernel: [  107.000000] usb 1-1: a'
} >"$work/log"
"$bin/flashscope" kernel-log --json "$work/log" >"$work/json"
expect '.incidents | length == 1' '$i.count == 6 and $i.at_least == false' '.counts[0].findings == 6' \
	'$i.first_us == 100000000 and $i.last_us == 106000000' '$i.last_wall == "05-21T18:07:20"' '.boots == 1' \
	'.lines.all == 3 and .lines.known == 2'
"$bin/flashscope" kernel-log --all "$work/log" | grep -q 'byte 4096 5 times | I/O error' || fail "repeats: --all"
# Of the last one it is told at an hour's end, and whose it was is not said.
{
	echo 'May 21 18:07:14 host kernel: I/O error, dev sda, sector 8'
	echo 'May 21 18:07:44 host last message repeated 5 times'
	echo 'May 21 19:07:44 host last message repeated 7 times'
	echo 'May 21 19:08:44 host smartd[1]: a'
	echo 'May 21 19:09:44 host last message repeated 9 times'
} >"$work/log"
"$bin/flashscope" kernel-log --json "$work/log" >"$work/json"
expect '.incidents | length == 1' '$i.count == 13 and $i.causes == {"io": 13}' '$i.last_wall == "05-21T19:07:44"' \
	'.lines.kernel == 3'
# A log that begins with it; the stamp that is quoted is older than the line, and sets no clock.
{
	echo 'May 21 18:07:20 host kernel: message repeated 5 times: [ [  100.000000] I/O error, dev sda, sector 8]'
	echo 'May 21 18:07:21 host kernel: [  107.000000] I/O error, dev sda, sector 8'
	echo 'May 21 18:07:23 host kernel: message repeated 2 times: [ [  107.000000] I/O error, dev sda, sector 8]'
} >"$work/log"
"$bin/flashscope" kernel-log --json "$work/log" >"$work/json"
expect '.incidents | length == 1' '$i.count == 8 and $i.first_us == 100000000 and $i.last_us == 109000000'

# Several boots in one log: an incident ends with its boot.
file=boots
for _ in 1 2 3; do
	echo '[    0.000000] Linux version 6.1'
	echo '[    2.000000] I/O error, dev sda, sector 8'
done >"$work/log"
"$bin/flashscope" kernel-log --json "$work/log" >"$work/json"
expect '.boots == 3 and ([.incidents[] | [.boot, .count]] == [[1,1],[2,1],[3,1]])'
"$bin/flashscope" kernel-log "$work/log" >"$work/said"
grep -q '^BOOT ' "$work/said" || fail "no column of the boots"
grep -q 'boots: 3' "$work/said" || fail "no number of boots"
sed 's/^[^]]*\] /May 21 18:07:14 host kernel: /; 3s/.*/-- Boot 0123456789abcdef0123456789abcdef --/' "$work/log" >"$work/journal"
"$bin/flashscope" kernel-log --json "$work/journal" >"$work/json"
expect '.boots == 2 and ([.incidents[].count] == [1,2])'

# Entries of the journal, and what gzip has made of a log, also from a pipe and several of them.
file=json
jq -R -c 'capture("^\\[ *(?<s>[0-9]+)\\.(?<us>[0-9]+)\\] (?<text>.*)") | {_BOOT_ID: "a", _TRANSPORT: "kernel",
	PRIORITY: "3", __REALTIME_TIMESTAMP: "1796148434000000", _SOURCE_MONOTONIC_TIMESTAMP: (.s + .us), MESSAGE: .text}' \
	"$input" >"$work/log"
[ "$(same "$work/log")" = "$expected" ] || fail "entries of the journal: $(same "$work/log")"
sed 's/"kernel"/"syslog"/' "$work/log" >"$work/other"
[ "$("$bin/flashscope" kernel-log --json "$work/other" 2>/dev/null | jq -c '[.incidents, .lines.kernel]')" = '[[],0]' ] ||
	fail "an entry of a process speaks for the kernel"
{
	cat "$work/log"
	sed 's/"_BOOT_ID":"a"/"_BOOT_ID":"b"/' "$work/log"
} >"$work/two"
"$bin/flashscope" kernel-log --json "$work/two" >"$work/json"
expect '.boots == 2 and (.incidents | length == 2)' '$i.first_wall == "2026-12-01T18:07:14Z"'
echo '{"MESSAGE":null,"_TRANSPORT":"kernel"}{{{' >>"$work/log"
[ "$(same "$work/log")" = "$expected" ] || fail "a bad entry behind good ones"
file=broken
printf '{"MESSAGE":"I/O er' >>"$work/log"
"$bin/flashscope" kernel-log --json "$work/log" >"$work/json"
expect '.lines == {all: 13, kernel: 12, unmarked: 0, broken: 1, known: 7, suppressed: 0}'
"$bin/flashscope" kernel-log "$work/log" | grep -q ', 1 that are no JSON,' || fail "a line that is no JSON is not told"
gzip -c "$input" >"$work/log.gz"
if [ "$(same "$work/log.gz" 2>"$work/said")" = "$expected" ]; then
	[ "$(same - <"$work/log.gz")" = "$expected" ] || fail "gzip from standard input"
	cat "$work/log.gz" "$work/log.gz" >"$work/twice.gz"
	file=gzip
	"$bin/flashscope" kernel-log --json "$work/twice.gz" >"$work/json"
	expect '.lines.all == 24'
	# Half of one is told as far as it goes, and is no whole log.
	head -c 250 "$work/log.gz" >"$work/cut.gz"
	status=0
	"$bin/flashscope" kernel-log --json "$work/cut.gz" >"$work/json" 2>"$work/said" || status=$?
	[ $status = 1 ] || fail "half of a gzip file is a whole log: $status"
	file=half
	expect '.incidents | length == 1' '$i.device == "mmcblk0" and $i.count < 7' '.lines.all < 12'
	grep -q "damaged or cut off behind [1-9][0-9]* bytes of text" "$work/said" || fail "$(cat "$work/said")"
	head -c 12 "$work/log.gz" >"$work/cut.gz"
	"$bin/flashscope" kernel-log "$work/cut.gz" >"$work/said" 2>&1 && fail "the head of a gzip file is a log"
	grep -q 'gzip, and damaged or cut off$' "$work/said" || fail "$(cat "$work/said")"
else
	grep -q 'zcat FILE' "$work/said" || fail "gzip, without zlib: $(cat "$work/said")"
fi

# What cannot be read says what to do.
while read -r bytes words; do
	printf "$bytes" >"$work/log"
	status=0
	"$bin/flashscope" kernel-log "$work/log" >/dev/null 2>"$work/said" || status=$?
	[ $status = 1 ] || fail "$bytes: status $status"
	grep -q "$words" "$work/said" || fail "$bytes: $(cat "$work/said")"
done <<'END'
\050\265\057\375abcdefghijkl zstdcat FILE
\3757zXZ\0abcdefghijk xzcat FILE
LPKSHHRHabcdefghijk journalctl --file
\377\376a\0b\0c\0d\0e\0f\0g\0 iconv
{\n"MESSAGE":"a",\n"b":1} journalctl -k -o json
END
# What is no log, or no text, is told, and nobody's lines are not the kernel's; a blank in front tells nothing.
strange()
{
	"$bin/flashscope" kernel-log "$1" >"$work/out" 2>"$work/said" || fail "$1: status $?"
	grep -q "$2" "$work/said" || fail "$1: no incidents in what is no log, in silence: $(cat "$work/said")"
	grep -q ', 0 of the kernel,' "$work/out" || fail "$1: $(cat "$work/out")"
}
seq 1 50 >"$work/log"
strange "$work/log" 'of 50 lines 0 have in front'
sed 's/^/   /; s/$/ 2025-06-24/; 3s/.*/2025-06-24 14:36:25 startup archives unpack/' "$work/log" >"$work/blanks"
strange "$work/blanks" 'of 50 lines 0 have in front'
for i in $(seq 200); do
	printf '\001\002ELF%d\0\0\0\0\n' "$i"
done >"$work/binary"
strange "$work/binary" 'is no text'
"$bin/flashscope" kernel-log "$bin/flashscope" 2>&1 >/dev/null | grep -q 'is no text' || fail "a program is a log, or text"
"$bin/flashscope" kernel-log "$input" 2>&1 | grep -q 'looks like\|no text' && fail "a log is called strange"
"$bin/flashscope" kernel-log "$work" 2>&1 | grep -q -e '--root' || fail "a folder: no word of --root"

# Lines of a process in syslog are not the kernel's.
sed 's/^/May 21 18:07:14 host prog[1]: /' "$input" >"$work/log"
[ "$("$bin/flashscope" kernel-log --json "$work/log" | jq -c '[.incidents, .lines.kernel]')" = '[[],0]' ] ||
	fail "a process speaks for the kernel"

# Long logs are read piece by piece, and lines that were suppressed make a count a lower bound.
{
	awk 'BEGIN { for (i = 1; i <= 20000; i++)
		printf "[  100.%06d] I/O error, dev sda, sector %d op 0x0:(READ)\n", i, i * 8 }'
	echo "[  101.000000] blk_print_req_error: 9 callbacks suppressed"
} >"$work/log"
file=long
"$bin/flashscope" kernel-log --json "$work/log" >"$work/json"
expect '.incidents | length == 1' '$i.count == 20000 and $i.at_least' '.lines.suppressed == 9' \
	'$i.sector_first == 8 and $i.sector_last == 160000 and ($i.sectors | length) == 8'
"$bin/flashscope" kernel-log "$work/log" | grep -q '>=20000 sda' || fail "no lower bound in the table"

# How many bytes a block of an NVMe drive has, a log does not tell: the number of the block is all there is.
file=nvme
for lba in 6251475 6251400 6251480; do
	echo "[  100.000005] nvme0n1: Read(0x2) @ LBA $lba, 8 blocks, Unrecovered Read Error (sct 0x2 / sc 0x81) DNR"
done >"$work/log"
"$bin/flashscope" kernel-log --json "$work/log" >"$work/json"
expect '.incidents | length == 1' '$i.block_first == 6251400 and $i.block_last == 6251480' \
	'$i.sectors == [] and $i.byte_first == null'
"$bin/flashscope" kernel-log "$work/log" | grep -q ' block 6251400..6251480 *medium error' || fail "no block in the table"
echo '[  100.100000] blk_update_request: critical medium error, dev nvme0n1, sector 50011200 op 0x0:(READ)' >>"$work/log"
"$bin/flashscope" kernel-log "$work/log" | grep -q ' 50011200 *25605734400 ' || fail "a block in place of the sector"
"$bin/flashscope" kernel-log --json "$input" >"$work/json"
expect '$i.block_first == null'

# Of many incidents the newest are kept, in their order.
awk 'BEGIN { for (i = 1; i <= 10000; i++)
	printf "[%5d.000000] I/O error, dev sda, sector %d\n", i * 1000, i }' >"$work/log"
file=many
"$bin/flashscope" kernel-log --json "$work/log" >"$work/json"
expect '.older_incidents == 5904 and [.incidents[].sectors[0]] == [range(5905; 10001)]' '.lines.known == 10000'

# With the machine's tree, names of one device are one; its own log is dev/kmsg.
cp -r ../fixtures/iq9075/root "$work/tree"
mkdir -p "$work/tree/dev"
{
	printf '3,100,1000000,-;I/O error, dev sda, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2\n'
	printf '3,101,1000001,-;I/O error, dev sdd, sector 16 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2\n'
	printf '3,102,1000002,-;ufshcd-qcom 1d84000.ufs: ufshcd_abort: Device abort task at tag 3\n'
} >"$work/tree/dev/kmsg"
file=tree
"$bin/flashscope" kernel-log --json --root "$work/tree" >"$work/json" || fail "a tree: status $?"
expect '.incidents | length == 1' '$i.device == "1d84000.ufs" and $i.count >= 2'
"$bin/flashscope" kernel-log --json --root "$work/tree" - <"$work/tree/dev/kmsg" >"$work/json"
expect '.incidents | length == 1'
"$bin/flashscope" kernel-log --json "$work/tree/dev/kmsg" >"$work/json"
expect '.incidents | length > 1'
# A USB disk that drops out is gone, for a log alone and with the tree.
file=usb
{
	echo '[    1.000000] usb 1-1: new high-speed USB device number 2 using xhci_hcd'
	echo '[    1.100000] scsi host1: usb-storage 1-1:1.0'
	echo '[    1.200000] sd 1:0:0:0: [sdf] Attached SCSI removable disk'
	echo '[    9.000000] usb 1-1: USB disconnect, device number 2'
	echo '[    9.200000] I/O error, dev sdf, sector 8'
	echo '[    9.300000] EXT4-fs error (device sdf1): ext4_journal_check_start:84: Detected aborted journal'
} >"$work/log"
for root in '' "--root $work/tree"; do
	# shellcheck disable=SC2086
	"$bin/flashscope" kernel-log --json $root "$work/log" >"$work/json"
	expect '.incidents | length == 1' '$i.cause == "gone" and $i.count == 3 and $i.device == "sdf"' \
		'$i.first_us == 9000000 and ($i.names | contains(["1-1", "sdf", "sdf1"]))'
done
"$bin/flashscope" kernel-log "$work/tree/dev/kmsg" 2>&1 >/dev/null | grep -q -e "--root $work/tree" ||
	fail "the log of a tree: no word of --root"
for wrong in "--root $work/none" "--root $work/log" "--root $work"; do
	# shellcheck disable=SC2086
	! "$bin/flashscope" kernel-log $wrong 2>/dev/null || fail "$wrong: no error"
done
status=0
"$bin/flashscope" kernel-log --root / 2>/dev/null || status=$?
[ $status = 2 ] || fail "--root / without a log: status $status"

# A device has no end: what is there now is all.
if [ -r /dev/kmsg ]; then
	timeout 20 "$bin/flashscope" kernel-log /dev/kmsg >/dev/null 2>&1 || fail "/dev/kmsg: status $?"
fi

# What is no log has no incident; what cannot be read is an error.
# The first byte would tell JSON or a compressed file, now and then.
{ printf '\001' && head -c 300000 /dev/urandom; } >"$work/log"
"$bin/flashscope" kernel-log "$work/log" >/dev/null || fail "random bytes"
: >"$work/log"
[ "$("$bin/flashscope" kernel-log "$work/log")" = "lines: 0, 0 of the kernel, 0 known; incidents: 0" ] ||
	fail "an empty log"
"$bin/flashscope" kernel-log "$work/log" 2>&1 >/dev/null | grep -q 'no line in it' || fail "an empty log, in silence"
status=0
"$bin/flashscope" kernel-log "$work/none" 2>/dev/null || status=$?
[ $status = 1 ] || fail "a file that is not there: status $status"
status=0
"$bin/flashscope" kernel-log "$work" 2>/dev/null || status=$?
[ $status = 1 ] || fail "a directory: status $status"
for wrong in '--all --json -' '-x' 'a b'; do
	status=0
	# shellcheck disable=SC2086
	"$bin/flashscope" kernel-log $wrong </dev/null 2>/dev/null || status=$?
	[ $status = 2 ] || fail "$wrong: status $status"
done
# A text may not command the terminal.
printf '[    1.000000] EXT4-fs error (device sda1): \033]0;x\007\302\233a\n' >"$work/log"
"$bin/flashscope" kernel-log --all "$work/log" | LC_ALL=C grep -q "$(printf '[\033\007]')" &&
	fail "a control character"
echo "$n_checks checks"
