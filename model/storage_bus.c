#include "model/storage_bus.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "base/parse.h"
#include "model/block.h"
#include "model/pci.h"

#define PARTS_MAX 48

/* A path by its components. */
struct parts {
	const char *path;
	size_t start[PARTS_MAX], end[PARTS_MAX];
	size_t n;
};

static int split(const char *path, struct parts *ret)
{
	size_t at = 0;

	*ret = (struct parts){.path = path};
	while (path[at]) {
		size_t len = strcspn(path + at, "/");

		if (len) {
			if (ret->n == PARTS_MAX)
				return -ENAMETOOLONG;
			ret->start[ret->n] = at;
			ret->end[ret->n++] = at + len;
		}
		at += len + (path[at + len] == '/');
	}
	return 0;
}

/* Copies component i; false when it does not fit. */
static bool part(const struct parts *parts, size_t i, char name[STORAGE_NAME_MAX])
{
	struct slice slice = {parts->path + parts->start[i], parts->end[i] - parts->start[i]};

	return slice_copy(slice, name, STORAGE_NAME_MAX) == 0;
}

/* "host0" of "host", and nothing behind the number. */
static bool is_numbered(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return !strncmp(name, prefix, len) && name[len] &&
	       strspn(name + len, "0123456789") == strlen(name + len);
}

static bool is_pci(const char *name)
{
	return pci_is_address(slice_of(name));
}

/* An interface of a USB device: "2-3.1:1.0". */
static bool is_usb_interface(const char *name)
{
	size_t hub = strspn(name, "0123456789");

	if (!hub || name[hub] != '-')
		return false;

	size_t port = strspn(name + hub + 1, "0123456789."), at = hub + 1 + port;

	return port && name[at] == ':' && isdigit((unsigned char)name[at + 1]);
}

static bool set_part(const struct parts *parts, size_t i, struct storage_part *ret)
{
	struct slice dir = {parts->path, parts->end[i]};

	return part(parts, i, ret->name) && slice_copy(dir, ret->dir, sizeof(ret->dir)) == 0;
}

static void set_controller(const struct parts *parts, size_t i, const char *transport,
			   struct storage_bus *bus)
{
	bus->transport = transport;
	bus->n_controllers = set_part(parts, i, &bus->controllers[0]) ? 1 : 0;
}

/* The last component before end of which is() is true, -1: none. */
static int find_before(const struct parts *parts, size_t end, bool (*is)(const char *name))
{
	char name[STORAGE_NAME_MAX];

	for (size_t i = end; i-- > 0;)
		if (part(parts, i, name) && is(name))
			return (int)i;
	return -1;
}

static bool is_host(const char *name)
{
	return is_numbered(name, "host");
}

static bool is_nvme(const char *name)
{
	return is_numbered(name, "nvme");
}

static bool is_nvme_subsystem(const char *name)
{
	return is_numbered(name, "nvme-subsys");
}

static bool is_mmc_host_class(const char *name)
{
	return !strcmp(name, "mmc_host");
}

static bool is_virtio(const char *name)
{
	return is_numbered(name, "virtio");
}

/* Both names of the driver's files are older than most of the rest; either may be hidden. */
static bool is_ufs(struct hw *hw, const struct storage_part *host)
{
	return hw_exists(hw, "%s/rpm_lvl", host->dir) ||
	       hw_exists(hw, "%s/health_descriptor", host->dir) || strstr(host->name, ".ufs");
}

/* A SCSI disk: what stands before its hostN. */
static void scsi_bus(struct hw *hw, const struct parts *parts, size_t host, struct storage_bus *bus)
{
	struct storage_part *above = &bus->controllers[0];
	int usb = find_before(parts, host, is_usb_interface);

	if (usb > 0) {
		set_controller(parts, (size_t)usb - 1, "usb", bus);
		return;
	}
	set_controller(parts, host - 1, "scsi", bus);
	if (is_numbered(above->name, "ata"))
		bus->transport = "ata";
	else if (is_virtio(above->name))
		bus->transport = "virtio";
	else if (is_ufs(hw, above))
		bus->transport = "ufs";
}

/* With multipath, the disk hangs on a subsystem, and this has links to its controllers. */
static void nvme_subsystem_bus(struct hw *hw, const struct parts *parts, size_t subsystem,
			       struct storage_bus *bus)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	struct storage_part dir;

	bus->transport = "nvme";
	if (!set_part(parts, subsystem, &dir) || hw_list(hw, &names, "nvme", "%s", dir.dir) < 0)
		return;
	for (size_t i = 0; i < names.n && bus->n_controllers < STORAGE_CONTROLLERS_MAX; i++) {
		struct storage_part *controller = &bus->controllers[bus->n_controllers];

		if (!is_nvme(names.v[i]) ||
		    slice_copy(slice_of(names.v[i]), controller->name, STORAGE_NAME_MAX) < 0 ||
		    hw_real_path(hw, controller->dir, sizeof(controller->dir), "%s/%s", dir.dir,
				 names.v[i]) < 0)
			continue;
		bus->n_controllers++;
	}
}

static void find_bus(struct hw *hw, const struct parts *parts, struct storage_bus *bus)
{
	size_t end = parts->n ? parts->n - 1 : 0; /* the disk itself is no controller */
	int at;

	if ((at = find_before(parts, end, is_nvme)) >= 0)
		set_controller(parts, (size_t)at, "nvme", bus);
	else if ((at = find_before(parts, end, is_nvme_subsystem)) >= 0)
		nvme_subsystem_bus(hw, parts, (size_t)at, bus);
	else if ((at = find_before(parts, end, is_mmc_host_class)) >= 0 && (size_t)at + 1 < end)
		set_controller(parts, (size_t)at + 1, "mmc", bus);
	else if ((at = find_before(parts, end, is_host)) > 0)
		scsi_bus(hw, parts, (size_t)at, bus);
	else if ((at = find_before(parts, end, is_virtio)) >= 0)
		set_controller(parts, (size_t)at, "virtio", bus);
}

int storage_bus_of(struct hw *hw, const char *name, struct storage_bus *ret)
{
	char dir[HW_PATH_MAX], path[HW_PATH_MAX];
	struct parts parts;
	int r = block_dir(hw, name, dir, sizeof(dir));

	*ret = (struct storage_bus){0};
	if (r == 0)
		r = hw_real_path(hw, path, sizeof(path), "%s", dir);
	if (r == 0)
		r = split(path, &parts);
	if (r < 0)
		return r;
	find_bus(hw, &parts, ret);
	return 0;
}

int storage_bus_pci(const char *dir, struct storage_part *ret)
{
	struct parts parts;
	int r = split(dir, &parts), at;

	if (r < 0)
		return r;
	at = find_before(&parts, parts.n, is_pci);
	return at >= 0 && set_part(&parts, (size_t)at, ret) ? 0 : -ENOENT;
}
