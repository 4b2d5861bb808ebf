#!/bin/bash
# Samples the dumps of real kernels in tests/dumps: what the files say is what comes out, no value is
# flagged and nothing fails that the kernel answered, and what is found stands in tests/dumps/expected.
# UPDATE=1 accepts the latter.
# timeout: 300
# label: slow nosan
set -u
command -v jq >/dev/null || { echo "skipped: jq is not installed"; exit 77; }
flashscope=$1/bin/flashscope
dumps=$(cd "$(dirname "$0")/../dumps" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
failed=0

fail()
{
	echo "$name: $1"
	failed=1
}

# The lines of diskstats as the rows of the collector, in its order.
disks_of()
{
	awk 'BEGIN {
		split("reads reads_merged read_sectors read_time writes writes_merged write_sectors " \
			"write_time in_flight io_time weighted_io_time discards discards_merged " \
			"discard_sectors discard_time flushes flush_time", names, " ")
	}
	{
		printf "{\"node\":\"%s\",\"fields\":{", $3
		for (i = 4; i <= NF; i++)
			printf("%s\"%s\":%s", (i > 4) ? "," : "", names[i - 3], $i)
		print "}}"
	}' "$1/proc/diskstats"
}

# One line "group node field value" for a file with a number or one of the field's words; none when
# it is not there or refuses to be read.
ufs_line()
{
	local text=""
	read -r text 2>/dev/null <"$4" || return 0
	case $text in
	"") return ;;
	*[!0-9a-fx]*) text=${state_of[$1.$3 $text]-} ;;
	*) text=$((text)) ;;
	esac
	echo "$1 $2 $3 $text"
}

# All that is known of the logical units below a SCSI host.
ufs_units()
{
	local unit name field
	for unit in "$1"/target*/*:*; do
		for name in "$unit"/block/*; do
			name=${name##*/}
		done
		case ${unit##*:} in
		49456) name=$2:boot ;;
		49476) name=$2:rpmb ;;
		49488) name=$2:device ;;
		esac
		for field in iorequest_cnt iodone_cnt ioerr_cnt iotmo_cnt queue_depth state; do
			ufs_line ufs_lu "$name" $field "$unit/$field"
		done
	done
}

# What the files below a UFS host say, as the collectors have to show it.
ufs_of()
{
	local dir=$1 name=${1##*/} scsi unit field
	for scsi in "$dir"/host*; do :; done
	for field in gear mode rate link_state dev_pm; do
		ufs_line ufs "$name" $field "$dir/power_info/$field"
	done
	ufs_line ufs "$name" lanes "$dir/power_info/lane"
	for field in runtime_status runtime_active_time runtime_suspended_time; do
		for unit in "$scsi"/target*/*:49488; do
			ufs_line ufs "$name" $field "$unit/power/$field"
		done
	done
	ufs_line ufs "$name" host_state "$scsi/scsi_host/${scsi##*/}/state"
	ufs_line ufs "$name" wb_on "$dir/wb_on"
	ufs_line ufs "$name" critical_health "$dir/critical_health"
	ufs_line ufs "$name" device_lvl_exceptions "$dir/device_lvl_exception_count"
	for field in can_queue cmd_per_lun nr_hw_queues; do
		ufs_line ufs_host "$name" $field "$scsi/scsi_host/${scsi##*/}/$field"
	done
	for field in auto_hibern8 rpm_lvl spm_lvl clkgate_enable clkscale_enable enable_wb_buf_flush \
		wb_flush_threshold; do
		ufs_line ufs_host "$name" $field "$dir/$field"
	done
	ufs_line ufs_host "$name" clock_scaling "$dir/capabilities/clock_scaling"
	ufs_line ufs_host "$name" write_booster "$dir/capabilities/write_booster"
	ufs_line ufs_host "$name" rtc_update "$dir/rtc_update_ms"
	ufs_units "$scsi" "$name"
	ufs_line ufs_monitor "$name" monitor_enable "$dir/monitor/monitor_enable"
	grep -qx 1 "$dir/monitor/monitor_enable" || return 0
	ufs_line ufs_monitor "$name" monitor_chunk_size "$dir/monitor/monitor_chunk_size"
	for field in nr_requests total_sectors total_busy req_latency_sum req_latency_min \
		req_latency_max; do
		ufs_line ufs_monitor "$name" read_$field "$dir/monitor/read_$field"
		ufs_line ufs_monitor "$name" write_$field "$dir/monitor/write_$field"
	done
}

