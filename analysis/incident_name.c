/* Names of devices as the kernel makes them: Documentation/admin-guide/devices.txt, block/genhd.c.
 */
#include <stdbool.h>
#include <string.h>

#include "analysis/incident_parts.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The length of prefix and the digits behind it, 0 when name does not begin so. */
static size_t numbered(const char *name, const char *prefix)
{
	size_t len = strlen(prefix), n = len;

	if (strncmp(name, prefix, len) != 0)
		return 0;
	while (is_digit(name[n]))
		n++;
	return n > len ? n : 0;
}

/* sda1 and vdb12 are of sda and vdb; what has no letters behind its prefix is none of these. */
static size_t lettered(const char *name)
{
	static const char *const prefixes[] = {"sd", "vd", "hd", "xvd"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i]), n = len;

		if (strncmp(name, prefixes[i], len) != 0)
			continue;
		while (name[n] >= 'a' && name[n] <= 'z')
			n++;
		if (n > len && name[n + strspn(name + n, "0123456789")] == '\0')
			return n;
	}
	return 0;
}

static void copy(char *ret, const char *name, size_t len)
{
	if (len >= NODE_NAME_MAX)
		len = NODE_NAME_MAX - 1;
	memcpy(ret, name, len);
	ret[len] = '\0';
}

bool incident_mmc_disk(const char *name, char *ret)
{
	size_t n = numbered(name, "mmcblk");

	if (n)
		copy(ret, name, n);
	return n > 0;
}

void incidents_plain_name(const char *name, char *ret)
{
	size_t n = numbered(name, "mmcblk");

	if (n) {
		/* Hosts and their disks have the same number. */
		copy(ret, "mmc", 3);
		copy(ret + 3, name + 6, MIN(n - 6, (size_t)NODE_NAME_MAX - 4));
		return;
	}
	n = numbered(name, "mmc");
	if (n && name[n] == ':') {
		copy(ret, name, n);
		return;
	}
	n = numbered(name, "nvme");
	if (n && (name[n] == 'n' || name[n] == 'c')) {
		copy(ret, name, n);
		return;
	}
	/* Volumes of UBI: ubi0:1, ubi0_1. */
	n = numbered(name, "ubi");
	if (n && (name[n] == ':' || name[n] == '_')) {
		copy(ret, name, n);
		return;
	}
	n = numbered(name, "ata");
	if (n && name[n] == '.') {
		copy(ret, name, n);
		return;
	}
	n = lettered(name);
	copy(ret, name, n ? n : strlen(name));
}
