/* Disks on USB: the device that they are, its speed and driver, and their SCSI device's counters of
 * commands and errors
 * Kernel: Documentation/ABI/stable/sysfs-bus-usb, drivers/usb/core/sysfs.c,
 *         drivers/scsi/scsi_sysfs.c
 *
 * speed, version and the ids are variables that the kernel has from the descriptors it read when
 * the device was plugged in. Its strings (manufacturer, product, serial) are kept in the same way,
 * but their files take the lock of the device, which is held while it is reset: they are a group of
 * their own, read by a process that may hang. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/collector.h"
#include "model/node_word.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/scsi_device.h"
#include "model/scsi_disks.h"
#include "model/sysfs_nodes.h"

enum { GROUP_DISK, GROUP_STRINGS };

enum {
	IOREQUEST,
	IODONE,
	IOERR,
	IOTMO,
	QUEUE_DEPTH,
	DISK_STATE,
	SPEED,
	BEHIND_HUB,
	DRIVER,
	PORT,
	VENDOR_ID,
	PRODUCT_ID,
	VERSION,
	VENDOR,
	MODEL,
	REV,
};

/* clang-format off */
static const struct field disk_fields[] = {
	[IOREQUEST]   = SCSI_FIELD_IOREQUEST("disk"),
	[IODONE]      = SCSI_FIELD_IODONE,
	[IOERR]       = SCSI_FIELD_IOERR,
	[IOTMO]       = SCSI_FIELD_IOTMO("SCSI commands that timed out."),
	[QUEUE_DEPTH] = SCSI_FIELD_QUEUE_DEPTH("disk"),
	[DISK_STATE]  = SCSI_FIELD_STATE("disk"),
	[SPEED]       = {"speed", UNIT_BITS_PER_SECOND, KIND_GAUGE,
			 "Speed of the link; 480 Mbit/s for a device of USB 3 means that a cable, hub or port is not.",
			 .absence = "the kernel does not know it"},
	[BEHIND_HUB]  = {"behind_hub", UNIT_NONE, KIND_GAUGE, "1 when there is a hub between it and the controller's port."},
	[DRIVER]      = {"driver", UNIT_NONE, KIND_INFO, "Driver: usb-storage, one command at a time, or uas.",
			 .absence = "no driver is bound"},
	[PORT]        = {"port", UNIT_NONE, KIND_INFO, "Where it is plugged in: bus, port, and ports of hubs."},
	[VENDOR_ID]   = {"vendor_id", UNIT_NONE, KIND_INFO, "Vendor of the USB device, in hex."},
	[PRODUCT_ID]  = {"product_id", UNIT_NONE, KIND_INFO, "Product of that vendor, in hex."},
	[VERSION]     = {"version", UNIT_NONE, KIND_INFO, "USB version that the device follows on this link."},
	[VENDOR]      = {"vendor", UNIT_NONE, KIND_INFO, "Vendor, as SCSI tells it; that of a bridge, or of what is behind it."},
	[MODEL]       = {"model", UNIT_NONE, KIND_INFO, "Model, as SCSI tells it."},
	[REV]         = {"rev", UNIT_NONE, KIND_INFO, "Revision of the firmware, as SCSI tells it."},
};

static const struct field string_fields[] = {
	{"manufacturer", UNIT_NONE, KIND_INFO, "Manufacturer, in its own words.", "manufacturer"},
	{"product", UNIT_NONE, KIND_INFO, "Product, in its own words.", "product"},
	{"serial", UNIT_NONE, KIND_INFO, "Serial number of the USB device; cheap ones share theirs.", "serial"},
};

