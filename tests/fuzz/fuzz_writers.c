/* What a process is called is up to it, and a container may make cgroups; a tree of somebody else's
 * machine has the rest. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "model/writer_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_io(const struct writer_io *io)
{
	if (io->read < 0 || io->written < 0 || io->cancelled < 0 || io->syncs < 0)
		abort();
}

static void check_line(struct slice line)
{
	struct writer_io io;
	struct slice name;
	int64_t a, b;

	if (writer_parse_iostat(line, &a, &b, &io) == 0) {
		check_io(&io);
		if (a < 0 || b < 0)
			abort();
	}
	if (writer_parse_uid(line, &a, &io) == 0) {
		check_io(&io);
		if (a < 0 || a > UINT32_MAX)
			abort();
	}
	if (writer_parse_package(line, &name, &a) == 0 &&
	    (name.p < line.p || name.p + name.len > line.p + line.len || !name.len))
		abort();
}

static void check_texts(struct slice text)
{
	struct writer_stat stat;
	struct writer_io io;
	char path[128], unit[WRITER_UNIT_MAX];
	bool is_slice;

	if (writer_parse_io(text, &io) == 0)
		check_io(&io);
	if (writer_parse_stat(text, &stat) == 0 &&
	    (stat.pid < 0 || stat.parent < 0 || stat.start < 0 ||
	     strnlen(stat.name, sizeof(stat.name)) == sizeof(stat.name)))
		abort();
	if (writer_parse_cgroup(text, path, sizeof(path)) < 0)
		return;
	writer_unit_of(path, unit, &is_slice);
	if (strnlen(unit, sizeof(unit)) == sizeof(unit) || (!*path && *unit))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct slice rest = {text, size}, line;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	check_texts(rest);
	while (slice_line(&rest, &line))
		check_line(line);
	free(text);
	return 0;
}
