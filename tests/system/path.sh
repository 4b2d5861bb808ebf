#!/bin/bash
# flashscope path on the recorded boards, the field cases and the dumps: what is drawn is the file
# expected.path of each board, and what is asked of it is answered. UPDATE=1 accepts the drawings.
# label: slow nosan
set -u
command -v jq >/dev/null || { echo "skipped: jq is not installed"; exit 77; }
build=$(cd "$1" && pwd)
tests=$(cd "$(dirname "$0")/.." && pwd)
flashscope=$build/bin/flashscope
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
	echo "$1"
	failed=1
}

# Drawings of whole machines.
for root in "$tests"/fixtures/*/root; do
	dir=${root%/root}
	tree=${dir##*/}
	"$flashscope" path --root "$root" >"$work/out" 2>"$work/err"
	status=$?
	[ "$tree" = hostile-missing ] || [ $status = 0 ] || fail "$tree: status $status: $(cat "$work/err")"
	sed 's/ *$//' "$work/out" >"$work/drawn"
	if [ "${UPDATE:-}" = 1 ]; then
		cp "$work/drawn" "$dir/expected.path"
	elif ! diff -u "$dir/expected.path" "$work/drawn" >"$work/diff"; then
		fail "$tree: not as expected:"
		cut -c1-300 "$work/diff" | head -40
	fi
	! grep -n '[[:cntrl:]]' "$work/drawn" || fail "$tree: control characters"
done

# layers TREE OF WANTED: the layers of the one path of OF, as "name name name".
layers()
{
	local got

	got=$("$flashscope" path --json --root "$1" "$2" | jq -r '[.paths[] |
		[.layers[] | "\(.name)\(if .shared then "*" else "" end)"] | join(" ")] | join("; ")')
	[ "$got" = "$3" ] || fail "$1 $2: $got, not $3"
}

# expect TREE OF JQ-EXPRESSION...
expect()
{
	local tree=$1 of=$2 expression
	shift 2
	"$flashscope" path --json --root "$tree" ${of:+"$of"} >"$work/json" || fail "$tree $of: status $?"
	for expression in "$@"; do
		jq -e "def layer(\$n): .paths[0].layers[] | select(.name == \$n); $expression" \
			"$work/json" >"$work/said" || fail "$tree $of: not so: $expression"
	done
}

boards=$tests/fixtures
layers "$boards/iq9075/root" / '/ sda2 sda 1d84000.ufs'
layers "$boards/iq9075/root" /var/tmp/fio.0 '/ sda2 sda 1d84000.ufs'
expect "$boards/iq9075/root" / 'layer("/").facts.fs_type.value == "ext4"' \
	'layer("sda").facts.model.value == "MT128GBCAV2U31AI"' \
	'layer("sda").missing.specification.why | test("query")'
layers "$boards/sm8850/root" /data '/data dm-47 sda12 sda 1d84000.ufshc'
layers "$boards/sm8850/root" /data/app/x/base.apk '/data dm-47 sda12 sda 1d84000.ufshc'
layers "$boards/sm8850/root" /data/user/0/y '/data/user/0 dm-47 sda12 sda 1d84000.ufshc'
layers "$boards/sm8850/root" /vendor/lib64 '/vendor dm-9 dm-3 sda8 sda 1d84000.ufshc'
layers "$boards/sm8850/root" sda12 '/data dm-47 sda12 sda 1d84000.ufshc'
layers "$boards/sm8850/root" userdata '/data dm-47 sda12 sda 1d84000.ufshc'
layers "$boards/sm8850/root" /dev/block/dm-4 '/vendor_dlkm dm-4 sda8 sda 1d84000.ufshc'
expect "$boards/sm8850/root" /data 'layer("/data").facts.inline_encryption.value == "asked for"' \
	'.paths[0].mounts | map(.mount_point) == ["/data", "/data/user/0", "/mnt/pass_through/0/emulated"]' \
	'layer("dm-47").missing.target.why | test("dmsetup table userdata")' \
	'layer("dm-47").facts.likely_target.value == "default-key"' \
	'layer("dm-47").facts | has("target") | not'
expect "$boards/sm8850/root" sda8 '[.paths[].layers[0].name] ==
	["/", "/vendor", "/system_ext", "/product", "/vendor_dlkm", "/odm"]'
# The link as it is now, and what encrypts.
expect "$boards/sm8850/root" /data 'layer("sda").facts | .inline_encryption.value == "AES-256-XTS 4096"
		and .key_slots.value == 32 and .queues.value == 9' \
	'layer("1d84000.ufshc").facts | .gear.value == "HS_GEAR2" and .lanes.value == 2 and
		.rate.value == "HS_RATE_B" and .link_state.value == "HIBERN8" and
		.clock_scaling.value == 1 and .clock.value == 100000000'
expect "$boards/iq9075/root" / 'layer("1d84000.ufs").facts | .gear.value == "HS_GEAR1" and
		.clock_scaling.value == 1 and .clock.value == 75000000 and .clock.unit == "hertz"' \
	'layer("sda").missing.inline_encryption.why != null' \
	'layer("sda").facts | .scheduler.value == "mq-deadline" and .queue_depth.value == 31'
expect "$boards/imx8mp/root" / 'layer("mmc2").facts | .bus_mode.value == "mmc HS400 enhanced strobe" and
	.bus_rate.value == 400000000 and .bus_rate.unit == "bytes_per_second"'