# asked GROUP NODE FIELD FILE FACTOR: a number that the device gave, and that is not absent for 0
asked()
{
	[ -s "$4" ] && echo "$1 $2 $3 $(($(cat "$4") * ${5:-1}))"
}

# What the device answered to queries, of a host below DIR. QEMU's say 0x00 for their wear.
ufs_asked()
{
	local dir=$1 name=$2 flag segment unit wb='' boost=''
	[ -d "$dir/health_descriptor" ] || return 0
	grep -qv 0x00 "$dir"/health_descriptor/* && fail "a QEMU that is worn"
	segment=$(($(cat "$dir/geometry_descriptor/segment_size") * 512))
	unit=$((segment * $(cat "$dir/geometry_descriptor/allocation_unit_size")))
	[ $(($(cat "$dir/device_descriptor/ext_feature_sup") & 0x100)) = 0 ] || boost=1
	asked ufs_health "$name" bkops_status "$dir/attributes/bkops_status"
	asked ufs_health "$name" exception_event_status "$dir/attributes/exception_event_status"
	asked ufs_identity "$name" queue_depth "$dir/device_descriptor/queue_depth"
	asked ufs_identity "$name" number_of_luns "$dir/device_descriptor/number_of_luns"
	asked ufs_identity "$name" segment_size "$dir/geometry_descriptor/segment_size" 512
	asked ufs_identity "$name" raw_device_capacity "$dir/geometry_descriptor/raw_device_capacity" 512
	echo "ufs_identity $name allocation_unit_size $unit"
	[ -z "$boost" ] || wb="wb_enable wb_flush_en wb_flush_during_h8"
	for flag in bkops_enable life_span_mode_enable permanent_wpe power_on_wpe disable_fw_update $wb; do
		echo "ufs_identity $name $flag $(grep -c true "$dir/flags/$flag")"
	done
	[ -n "$boost" ] || return 0
	asked ufs_identity "$name" wb_type "$dir/device_descriptor/wb_type"
	asked ufs_identity "$name" wb_shared_alloc_units "$dir/device_descriptor/wb_shared_alloc_units"
	asked ufs_health "$name" wb_avail_buf "$dir/attributes/wb_avail_buf" 10
	asked ufs_health "$name" wb_cur_buf "$dir/attributes/wb_cur_buf"
	asked ufs_health "$name" wb_cur_buf_size "$dir/attributes/wb_cur_buf" "$unit"
	asked ufs_health "$name" wb_flush_status "$dir/attributes/wb_flush_status"
	asked ufs_health "$name" wb_life_time_est "$dir/attributes/wb_life_time_est"
	asked ufs_health "$name" wb_used_high "$dir/attributes/wb_life_time_est" 10
	echo "ufs_health $name wb_used_low $(($(cat "$dir/attributes/wb_life_time_est") * 10 - 10))"
}

check_ufs()
{
	local hosts
	hosts=$(find "$1/sys/devices" -name rpm_lvl)
	[ "$(wc -w <<<"$hosts")" = 1 ] || fail "not one UFS host: $hosts"
	{
		ufs_of "${hosts%/*}"
		ufs_asked "${hosts%/*}" "$(basename "${hosts%/*}")"
	} | sort >"$work/wanted"
	[ "$(wc -l <"$work/wanted")" -gt 40 ] || fail "ufs: only $(wc -l <"$work/wanted") values"
	jq -r '.[] | select(.group | startswith("ufs")) | . as $row | .fields | to_entries[] |
		"\($row.group) \($row.node) \(.key) \(.value)"' "$work/json" | sort >"$work/got"
	cmp -s "$work/wanted" "$work/got" || fail "ufs: $(diff "$work/wanted" "$work/got" | head -9)"
	# The one kernel among them without the nodes of the link says which has them.
	[ -e "${hosts%/*}/power_info" ] || grep -q "power_info *no_node .*6\.8" "$work/probe" ||
		fail "no word of power_info"
}

# Flags and faults that are no failure: the monitor of this guest counts only 4096 bytes.
is_expected='(.group == "ufs_monitor" and .fields.monitor_chunk_size == 4096 and
	(.flags | length == 12 and all(. == "filtered")) and .faults == {})'

# The values of each disk's queue as files say them, "-" for none: a device that is bio-based
# answers EINVAL for wbt_lat_usec, which is none.
check_queues()
{
	local dir disk file

	for dir in "$1"/sys/block/*; do
		disk=${dir##*/}
		{
			if [ -e "$dir/queue/scheduler" ]; then
				sed 's/.*\[\(.*\)\].*/\1/' "$dir/queue/scheduler"
				tr -d '[]' <"$dir/queue/scheduler" | sed 's/ *$//'
			else
				printf -- '-\n-\n'
			fi
			if [ -e "$dir/mq" ]; then set -- "$dir"/mq/* && echo $#; else echo -; fi
			cat "$dir/$disk"*/partition 2>/dev/null | wc -l
			for file in size ro mq/0/nr_tags queue/{nr_requests,write_cache,wbt_lat_usec} \
				queue/{read_ahead_kb,max_sectors_kb,max_hw_sectors_kb,discard_max_bytes} \
				queue/{rotational,fua,logical_block_size,io_timeout,zoned}; do
				if [ -s "$dir/$file" ]; then cat "$dir/$file"; else echo -; fi
			done
		} >"$work/files"
		jq -r --arg disk "$disk" '.[] | select(.group == "blockqueue" and .node == $disk) |
			(.fields + .info) as $v | ("scheduler schedulers hw_queues partitions size ro " +
			"hw_queue_depth nr_requests write_cache wbt_lat read_ahead max_sectors " +
			"max_hw_sectors discard_max rotational fua logical_block_size io_timeout zoned")
			| split(" ")[] | $v[.] // "-"' "$work/json" >"$work/rows"
		cmp -s "$work/files" "$work/rows" ||
			fail "queue of $disk: $(diff "$work/files" "$work/rows" | head -5)"
	done
}

