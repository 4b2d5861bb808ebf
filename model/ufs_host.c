#include "model/ufs_host.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/block.h"
#include "model/reason.h"

/* Whether a directory has nodes of the driver. No kernel has all of them, some vendors take out
 * what they do not want. */
static bool has_nodes(struct hw *hw, const char *dir)
{
	return hw_exists(hw, "%s/rpm_lvl", dir) || hw_exists(hw, "%s/power_info", dir) ||
	       hw_exists(hw, "%s/monitor/monitor_enable", dir) ||
	       hw_exists(hw, "%s/health_descriptor", dir);
}

/* The number behind "host", -1 if that is not all. */
static int host_number(const char *name)
{
	int64_t number;

	if (strncmp(name, "host", 4) != 0 || !isdigit((unsigned char)name[4]) ||
	    parse_i64(name + 4, &number) < 0 || number > 1000000)
		return -1;
	return (int)number;
}

static int find_number(struct hw *hw, const char *dir)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};

	if (hw_list(hw, &names, "host", "%s", dir) < 0)
		return -1;
	for (size_t i = 0; i < names.n; i++)
		if (host_number(names.v[i]) >= 0)
			return host_number(names.v[i]);
	return -1;
}

static bool is_known(const struct ufs_hosts *hosts, const char *dir)
{
	for (size_t i = 0; i < hosts->n; i++)
		if (!strcmp(hosts->v[i].dir, dir))
			return true;
	return false;
}

static void add(struct hw *hw, struct ufs_hosts *hosts, const char *dir)
{
	if (hosts->n == UFS_HOSTS_MAX || is_known(hosts, dir))
		return;

	struct ufs_host *host = &hosts->v[hosts->n++];

	*host = (struct ufs_host){.number = find_number(hw, dir)};
	snprintf(host->dir, sizeof(host->dir), "%s", dir);
}

/* Cuts a path before its first component "hostN" and returns whether there was one. */
static bool cut_at_host(char *path)
{
	for (char *p = path; (p = strstr(p, "/host")); p++) {
		size_t digits = strspn(p + 5, "0123456789");

		if (!digits || (p[5 + digits] && p[5 + digits] != '/'))
			continue;
		*p = '\0';
		return true;
	}
	return false;
}

/* .../1d84000.ufs/host0/scsi_host/host0. The name of the driver stands for kernels that have no
 * node of ours at all. */
static int add_of_scsi_hosts(struct hw *hw, struct ufs_hosts *hosts)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = hw_list(hw, &names, "host", "sys/class/scsi_host");

	for (size_t i = 0; i < names.n; i++) {
		char path[HW_PATH_MAX], driver[32] = "";

		if (hw_real_path(hw, path, sizeof(path), "sys/class/scsi_host/%s", names.v[i]) <
			    0 ||
		    !cut_at_host(path))
			continue;
		if (!has_nodes(hw, path) &&
		    (hw_read_line(hw, driver, sizeof(driver), "sys/class/scsi_host/%s/proc_name",
				  names.v[i]) < 0 ||
		     strcmp(driver, "ufshcd") != 0))
			continue;
		add(hw, hosts, path);
	}
	return r;
}

/* .../1d84000.ufs/host0/target0:0:0/0:0:0:0/block/sda */
static int add_of_disks(struct hw *hw, struct ufs_hosts *hosts)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = hw_list(hw, &names, "", "sys/block");

	for (size_t i = 0; i < names.n; i++) {
		char path[HW_PATH_MAX];

		if (hw_real_path(hw, path, sizeof(path), "sys/block/%s/device", names.v[i]) == 0 &&
		    cut_at_host(path) && !is_known(hosts, path) && has_nodes(hw, path))
			add(hw, hosts, path);
	}
	return r;
}

/* For a host that has no SCSI host and no disk that may be seen: by the nodes alone, among all
 * devices of a bus, at whatever depth they lie. */
