/* The files that all collectors read, with anything in them. The first byte chooses which file the
 * rest goes into; the collectors that read it are probed and sampled on the tree. */
/* label: long */
/* mutations: 120 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/macros.h"
#include "model/probe.h"
#include "sampling/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define UFS "sys/devices/platform/soc@0/1d84000.ufs/"

#define PORT  "sys/devices/pci0000:00/0000:00:00.0/"
#define DRIVE PORT "0000:01:00.0/"

#define ATA_PORT   "sys/devices/pci0000:00/0000:00:17.0/ata1/"
#define USB_DEVICE "sys/devices/pci0000:00/0000:00:14.0/usb2/2-3/"

/* The files, and the collectors that read them by their first letters. */
static const struct {
	const char *path, *readers;
} files[] = {
	{"proc/diskstats", "bd"},
	{"proc/self/mountinfo", "defm"},
	{"proc/fs/ext4/sda1/options", "e"},
	{"sys/fs/ext4/sda1/lifetime_write_kbytes", "e"},
	{"sys/fs/ext4/sda1/errors_count", "e"},
	{"sys/fs/ext4/sda1/last_error_errcode", "e"},
	{"sys/fs/ext4/sda1/last_error_func", "e"},
	{"sys/fs/f2fs/sda1/lifetime_write_kbytes", "f"},
	{"sys/fs/f2fs/sda1/gc_urgent", "f"},
	{"sys/fs/f2fs/sda1/gc_mode", "f"},
	{"sys/fs/f2fs/sda1/stat/sb_status", "f"},
	{"sys/fs/f2fs/sda1/stat/cp_status", "f"},
	{"sys/fs/f2fs/sda1/feature_list/verity", "f"},
	{"sys/fs/f2fs/sda1/features", "f"},
	{"proc/pressure/io", "p"},
	{"proc/loadavg", "l"},
	{"sys/class/thermal/thermal_zone0/temp", "t"},
	{"sys/class/thermal/thermal_zone0/type", "t"},
	{"sys/class/thermal/thermal_zone0/trip_point_0_temp", "t"},
	{"sys/devices/system/cpu/cpufreq/policy0/related_cpus", "c"},
	{"sys/devices/system/cpu/offline", "c"},
	{"sys/class/block/sda1/uevent", "dm"},
	{"STATVFS", "m"},
	{UFS "power_info/gear", "u"},
	{UFS "rpm_lvl", "u"},
	{UFS "auto_hibern8", "u"},
	{UFS "host0/scsi_host/host0/can_queue", "u"},
	{UFS "host0/target0:0:0/0:0:0:0/ioerr_cnt", "u"},
	{UFS "host0/target0:0:0/0:0:0:49488/power/runtime_status", "u"},
	{UFS "monitor/monitor_enable", "u"},
	{UFS "monitor/monitor_chunk_size", "u"},
	{UFS "monitor/read_nr_requests", "u"},
	{"sys/block/mmcblk0/device/life_time", "m"},
	{"sys/block/mmcblk0/device/pre_eol_info", "m"},
	{"sys/block/mmcblk0/device/cid", "m"},
	{"sys/block/mmcblk0/device/enhanced_area_size", "m"},
	{"sys/class/mmc_host/mmc0/mmc0:0001/ssr", "m"},
	{"sys/kernel/debug/mmc0/ios", "m"},
	{"sys/kernel/debug/mmc0/err_stats", "m"},
	{"sys/class/block/sda/queue/scheduler", "b"},
	{"sys/class/block/sda/queue/nr_requests", "b"},
	{"sys/class/block/sda/queue/zoned", "b"},
	{"sys/class/block/sda/queue/crypto/modes/AES-256-XTS", "b"},
	{"sys/class/block/sda/sda1/partition", "b"},
	{"sys/class/block/sda/sda1/start", "b"},
	{"sys/class/nvme/nvme0/state", "n"},
	{"sys/class/nvme/nvme0/cntlid", "n"},
	{"sys/class/nvme/nvme0/serial", "n"},
	{"sys/class/nvme/nvme0/nvme0c0n1/wwid", "n"},
	{PORT "of_node/max-link-speed", "p"},
	{DRIVE "class", "p"},
	{DRIVE "vendor", "p"},
	{DRIVE "power_state", "p"},
	{DRIVE "power/runtime_status", "p"},
	{DRIVE "current_link_speed", "p"},
	{DRIVE "current_link_width", "p"},
	{DRIVE "aer_dev_correctable", "p"},
	{"sys/module/pcie_aspm/parameters/policy", "p"},
	{ATA_PORT "link1/ata_link/link1/sata_spd", "a"},
	{ATA_PORT "link1/dev1.0/ata_device/dev1.0/id", "a"},
	{ATA_PORT "link1/dev1.0/ata_device/dev1.0/ering", "a"},
	{ATA_PORT "host1/target1:0:0/1:0:0:0/state", "a"},
	{USB_DEVICE "speed", "u"},
	{USB_DEVICE "version", "u"},
	{USB_DEVICE "serial", "u"},
	{"COMMANDS/mmcblk0/ext-csd", "m"},
	{"system/build.prop", "m"},
	{UFS "health_descriptor/life_time_estimation_a", "u"},
	{UFS "device_descriptor/specification_version", "u"},
	{UFS "device_descriptor/manufacturing_date", "u"},
	{UFS "string_descriptors/serial_number", "u"},
	{UFS "attributes/exception_event_status", "u"},
	{UFS "attributes/wb_cur_buf", "u"},
	{UFS "geometry_descriptor/segment_size", "u"},
	{UFS "flags/wb_enable", "u"},
	{"sys/class/nvme/nvme0/hwmon1/temp1_max", "n"},
	{"sys/class/nvme/nvme0/hwmon1/temp1_label", "n"},
	{"proc/vmstat", "v"},
	{"TIMEX", "t"},
	{"sys/class/rtc/rtc0/hctosys", "t"},
	{"proc/interrupts", "i"},
	{"sys/kernel/lmh_stats_0/dcvsh_freq_limit_residency", "i"},
	{"sys/class/devfreq/ddr/cur_freq", "d"},
	{"sys/class/devfreq/ddr/governor", "d"},
	{"sys/class/hwmon/hwmon0/name", "h"},
	{"sys/class/hwmon/hwmon0/temp1_input", "h"},
	{"sys/class/hwmon/hwmon0/temp1_label", "h"},
	{"sys/class/regulator/regulator.0/name", "r"},
	{"sys/class/regulator/regulator.0/state", "r"},
};

