#include "model/sysfs_nodes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/node_file.h"
#include "model/reason.h"

#define BACKOFF_MAX_SAMPLES 60

static void node_done(struct sysfs_node *node)
{
	for (size_t i = 0; i < node->n_attrs; i++)
		hw_file_close(&node->attrs[i].file);
	free(node->attrs);
	*node = (struct sysfs_node){0};
}

static void open_attr(struct hw *hw, struct sysfs_node *node, size_t field, const char *dir,
		      const char *attr)
{
	struct sysfs_attr opened = {.field = field};
	int r = hw_file_open(hw, &opened.file, "%s%s%s", dir, *dir ? "/" : "", attr);

	if (r == -ENOENT)
		return;
	/* Passes, and says nothing about the file: not even that there is one. */
	if (is_want_of_descriptors(r)) {
		r = hw_file_later(&opened.file, "%s%s%s", dir, *dir ? "/" : "", attr);
		opened.is_unseen = r == 0;
	}
	opened.last_error = r;
	opened.skip = r < 0 ? UINT_MAX : 0;
	node->attrs[node->n_attrs++] = opened;
}

static void open_attrs(struct hw *hw, const struct group *group, struct sysfs_node *node,
		       const char *dir)
{
	for (size_t i = 0; i < group->n_fields; i++)
		if (group->fields[i].attr)
			open_attr(hw, node, i, dir, group->fields[i].attr);
}

void sysfs_nodes_add_attr(struct hw *hw, struct sysfs_nodes *nodes, size_t field, const char *path)
{
	struct sysfs_node *node = &nodes->v[nodes->n - 1];

	/* There is room for one of each field. */
	if (node->n_attrs < nodes->group->n_fields)
		open_attr(hw, node, field, "", path);
}

