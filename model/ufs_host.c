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
#include "model/node_file.h"
#include "model/reason.h"

/* Whether a directory has nodes of the driver: 1, 0, or why it cannot be told. No kernel has all of
 * them, some vendors take out what they do not want. A node that is avoided is not known to be one:
 * all below an avoided directory would pass for it. */
static int has_nodes(struct hw *hw, const char *dir)
{
	static const char *const nodes[] = {"rpm_lvl", "power_info", "monitor/monitor_enable",
					    "health_descriptor"};
	char path[HW_PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
		int r = hw_real_path(hw, path, sizeof(path), "%s/%s", dir, nodes[i]);

		if (r >= 0)
			return 1;
		if (is_want(r))
			return r;
	}
	return 0;
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

static int find_number(struct hw *hw, const char *dir, int *ret)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = search_error(hw_list(hw, &names, "host", "%s", dir));

	*ret = -1;
	for (size_t i = 0; i < names.n && *ret < 0; i++)
		*ret = host_number(names.v[i]);
	return r;
}

static bool is_known(const struct ufs_hosts *hosts, const char *dir)
{
	for (size_t i = 0; i < hosts->n; i++)
		if (!strcmp(hosts->v[i].dir, dir))
			return true;
	return false;
}

static int add(struct hw *hw, struct ufs_hosts *hosts, const char *dir)
{
	if (hosts->n == UFS_HOSTS_MAX || is_known(hosts, dir))
		return 0;

	struct ufs_host *host = &hosts->v[hosts->n++];

	*host = (struct ufs_host){0};
	snprintf(host->dir, sizeof(host->dir), "%s", dir);
	return find_number(hw, dir, &host->number);
}

static int add_if_nodes(struct hw *hw, struct ufs_hosts *hosts, const char *dir)
{
	int r = has_nodes(hw, dir);

	return r > 0 ? add(hw, hosts, dir) : r;
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
static int add_of_scsi_host(struct hw *hw, struct ufs_hosts *hosts, const char *name)
{
	char path[HW_PATH_MAX], driver[32] = "";
	int r = hw_real_path(hw, path, sizeof(path), "sys/class/scsi_host/%s", name);

	if (r < 0 || !cut_at_host(path))
		return is_want(r) ? r : 0;
	r = has_nodes(hw, path);
	if (r == 0) {
		r = hw_read_line(hw, driver, sizeof(driver), "sys/class/scsi_host/%s/proc_name",
				 name);
		if (r < 0 || strcmp(driver, "ufshcd") != 0)
			return is_want(r) ? r : 0;
	}
	return r < 0 ? r : add(hw, hosts, path);
}

static int add_of_scsi_hosts(struct hw *hw, struct ufs_hosts *hosts, int *ret_list)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r;

	*ret_list = hw_list(hw, &names, "host", "sys/class/scsi_host");
	r = search_error(*ret_list);
	for (size_t i = 0; i < names.n && r >= 0; i++)
		r = add_of_scsi_host(hw, hosts, names.v[i]);
	return r;
}

/* .../1d84000.ufs/host0/target0:0:0/0:0:0:0/block/sda */
static int add_of_disks(struct hw *hw, struct ufs_hosts *hosts, int *ret_list)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	char path[HW_PATH_MAX];
	int r;

	*ret_list = hw_list(hw, &names, "", "sys/block");
	r = search_error(*ret_list);
	for (size_t i = 0; i < names.n && r >= 0; i++) {
		r = hw_real_path(hw, path, sizeof(path), "sys/block/%s/device", names.v[i]);
		if (r >= 0 && cut_at_host(path) && !is_known(hosts, path))
			r = add_if_nodes(hw, hosts, path);
		r = is_want(r) ? r : 0;
	}
	return r;
}

/* For a host that has no SCSI host and no disk that may be seen: by the nodes alone, among all
 * devices of a bus, at whatever depth they lie. */
static int add_of_bus(struct hw *hw, struct ufs_hosts *hosts, const char *devices)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	char path[HW_PATH_MAX];
	int r = search_error(hw_list(hw, &names, "", "%s", devices));

	for (size_t i = 0; i < names.n && r >= 0; i++) {
		r = hw_real_path(hw, path, sizeof(path), "%s/%s", devices, names.v[i]);
		if (r >= 0)
			r = add_if_nodes(hw, hosts, path);
		r = is_want(r) ? r : 0;
	}
	return r;
}

static int add_of_buses(struct hw *hw, struct ufs_hosts *hosts)
{
	int r = add_of_bus(hw, hosts, "sys/bus/platform/devices");

	return r < 0 ? r : add_of_bus(hw, hosts, "sys/bus/pci/devices");
}

/* A bus without registers of its own, which the kernel names by the bus that it is on: "soc:apb".
 */
static bool is_bus(const char *name)
{
	return strchr(name, ':');
}

