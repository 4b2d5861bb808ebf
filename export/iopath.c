#include "export/iopath.h"

#include "base/text.h"

static void add_value(struct doc *doc, const struct iopath_fact *fact)
{
	if (fact->is_number)
		doc_raw(doc, "value", fact->value);
	else
		doc_string(doc, "value", fact->value);
	if (fact->unit == UNIT_NONE || fact->unit == UNIT_COUNT)
		doc_null(doc, "unit");
	else
		doc_string(doc, "unit", unit_name(fact->unit));
}

/* Either what is known or what is not. */
static void add_facts(struct doc *doc, const char *key, const struct iopath_fact *facts, size_t n,
		      bool known)
{
	doc_object(doc, key);
	for (size_t i = 0; i < n; i++) {
		if ((facts[i].value != NULL) != known)
			continue;
		doc_object(doc, facts[i].name);
		if (known)
			add_value(doc, &facts[i]);
		else
			doc_string(doc, "why", facts[i].why ? facts[i].why : "");
		doc_string(doc, "source", facts[i].source);
		doc_end(doc);
	}
	doc_end(doc);
}

static void add_layer(struct doc *doc, const struct iopaths *paths,
		      const struct iopath_layer *layer)
{
	const struct iopath_fact *facts = &paths->facts[layer->first_fact];

	doc_object(doc, NULL);
	doc_string(doc, "kind", layer->kind);
	doc_string(doc, "name", layer->name);
	if (layer->above == IOPATH_NO_LAYER)
		doc_null(doc, "above");
	else
		doc_u64(doc, "above", layer->above);
	doc_u64(doc, "depth", layer->depth);
	doc_bool(doc, "shared", layer->is_shared);
	add_facts(doc, "facts", facts, layer->n_facts, true);
	add_facts(doc, "missing", facts, layer->n_facts, false);
	doc_end(doc);
}

static void add_path(struct doc *doc, const struct iopaths *paths, const struct iopath *path)
{
	doc_object(doc, NULL);
	doc_array(doc, "mounts");
	for (size_t i = 0; i < path->n_mounts; i++) {
		const struct iopath_mount *mount = &paths->mounts[path->first_mount + i];

		doc_object(doc, NULL);
		doc_string(doc, "mount_point", mount->point);
		doc_string_or_null(doc, "root", mount->root);
		doc_string_or_null(doc, "options", mount->options);
		doc_end(doc);
	}
	doc_end(doc);
	doc_array(doc, "layers");
	for (size_t i = 0; i < path->n_layers; i++)
		add_layer(doc, paths, &paths->layers[path->first_layer + i]);
	doc_end(doc);
	doc_end(doc);
}

void iopath_document(struct doc *doc, const char *of, const struct iopaths *paths)
{
	doc_object(doc, NULL);
	doc_string_or_null(doc, "of", of);
	doc_string_or_null(doc, "taken_from", paths->taken_from ? paths->taken_from : "");
	doc_array(doc, "paths");
	for (size_t i = 0; i < paths->n_paths; i++)
		add_path(doc, paths, &paths->paths[i]);
	doc_end(doc);
	doc_array(doc, "without_disk");
	for (size_t i = 0; i < paths->n_diskless; i++) {
		doc_object(doc, NULL);
		doc_string(doc, "mount_point", paths->diskless[i].point);
		doc_string(doc, "fs_type", paths->diskless[i].fs_type);
		doc_end(doc);
	}
	doc_end(doc);
	doc_bool(doc, "truncated", paths->truncated);
	doc_end(doc);
}