static const struct group groups[] = {
	[GROUP_DISK] =
		{
			.name = "usb",
			.help = "Link, commands and errors of disks on USB.",
			.cost = COST_F,
			.period_ms = 1000,
			.fields = disk_fields,
			.n_fields = ARRAY_SIZE(disk_fields),
			.node = "disk, by its name",
			.absence = "the kernel does not have it",
		},
	[GROUP_STRINGS] =
		{
			.name = "usb_strings",
			.help = "What USB devices that are disks say of themselves.",
			.cost = COST_L,
			.period_ms = 60000,
			.fields = string_fields,
			.n_fields = ARRAY_SIZE(string_fields),
			.node = "disk, by its name",
			.absence = "the device has no such string",
		},
};
/* clang-format on */

/* What does not change while a disk is plugged in. */
struct disk {
	struct node_word driver, port, vendor_id, product_id, version, vendor, model, rev;
	int64_t speed;
	int speed_error;
	bool is_behind_hub;
};

struct usb {
	struct sysfs_nodes disk_nodes, string_nodes;
	struct disk *disks; /* one for each of disk_nodes */
};

static void usb_close(void *state)
{
	struct usb *u = state;

	free(u->disks);
	sysfs_nodes_done(&u->disk_nodes);
	sysfs_nodes_done(&u->string_nodes);
	free(u);
}

static void statep(struct usb **u)
{
	if (*u)
		usb_close(*u);
}

static void put_constants(const struct disk *disk, struct sink *sink, struct row *row)
{
	row_result(row, SPEED, disk->speed_error, disk->speed);
	row_set(row, BEHIND_HUB, disk->is_behind_hub);
	node_word_put(&disk->driver, sink, row, DRIVER);
	node_word_put(&disk->port, sink, row, PORT);
	node_word_put(&disk->vendor_id, sink, row, VENDOR_ID);
	node_word_put(&disk->product_id, sink, row, PRODUCT_ID);
	node_word_put(&disk->version, sink, row, VERSION);
	node_word_put(&disk->vendor, sink, row, VENDOR);
	node_word_put(&disk->model, sink, row, MODEL);
	node_word_put(&disk->rev, sink, row, REV);
}

static int usb_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct usb *u = state;
	int r;

	if (group == GROUP_STRINGS)
		return sysfs_nodes_sample(hw, &u->string_nodes, sink);
	r = sysfs_nodes_sample(hw, &u->disk_nodes, sink);
	for (size_t i = 0; i < u->disk_nodes.n && i < sink->n_rows; i++) {
		put_constants(&u->disks[i], sink, sink->rows[i]);
		row_flag_negative(sink->rows[i], ARRAY_SIZE(disk_fields));
	}
	return r;
}

/* In Mbit/s: "1.5", "480", "20000"; "unknown" of a device that is new to the kernel. */
static int read_speed(struct hw *hw, const char *dir, int64_t *ret)
{
	char line[32];
	int r = hw_read_line(hw, line, sizeof(line), "%s/speed", dir);

	if (r < 0)
		return r;
	return strcmp(line, "unknown") ? parse_fixed_slice(slice_of(line), 6, ret) : -ENOENT;
}

/* The interface is what hostN stands below: ".../2-3/2-3:1.0/host2/...". Its driver is a link. */
static void read_driver(struct hw *hw, const struct scsi_disk *disk, struct node_word *ret)
{
	size_t len = strlen(disk->controller.dir);
	struct slice rest = slice_of(disk->dir), interface;
	char path[HW_PATH_MAX], name[STORAGE_NAME_MAX];
	const char *slash;

	node_word_set(ret, "");
	if (rest.len <= len)
		return;
	rest.p += len + 1;
	rest.len -= len + 1;
	if (!slice_until(&rest, '/', &interface) || slice_copy(interface, name, sizeof(name)) < 0 ||
	    hw_real_path(hw, path, sizeof(path), "%s/%s/driver", disk->controller.dir, name) < 0)
		return;
	slash = strrchr(path, '/');
	node_word_set(ret, slash ? slash + 1 : path);
}