check_values()
{
	disks_of "$1" | jq -cS . >"$work/wanted"
	jq -cS '.[] | select(.group == "diskstats") | {node, fields}' "$work/json" >"$work/got"
	cmp -s "$work/wanted" "$work/got" || fail "diskstats: $(diff "$work/wanted" "$work/got" | head -5)"
	jq -e "map(.flags == {} and .faults == {} or $is_expected) | all" "$work/json" >/dev/null ||
		fail "flags or faults: $(jq -c 'map(select(.flags != {} or .faults != {}))' "$work/json")"
	jq -r '.[] | select(.group == "thermal") | "\(.node) \(.fields.temp)"' "$work/json" >"$work/zones"
	while read -r zone temp; do
		[ "$(cat "$1/sys/class/thermal/$zone/temp")" = "$temp" ] || fail "$zone: $temp"
	done <"$work/zones"
}

declare -A state_of # "ufs.gear HS_GEAR4": its place in the table
while read -r metric place word; do
	state_of[$metric $word]=$place
done < <("$flashscope" fields --json | jq -r '.[] | .metric as $m | .states // empty | to_entries[] |
	"\($m) \(.key) \(.value)"')
# Each card by what its files say, and the bus by the lines of debugfs.
check_cards()
{
	local dir node host asleep
	for dir in "$1"/sys/block/mmcblk*; do
		node=${dir##*/}
		case $node in *boot[0-9] | *'*') continue ;; esac
		jq -n --arg node "$node" --argjson size "$(cat "$dir/size")" \
			--arg type "$(cat "$dir/device/type")" --arg name "$(cat "$dir/device/name")" \
			--arg cid "$(cat "$dir/device/cid")" --arg serial "$(cat "$dir/device/serial")" \
			--arg ssr "$(cat "$dir/device/ssr" 2>/dev/null)" \
			--arg erase "$(cat "$dir/device/erase_size")" \
			--arg boot "$(cat "$dir/${node}boot0/size" 2>/dev/null)" \
			--arg state "$(cat "$dir/device/power/runtime_status")" '
			["suspended", "suspending", "resuming", "active"] as $states |
			{$node, size: $size, erase_size: ($erase | tonumber), $type, $name, $cid, $serial,
			 $ssr, boot0: $boot, state: ($states | index($state))}' >>"$work/wanted"
		# QEMU's eMMC is of revision 5, so it has no wear, whatever stands in life_time.
		jq --arg node "$node" '.[] | select(.group == "mmc" and .node == $node) |
			select(.fields | (has("life_time_a") or has("pre_eol_info") or has("used_low") or
				has("enhanced_area_offset") or has("init_time")) | not) |
			select(if .info.type == "MMC" then .fields.rev == 5 and .fields.rel_sectors == 1 and
				.fields.cmdq_en == 0 else .fields.erase_size == 512 and
				(.fields | has("uhs_speed_grade") | not) end) |
			{node, size: .fields.size, erase_size: .fields.erase_size, type: .info.type,
			 name: .info.name, cid: .info.cid, serial: .info.serial, ssr: (.info.ssr // ""),
			 boot0: (.fields.boot0_size // "" | tostring), state: .fields.runtime_status}' \
			"$work/json" >>"$work/got"
	done
	for dir in "$1"/sys/kernel/debug/mmc*; do
		host=${dir##*/}
		[ -d "$dir" ] || continue
		# A card that sleeps is not asked.
		asleep=0
		! grep -qsx suspended "$1/sys/class/mmc_host/$host/$host":*/power/runtime_status || asleep=1
		awk -v host="$host" -v asleep="$asleep" '
			$1 == "clock:" { clock = $2 } $1 == "actual" { actual = $3 }
			/^bus width:/ { width = substr($4, 2) } /^timing spec:/ { timing = $3 }
			END { printf "{\"node\":\"%s\",\"clock\":%s,\"rate\":%s,\"timing\":%s,\"n\":15}\n",
				host, asleep ? "null" : clock, asleep ? "null" : sprintf("%.0f", actual * width / 8),
				asleep ? "null" : timing }' "$dir/ios" >>"$work/wanted"
		jq --arg host "$host" '.[] | select(.group == "mmc_host" and .node == $host) |
			{node, clock: .fields.clock, rate: .fields.bus_rate, timing: .fields.timing_spec,
			 n: (.fields | [to_entries[] | select(.key | test("errors$|timeouts$|irqs$")) |
				select(.value == 0)] | length)}' "$work/json" >>"$work/got"
	done
}

same()
{
	jq -cS . "$work/wanted" >"$work/wanted.lines"
	jq -cS . "$work/got" >"$work/got.lines"
	cmp -s "$work/wanted.lines" "$work/got.lines" ||
		fail "$1: $(diff "$work/wanted.lines" "$work/got.lines" | head -5)"
	[ -s "$work/wanted.lines" ] || fail "$1: none"
}

# one LINE of text files, without blanks at the end; nothing when one is missing
values_of()
{
	local file line=
	for file; do
		[ -f "$file" ] || return
		line+="|$(sed 's/ *$//' "$file")"
	done
	echo "$line"
}

# NVMe controllers and namespaces, and the power of PCI functions, as the files have them.
check_nvme()
{
	local dir
	for dir in "$1"/sys/class/nvme/nvme*; do
		echo "${dir##*/}$(values_of "$dir"/{state,model,serial,firmware_rev,queue_count,sqsize})"
	done | sort >"$work/wanted"
	for dir in "$1"/sys/class/block/nvme*n*; do
		if [ -f "$dir/nsid" ] && [ "$(cat "$dir/hidden")" = 0 ]; then
			echo "${dir##*/}$(values_of "$dir"/{nsid,size,wwid})"
		fi
	done >>"$work/wanted"
	for dir in "$1"/sys/devices/pci*/0* "$1"/sys/devices/pci*/0*/0* \
		"$1"/sys/devices/platform/*.pcie/pci*/0*; do
		[ ! -f "$dir/power_state" ] ||
			echo "${dir##*/}$(values_of "$dir"/{power_state,vendor,device})"
	done | sed 's/|0x\([^|]*\)|0x/|\1:/' >>"$work/wanted"
	sort -o "$work/wanted" "$work/wanted"
	jq -r 'def word($words): . as $i | $words / " " | .[$i];
		.[] | if .group == "nvme" then
			[.node, (.fields.state | word("new live")), .info.model, .info.serial,
				.info.firmware, .fields.queue_count, .fields.sqsize]
		elif .group == "nvme_namespace" then [.node, .fields.nsid, .fields.size, .info.wwid]
		elif .group == "pcie" and .fields.power_state != null then
			[.node, (.fields.power_state | word("D0 D1 D2 D3hot D3cold unknown")), .info.ids]
		else empty end | map(tostring) | join("|")' "$work/json" | sort >"$work/got"
	[ "$(grep -c '^nvme' "$work/wanted")" -ge 2 ] || fail "no NVMe"
	cmp -s "$work/wanted" "$work/got" || fail "nvme: $(diff "$work/wanted" "$work/got" | head -5)"
}

# end FUNCTION: speed in MT/s and lanes, now and at most
end()
{
	sed 's/ GT.*//' "$1"/{current,max}_link_{speed,width} 2>/dev/null |
		awk 'NR % 2 { line = line "|" ($1 * 1000) } NR % 2 == 0 { line = line "|" $1 }
			END { print line }'
}

# Links of PCI functions as both ends have them, and AER and ASPM.
check_links()
{
	local dir port
	for dir in "$1"/sys/devices/pci*/0* "$1"/sys/devices/pci*/0*/0*; do
		[ -f "$dir/current_link_width" ] || continue
		port=
		[ ! -f "${dir%/*}/max_link_width" ] || port=$(end "${dir%/*}" | cut -d '|' -f 4,5)
		echo "${dir##*/}$(end "$dir")|$port|$(cat "$dir/link/l0s_aspm" 2>/dev/null)|$(
			sed -n 's/^TOTAL_ERR_COR //p' "$dir/aer_dev_correctable" 2>/dev/null)"
	done | sort >"$work/wanted"
	jq -r '(map(select(.group == "pcie") | {(.node): .fields}) | add) as $f |
		.[] | select(.group == "pcie_link") | .node as $n | .fields |
		[$n, .current_link_speed, .current_link_width, .max_link_speed, .max_link_width,
		 (if .port_max_link_speed then "\(.port_max_link_speed)|\(.port_max_link_width)" else "" end),
		 $f[$n].l0s_aspm, $f[$n].aer_correctable] | map(. // "" | tostring) | join("|")' \
		"$work/json" | sort >"$work/got"
	cmp -s "$work/wanted" "$work/got" || fail "links: $(diff "$work/wanted" "$work/got" | head -5)"
	n_links=$((n_links + $(wc -l <"$work/wanted")))
}

# What ext4 and f2fs say of each file system: a line for each number that a file and a field have.
check_file_systems()
{
	local dir file field
	for dir in "$1"/sys/fs/ext4/* "$1"/sys/fs/f2fs/*; do
		[ -f "$dir/lifetime_write_kbytes" ] || continue
		for file in "$dir"/*_{kbytes,segments,blocks,count,calls,blkaddr,discard,sec} \
			"$dir"/{unusable,avg_vblocks} "$dir"/moved_blocks_* "$dir"/stat/*_discard; do
			[ -f "$file" ] || continue
			field=${file##*/}
			case $field in
			atgc_* | defrag_* | migration_* | min_* | max_* | mb_* | inode_* | gc_remaining* | reclaim_segments | \
				reserved_segments | sb_update_sec | err_report_sec | unusable_blocks_per_sec)
				continue ;;
			esac
			field=${field%_kbytes}
			echo "${dir##*/} ${field%_sec} $(cat "$file")"
		done
	done | sort >"$work/wanted"
	jq -r '.[] | select(.group == "ext4" or .group == "f2fs" or .group == "f2fs_segments") |
		.node as $n | .fields | to_entries[] | "\($n) \(.key) \(.value)"' "$work/json" |
		sort >"$work/got"
	comm -23 "$work/wanted" "$work/got" >"$work/diff"
	[ ! -s "$work/diff" ] || fail "file systems: $(head -5 "$work/diff")"
	n_fs_values=$((n_fs_values + $(wc -l <"$work/wanted")))
}

n_links=0
n_fs_values=0
for archive in "$dumps"/*.tar.gz; do
	name=${archive##*/}
	name=${name%.tar.gz}
	mkdir "$work/$name"
	tar -xzf "$archive" -C "$work/$name" || fail "cannot be unpacked"
	"$flashscope" sample --json --partitions --root "$work/$name" >"$work/json" 2>"$work/err" ||
		fail "sample: $(cat "$work/err")"
	check_values "$work/$name"
	check_nvme "$work/$name"
	check_links "$work/$name"
	check_file_systems "$work/$name"
	: >"$work/wanted"
	: >"$work/got"
	check_cards "$work/$name"
	same cards
	check_queues "$work/$name"
	"$flashscope" probe --all --root "$work/$name" | sed 's/ *$//' >"$work/probe"
	if [ "${UPDATE:-}" = 1 ]; then
		mkdir -p "$dumps/expected"
		cp "$work/probe" "$dumps/expected/$name.probe"
	fi
	check_ufs "$work/$name"
	diff -u "$dumps/expected/$name.probe" "$work/probe" >"$work/diff" || fail "$(head -40 "$work/diff")"
done
name=dumps
[ "$n_links" -ge 2 ] || fail "only $n_links links"
[ "$n_fs_values" -ge 100 ] || fail "only $n_fs_values values of file systems"
exit $failed