static void add_of_bus(struct hw *hw, struct ufs_hosts *hosts, const char *devices)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};

	hw_list(hw, &names, "", "%s", devices);
	for (size_t i = 0; i < names.n; i++) {
		char path[HW_PATH_MAX];

		if (hw_real_path(hw, path, sizeof(path), "%s/%s", devices, names.v[i]) == 0 &&
		    has_nodes(hw, path))
			add(hw, hosts, path);
	}
}

/* Where not even the buses may be seen: among the devices of the platform and those one step below
 * them. */
static void add_of_platform(struct hw *hw, struct ufs_hosts *hosts)
{
	static const char top[] = "sys/devices/platform";
	CLEANUP(hw_names_done) struct hw_names buses = {0};

	hw_list(hw, &buses, "", "%s", top);
	for (size_t i = 0; i < buses.n; i++) {
		CLEANUP(hw_names_done) struct hw_names names = {0};
		char dir[HW_PATH_MAX];
		struct text path = TEXT_IN(dir);

		text_printf(&path, "%s/%s", top, buses.v[i]);
		if (has_nodes(hw, dir)) {
			add(hw, hosts, dir);
			continue;
		}

		size_t len = path.len;

		if (hw_list(hw, &names, "", "%s", dir) < 0)
			continue;
		for (size_t k = 0; k < names.n; k++) {
			text_rewind(&path, len);
			text_printf(&path, "/%s", names.v[k]);
			if (!path.truncated && has_nodes(hw, dir))
				add(hw, hosts, dir);
		}
	}
}

static int compare(const void *left, const void *right)
{
	const struct ufs_host *a = left, *b = right;
	/* -1 becomes the greatest. */
	unsigned a_number = (unsigned)a->number, b_number = (unsigned)b->number;

	if (a_number != b_number)
		return a_number < b_number ? -1 : 1;
	return strcmp(a->dir, b->dir);
}

/* The last of a path's components, n of them. */
static const char *tail_of(const char *path, unsigned n)
{
	const char *p = path + strlen(path);

	while (p > path && (p[-1] != '/' || --n))
		p--;
	return p;
}

/* The name of a controller is that of its directory, with the one above where two are alike. */
static void name_hosts(struct ufs_hosts *hosts)
{
	static const char top[] = "sys/devices/";

	for (size_t i = 0; i < hosts->n; i++) {
		struct ufs_host *host = &hosts->v[i];
		const char *path = host->dir;
		unsigned n_components = 1;

		for (size_t k = 0; k < hosts->n; k++)
			if (k != i && !strcmp(tail_of(hosts->v[k].dir, 1), tail_of(host->dir, 1)))
				n_components = 2;

		struct text name = TEXT_IN(host->name), identity = TEXT_IN(host->identity);

		text_str(&name, tail_of(path, n_components));
		text_printf(&identity, "path:%s",
			    strncmp(path, top, sizeof(top) - 1) ? path : path + sizeof(top) - 1);
		if (identity.truncated)
			text_reset(&identity);
	}
}

int ufs_hosts_find(struct hw *hw, struct ufs_hosts **ret)
{
	struct ufs_hosts *hosts = calloc(1, sizeof(*hosts));

	if (!hosts)
		return -ENOMEM;

	int by_host = add_of_scsi_hosts(hw, hosts);
	int by_disk = add_of_disks(hw, hosts);

	if (!hosts->n) {
		add_of_bus(hw, hosts, "sys/bus/platform/devices");
		add_of_bus(hw, hosts, "sys/bus/pci/devices");
	}
	if (!hosts->n)
		add_of_platform(hw, hosts);
	if (!hosts->n) {
		free(hosts);
		return by_host == -EACCES || by_disk == -EACCES ? -EACCES : -ENOENT;
	}
	qsort(hosts->v, hosts->n, sizeof(hosts->v[0]), compare);
	name_hosts(hosts);
	*ret = hosts;
	return 0;
}

