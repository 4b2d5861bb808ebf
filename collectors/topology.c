/* Block devices and what each lies on, down to the controller of its disk: /sys/class/block and the
 * devices above them
 * Kernel: Documentation/ABI/stable/sysfs-block, drivers/md/dm-sysfs.c,
 * Documentation/admin-guide/md.rst
 *
 * All of it is text that stands still, so it is read by the probe; a sample only looks whether
 * /proc/partitions has changed. Nothing here sends a command to a device. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/macros.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/block.h"
#include "model/collector.h"
#include "model/dm_target.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/storage_bus.h"

enum {
	TYPE,
	NUMBER,
	LABEL,
	TARGET,
	LIKELY_TARGET,
	FORMAT,
	ON,
	PARTITION,
	SIZE,
	TRANSPORT,
	VENDOR,
	MODEL,
	FIRMWARE,
	SPECIFICATION,
	DRIVER,
	SPEED,
	DIRECTORY,
	N_FIELDS
};

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[TYPE]          = {"type", UNIT_NONE, KIND_INFO,
			   "What it is: disk, partition, dm, md, loop, zram, controller, pci."},
	[NUMBER]        = {"number", UNIT_NONE, KIND_INFO, "Device number of a block device.",
			   .absence = "it is no block device"},
	[LABEL]         = {"label", UNIT_NONE, KIND_INFO,
			   "Name that its maker gave it: dm name, partition label, file of a loop device.",
			   .absence = "it has none"},
	[TARGET]        = {"target", UNIT_NONE, KIND_INFO,
			   "Kind of a dm device by the prefix of its uuid, level of an md device.",
			   .absence = "no dm or md, or the uuid does not tell"},
	[LIKELY_TARGET] = {"likely_target", UNIT_NONE, KIND_INFO,
			   "Kind of a dm device as its name alone makes likely: a guess.",
			   .absence = "target is known, or the name does not tell either"},
	[FORMAT]        = {"format", UNIT_NONE, KIND_INFO, "Format of a crypt device: LUKS2, PLAIN.",
			   .absence = "no dm-crypt of cryptsetup"},
	[ON]            = {"on", UNIT_NONE, KIND_INFO,
			   "Nodes that it lies on or hangs on, separated by blanks.",
			   .absence = "nothing is known below it"},
	[PARTITION]     = {"partition", UNIT_NONE, KIND_INFO, "Number of the partition.",
			   .absence = "no partition"},
	[SIZE]          = {"size", UNIT_NONE, KIND_INFO, "Size in bytes.",
			   .absence = "it is no block device"},
	[TRANSPORT]     = {"transport", UNIT_NONE, KIND_INFO,
			   "How a disk is reached: ufs, emmc, sd, nvme, ata, usb, virtio, scsi.",
			   .absence = "no disk of hardware"},
	[VENDOR]        = {"vendor", UNIT_NONE, KIND_INFO,
			   "Maker of the disk; of a pci node, the number of vendor and device.",
			   .absence = "the driver does not tell"},
	[MODEL]         = {"model", UNIT_NONE, KIND_INFO, "Model of the disk.",
			   .absence = "the driver does not tell"},
	[FIRMWARE]      = {"firmware", UNIT_NONE, KIND_INFO, "Revision of the disk's firmware.",
			   .absence = "the driver does not tell"},
	[SPECIFICATION] = {"specification", UNIT_NONE, KIND_INFO,
			   "Version of the standard that the disk follows.",
			   .absence = "to be had by a command to the device alone, which is not sent"},
	[DRIVER]        = {"driver", UNIT_NONE, KIND_INFO, "Driver of a controller or pci node.",
			   .absence = "no driver is bound"},
	[SPEED]         = {"speed", UNIT_NONE, KIND_INFO, "Speed of a USB or SATA link.",
			   .absence = "no such link"},
	[DIRECTORY]     = {"directory", UNIT_NONE, KIND_INFO, "Its directory in sysfs."},
};
/* clang-format on */

