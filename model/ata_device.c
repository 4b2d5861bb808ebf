#include "model/ata_device.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/node_file.h"

/* Behind a port multiplier each device has a link of its own, by which the SCSI channel counts;
 * else the id tells the one or two devices of the port apart. */
int ata_device_find(struct hw *hw, const struct scsi_disk *disk, struct ata_device *ret)
{
	const struct storage_part *port = &disk->controller;
	char link[STORAGE_NAME_MAX + 32], device[STORAGE_NAME_MAX + 32];
	int64_t address[4];
	int r;

	*ret = (struct ata_device){0};
	if (strncmp(port->name, "ata", 3) != 0 || scsi_disk_address(disk, address) < 0)
		return -ENOENT;

	struct text link_dir = TEXT_IN(ret->link_dir), device_dir = TEXT_IN(ret->device_dir);
	const char *number = port->name + 3;

	snprintf(link, sizeof(link), "link%s.%lld", number, (long long)address[1]);
	snprintf(device, sizeof(device), "dev%s.%lld.0", number, (long long)address[1]);
	r = hw_look(hw, "%s/%s", port->dir, link);
	if (is_want(r))
		return r;
	if (r < 0) {
		snprintf(link, sizeof(link), "link%s", number);
		snprintf(device, sizeof(device), "dev%s.%lld", number, (long long)address[2]);
	}
	text_printf(&link_dir, "%s/%s/ata_link/%s", port->dir, link, link);
	text_printf(&device_dir, "%s/%s/%s/ata_device/%s", port->dir, link, device, device);
	if (link_dir.truncated || device_dir.truncated)
		return -ENOENT;
	return hw_look(hw, "%s", ret->device_dir);
}

int ata_device_identify(struct hw *hw, const struct ata_device *device, struct ata_identify *ret)
{
	char text[8 * ATA_PAGE_BYTES];
	uint8_t page[ATA_PAGE_BYTES];
	int r = hw_read(hw, text, sizeof(text), "%s/id", device->device_dir);

	if (r >= 0)
		r = strlen(text) == (size_t)r ? ata_identify_of_text(text, page) : -EBADMSG;
	if (r == 0)
		ata_identify_parse(page, ret);
	return r;
}