/* The kernel pads the version with a blank: " 3.20". */
static void read_version(struct hw *hw, const char *dir, struct node_word *ret)
{
	struct node_word word;

	node_word_read(hw, &word, "%s/version", dir);
	*ret = word;
	if (!word.error)
		node_word_set(ret, word.text + strspn(word.text, " "));
}

static void read_constants(struct hw *hw, const struct scsi_disk *disk, struct disk *ret)
{
	const char *dir = disk->controller.dir;

	ret->speed_error = read_speed(hw, dir, &ret->speed);
	/* Ports of hubs are set off by dots: "2-3.1". */
	ret->is_behind_hub = strchr(disk->controller.name, '.') != NULL;
	read_driver(hw, disk, &ret->driver);
	node_word_set(&ret->port, disk->controller.name);
	node_word_read(hw, &ret->vendor_id, "%s/idVendor", dir);
	node_word_read(hw, &ret->product_id, "%s/idProduct", dir);
	read_version(hw, dir, &ret->version);
	node_word_read(hw, &ret->vendor, "%s/vendor", disk->dir);
	node_word_read(hw, &ret->model, "%s/model", disk->dir);
	node_word_read(hw, &ret->rev, "%s/rev", disk->dir);
}

static void report_disk(struct probe *probe, const struct scsi_disk *disk, const struct disk *known)
{
	bool has_ids = !known->vendor_id.error && !known->product_id.error;

	probe_node(probe, disk->name, OUTCOME_OK, "", "%s%s%s at %s, %s%s",
		   has_ids ? known->vendor_id.text : "unknown device", has_ids ? ":" : "",
		   has_ids ? known->product_id.text : "", disk->controller.name,
		   known->driver.error ? "no driver" : "driver ",
		   known->driver.error ? "" : known->driver.text);
}

static int add_disk(struct hw *hw, struct usb *u, struct probe *probe, const struct scsi_disk *disk)
{
	struct disk *grown = realloc(u->disks, (u->disk_nodes.n + 1) * sizeof(*grown));
	struct disk added = {0};
	int r;

	if (!grown)
		return -ENOMEM;
	u->disks = grown;
	r = sysfs_nodes_add(hw, &u->disk_nodes, disk->dir, disk->name, disk->identity);
	if (r < 0)
		return r;
	read_constants(hw, disk, &added);
	grown[u->disk_nodes.n - 1] = added;
	report_disk(probe, disk, &added);
	sysfs_node_report_denied(probe, &u->disk_nodes, u->disk_nodes.n - 1);
	r = sysfs_nodes_add(hw, &u->string_nodes, disk->controller.dir, disk->name, disk->identity);
	return r < 0 ? r : 0;
}

static int usb_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	static const struct need driver = {"CONFIG_USB_STORAGE", "usb_storage", OUTCOME_NO_HARDWARE,
					   "if one is plugged in: does the port see it (dmesg)?"};
	CLEANUP(statep) struct usb *u = calloc(1, sizeof(*u));
	CLEANUP(scsi_disks_done) struct scsi_disks disks = {0};
	int r = u ? scsi_disks_find(hw, "usb", &disks) : -ENOMEM;

	if (r < 0) {
		reason_error(hw, probe, "", r, "/sys/class/block");
		return r;
	}
	if (!disks.n) {
		reason_option(hw, probe, "", &driver, "no disk on USB in /sys/class/block");
		return -ENOENT;
	}
	u->disk_nodes.group = &groups[GROUP_DISK];
	u->string_nodes.group = &groups[GROUP_STRINGS];
	for (size_t i = 0; i < disks.n && r >= 0; i++)
		r = add_disk(hw, u, probe, &disks.v[i]);
	if (r < 0)
		return r;
	*ret_state = u;
	u = NULL;
	return 0;
}

const struct collector collector_usb = {
	.name = "usb",
	.help = "Disks on USB.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = usb_probe,
	.sample = usb_sample,
	.close = usb_close,
};