#define PARTITIONS_BYTES_MAX (256 * 1024)
#define ON_BYTES_MAX         512

struct entry {
	char name[NODE_NAME_MAX];
	char identity[NODE_IDENTITY_MAX];
	const char *type;
	char *texts[N_FIELDS]; /* NULL is absent */
	int errors[N_FIELDS];  /* of what is there and could not be read; 0: none */
};

struct topology {
	struct entry *v; /* SINK_ROWS_MAX */
	size_t n;
	unsigned n_over;     /* devices that are too many */
	bool watches;        /* /proc/partitions can be read */
	struct hw_file file; /* /proc/partitions */
	char *known, *fresh; /* its text as the table shows it, and as just read */
	size_t known_len, known_size, fresh_size;
};

static void topology_close(void *state)
{
	struct topology *t = state;

	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < N_FIELDS; k++)
			free(t->v[i].texts[k]);
	hw_file_close(&t->file);
	free(t->v);
	free(t->known);
	free(t->fresh);
	free(t);
}

static void topologyp(struct topology **t)
{
	if (*t)
		topology_close(*t);
}

/* Out of memory leaves the field absent. */
static void set_text(struct entry *entry, size_t field, const char *text)
{
	free(entry->texts[field]);
	entry->texts[field] = *text ? strdup(text) : NULL;
}

static void set_error(struct entry *entry, size_t field, int r)
{
	if (r != -ENOENT && r != -ENOTDIR)
		entry->errors[field] = r;
}

/* Takes the attribute of a directory; false when there is none. */
static bool set_attr(struct hw *hw, struct entry *entry, size_t field, const char *dir,
		     const char *attr)
{
	char value[INFO_TEXT_MAX];
	int r = hw_read_line(hw, value, sizeof(value), "%s/%s", dir, attr);

	if (r < 0) {
		set_error(entry, field, r);
		return entry->errors[field] != 0;
	}
	set_text(entry, field, value);
	return true;
}

/* NULL when there is no room. */
static struct entry *add_entry(struct topology *t, const char *name, const char *type,
			       const char *dir)
{
	struct entry *entry;

	if (t->n == SINK_ROWS_MAX) {
		t->n_over++;
		return NULL;
	}
	entry = &t->v[t->n++];
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	entry->type = type;
	set_text(entry, TYPE, type);
	set_text(entry, DIRECTORY, dir);
	return entry;
}

static bool has_entry(const struct topology *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->v[i].name, name))
			return true;
	return false;
}

/* Appends a name to the list that a field is. */
static void add_on(struct entry *entry, const char *name)
{
	char buf[ON_BYTES_MAX];
	struct text list = TEXT_IN(buf);
	const char *before = entry->texts[ON];

	text_printf(&list, "%s%s%s", before ? before : "", before ? " " : "", name);
	if (!list.truncated)
		set_text(entry, ON, buf);
}

static const char *type_of(struct hw *hw, const char *name, const char *dir)
{
	if (hw_exists(hw, "%s/partition", dir))
		return "partition";
	if (hw_exists(hw, "%s/dm", dir))
		return "dm";
	if (hw_exists(hw, "%s/md", dir))
		return "md";
	if (hw_exists(hw, "%s/loop", dir) || !strncmp(name, "loop", 4))
		return "loop";
	return strncmp(name, "zram", 4) != 0 ? "disk" : "zram";
}

/* One line of uevent. */
static bool uevent_value(struct hw *hw, const char *dir, const char *key, char *buf, size_t size)
{
	char text[2048];
	int len = hw_read(hw, text, sizeof(text), "%s/uevent", dir);
	struct slice rest = {text, len > 0 ? (size_t)len : 0}, line, name;

	while (slice_line(&rest, &line))
		if (slice_until(&line, '=', &name) && slice_is(name, key))
			return line.len > 0 && slice_copy(line, buf, size) == 0;
	return false;
}