int sysfs_nodes_add(struct hw *hw, struct sysfs_nodes *nodes, const char *dir, const char *name,
		    const char *identity)
{
	struct sysfs_node *grown = realloc(nodes->v, (nodes->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	nodes->v = grown;

	struct sysfs_node node = {.attrs = calloc(nodes->group->n_fields, sizeof(*node.attrs))};

	if (!node.attrs)
		return -ENOMEM;
	snprintf(node.name, sizeof(node.name), "%s", name);
	snprintf(node.identity, sizeof(node.identity), "%s", identity);
	open_attrs(hw, nodes->group, &node, dir);
	nodes->v[nodes->n++] = node;
	return 0;
}

static bool has_attr_of(const struct sysfs_node *node, size_t field)
{
	for (size_t k = 0; k < node->n_attrs; k++)
		if (node->attrs[k].field == field)
			return true;
	return false;
}

size_t sysfs_node_missing(const struct sysfs_nodes *nodes, size_t i, const char *but,
			  struct text *out)
{
	const struct group *group = nodes->group;
	size_t n = 0;

	for (size_t k = 0; k < group->n_fields; k++) {
		const struct field *field = &group->fields[k];
		const char *since = field->since ? field->since : group->since;

		if (!field->attr || has_attr_of(&nodes->v[i], k) ||
		    (but && !strncmp(field->attr, but, strlen(but))))
			continue;
		text_printf(out, "%s%s", out->len ? ", " : "", field->name);
		if (since)
			text_printf(out, " (since %s)", since);
		n++;
	}
	return n;
}

void sysfs_node_report_denied(struct probe *probe, const struct sysfs_nodes *nodes, size_t i)
{
	const struct sysfs_node *node = &nodes->v[i];
	char part[NODE_NAME_MAX], buf[PROBE_TEXT_MAX] = "";
	struct text files = TEXT_IN(buf);

	for (size_t k = 0; k < node->n_attrs; k++) {
		const struct sysfs_attr *attr = &node->attrs[k];
		/* A recorded tree lets a file be opened, and has the error for the read. */
		int error = attr->last_error ? attr->last_error : attr->file.planned_error;

		if (error == -EACCES || error == -EPERM)
			text_printf(&files, "%s%s", files.len ? ", " : "",
				    nodes->group->fields[attr->field].name);
	}
	if (!files.len)
		return;
	probe_part(part, node->name, "files");
	probe_node(probe, part, OUTCOME_DENIED, denied_advice, "may not be read: %s", buf);
}

void sysfs_nodes_done(struct sysfs_nodes *nodes)
{
	for (size_t i = 0; i < nodes->n; i++)
		node_done(&nodes->v[i]);
	free(nodes->v);
	*nodes = (struct sysfs_nodes){.group = nodes->group};
}

static int read_text(struct hw *hw, struct sysfs_attr *attr, struct sink *sink, struct row *row)
{
	char line[INFO_TEXT_MAX];
	int r = hw_file_read_line(hw, &attr->file, line, sizeof(line));

	if (r >= 0)
		row_text(sink, row, attr->field, line);
	return r;
}

/* A word of the field's states. */
static int read_state(struct hw *hw, struct sysfs_attr *attr, const struct field *field,
		      struct row *row)
{
	char line[64];
	int r = hw_file_read_line(hw, &attr->file, line, sizeof(line)), state = -EINVAL;

	if (r < 0)
		return r;
	for (int i = 0; field->states[i]; i++) {
		if (!strcmp(field->states[i], line)) {
			state = i;
			break;
		}
		if (!strcmp(field->states[i], STATE_OTHER))
			state = i;
	}
	if (state < 0)
		return state;
	row_set(row, attr->field, state);
	return 0;
}

static int read_value(struct hw *hw, struct sysfs_attr *attr, const struct field *field,
		      struct sink *sink, struct row *row)
{
	int64_t value;

	if (field->kind == KIND_INFO)
		return read_text(hw, attr, sink, row);
	if (field->kind == KIND_STATE && field->states)
		return read_state(hw, attr, field, row);

	int r = hw_file_read_i64(hw, &attr->file, &value);

	if (r >= 0)
		row_set(row, attr->field, value);
	return r;
}

static void back_off(struct sysfs_attr *attr, int error)
{
	attr->last_error = error;
	/* Passing states that the kernel reports without asking the device. */
	if (error == -EAGAIN || error == -EBUSY)
		return;
	if (error == -EOPNOTSUPP || error == -EACCES || error == -EPERM) {
		attr->skip = UINT_MAX;
		return;
	}
	attr->backoff = attr->backoff ? MIN(attr->backoff * 2, BACKOFF_MAX_SAMPLES) : 1;
	attr->skip = attr->backoff;
}

/* An attribute that there was no descriptor for turns out to be missing: it is left out after all.
 */
static bool turns_out_missing(struct sysfs_attr *attr, int r)
{
	if (!attr->is_unseen || is_want_of_descriptors(r))
		return false;
	attr->is_unseen = false;
	if (r != -ENOENT)
		return false;
	hw_file_close(&attr->file);
	attr->last_error = r;
	attr->is_missing = true;
	return true;
}

static void sample_attr(struct hw *hw, const struct group *group, struct sysfs_attr *attr,
			struct sink *sink, struct row *row)
{
	if (attr->is_missing)
		return;
	if (attr->skip) {
		attr->skip -= attr->skip != UINT_MAX;
		row_fault(row, attr->field, attr->last_error);
		return;
	}

	int r = read_value(hw, attr, &group->fields[attr->field], sink, row);

	if (turns_out_missing(attr, r))
		return;
	if (r < 0) {
		back_off(attr, r);
		row_fault(row, attr->field, r);
		return;
	}
	attr->last_error = 0;
	attr->backoff = 0;
}

struct row *sysfs_node_sample(struct hw *hw, struct sysfs_nodes *nodes, size_t i, struct sink *sink)
{
	struct sysfs_node *node = &nodes->v[i];
	struct row *row = sink_row(sink, node->name, node->identity);

	for (size_t k = 0; k < node->n_attrs; k++)
		sample_attr(hw, nodes->group, &node->attrs[k], sink, row);
	return row;
}

/* The device has answered, or its driver has for it. */
static bool has_answered(const struct sysfs_attr *attr)
{
	return attr->last_error == 0 || attr->last_error == -EAGAIN || attr->last_error == -EBUSY;
}

/* What is refused or backs off is not read, so it does not see the device go, and has no say. */
static bool node_is_gone(const struct sysfs_node *node)
{
	bool gone = false;

	for (size_t k = 0; k < node->n_attrs; k++) {
		if (has_answered(&node->attrs[k]))
			return false;
		gone = gone || node->attrs[k].last_error == -ENODEV;
	}
	return gone;
}

int sysfs_nodes_sample(struct hw *hw, struct sysfs_nodes *nodes, struct sink *sink)
{
	bool gone = false;

	for (size_t i = 0; i < nodes->n; i++) {
		sysfs_node_sample(hw, nodes, i, sink);
		gone = gone || node_is_gone(&nodes->v[i]);
	}
	return gone ? -ENODEV : 0;
}