/* A device of the platform, or those n_below steps below it. */
static int add_of_platform_device(struct hw *hw, struct ufs_hosts *hosts, const char *dir,
				  unsigned n_below)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	size_t n_before = hosts->n;
	int r = add_if_nodes(hw, hosts, dir);

	if (r < 0 || hosts->n > n_before || !n_below)
		return r;
	r = search_error(hw_list(hw, &names, "", "%s", dir));
	for (size_t i = 0; i < names.n && r >= 0; i++) {
		char buf[HW_PATH_MAX];
		struct text path = TEXT_IN(buf);

		text_printf(&path, "%s/%s", dir, names.v[i]);
		if (!path.truncated)
			r = add_of_platform_device(hw, hosts, buf, is_bus(names.v[i]));
	}
	return r;
}

/* Where not even the buses may be seen: among the devices of the platform, those one step below
 * them, and those on a bus there. */
static int add_of_platform(struct hw *hw, struct ufs_hosts *hosts)
{
	static const char top[] = "sys/devices/platform";
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = search_error(hw_list(hw, &names, "", "%s", top));

	for (size_t i = 0; i < names.n && r >= 0; i++) {
		char buf[HW_PATH_MAX];
		struct text path = TEXT_IN(buf);

		text_printf(&path, "%s/%s", top, names.v[i]);
		if (!path.truncated)
			r = add_of_platform_device(hw, hosts, buf, 1);
	}
	return r;
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

/* By each way that leads to one, the dear ones only while there is none. */
static int search(struct hw *hw, struct ufs_hosts *hosts)
{
	int by_host, by_disk = 0;
	int r = add_of_scsi_hosts(hw, hosts, &by_host);

	if (r >= 0)
		r = add_of_disks(hw, hosts, &by_disk);
	if (r >= 0 && !hosts->n)
		r = add_of_buses(hw, hosts);
	if (r >= 0 && !hosts->n)
		r = add_of_platform(hw, hosts);
	if (r < 0 || hosts->n)
		return r;
	return by_host == -EACCES || by_disk == -EACCES ? -EACCES : -ENOENT;
}

int ufs_hosts_find(struct hw *hw, struct ufs_hosts **ret)
{
	CLEANUP(freep) struct ufs_hosts *hosts = calloc(1, sizeof(*hosts));

	if (!hosts)
		return -ENOMEM;

	int r = search(hw, hosts);

	if (r < 0)
		return r;
	qsort(hosts->v, hosts->n, sizeof(hosts->v[0]), compare);
	name_hosts(hosts);
	*ret = hosts;
	hosts = NULL;
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
static int name_unit(struct hw *hw, const struct ufs_host *host, struct ufs_unit *unit)
{
	CLEANUP(hw_names_done) struct hw_names disks = {0};
	struct text out = TEXT_IN(unit->name);
	int r = search_error(hw_list(hw, &disks, "", "%s/block", unit->dir));

	if (r < 0)
		return r;
	if (disks.n == 1) {
		unit->has_disk = true;
		text_str(&out, disks.v[0]);
		block_name_of_kobject(unit->name);
		return 0;
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
	return 0;
}

static int add_unit(struct hw *hw, struct ufs_units *units, const struct ufs_host *host,
		    const char *target, const char *address)
{
	struct ufs_unit unit = {.lun = lun_of(address)};
	struct text dir = TEXT_IN(unit.dir), identity = TEXT_IN(unit.identity);

	text_printf(&dir, "%s/host%d/%s/%s", host->dir, host->number, target, address);
	if (unit.lun < 0 || units->n == UFS_UNITS_MAX || dir.truncated)
		return 0;
	if (host->identity[0])
		text_printf(&identity, "%s/%s", host->identity, strchr(address, ':') + 1);
	if (identity.truncated)
		text_reset(&identity);

	int r = name_unit(hw, host, &unit);

	if (r >= 0)
		units->v[units->n++] = unit;
	return r;
}

static int add_units(struct hw *hw, struct ufs_units *units, const struct ufs_host *host,
		     const char *target)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = search_error(
		hw_list(hw, &names, "", "%s/host%d/%s", host->dir, host->number, target));

	for (size_t i = 0; i < names.n && r >= 0; i++)
		r = add_unit(hw, units, host, target, names.v[i]);
	return r;
}

int ufs_units_find(struct hw *hw, const struct ufs_host *host, struct ufs_units **ret)
{
	CLEANUP(hw_names_done) struct hw_names targets = {0};
	CLEANUP(freep) struct ufs_units *units = calloc(1, sizeof(*units));
	int r = 0;

	if (!units)
		return -ENOMEM;
	if (host->number >= 0)
		r = search_error(
			hw_list(hw, &targets, "target", "%s/host%d", host->dir, host->number));
	for (size_t i = 0; i < targets.n && r >= 0; i++)
		r = add_units(hw, units, host, targets.v[i]);
	if (r < 0)
		return r;
	*ret = units;
	units = NULL;
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