/* What a device below calls itself: dm name or partition label, "" without one. */
static void label_of(struct hw *hw, const char *name, char *buf, size_t size)
{
	char dir[HW_PATH_MAX];

	buf[0] = '\0';
	if (block_dir(hw, name, dir, sizeof(dir)) < 0)
		return;
	if (hw_read_line(hw, buf, size, "%s/dm/name", dir) >= 0)
		return;
	buf[0] = '\0';
	if (!uevent_value(hw, dir, "PARTNAME", buf, size))
		buf[0] = '\0';
}

static void read_dm(struct hw *hw, struct entry *entry, const char *dir, const char *first_below)
{
	char uuid[256] = "", below[128] = "";
	struct dm_target target;
	const char *word;
	int r;

	set_attr(hw, entry, LABEL, dir, "dm/name");
	r = hw_read_line(hw, uuid, sizeof(uuid), "%s/dm/uuid", dir);
	if (r < 0)
		uuid[0] = '\0';
	/* Many have none, and then the file is empty. */
	if (r < 0 && r != -ENODATA)
		set_error(entry, TARGET, r);
	if (*first_below)
		label_of(hw, first_below, below, sizeof(below));
	target = dm_target_of_uuid(uuid);
	if (target.kind && !strcmp(target.kind, "lvm") && (word = dm_target_of_lvm(below)))
		target.kind = word;
	set_text(entry, TARGET, target.kind ? target.kind : "");
	set_text(entry, FORMAT, target.format);
	if (target.kind || !entry->texts[LABEL])
		return;
	word = dm_target_likely(entry->texts[LABEL], below);
	set_text(entry, LIKELY_TARGET, word ? word : "");
}

/* What lies below by sysfs; a partition lies on its disk. Copies the first one. */
static void read_below(struct hw *hw, struct entry *entry, const char *dir,
		       char first[BLOCK_NAME_MAX])
{
	CLEANUP(hw_names_done) struct hw_names slaves = {0};

	first[0] = '\0';
	if (!strcmp(entry->type, "partition")) {
		block_disk_of(hw, entry->name, first);
		if (strcmp(first, entry->name) != 0)
			add_on(entry, first);
		return;
	}
	if (hw_list(hw, &slaves, "", "%s/slaves", dir) < 0)
		return;
	for (size_t i = 0; i < slaves.n; i++) {
		block_name_of_kobject(slaves.v[i]);
		add_on(entry, slaves.v[i]);
		if (!i)
			snprintf(first, BLOCK_NAME_MAX, "%s", slaves.v[i]);
	}
}

static void read_mmc(struct hw *hw, struct entry *entry, const char *dir)
{
	/* EXT_CSD revision, which an SD card does not have. Kernel: include/linux/mmc/card.h;
	 * the versions are those of JESD84. */
	static const char *const versions[] = {
		[0] = "4.0",  [1] = "4.1", [2] = "4.2", [3] = "4.3",
		[5] = "4.41", [6] = "4.5", [7] = "5.0", [8] = "5.1",
	};
	char type[16], text[32], card[HW_PATH_MAX + 16];
	int64_t rev;
	int r;

	/* Of boot0 and boot1 the device is the main disk, and the card stands behind that. */
	snprintf(card, sizeof(card), "%s/device%s", dir,
		 hw_exists(hw, "%s/device/type", dir) ? "" : "/device");
	r = hw_read_line(hw, type, sizeof(type), "%s/type", card);
	if (r >= 0)
		set_text(entry, TRANSPORT, !strcmp(type, "MMC") ? "emmc" : "sd");
	set_attr(hw, entry, MODEL, card, "name");
	set_attr(hw, entry, FIRMWARE, card, "fwrev");
	r = hw_read_i64(hw, &rev, "%s/rev", card);
	if (r < 0)
		set_error(entry, SPECIFICATION, r);
	if (r < 0 || rev < 0 || (size_t)rev >= ARRAY_SIZE(versions) || !versions[rev])
		return;
	snprintf(text, sizeof(text), "eMMC %s", versions[rev]);
	set_text(entry, SPECIFICATION, text);
}