/* The unit's number, the last part of "0:0:0:49488"; negative if it is no address. */
static int64_t lun_of(const char *address)
{
	const char *colon = strrchr(address, ':');
	int64_t lun;

	if (!isdigit((unsigned char)address[0]) || !colon || parse_i64(colon + 1, &lun) < 0)
		return -1;
	return lun;
}

/* By its disk, else by its host and what it is. */
static void name_unit(struct hw *hw, const struct ufs_host *host, struct ufs_unit *unit)
{
	CLEANUP(hw_names_done) struct hw_names disks = {0};
	struct text out = TEXT_IN(unit->name);

	if (hw_list(hw, &disks, "", "%s/block", unit->dir) == 0 && disks.n == 1) {
		unit->has_disk = true;
		text_str(&out, disks.v[0]);
		block_name_of_kobject(unit->name);
		return;
	}
	text_printf(&out, "%s:", host->name);
	if (unit->lun == UFS_LUN_DEVICE)
		text_str(&out, "device");
	else if (unit->lun == UFS_LUN_BOOT)
		text_str(&out, "boot");
	else if (unit->lun == UFS_LUN_RPMB)
		text_str(&out, "rpmb");
	else
		text_printf(&out, "lun%lld", (long long)unit->lun);
}

static void add_unit(struct hw *hw, struct ufs_units *units, const struct ufs_host *host,
		     const char *target, const char *address)
{
	struct ufs_unit unit = {.lun = lun_of(address)};
	struct text dir = TEXT_IN(unit.dir), identity = TEXT_IN(unit.identity);

	text_printf(&dir, "%s/host%d/%s/%s", host->dir, host->number, target, address);
	if (unit.lun < 0 || units->n == UFS_UNITS_MAX || dir.truncated)
		return;
	if (host->identity[0])
		text_printf(&identity, "%s/%s", host->identity, strchr(address, ':') + 1);
	if (identity.truncated)
		text_reset(&identity);
	name_unit(hw, host, &unit);
	units->v[units->n++] = unit;
}

int ufs_units_find(struct hw *hw, const struct ufs_host *host, struct ufs_units **ret)
{
	CLEANUP(hw_names_done) struct hw_names targets = {0};
	struct ufs_units *units = calloc(1, sizeof(*units));

	if (!units)
		return -ENOMEM;
	if (host->number >= 0)
		hw_list(hw, &targets, "target", "%s/host%d", host->dir, host->number);
	for (size_t i = 0; i < targets.n; i++) {
		CLEANUP(hw_names_done) struct hw_names names = {0};

		if (hw_list(hw, &names, "", "%s/host%d/%s", host->dir, host->number, targets.v[i]) <
		    0)
			continue;
		for (size_t k = 0; k < names.n; k++)
			add_unit(hw, units, host, targets.v[i], names.v[k]);
	}
	*ret = units;
	return 0;
}

void ufs_report_none(struct hw *hw, struct probe *probe, int error)
{
	static const struct need need = {
		"CONFIG_SCSI_UFSHCD", "ufshcd_core", OUTCOME_NO_HARDWARE,
		"on a board with UFS: the driver of its controller (CONFIG_SCSI_UFS_QCOM, "
		"CONFIG_SCSI_UFSHCD_PCI, ...), and what the kernel log says of ufshcd"};

	if (error == -EACCES)
		probe_collector(probe, OUTCOME_DENIED,
				"Android: allow the domain to read sysfs (/sys/class/scsi_host, "
				"/sys/block and the controller's directory)",
				"/sys/class/scsi_host or /sys/block may not be listed");
	else if (error != -ENOENT)
		probe_collector(probe, OUTCOME_FAILED, "", "looking for UFS hosts: %s",
				strerror(-error));
	else
		reason_option(hw, probe, "", &need,
			      "no SCSI host, disk or platform device has nodes of ufshcd "
			      "(rpm_lvl, power_info, monitor)");
}
