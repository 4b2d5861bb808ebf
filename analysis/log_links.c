#include "analysis/log_links.h"

#include <string.h>

#include "analysis/incident_parts.h"
#include "base/parse.h"

/* "host0" and "0:0:0:0" begin with the number of a host behind their prefix. */
static bool host_number(struct slice word, size_t prefix, int64_t *ret)
{
	struct slice rest = {word.p + prefix, word.len - prefix}, number;

	return word.len > prefix && slice_until(&rest, ':', &number) &&
	       parse_i64_slice(number, ret) == 0 && *ret >= 0;
}

/* The last one that has it is right: numbers and paths are given again. */
static void add_usb(struct log_links *links, struct slice path, int64_t host)
{
	size_t i = 0;

	while (i < links->n_usb && !slice_is(path, links->usb[i].path))
		i++;
	if (i == LOG_LINKS_USB_MAX) {
		i = links->next_usb;
		links->next_usb = (i + 1) % LOG_LINKS_USB_MAX;
	}
	if (slice_copy(path, links->usb[i].path, sizeof(links->usb[i].path)) < 0)
		return;
	links->usb[i].host = host;
	links->n_usb = MAX(links->n_usb, i + 1);
}

/* "usb-storage 1-2:1.0", and "uas" alone */
static void take_usb_host(struct log_links *links, struct slice driver, struct slice rest,
			  int64_t host)
{
	struct slice interface, path;

	if (slice_is(driver, "uas") && *links->last_usb)
		add_usb(links, slice_of(links->last_usb), host);
	else if (slice_is(driver, "usb-storage") && slice_token(&rest, &interface) &&
		 slice_until(&interface, ':', &path))
		add_usb(links, path, host);
}

/* "usb 2-4: new SuperSpeed USB device number 2 using xhci_hcd" */
static void take_usb(struct log_links *links, struct slice rest)
{
	struct slice path, word;

	if (!slice_token(&rest, &path) || path.len < 2 || path.p[path.len - 1] != ':' ||
	    !slice_token(&rest, &word) || !slice_is(word, "new"))
		return;
	path.len--;
	if (slice_copy(path, links->last_usb, sizeof(links->last_usb)) < 0)
		links->last_usb[0] = '\0';
}

/* "scsi host0: DRIVER" */
static void take_host(struct log_links *links, struct slice rest)
{
	struct slice word, driver;
	int64_t host;

	if (!slice_token(&rest, &word) || word.len < 5 || memcmp(word.p, "host", 4) != 0 ||
	    !host_number(word, 4, &host) || !slice_token(&rest, &driver))
		return;
	take_usb_host(links, driver, rest, host);
	if (slice_is(driver, "ufshcd")) {
		links->is_many = links->is_many || (links->has_host && links->host != host);
		links->host = host;
		links->has_host = true;
	} else if (links->has_host && links->host == host) {
		links->has_host = false;
	}
}

/* "DRIVER NAME: ..." of a driver for UFS: "ufshcd-qcom 1d84000.ufshc:", "ufshcd 0000:00:03.0:" */
static void take_controller(struct log_links *links, struct slice rest)
{
	struct slice name;

	if (!slice_token(&rest, &name) || name.len < 2 || name.len > NODE_NAME_MAX ||
	    name.p[--name.len] != ':')
		return;
	if (*links->controller && !slice_is(name, links->controller))
		links->is_many = true;
	(void)slice_copy(name, links->controller, sizeof(links->controller));
}

/* "sd 0:0:0:0: [sda] Attached SCSI disk"; who got the name last has it. */
static void take_disk(struct log_links *links, struct slice rest)
{
	struct slice address, name, attached;
	int64_t host;
	size_t i = 0;

	if (!slice_token(&rest, &address) || !host_number(address, 0, &host) ||
	    !slice_token(&rest, &name) || !slice_token(&rest, &attached) ||
	    !slice_is(attached, "Attached") || name.len < 3 || name.p[0] != '[' ||
	    name.p[name.len - 1] != ']')
		return;
	name = (struct slice){name.p + 1, name.len - 2};
	while (i < links->n_disks && !slice_is(name, links->disks[i].name))
		i++;
	if (i == LOG_LINKS_DISKS_MAX ||
	    slice_copy(name, links->disks[i].name, sizeof(links->disks[i].name)) < 0)
		return;
	links->disks[i].host = host;
	address.len--;
	if (slice_copy(address, links->disks[i].address, sizeof(links->disks[i].address)) < 0)
		links->disks[i].address[0] = '\0';
	links->n_disks = MAX(links->n_disks, i + 1);
}

void log_links_take(struct log_links *links, const struct kernel_message *message)
{
	struct slice rest = slice_of(message->text), word;

	if (message->facility || !slice_token(&rest, &word))
		return;
	if (slice_is(word, "scsi"))
		take_host(links, rest);
	else if (slice_is(word, "sd"))
		take_disk(links, rest);
	else if (slice_is(word, "usb"))
		take_usb(links, rest);
	else if (word.len >= 6 && !memcmp(word.p, "ufshcd", 6))
		take_controller(links, rest);
}

/* "6:0:0:0", and no address of PCI and no number of a block device. */
static bool is_scsi_address(const char *name)
{
	size_t n_colons = 0;

	for (const char *p = name; *p; p++) {
		if (*p != ':' && (*p < '0' || *p > '9'))
			return false;
		n_colons += *p == ':';
	}
	return n_colons == 3;
}

/* The host of "host6", "6:0:0:0" and "2-4.1". */
static bool host_of(const struct log_links *links, const char *name, int64_t *ret)
{
	struct slice s = slice_of(name);

	if (!strncmp(name, "host", 4))
		return parse_i64_slice((struct slice){s.p + 4, s.len - 4}, ret) == 0;
	if (is_scsi_address(name))
		return host_number(s, 0, ret);
	for (size_t i = 0; i < links->n_usb; i++) {
		if (strcmp(links->usb[i].path, name) != 0)
			continue;
		*ret = links->usb[i].host;
		return true;
	}
	return false;
}

/* The disk that a name stands for, -1: none. Of several on a host the first one stands for all. */
static int find_disk(const struct log_links *links, const char *name)
{
	char disk[NODE_NAME_MAX];
	int64_t host;
	int found = -1;

	incidents_plain_name(name, disk);
	for (size_t i = 0; i < links->n_disks; i++)
		if (!strcmp(links->disks[i].name, disk) || !strcmp(links->disks[i].address, name))
			return (int)i;
	if (!host_of(links, name, &host))
		return -1;
	for (size_t i = 0; i < links->n_disks && found < 0; i++)
		if (links->disks[i].host == host)
			found = (int)i;
	return found;
}

bool log_links_find(void *arg, const char *name, char *out)
{
	const struct log_links *links = arg;
	bool knows_ufs = !links->is_many && links->has_host && *links->controller;
	int i = find_disk(links, name);

	if (i < 0)
		return false;
	if (knows_ufs && links->disks[i].host == links->host) {
		memcpy(out, links->controller, sizeof(links->controller));
		return true;
	}
	memcpy(out, links->disks[i].name, sizeof(links->disks[i].name));
	return strcmp(out, name) != 0;
}