/* What the driver keeps of the disk's identity: no command is sent. */
static void read_identity(struct hw *hw, struct entry *entry, const char *dir,
			  const struct storage_bus *bus)
{
	if (!bus->transport)
		return;
	set_text(entry, TRANSPORT, bus->transport);
	if (!strcmp(bus->transport, "mmc")) {
		read_mmc(hw, entry, dir);
		return;
	}
	/* Of a virtio device, vendor is a number that says nothing about the disk. */
	if (strcmp(bus->transport, "virtio") != 0)
		set_attr(hw, entry, VENDOR, dir, "device/vendor");
	set_attr(hw, entry, MODEL, dir, "device/model");
	if (!set_attr(hw, entry, FIRMWARE, dir, "device/firmware_rev"))
		set_attr(hw, entry, FIRMWARE, dir, "device/rev");
}

static void set_driver(struct hw *hw, struct entry *entry, const char *dir)
{
	char path[HW_PATH_MAX];
	const char *slash;

	if (hw_real_path(hw, path, sizeof(path), "%s/driver", dir) < 0)
		return;
	slash = strrchr(path, '/');
	set_text(entry, DRIVER, slash ? slash + 1 : path);
}

static void set_speed(struct hw *hw, struct entry *entry, const char *dir)
{
	CLEANUP(hw_names_done) struct hw_names links = {0};
	char value[64], text[80];

	if (hw_read_line(hw, value, sizeof(value), "%s/speed", dir) >= 0) {
		snprintf(text, sizeof(text), "%s Mb/s", value);
		set_text(entry, SPEED, text);
		return;
	}
	if (hw_list(hw, &links, "link", "%s", dir) < 0 || !links.n)
		return;
	if (hw_read_line(hw, value, sizeof(value), "%s/%s/ata_link/%s/sata_spd", dir, links.v[0],
			 links.v[0]) >= 0)
		set_text(entry, SPEED, value);
}

static void add_pci(struct hw *hw, struct topology *t, const struct storage_part *pci)
{
	char vendor[16], device[16], text[40];
	struct entry *entry;

	if (has_entry(t, pci->name) || !(entry = add_entry(t, pci->name, "pci", pci->dir)))
		return;
	set_driver(hw, entry, pci->dir);
	if (hw_read_line(hw, vendor, sizeof(vendor), "%s/vendor", pci->dir) < 0 ||
	    hw_read_line(hw, device, sizeof(device), "%s/device", pci->dir) < 0)
		return;
	snprintf(text, sizeof(text), "%s:%s", vendor, device);
	set_text(entry, VENDOR, text);
}

static void add_controller(struct hw *hw, struct topology *t, const char *transport,
			   const struct storage_part *part)
{
	struct storage_part pci;
	struct entry *entry;

	if (has_entry(t, part->name) ||
	    !(entry = add_entry(t, part->name, "controller", part->dir)))
		return;
	set_text(entry, TRANSPORT, transport);
	set_driver(hw, entry, part->dir);
	if (!strcmp(transport, "usb") || !strcmp(transport, "ata"))
		set_speed(hw, entry, part->dir);
	/* A UFS host on PCI is the function itself. */
	if (storage_bus_pci(part->dir, &pci) < 0 || !strcmp(pci.name, part->name))
		return;
	add_on(entry, pci.name);
	add_pci(hw, t, &pci);
}

static void read_bus(struct hw *hw, struct topology *t, struct entry *entry, const char *dir)
{
	struct storage_bus bus;

	if (storage_bus_of(hw, entry->name, &bus) < 0)
		return;
	read_identity(hw, entry, dir, &bus);
	for (size_t i = 0; i < bus.n_controllers; i++) {
		add_on(entry, bus.controllers[i].name);
		add_controller(hw, t, bus.transport, &bus.controllers[i]);
	}
}