static char root[64];

static void put(const char *path, const void *data, size_t size)
{
	char full[512];
	CLEANUP(fclosep) FILE *file = NULL;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	file = fopen(full, "w");
	if (!file || fwrite(data, 1, size, file) != size)
		abort();
}

static void put_link(const char *path, const char *target)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	if (symlink(target, full) < 0)
		abort();
}

static void remove_root(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (system(command) != 0)
		abort();
}

/* The rest of the tree, so that what is in one file leads somewhere. */
static void make_root(void)
{
	static const char *const texts[][2] = {
		{"proc/diskstats", "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n8 1 sda1 1 2 3 4\n"},
		{"proc/self/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"},
		{"sys/class/block/sda1/partition", "1\n"},
		{"sys/fs/ext4/sda1/lifetime_write_kbytes", "1\n"},
		{"sys/fs/ext4/sda1/errors_count", "1\n"},
		{"sys/fs/f2fs/sda1/lifetime_write_kbytes", "1\n"},
		{"sys/block/sda/size", "8192\n"},
		{"sys/class/block/sda/mq/0/nr_tags", "31\n"},
		{"sys/class/thermal/thermal_zone0/temp", "45000\n"},
		{"sys/class/thermal/thermal_zone0/trip_point_0_type", "passive\n"},
		{"sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "1\n"},
		{"sys/devices/system/cpu/cpu0/online", "1\n"},
		{UFS "power_info/gear", "HS_GEAR4\n"},
		{UFS "power_info/link_state", "ACTIVE\n"},
		{UFS "rpm_lvl", "3\n"},
		{UFS "host0/target0:0:0/0:0:0:0/block/sdb/dev", "8:16\n"},
		{UFS "host0/target0:0:0/0:0:0:49488/power/runtime_status", "active\n"},
		{UFS "device_descriptor/specification_version", "0x0400\n"},
		{UFS "device_descriptor/ext_feature_sup", "0x00000100\n"},
		{UFS "device_descriptor/wb_type", "0x00\n"},
		{UFS "geometry_descriptor/segment_size", "0x00002000\n"},
		{UFS "geometry_descriptor/allocation_unit_size", "0x01\n"},
		{UFS "attributes/wb_cur_buf", "0x00000400\n"},
		{UFS "monitor/monitor_enable", "1\n"},
		{UFS "monitor/read_req_latency_max", "594\n"},
		{"sys/block/mmcblk0/device/type", "MMC\n"},
		{"sys/block/mmcblk0/device/life_time", "0x01 0x02\n"},
		{"sys/block/mmcblk0/device/cid", "13014e47314d31354c1201b2c3d47c00\n"},
		{"sys/block/mmcblk0/device/enhanced_area_offset", "0\n"},
		{"sys/class/mmc_host/mmc0/mmc0:0001/type", "SD\n"},
		{"sys/class/nvme/nvme0/state", "live\n"},
		{"sys/class/nvme/nvme0/transport", "pcie\n"},
		{"sys/class/nvme/nvme0/hwmon1/name", "nvme\n"},
		{"sys/class/nvme/nvme0/nvme0c0n1/nsid", "1\n"},
		{PORT "max_link_speed", "8.0 GT/s PCIe\n"},
		{DRIVE "class", "0x010802\n"},
		{DRIVE "device", "0x1\n"},
		{DRIVE "power_state", "D0\n"},
		{DRIVE "current_link_speed", "8.0 GT/s PCIe\n"},
		{DRIVE "max_link_width", "4\n"},
		{"sys/bus/pci/devices/.keep", ""},
		{ATA_PORT "host1/target1:0:0/1:0:0:0/block/sdy/dev", "8:0\n"},
		{ATA_PORT "link1/dev1.0/ata_device/dev1.0/class", "ata\n"},
		{USB_DEVICE "2-3:1.0/host2/target2:0:0/2:0:0:0/block/sdz/dev", "8:16\n"},
		{"sys/class/rtc/rtc0/name", "rtc_cmos\n"},
		{"proc/interrupts", "  CPU0\n 1: 2 x dcvsh-irq-0\n"},
		{"sys/kernel/lmh_stats_0/dcvsh_freq_limit", "1\n"},
		{"sys/class/devfreq/ddr/cur_freq", "1\n"},
		{"sys/class/hwmon/hwmon0/name", "tmp102\n"},
		{"sys/class/hwmon/hwmon0/temp1_input", "1\n"},
		{"sys/class/regulator/regulator.0/a.mmc-vmmc/.keep", ""},
		{"sys/kernel/debug/mmc0/ios", "timing spec:\t2 (sd high-speed)\n"},
	};

	/* In memory: a disk would take a minute for this. */
	snprintf(root, sizeof(root), "/dev/shm/flashscope-fuzz-XXXXXX");
	if (!mkdtemp(root)) {
		snprintf(root, sizeof(root), "/tmp/flashscope-fuzz-XXXXXX");
		if (!mkdtemp(root))
			abort();
	}
	atexit(remove_root);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		put(texts[i][0], texts[i][1], strlen(texts[i][1]));

	put_link("sys/bus/pci/devices/0000:01:00.0", "/" DRIVE);
	put_link("sys/class/block/sdy", "/" ATA_PORT "host1/target1:0:0/1:0:0:0/block/sdy");
	put_link(ATA_PORT "host1/target1:0:0/1:0:0:0/block/sdy/device", "../..");
	put_link("sys/class/block/sdz",
		 "/" USB_DEVICE "2-3:1.0/host2/target2:0:0/2:0:0:0/block/sdz");
	put_link(USB_DEVICE "2-3:1.0/host2/target2:0:0/2:0:0:0/block/sdz/device", "../..");
}

static void check_rows(const struct sink *sink)
{
	if (sink->n_rows > SINK_ROWS_MAX || sink->text_len > SINK_TEXT_BYTES)
		abort();
	for (size_t i = 0; i < sink->n_rows; i++)
		for (size_t k = 0; k < sink->group->n_fields; k++) {
			const struct value *value = &sink->rows[i]->values[k];

			if (value->type == VALUE_FAULT && value->i <= 0)
				abort();
			if (value->type == VALUE_TEXT &&
			    !memchr(sink_text(sink, value), '\0', INFO_TEXT_MAX))
				abort();
		}
}

static void run(struct hw *hw, const struct collector *collector, struct sink *sink)
{
	CLEANUP(probe_done) struct probe probe = {0};
	void *state = NULL;

	if (probe_init(&probe) < 0)
		return;

	int r = collector->probe(hw, &probe, &state);

	/* A probe that finds nothing says why. */
	if (r < 0 && probe.items[0].outcome == OUTCOME_OK)
		abort();
	for (size_t g = 0; r >= 0 && g < collector->n_groups; g++) {
		sink_reset(sink, &collector->groups[g]);
		collector->sample(state, hw, g, sink);
		check_rows(sink);
	}
	if (state && collector->close)
		collector->close(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct catalog *catalog = registry();
	CLEANUP(hw_closep) struct hw *hw = NULL;
	static struct sink sink;

	if (!size)
		return 0;
	/* The sink too is made once: a sanitizer takes long over memory of its size. */
	if (!root[0]) {
		make_root();
		if (sink_init(&sink) < 0)
			abort();
	}

	size_t file = data[0] % ARRAY_SIZE(files);

	put(files[file].path, data + 1, size - 1);
	if (hw_open(root, &hw) < 0)
		return 0;
	for (size_t i = 0; i < catalog->n_collectors; i++)
		if (strchr(files[file].readers, catalog->collectors[i]->name[0]))
			run(hw, catalog->collectors[i], &sink);
	return 0;
}
