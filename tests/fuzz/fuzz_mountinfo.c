/* Anybody who may mount chooses what stands in mountinfo. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "model/mountinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct slice line, struct slice part)
{
	char buf[32];

	if (part.p < line.p || part.p + part.len > line.p + line.len)
		abort();
	memset(buf, 'x', sizeof(buf));

	bool whole = mountinfo_unescape(part, buf, sizeof(buf));
	size_t len = strnlen(buf, sizeof(buf));

	/* Always ended, never longer than what went in, and cut only when it is full. */
	if (len >= sizeof(buf) || len > part.len || (!whole && len != sizeof(buf) - 1))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct slice rest = {text, size}, line;
	struct mount m;

	if (!text)
		return 0;
	memcpy(text, data, size);
	while (slice_line(&rest, &line)) {
		if (mountinfo_parse(line, &m) < 0)
			continue;

		const struct slice parts[] = {m.root,    m.mount_point, m.options,      m.tags,
					      m.fs_type, m.source,      m.super_options};

		for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
			check(line, parts[i]);
		if (m.mount_point.p[0] != '/' || m.major < 0 || m.minor < 0)
			abort();
	}
	free(text);
	return 0;
}