static void set_size(struct hw *hw, struct entry *entry, const char *dir)
{
	char text[32];
	int64_t sectors, bytes = 0;
	int r;

	r = hw_read_i64(hw, &sectors, "%s/size", dir);
	if (r == 0 && (sectors < 0 || __builtin_mul_overflow(sectors, 512, &bytes)))
		r = -ERANGE;
	if (r < 0) {
		set_error(entry, SIZE, r);
		return;
	}
	snprintf(text, sizeof(text), "%lld", (long long)bytes);
	set_text(entry, SIZE, text);
}

/* Loop devices that stand ready, RAM disks, and the single ways to a namespace that has several. */
static bool is_left_out(struct hw *hw, const char *name, const char *dir)
{
	int64_t number;

	if (!strncmp(name, "ram", 3))
		return true;
	if (!strncmp(name, "loop", 4) || !strncmp(name, "nbd", 3) || !strncmp(name, "zram", 4))
		return hw_read_i64(hw, &number, "%s/size", dir) == 0 && number == 0;
	return hw_read_i64(hw, &number, "%s/hidden", dir) == 0 && number == 1;
}

static void add_device(struct hw *hw, struct topology *t, const char *name)
{
	char dir[HW_PATH_MAX], path[HW_PATH_MAX], first[BLOCK_NAME_MAX], label[256];
	struct entry *entry;

	if (block_dir(hw, name, dir, sizeof(dir)) < 0 || is_left_out(hw, name, dir))
		return;
	if (hw_real_path(hw, path, sizeof(path), "%s", dir) < 0)
		snprintf(path, sizeof(path), "%s", dir);
	entry = add_entry(t, name, type_of(hw, name, dir), path);
	if (!entry)
		return;
	set_attr(hw, entry, NUMBER, dir, "dev");
	set_attr(hw, entry, PARTITION, dir, "partition");
	set_size(hw, entry, dir);
	read_below(hw, entry, dir, first);
	if (!strcmp(entry->type, "dm"))
		read_dm(hw, entry, dir, first);
	else if (!strcmp(entry->type, "md"))
		set_attr(hw, entry, TARGET, dir, "md/level");
	else if (!strcmp(entry->type, "loop"))
		set_attr(hw, entry, LABEL, dir, "loop/backing_file");
	else if (uevent_value(hw, dir, "PARTNAME", label, sizeof(label)))
		set_text(entry, LABEL, label);
	if (!strcmp(entry->type, "disk"))
		read_bus(hw, t, entry, dir);
}

static int read_all(struct hw *hw, struct topology *t)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = hw_list(hw, &names, "", "sys/class/block");

	if (r < 0)
		r = hw_list(hw, &names, "", "sys/block");
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		block_name_of_kobject(names.v[i]);
		add_device(hw, t, names.v[i]);
	}
	return r;
}

/* As the other collectors of disks do it, so that a disk is the same one in all of them. */
static int identify(struct hw *hw, struct topology *t)
{
	CLEANUP(freep) const char **names = calloc(t->n + 1, sizeof(*names));
	CLEANUP(freep) char **identities = calloc(t->n + 1, sizeof(*identities));
	size_t n = 0;

	if (!names || !identities)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++) {
		if (!strcmp(t->v[i].type, "controller") || !strcmp(t->v[i].type, "pci"))
			continue;
		names[n] = t->v[i].name;
		identities[n++] = t->v[i].identity;
	}
	return block_identities(hw, names, identities, n, sizeof(t->v[0].identity));
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static void report(struct probe *probe, const struct topology *t)
{
	if (t->n_over)
		probe_collector(probe, OUTCOME_OK, "", "%u devices are too many", t->n_over);
	else
		probe_collector(probe, t->n ? OUTCOME_OK : OUTCOME_NO_HARDWARE, "", "%s",
				t->n ? "" : "the kernel knows no block device");
	for (size_t i = 0; i < t->n; i++) {
		const struct entry *e = &t->v[i];
		const char *what = e->texts[TARGET]             ? e->texts[TARGET]
				   : e->texts[TRANSPORT]        ? e->texts[TRANSPORT]
				   : strcmp(e->type, "dm") != 0 ? ""
								: "target unknown";

		probe_node(probe, e->name, OUTCOME_OK, "", "%s%s%s%s%s", e->type, *what ? ", " : "",
			   what, e->texts[ON] ? " on " : "", or_empty(e->texts[ON]));
	}
}

