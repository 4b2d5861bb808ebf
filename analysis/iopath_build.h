/* What the files of the IO path share. Private to analysis/. */
#pragma once

#include "analysis/iopath.h"

/* A row of mounts. Texts belong to the facts. */
struct mount_view {
	const struct facts_row *row;
	const char *point, *fs_type, *device, *options, *super_options;
	int64_t id, parent_id;
};

struct build {
	const struct facts *facts;
	struct iopaths *out;
	/* Both in an order of their own, so that the answer does not depend on where the rows come
	 * from: mounts by their ids, devices by their names. */
	struct mount_view *mounts;
	size_t n_mounts;
	const struct facts_row **devices; /* of topology */
	size_t n_devices;
};

/* Sorts the rows of mounts and topology. -ENOMEM. Released by build_done(). */
MUST_CHECK int build_init(struct build *build, const struct facts *facts, struct iopaths *out);
void build_done(struct build *build);

/* The mount that an absolute path lies in. NULL when there is none. */
const struct mount_view *build_mount_of(const struct build *build, const char *path);

/* The value of an option with its "=" ("upperdir="), or whether there is one without. Copies at
 * most size - 1 bytes; false when there is none or it does not fit. */
bool build_option(const char *options, const char *name, char *buf, size_t size);

/* Whether it is an overlay that is written to a folder of another file system. */
bool build_has_upper(const struct mount_view *mount);

/* One path each, from a mount or from a device. */
void build_mount_path(struct build *build, const struct mount_view *mount);
void build_device_path(struct build *build, const char *device);

/* The facts of the newest layer: of a file system, or of a node of topology (row NULL: unknown). */
void build_mount_facts(struct build *build, const struct mount_view *mount);
void build_node_facts(struct build *build, const char *node, const struct facts_row *row);

/* A fact that is not known, or is not to be had. */
void build_missing(struct build *build, const char *name, const char *source, const char *why);
