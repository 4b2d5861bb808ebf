#include "model/android.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"

#define FILE_MAX_BYTES (256 * 1024)

int android_property(struct slice text, const char *key, struct slice *ret)
{
	size_t len = strlen(key);
	struct slice line;

	while (slice_line(&text, &line)) {
		while (line.len && (line.p[0] == ' ' || line.p[0] == '\t')) {
			line.p++;
			line.len--;
		}
		if (line.len <= len || memcmp(line.p, key, len) != 0 || line.p[len] != '=')
			continue;
		line.p += len + 1;
		line.len -= len + 1;
		while (line.len && strchr(" \t\r", line.p[line.len - 1]))
			line.len--;
		*ret = line;
		return 0;
	}
	return -ENOENT;
}

static bool is_missing(int error)
{
	return error == -ENOENT || error == -ENOTDIR;
}

/* 0 with a type, -ENODATA for a file without one. */
static int type_of_file(struct hw *hw, const char *path, char *text, char buf[ANDROID_TYPE_MAX])
{
	struct slice type;
	int r = hw_read(hw, text, FILE_MAX_BYTES, "%s", path);

	if (r < 0)
		return is_missing(r) ? -ENOENT : r;
	if (android_property((struct slice){text, (size_t)r}, "ro.build.type", &type) < 0 ||
	    !type.len || type.len >= ANDROID_TYPE_MAX)
		return -ENODATA;
	memcpy(buf, type.p, type.len);
	buf[type.len] = '\0';
	return 0;
}

int android_build_type(struct hw *hw, char buf[ANDROID_TYPE_MAX])
{
	static const char *const paths[] = {"system/build.prop", "default.prop",
					    "vendor/build.prop"};
	CLEANUP(freep) char *text = malloc(FILE_MAX_BYTES);
	char type[ANDROID_TYPE_MAX], found[ANDROID_TYPE_MAX] = "";
	int result = -ENOENT, error = 0;

	for (size_t i = 0; text && i < ARRAY_SIZE(paths); i++) {
		int r = type_of_file(hw, paths[i], text, type);

		if (r == 0 && (result < 0 || !strcmp(type, "user")))
			memcpy(found, type, sizeof(found));
		if (r == 0)
			result = 0;
		else if (r == -ENODATA && result == -ENOENT)
			result = r;
		else if (r != -ENOENT && r != -ENODATA)
			error = r;
	}
	if (!text)
		return -ENOMEM;
	/* One of them that is "user" is enough to know. */
	if (error && strcmp(found, "user") != 0)
		return error;
	if (result == 0)
		memcpy(buf, found, sizeof(found));
	return result;
}