expect "$boards/imx8mp/root" /run/media/mmcblk1p1 'layer("mmc1").missing.bus_mode.why | test("suspended")'
expect "$boards/imx8mp/root" /mnt/nvme 'layer("nvme0").facts.state.value == "live"' \
	'layer("0000:01:00.0").facts | .link_speed.value == 8000 and .lanes.value == 1'
expect "$boards/androidtv/root" /data 'layer("emmc").missing.bus_mode.why | test("probe mmc_host")'
layers "$boards/imx8mp/root" / '/ mmcblk2p2 mmcblk2 mmc2'
layers "$boards/imx8mp/root" /var/log/messages '/var/log mmcblk2p3 mmcblk2 mmc2'
layers "$boards/imx8mp/root" /mnt/nvme '/mnt/nvme nvme0n1p1 nvme0n1 nvme0 0000:01:00.0'
expect "$boards/imx8mp/root" / 'layer("mmcblk2").facts.specification.value == "eMMC 5.1"'
layers "$boards/androidtv/root" /data '/data mmcblk0p42 mmcblk0 emmc'
expect "$boards/androidtv/root" / '.paths[0].layers | map(.kind) ==
	["file_system", "dm", "partition", "disk", "controller"]'
layers "$boards/x86/root" / '/ dm-1 dm-0 nvme0n1p3 nvme0n1 nvme0 0000:01:00.0'
layers "$boards/x86/root" /boot/efi/EFI '/boot/efi nvme0n1p1 nvme0n1 nvme0 0000:01:00.0'
layers "$boards/x86/root" /srv/backup/x '/srv/backup sda1 sda ata1 0000:00:17.0'
layers "$boards/x86/root" dm-2 'dm-2 dm-0 nvme0n1p3 nvme0n1 nvme0 0000:01:00.0'
expect "$boards/x86/root" / 'layer("dm-1").facts.target.value == "lvm"' \
	'layer("dm-0").facts | .target.value == "crypt" and .format.value == "LUKS2"'
expect "$boards/x86/root" '' '.without_disk | map(.mount_point) | index("/mnt/nas") != null'
layers "$boards/hostile/root" /ring '/ring dm-0 dm-1 dm-0*'
expect "$boards/hostile/root" /deep '.paths[0].layers | length == 24 and
	(last | .missing.on.why | test("too many"))'

# Field cases: blanks in mount points, escaped and not; a source that is a dash; btrfs, whose device
# has no number.
cases=$tests/cases
for of in $("$flashscope" path --json --root "$cases"/45-*/input | jq -r '.paths[].layers[0].name'); do
	expect "$cases"/45-*/input "$of/some/file" ".paths[0].layers[0].name == \"$of\""
done
for tree in "$cases"/4[345]-*/input; do
	"$flashscope" path --root "$tree" >"$work/out" || fail "$tree: status $?"
	"$flashscope" path --json --root "$tree" | jq -e '.truncated | not' >"$work/said" ||
		fail "$tree: truncated"
done

# Errors.
for of in sdq /dev/sdq nothing $'\e[2J'; do
	"$flashscope" path --root "$boards/x86/root" "$of" >"$work/out" 2>"$work/err"
	[ $? = 1 ] || fail "$of: status"
	[ ! -s "$work/out" ] || fail "$of: something on stdout"
	grep -q 'mounts of disks: / .*disks: nvme0n1 sda' "$work/err" || fail "$of: $(cat "$work/err")"
	! grep -n '[[:cntrl:]]' "$work/err" || fail "control characters"
done
"$flashscope" path --root "$boards/hostile-missing/root" 2>"$work/err" && fail "nothing: status 0"
grep -q 'no mounts and no block devices' "$work/err" || fail "$(cat "$work/err")"
"$flashscope" path '' 2>"$work/err"
[ $? = 2 ] || fail 'an empty name is not a wrong usage'
for args in '--db x --root /' '--socket x --url y' 'a b' '--nothing'; do
	# shellcheck disable=SC2086
	"$flashscope" path $args >"$work/out" 2>"$work/err"
	[ $? = 2 ] || fail "$args: not a wrong usage"
done

# A file of a recorded tree can not be looked for.
"$flashscope" path --root "$boards/sm8850/root" /data/nosuch | head -1 |
	grep -qx '/data/nosuch: not looked for, taken to lie in /data' || fail 'not said: taken to lie in'
expect "$boards/sm8850/root" /data/nosuch '.taken_from == "/data"'
expect "$boards/sm8850/root" /data/ '.taken_from == null'

# The real machine, and files by their true places.
for of in /nosuch/file ./nosuch/file "$work/out/x"; do
	"$flashscope" path "$of" >"$work/said" 2>"$work/err"
	[ $? = 1 ] || fail "$of: not a failure"
	[ ! -s "$work/said" ] || fail "$of: something on stdout"
done
"$flashscope" path /nosuch/file 2>&1 | grep -qx 'flashscope path: /nosuch/file: No such file or directory' ||
	fail 'a file that is not there'
"$flashscope" path >"$work/out" || fail "this machine: status $?"
ln -s /proc/self/mountinfo "$work/link"
"$flashscope" path --json "$work/link" | jq -e '.paths[0].layers[0] | .name == "/proc" and
	.missing.on != null' >"$work/said" || fail "a link to /proc"
"$flashscope" path --json "$0" | jq -e '.taken_from == null' >"$work/said" || fail "a file that is there"
exit $failed
