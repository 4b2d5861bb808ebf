#include "model/kernel_names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/block.h"
#include "model/block_stack.h"
#include "model/pci.h"
#include "model/storage_bus.h"

#define ANSWERS_MAX 64

struct disk {
	char name[BLOCK_NAME_MAX];
	char device[NODE_NAME_MAX];
	char controller[STORAGE_NAME_MAX];
	char pci[STORAGE_NAME_MAX]; /* the function that it hangs on, "" when others do as well */
	char parent[STORAGE_NAME_MAX]; /* of a card's host: the device that its driver has */
	char *path;                    /* in sysfs, "/" at both ends */
};

struct answer {
	char name[NODE_NAME_MAX], device[NODE_NAME_MAX];
	bool is_known, is_old;
};

struct kernel_names {
	struct hw *hw;
	bool is_current;
	struct disk disks[KERNEL_DISKS_MAX];
	size_t n_disks;
	const char *devices[KERNEL_DISKS_MAX];
	size_t n_devices;
	struct answer answers[ANSWERS_MAX];
	size_t n_answers, oldest;
};

int kernel_names_new(struct hw *hw, struct kernel_names **ret)
{
	struct kernel_names *names = calloc(1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	names->hw = hw;
	*ret = names;
	return 0;
}

static void forget_disks(struct kernel_names *names)
{
	for (size_t i = 0; i < names->n_disks; i++)
		free(names->disks[i].path);
	names->n_disks = names->n_devices = 0;
}

void kernel_names_free(struct kernel_names *names)
{
	if (!names)
		return;
	forget_disks(names);
	free(names);
}

void kernel_names_look_again(struct kernel_names *names)
{
	names->is_current = false;
	for (size_t i = 0; i < names->n_answers; i++)
		names->answers[i].is_old = true;
}

static bool is(const char *a, const char *b)
{
	return !strcmp(a, b);
}

/* The name that the physical device has: several logical units or namespaces are one device. */
static void name_device(struct disk *disk, const struct storage_bus *bus)
{
	const char *block = strstr(disk->path, "/block/");
	const char *name = disk->name;
	size_t len = strlen(name);

	if ((is(bus->transport, "ufs") || is(bus->transport, "nvme")) && bus->n_controllers == 1) {
		name = bus->controllers[0].name;
		len = strlen(name);
	} else if (is(bus->transport, "mmc") && block) {
		/* mmcblk0boot0 stands below mmcblk0. */
		name = block + strlen("/block/");
		len = strcspn(name, "/");
	}
	snprintf(disk->device, sizeof(disk->device), "%.*s", (int)len, name);
}

/* ".../7c4000.mmc/mmc_host/mmc0/..." */
static void name_parent(struct disk *disk)
{
	const char *end = strstr(disk->path, "/mmc_host/"), *name = end;

	while (name && name > disk->path && name[-1] != '/')
		name--;
	if (name)
		snprintf(disk->parent, sizeof(disk->parent), "%.*s", (int)(end - name), name);
}

static struct answer *answer_of(struct kernel_names *names, const char *name);

/* A USB device is asked for when it has gone, and nothing before that says its name. One of several
 * disks is none of them. */
static void remember(struct kernel_names *names, const struct disk *disk)
{
	struct answer *answer = answer_of(names, disk->controller);

	snprintf(answer->device, sizeof(answer->device), "%s", disk->device);
	answer->is_known = true;
	for (size_t i = 0; i < names->n_disks; i++)
		if (is(names->disks[i].controller, disk->controller))
			answer->is_known = false;
}

static int add_disk(struct kernel_names *names, const char *name)
{
	struct disk *disk = &names->disks[names->n_disks];
	char real[HW_PATH_MAX];
	struct storage_bus bus;
	struct storage_part pci;

	if (names->n_disks == KERNEL_DISKS_MAX || block_is_pseudo(name) ||
	    hw_exists(names->hw, "sys/class/block/%s/partition", name) ||
	    storage_bus_of(names->hw, name, &bus) < 0 || !bus.transport ||
	    hw_real_path(names->hw, real, sizeof(real), "sys/class/block/%s", name) < 0)
		return 0;
	*disk = (struct disk){0};
	if (asprintf(&disk->path, "/%s/", real) < 0)
		return -ENOMEM;
	snprintf(disk->name, sizeof(disk->name), "%s", name);
	if (bus.n_controllers == 1)
		snprintf(disk->controller, sizeof(disk->controller), "%s", bus.controllers[0].name);
	/* A USB host is not the device that is plugged in there. */
	if (!is(bus.transport, "usb") && storage_bus_pci(real, &pci) == 0)
		snprintf(disk->pci, sizeof(disk->pci), "%s", pci.name);
	name_parent(disk);
	name_device(disk, &bus);
	if (is(bus.transport, "usb") && *disk->controller)
		remember(names, disk);
	names->n_disks++;
	return 0;
}

static void list_devices(struct kernel_names *names)
{
	for (size_t i = 0; i < names->n_disks; i++) {
		size_t k = 0;

		while (k < names->n_devices && !is(names->devices[k], names->disks[i].device))
			k++;
		if (k == names->n_devices)
			names->devices[names->n_devices++] = names->disks[i].device;
	}
}

static void look(struct kernel_names *names)
{
	CLEANUP(hw_names_done) struct hw_names found = {0};

	if (names->is_current)
		return;
	names->is_current = true;
	forget_disks(names);
	if (hw_list(names->hw, &found, "", "sys/class/block") < 0)
		return;
	for (size_t i = 0; i < found.n; i++) {
		block_name_of_kobject(found.v[i]);
		if (add_disk(names, found.v[i]) < 0)
			break;
	}
	list_devices(names);
}

static const struct disk *find_disk(const struct kernel_names *names, const char *name)
{
	for (size_t i = 0; i < names->n_disks; i++)
		if (is(names->disks[i].name, name))
			return &names->disks[i];
	return NULL;
}

static void copy(char *out, const char *name)
{
	snprintf(out, NODE_NAME_MAX, "%s", name);
}

/* The device below a stack of block devices, if it is one. */
static bool find_below(const struct kernel_names *names, const char *name, char *out)
{
	struct block_stack stack;
	struct slice rest, word;
	const char *device = NULL;

	block_stack_read(names->hw, name, &stack);
	rest = slice_of(stack.disks);
	while (slice_token(&rest, &word)) {
		const struct disk *disk = NULL;
		char buf[BLOCK_NAME_MAX];

		if (slice_copy(word, buf, sizeof(buf)) >= 0)
			disk = find_disk(names, buf);
		if (!disk || (device && !is(device, disk->device)))
			return false;
		device = disk->device;
	}
	if (device)
		copy(out, device);
	return device;
}

static bool find_block(const struct kernel_names *names, const char *name, char *out)
{
	char disk_name[BLOCK_NAME_MAX], dir[HW_PATH_MAX];
	const struct disk *disk;

	if (block_dir(names->hw, name, dir, sizeof(dir)) < 0)
		return false;
	block_disk_of(names->hw, name, disk_name);
	disk = find_disk(names, disk_name);
	if (disk)
		copy(out, disk->device);
	else if (!find_below(names, disk_name, out))
		copy(out, disk_name);
	return true;
}

/* A SCSI device or a card: what the disk stands in. */
static bool holds(const struct disk *disk, const char *name)
{
	char part[NODE_NAME_MAX + 16];

	return snprintf(part, sizeof(part), "/%s/block/", name) < (int)sizeof(part) &&
	       strstr(disk->path, part);
}

/* "host7": all of what it carries has to be one device for it to be that one. */
static bool hangs_on_host(const struct disk *disk, const char *name)
{
	char part[NODE_NAME_MAX + 2];

	return !strncmp(name, "host", 4) && isdigit((unsigned char)name[4]) &&
	       snprintf(part, sizeof(part), "/%s/", name) < (int)sizeof(part) &&
	       strstr(disk->path, part);
}

/* The function that a disk hangs on, its controller, its SCSI device or card; and the parent of a
 * card's host. A port above, a hub or a bus carries other devices as well. */
static bool belongs_to(const struct disk *disk, const char *name)
{
	if (pci_is_address(slice_of(name)))
		return is(disk->pci, name);
	return is(disk->controller, name) || is(disk->parent, name) || holds(disk, name) ||
	       hangs_on_host(disk, name);
}

static bool find_by_bus(const struct kernel_names *names, const char *name, char *out)
{
	const char *device = NULL;

	for (size_t i = 0; i < names->n_disks; i++) {
		const struct disk *disk = &names->disks[i];

		if (!belongs_to(disk, name))
			continue;
		if (device && !is(device, disk->device))
			return false;
		device = disk->device;
	}
	if (device)
		copy(out, device);
	return device;
}

/* "179:0", and "b179:0" of a record's DEVICE. */
static bool name_of_number(const struct kernel_names *names, const char *name,
			   char block[BLOCK_NAME_MAX])
{
	const char *digits = *name == 'b' ? name + 1 : name, *colon = strchr(digits, ':');
	int64_t major, minor;

	return colon &&
	       parse_i64_slice((struct slice){digits, (size_t)(colon - digits)}, &major) >= 0 &&
	       parse_i64_slice(slice_of(colon + 1), &minor) >= 0 &&
	       block_name_of(names->hw, major, minor, block) >= 0;
}

/* "ata1.00" is a device at the port ata1. */
static void strip(const char *name, char *out)
{
	const char *colon = *name == '+' ? strchr(name, ':') : NULL;
	char *dot;

	copy(out, colon ? colon + 1 : name);
	dot = !strncmp(out, "ata", 3) && isdigit((unsigned char)out[3]) ? strchr(out, '.') : NULL;
	if (dot)
		*dot = '\0';
}

static bool ask_sysfs(struct kernel_names *names, const char *name, char *out)
{
	char own[NODE_NAME_MAX], block[BLOCK_NAME_MAX];

	if (!*name || strchr(name, '/'))
		return false;
	look(names);
	strip(name, own);
	if (name_of_number(names, own, block))
		return find_block(names, block, out);
	return find_block(names, own, out) || find_by_bus(names, own, out);
}

static struct answer *answer_of(struct kernel_names *names, const char *name)
{
	struct answer *answer;

	for (size_t i = 0; i < names->n_answers; i++)
		if (is(names->answers[i].name, name))
			return &names->answers[i];
	if (names->n_answers < ANSWERS_MAX) {
		answer = &names->answers[names->n_answers++];
	} else {
		answer = &names->answers[names->oldest];
		names->oldest = (names->oldest + 1) % ANSWERS_MAX;
	}
	*answer = (struct answer){.is_old = true};
	copy(answer->name, name);
	return answer;
}

bool kernel_names_find(void *arg, const char *name, char *out)
{
	struct kernel_names *names = arg;
	struct answer *answer;
	char device[NODE_NAME_MAX];

	/* It remembers answers, in places that may be this one's. */
	look(names);
	answer = answer_of(names, name);
	if (answer->is_old && ask_sysfs(names, name, device)) {
		copy(answer->device, device);
		answer->is_known = true;
	}
	answer->is_old = false;
	if (answer->is_known)
		copy(out, answer->device);
	return answer->is_known;
}

const char *kernel_names_device(struct kernel_names *names, size_t i)
{
	look(names);
	return i < names->n_devices ? names->devices[i] : NULL;
}
