#include "model/scsi_disks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "model/node_file.h"

void scsi_disks_done(struct scsi_disks *disks)
{
	free(disks->v);
	*disks = (struct scsi_disks){0};
}

/* 1 when the disk is one of the transport. What sysfs does not know (any more) is none. */
static int look_at(struct hw *hw, const char *name, const char *transport, struct scsi_disk *ret)
{
	char dir[HW_PATH_MAX];
	struct storage_bus bus;
	int r = storage_bus_of(hw, name, &bus);

	if (r < 0)
		return search_error(r);
	if (!bus.transport || strcmp(bus.transport, transport) != 0 || !bus.n_controllers)
		return 0;
	r = block_dir(hw, name, dir, sizeof(dir));
	if (r < 0)
		return search_error(r);
	r = hw_look(hw, "%s/partition", dir);
	if (r == 0 || is_want(r))
		return r;
	r = hw_real_path(hw, ret->dir, sizeof(ret->dir), "%s/device", dir);
	if (r < 0)
		return search_error(r);
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	ret->controller = bus.controllers[0];
	return 1;
}

static int append(struct scsi_disks *disks, const struct scsi_disk *disk)
{
	struct scsi_disk *grown = realloc(disks->v, (disks->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	disks->v = grown;
	grown[disks->n++] = *disk;
	return 0;
}

static int identify(struct hw *hw, struct scsi_disks *disks)
{
	CLEANUP(freep) const char **names = calloc(disks->n + 1, sizeof(*names));
	CLEANUP(freep) char **identities = calloc(disks->n + 1, sizeof(*identities));

	if (!names || !identities)
		return -ENOMEM;
	for (size_t i = 0; i < disks->n; i++) {
		names[i] = disks->v[i].name;
		identities[i] = disks->v[i].identity;
	}
	return block_identities(hw, names, identities, disks->n, NODE_IDENTITY_MAX);
}

int scsi_disks_find(struct hw *hw, const char *transport, struct scsi_disks *ret)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = search_error(hw_list(hw, &names, "sd", "sys/class/block"));

	*ret = (struct scsi_disks){0};
	if (r == 0 && !names.n)
		r = search_error(hw_list(hw, &names, "sd", "sys/block"));
	for (size_t i = 0; i < names.n && r >= 0 && ret->n < SCSI_DISKS_MAX; i++) {
		struct scsi_disk disk = {0};

		r = look_at(hw, names.v[i], transport, &disk);
		if (r > 0)
			r = append(ret, &disk);
	}
	if (r >= 0)
		r = identify(hw, ret);
	if (r < 0)
		scsi_disks_done(ret);
	return r < 0 ? r : 0;
}

int scsi_disk_address(const struct scsi_disk *disk, int64_t ret[4])
{
	const char *slash = strrchr(disk->dir, '/');
	struct slice rest = slice_of(slash ? slash + 1 : disk->dir), number;

	for (size_t i = 0; i < 3; i++)
		if (!slice_until(&rest, ':', &number) || parse_i64_slice(number, &ret[i]) < 0)
			return -EINVAL;
	return parse_i64_slice(rest, &ret[3]) < 0 ? -EINVAL : 0;
}
