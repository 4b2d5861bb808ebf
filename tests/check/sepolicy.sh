#!/usr/bin/env bash
# The policy for Android compiles, for user and userdebug builds, between a stub of AOSP's names
# (tests/sepolicy); it keeps what it promises (neverallow in the stub); every context is one of it; and
# each label belongs to a file that something here makes or names.
set -eu
cd "$(dirname "$0")/../.."
for tool in checkpolicy m4; do
	command -v "$tool" >/dev/null || {
		echo "skipped: no $tool"
		exit 77
	}
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stub=tests/sepolicy

# compile VARIANT [FILE...]: with further files of rules; makes $work/policy
compile()
{
	local variant=$1

	shift
	m4 -D target_build_variant="$variant" $stub/macros $stub/head sepolicy/*.te "$@" $stub/tail \
		sepolicy/genfs_contexts >"$work/policy.conf"
	checkpolicy -M -c 30 -o "$work/policy" "$work/policy.conf" >"$work/log" 2>&1
}

for variant in user userdebug; do
	compile $variant || {
		cat "$work/log"
		echo "the policy of a $variant build does not compile"
		exit 1
	}
done

# refused RULE: the checks above can fail
refused()
{
	echo "$1" >"$work/more.te"
	! compile user "$work/more.te" || {
		echo "this was accepted: $1"
		exit 1
	}
}

refused 'allow flashscoped no_such_type:file read;'
refused 'allow flashscoped sysfs_flashscope:file write;'
refused 'allow flashscoped self:capability sys_admin;'
refused 'allow flashscope_helper self:capability sys_rawio;'
refused 'allow flashscope_helper device:chr_file open;'

# needs WHAT PATTERN: what a program opens and passes on; a rule that is missing is seen on a phone alone
needs()
{
	local what=$1 pattern=$2

	grep -hv '^#' sepolicy/*.te | tr '\n' ' ' | grep -qE "$pattern" || {
		echo "no rule: $what"
		exit 1
	}
}

needs 'the helper opens the kernel log' 'allow flashscope_helper kernel:system syslog_read;'
needs 'the helper reads pstore' 'r_dir_file\(flashscope_helper, pstorefs\)'
needs 'the daemon reads pstore' 'r_dir_file\(flashscoped, pstorefs\)'
needs "the daemon writes to pstore's ring" 'allow flashscoped pmsg_device:chr_file \{[^}]* open write'
needs 'the daemon reads what the helper has copied' 'allow flashscoped flashscope_helper_tmpfs:file \{[^}]* read'
needs 'the daemon reads why it was booted' 'allow flashscoped \{[^}]* proc_bootconfig +proc_cmdline [^}]*\}:file'

# What collectors read under a label of AOSP's own.
for node in proc_diskstats proc_interrupts proc_loadavg proc_stat proc_vmstat; do
	needs "the daemon reads /proc/${node#proc_}" "allow flashscoped \\{[^}]* $node [^}]*\\}:file"
done
for node in sysfs_devices_block sysfs_fs_ext4_features sysfs_fs_f2fs sysfs_rtc sysfs_thermal; do
	needs "the daemon reads $node" "r_dir_file\\(flashscoped, $node\\)"
done

compile user
if command -v sefcontext_compile >/dev/null; then
	sefcontext_compile -p "$work/policy" -o "$work/contexts" sepolicy/file_contexts
fi
# Every path that the services use has a label.
for path in $(grep -ohE '/(vendor/bin|data/vendor|mnt/vendor)/[a-z/-]+' init.rc/flashscoped.rc base/paths.h | sort -u); do
	found=0
	while read -r pattern _; do
		case $pattern in '' | '#'*) continue ;; esac
		! echo "$path" | grep -qE "^$pattern\$" || found=1
	done <sepolicy/file_contexts
	[ $found = 1 ] || {
		echo "no label for $path"
		exit 1
	}
done
