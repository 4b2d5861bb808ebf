#include "model/writer_devices.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hw.h"
#include "base/text.h"
#include "model/block.h"
#include "model/sink.h"
#include "model/writers.h"

#define FILE_BYTES   65536
#define SECTOR_BYTES INT64_C(512)

enum { COLUMN_NAME = 2, COLUMN_READ = 5, COLUMN_WRITTEN = 9, COLUMNS };

struct writer_devices {
	struct {
		char name[WRITER_DEVICE_MAX];
		struct writer_io last;
	} v[WRITER_DEVICES_MAX];
	size_t n;
	bool is_first_done;
	struct writer_io io;
	char text[FILE_BYTES];
};

struct writer_devices *writer_devices_of(struct hw *hw)
{
	return hw_memory(hw, "writer_devices", sizeof(struct writer_devices));
}

struct writer_io writer_devices_io(const struct writer_devices *devices, size_t *ret_n)
{
	*ret_n = devices->n;
	return devices->io;
}

bool writer_counts_at(struct hw *hw, const char *name)
{
	char disk[BLOCK_NAME_MAX];

	return !block_is_pseudo(name) && !block_is_path(hw, name, disk) &&
	       strncmp(name, "dm-", 3) != 0 &&
	       !(name[0] == 'm' && name[1] == 'd' && (name[2] >= '0' && name[2] <= '9'));
}

static int parse_line(struct slice line, char name[WRITER_DEVICE_MAX], struct writer_io *ret)
{
	struct writer_io io = {0};
	struct slice token;

	for (int i = 0; i < COLUMNS; i++) {
		int64_t *to = i == COLUMN_READ ? &io.read : &io.written;

		if (!slice_token(&line, &token) ||
		    (i == COLUMN_NAME && slice_copy(token, name, WRITER_DEVICE_MAX) < 0))
			return -EINVAL;
		if (i != COLUMN_READ && i != COLUMN_WRITTEN)
			continue;
		if (parse_i64_slice(token, to) < 0 || *to < 0 ||
		    __builtin_mul_overflow(*to, SECTOR_BYTES, to))
			return -EINVAL;
	}
	*ret = io;
	return 0;
}

/* Partitions have no directory of their own there. */
static bool is_disk(struct hw *hw, const char *name)
{
	char kobject[WRITER_DEVICE_MAX];

	snprintf(kobject, sizeof(kobject), "%s", name);
	for (char *p = kobject; *p; p++)
		*p = *p == '/' ? '!' : *p;
	return writer_counts_at(hw, name) && hw_exists(hw, "sys/block/%s", kobject);
}

static void take_line(struct writer_devices *d, struct hw *hw, struct slice line, struct sink *sink)
{
	struct writer writer = {.source = WRITER_DEVICE, .id = -1};
	struct writer_io io;
	char name[WRITER_DEVICE_MAX];
	size_t i = 0;
	bool is_new;

	if (parse_line(line, name, &io) < 0)
		return;
	while (i < d->n && strcmp(d->v[i].name, name) != 0)
		i++;
	is_new = i == d->n;
	if (is_new) {
		if (d->n == WRITER_DEVICES_MAX || !is_disk(hw, name))
			return;
		snprintf(d->v[d->n++].name, WRITER_DEVICE_MAX, "%s", name);
	}
	/* Another disk with the same name begins at 0. */
	if (io.written < d->v[i].last.written || io.read < d->v[i].last.read)
		d->v[i].last = (struct writer_io){0};
	if (d->is_first_done || !is_new)
		writer.io = writer_io_minus(&io, &d->v[i].last);
	d->v[i].last = io;
	if (writer_io_is_zero(&writer.io))
		return;
	writer_io_add(&d->io, &writer.io);
	snprintf(writer.name, sizeof(writer.name), "%s", name);
	snprintf(writer.device, sizeof(writer.device), "%s", name);
	writer_to_row(&writer, sink);
}

int writer_devices_look(struct writer_devices *d, struct hw *hw, struct sink *sink)
{
	int r = hw_read(hw, d->text, sizeof(d->text), "proc/diskstats");
	struct slice rest = {d->text, (size_t)MAX(r, 0)}, line;

	if (r < 0)
		return r;
	while (slice_line(&rest, &line))
		take_line(d, hw, line, sink);
	d->is_first_done = true;
	return 0;
}
