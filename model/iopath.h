/* An IO path as data: from file systems over the layers of the block layer down to the controller
 * and its bus. It is a tree, since a file system may lie on several disks, in the order of a
 * drawing: each layer before what lies below it.
 *
 * Texts belong to the struct iopaths. What does not fit its bounds is left out and truncated set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "model/unit.h"

#define IOPATH_LAYERS_MAX       64 /* of one path */
#define IOPATH_DEPTH_MAX        24
#define IOPATH_PATHS_MAX        1024
#define IOPATH_LAYERS_TOTAL_MAX 8192
#define IOPATH_FACTS_TOTAL_MAX  65536
#define IOPATH_TEXT_BYTES_MAX   (8 * 1024 * 1024)
#define IOPATH_NO_LAYER         SIZE_MAX

/* What is known of a layer, or that it is not and why. */
struct iopath_fact {
	const char *name;   /* "firmware" */
	const char *value;  /* exact, in unit; NULL: not known */
	const char *why;    /* of what is not known; NULL else */
	const char *source; /* the metric that it was taken from: "topology.firmware" */
	enum unit unit;
	bool is_number; /* value is an integer */
};

struct iopath_layer {
	const char *kind; /* "file_system", "dm", "partition", "disk", "controller", "pci", ... */
	const char *name;
	size_t above;   /* index within the path, IOPATH_NO_LAYER for the first */
	unsigned depth; /* 0 for the first */
	bool is_shared; /* stands in the path already, with its facts and all below it */
	size_t first_fact, n_facts;
};

struct iopath_mount {
	const char *point, *root, *options;
};

struct iopath {
	size_t first_mount, n_mounts; /* none: the first layer is not mounted */
	size_t first_layer, n_layers;
};

/* A file system without a block device: "/tmp", "tmpfs". */
struct iopath_diskless {
	const char *point, *fs_type;
};

struct iopath_arena; /* memory of the texts */

struct iopaths {
	struct iopath *paths;
	struct iopath_layer *layers;
	struct iopath_fact *facts;
	struct iopath_mount *mounts;
	struct iopath_diskless *diskless;
	size_t n_paths, n_layers, n_facts, n_mounts, n_diskless;
	size_t paths_alloc, layers_alloc, facts_alloc, mounts_alloc, diskless_alloc;
	const char *taken_from; /* the mount that a file is taken to lie in, by its name alone;
				 * NULL when no file was asked for */
	struct iopath_arena *arena;
	size_t text_bytes;
	bool truncated; /* a bound was reached */
	int error;      /* -ENOMEM; then nothing more is added */
};

/* Owns nothing until something is added. */
void iopaths_init(struct iopaths *paths);
void iopaths_done(struct iopaths *paths);

/* A copy that belongs to paths; "" when it does not fit. */
PRINTF_LIKE(2, 3) const char *iopaths_text(struct iopaths *paths, const char *fmt, ...);

/* Each adds to the newest path or layer; texts are not copied. NULL when there is no room. */
struct iopath *iopaths_add_path(struct iopaths *paths);
struct iopath_mount *iopaths_add_mount(struct iopaths *paths);
struct iopath_layer *iopaths_add_layer(struct iopaths *paths);
struct iopath_fact *iopaths_add_fact(struct iopaths *paths);
struct iopath_diskless *iopaths_add_diskless(struct iopaths *paths);

/* Takes the newest path back. */
void iopaths_drop_path(struct iopaths *paths);
