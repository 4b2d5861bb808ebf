/* The common case of a collector: a class of sysfs has one directory for each node, and each field
 * is one attribute file in it (field.attr): an integer, a line of text for an info, or one of the
 * words of field.states. The files stay open and are read again at each sample.
 *
 * A later kernel may have words that field.states lacks. In a table with STATE_OTHER they have that
 * state, in others they are the fault EINVAL. */
#pragma once

#include <stddef.h>

#include "base/hw.h"
#include "base/text.h"
#include "model/collector.h"
#include "model/probe.h"

#define STATE_OTHER "OTHER"

struct sysfs_attr {
	struct hw_file file;
	size_t field;
	int last_error;         /* of the last read, 0 when it succeeded */
	unsigned skip, backoff; /* samples to leave out before the next try; doubles up to 60 */
	bool is_unseen;         /* there was no descriptor for it: it may not exist */
	bool is_missing;        /* it does not */
};

struct sysfs_node {
	char name[NODE_NAME_MAX];
	char identity[NODE_IDENTITY_MAX];
	struct sysfs_attr *attrs;
	size_t n_attrs;
};

struct sysfs_nodes {
	const struct group *group;
	struct sysfs_node *v;
	size_t n;
};

/* Opens the attributes of one node below dir and appends it; an attribute that is missing is left
 * out, one that cannot be opened is kept as a fault, and for want of descriptors (EMFILE, ENFILE)
 * it is opened by a sample. name and identity are copied. */
int sysfs_nodes_add(struct hw *hw, struct sysfs_nodes *nodes, const char *dir, const char *name,
		    const char *identity);

/* Opens one more attribute of the node that was added last, for a field without attr: one that lies
 * at a path of its own. As above when it is missing or cannot be opened. */
void sysfs_nodes_add_attr(struct hw *hw, struct sysfs_nodes *nodes, size_t field, const char *path);

/* Appends what node i lacks of the attributes that its group names, with the first kernel that has
 * each: "critical_health (since 6.15), clkgate_enable". Those below the directory but
 * ("power_info/", NULL: none) are left out. Returns how many these are. */
size_t sysfs_node_missing(const struct sysfs_nodes *nodes, size_t i, const char *but,
			  struct text *out);

/* Says of node i, as a node "NAME files" of its own, which of its attributes may not be read, and
 * what can be done about it. Nothing when there is none. */
void sysfs_node_report_denied(struct probe *probe, const struct sysfs_nodes *nodes, size_t i);

void sysfs_nodes_done(struct sysfs_nodes *nodes);

/* Reads node i into a new row and returns it, so that the collector can add to it. An attribute
 * that fails is a fault; it is tried again after 1, 2, 4 ... 60 samples, at each sample with EAGAIN
 * and EBUSY, and with EOPNOTSUPP and EACCES only after the next probe. */
struct row *sysfs_node_sample(struct hw *hw, struct sysfs_nodes *nodes, size_t i,
			      struct sink *sink);

/* A row for each node. -ENODEV when an attribute of a node says that its device is gone and none of
 * them has been read since. */
int sysfs_nodes_sample(struct hw *hw, struct sysfs_nodes *nodes, struct sink *sink);
