#include "daemon/last_boot_drives.h"

#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "sampling/registry.h"

/* Finds the drives that count unsafe shutdowns. */
static int take_series(const struct series_key *key, const struct boot *boot, void *arg)
{
	struct last_boot_facts *f = arg;
	struct last_boot_drive *drive = &f->drives[f->n_drives];

	if (boot->id != f->boot.id || f->n_drives == LAST_BOOT_DRIVES_MAX)
		return 0;
	snprintf(drive->node, sizeof(drive->node), "%s", key->node);
	snprintf(drive->identity, sizeof(drive->identity), "%s", key->identity);
	f->n_drives++;
	return 0;
}

static const struct group *drive_group(size_t *ret_field)
{
	const struct group *group;

	for (size_t i = 0; (group = catalog_group_at(registry(), i, NULL)); i++)
		for (size_t f = 0; !strcmp(group->name, "nvme_smart") && f < group->n_fields; f++)
			if (!strcmp(group->fields[f].name, "unsafe_shutdowns")) {
				*ret_field = f;
				return group;
			}
	return NULL;
}

static bool last_value(struct cursor *cursor, int64_t *ret)
{
	bool found = false;
	struct span span;

	while (cursor_next(cursor, &span) > 0)
		for (size_t i = 0; i < span.n; i++)
			if (!span.absent[0][i]) {
				*ret = span.values[0][i];
				found = true;
			}
	return found;
}

static bool read_before(struct reader *reader, const struct group *group, size_t field,
			const struct last_boot_facts *f, struct last_boot_drive *drive)
{
	struct series_key key = {.boot = f->boot.id};
	struct cursor *cursor;
	bool found;

	snprintf(key.node, sizeof(key.node), "%s", drive->node);
	snprintf(key.identity, sizeof(key.identity), "%s", drive->identity);
	if (cursor_open(reader, group, &key, &field, 1, 0, f->last_ms, &cursor) < 0)
		return false;
	found = last_value(cursor, &drive->before);
	cursor_close(cursor);
	return found;
}

void last_boot_drives_before(struct reader *reader, struct last_boot_facts *f)
{
	size_t field = 0, kept = 0;
	const struct group *group = drive_group(&field);
	int64_t last_wall_ms = f->boot.wall_offset_ms + f->last_ms;

	if (!group || reader_series(reader, group, NULL, f->boot.wall_offset_ms, last_wall_ms,
				    take_series, f) < 0)
		f->n_drives = 0;
	for (size_t i = 0; i < f->n_drives; i++)
		if (read_before(reader, group, field, f, &f->drives[i]))
			f->drives[kept++] = f->drives[i];
	f->n_drives = kept;
}

static int take_latest(const struct latest_row *row, void *arg)
{
	struct last_boot_facts *f = arg;
	size_t field = 0;

	if (row->group != drive_group(&field) || row->gone ||
	    row->values[field].value.type != VALUE_INT)
		return 0;
	for (size_t i = 0; i < f->n_drives; i++) {
		struct last_boot_drive *drive = &f->drives[i];

		if (strcmp(*drive->identity ? drive->identity : drive->node,
			   *drive->identity ? row->identity : row->node) != 0)
			continue;
		drive->after = row->values[field].value.i;
		drive->is_known = true;
	}
	return 0;
}

bool last_boot_drives_known(struct last_boot_facts *f, struct store *store)
{
	size_t n = 0;

	if (f->n_drives)
		(void)store_latest(store, take_latest, f);
	for (size_t i = 0; i < f->n_drives; i++)
		n += f->drives[i].is_known;
	return n == f->n_drives;
}
