#include "model/dm_target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool ends(const char *text, const char *suffix)
{
	size_t len = strlen(text), n = strlen(suffix);

	return len > n && !strcmp(text + len - n, suffix);
}

/* "CRYPT-LUKS2-...": the word between the dashes. */
static struct dm_target crypt_target(const char *uuid)
{
	struct dm_target target = {.kind = "crypt"};
	const char *type = uuid + strlen("CRYPT-");
	size_t len = strcspn(type, "-");

	if (begins(type, "VERITY"))
		target.kind = "verity";
	else if (begins(type, "INTEGRITY") || begins(type, "SUBDEV"))
		target.kind = "integrity";
	else if (len < sizeof(target.format) &&
		 strspn(type, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == len)
		snprintf(target.format, sizeof(target.format), "%.*s", (int)len, type);
	return target;
}

struct dm_target dm_target_of_uuid(const char *uuid)
{
	static const struct {
		const char *prefix, *suffix, *kind;
	} kinds[] = {
		{"LVM-", "-tpool", "lvm thin-pool"},
		{"LVM-", "-cow", "lvm snapshot"},
		{"LVM-", "", "lvm"},
		{"mpath-", "", "multipath"},
		{"DMRAID-", "", "dmraid"},
		{"VDO-", "", "vdo"},
		{"stratis-1-", "", "stratis"},
	};
	struct dm_target target = {0};

	if (begins(uuid, "CRYPT-"))
		return crypt_target(uuid);
	/* kpartx: "part1-mpath-...". */
	if (begins(uuid, "part") && strspn(uuid + 4, "0123456789") > 0 &&
	    uuid[4 + strspn(uuid + 4, "0123456789")] == '-')
		target.kind = "partition";
	for (size_t i = 0; !target.kind && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (begins(uuid, kinds[i].prefix) &&
		    (!*kinds[i].suffix || ends(uuid, kinds[i].suffix)))
			target.kind = kinds[i].kind;
	return target;
}

const char *dm_target_likely(const char *name, const char *below)
{
	/* Android: fs_mgr names the verity device after what it checks, vold calls the encrypted
	 * one of the metadata key "userdata", and what lies in "super" are linear pieces of it. */
	if (ends(name, "-verity"))
		return "verity";
	if (!strcmp(name, "userdata") && !strcmp(below, "userdata"))
		return "default-key";
	if (!strcmp(below, "super"))
		return "linear";
	return NULL;
}

const char *dm_target_of_lvm(const char *below)
{
	if (strstr(below, "_rimage_") || strstr(below, "_rmeta_"))
		return "lvm raid";
	if (strstr(below, "_mimage_"))
		return "lvm mirror";
	if (ends(below, "-tpool"))
		return "lvm thin";
	if (ends(below, "_cdata") || ends(below, "_cpool") || ends(below, "_corig"))
		return "lvm cache";
	return NULL;
}