/* Without it, what changes is found by the next probe. */
static int watch(struct hw *hw, struct topology *t)
{
	int r = hw_file_open(hw, &t->file, "proc/partitions");

	if (r < 0)
		return 0;
	t->known_size = t->fresh_size = 16384;
	t->known = malloc(t->known_size);
	t->fresh = malloc(t->fresh_size);
	if (!t->known || !t->fresh)
		return -ENOMEM;
	r = hw_file_read_grow(hw, &t->file, &t->known, &t->known_size, PARTITIONS_BYTES_MAX);
	t->watches = r >= 0;
	t->known_len = r > 0 ? (size_t)r : 0;
	return 0;
}

static int topology_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(topologyp) struct topology *t = calloc(1, sizeof(*t));
	const struct need block_layer = {"CONFIG_BLOCK", NULL, OUTCOME_NO_NODE,
					 advice_no_folder(hw, "mount sysfs on /sys")};
	int r;

	if (!t || !(t->v = calloc(SINK_ROWS_MAX, sizeof(*t->v))))
		return -ENOMEM;
	/* First the text, then what it is about: a device that comes in between is a change. */
	r = watch(hw, t);
	if (r == 0)
		r = read_all(hw, t);
	if (r >= 0)
		r = identify(hw, t);
	if (r == -ENOENT) {
		reason_option(hw, probe, "", &block_layer, "there is no /sys/class/block");
		return r;
	}
	if (r < 0) {
		probe_collector(probe, outcome_of_error(r), "",
				"/sys/class/block cannot be listed: %s", strerror(-r));
		return r;
	}
	report(probe, t);
	if (!t->n)
		return -ENOENT;
	*ret_state = t;
	t = NULL;
	return 0;
}

static bool has_changed(struct hw *hw, struct topology *t)
{
	int r;

	if (!t->watches)
		return false;
	r = hw_file_read_grow(hw, &t->file, &t->fresh, &t->fresh_size, PARTITIONS_BYTES_MAX);
	return r >= 0 &&
	       ((size_t)r != t->known_len || memcmp(t->fresh, t->known, t->known_len) != 0);
}

static int topology_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct topology *t = state;
	bool changed = has_changed(hw, t);

	(void)group; /* there is only one */
	for (size_t i = 0; i < t->n; i++) {
		struct row *row = sink_row(sink, t->v[i].name, t->v[i].identity);

		for (size_t k = 0; k < N_FIELDS; k++) {
			if (t->v[i].texts[k])
				row_text(sink, row, k, t->v[i].texts[k]);
			else if (t->v[i].errors[k])
				row_fault(row, k, t->v[i].errors[k]);
		}
	}
	return changed ? -ENODEV : 0;
}

static const struct group groups[] = {
	{
		.name = "topology",
		.help = "Block devices and controllers, and what each lies on.",
		/* Reading is one file; the probe walks sysfs. */
		.cost = COST_L,
		.period_ms = 10000,
		.fields = fields,
		.n_fields = ARRAY_SIZE(fields),
		.node = "block device, controller or PCI function, by its name",
		.absence = "it has no such thing",
	},
};

const struct collector collector_topology = {
	.name = "topology",
	.help = "Block devices, and what each lies on.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = topology_probe,
	.sample = topology_sample,
	.close = topology_close,
};
