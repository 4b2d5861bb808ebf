#include "model/mountinfo.h"

#include <errno.h>
#include <string.h>

static int take_i64(struct slice *rest, int64_t *ret)
{
	struct slice token;

	return slice_token(rest, &token) ? parse_i64_slice(token, ret) : -EINVAL;
}

/* A device number is 12 bits of major and 20 of minor. */
static bool is_number(int64_t part)
{
	return part >= 0 && part < 1 << 20;
}

/* "8:3" */
static int take_number(struct slice *rest, struct mount *mount)
{
	struct slice minor, major;

	if (!slice_token(rest, &minor) || !slice_until(&minor, ':', &major))
		return -EINVAL;
	if (parse_i64_slice(major, &mount->major) < 0 || parse_i64_slice(minor, &mount->minor) < 0)
		return -EINVAL;
	return is_number(mount->major) && is_number(mount->minor) ? 0 : -EINVAL;
}

/* The separator is the first field that is exactly "-"; a later one is data. */
static int take_tags(struct slice *rest, struct slice *ret_tags)
{
	struct slice token, tags = {rest->p, 0};

	while (slice_token(rest, &token)) {
		if (slice_is(token, "-")) {
			*ret_tags = tags;
			return 0;
		}
		if (!tags.len)
			tags.p = token.p;
		tags.len = (size_t)(token.p + token.len - tags.p);
	}
	return -EINVAL;
}

/* What is left of the line without the blanks around it. */
static struct slice take_rest(struct slice rest)
{
	while (rest.len && (rest.p[0] == ' ' || rest.p[0] == '\t')) {
		rest.p++;
		rest.len--;
	}
	while (rest.len && (rest.p[rest.len - 1] == ' ' || rest.p[rest.len - 1] == '\t'))
		rest.len--;
	return rest;
}

/* The kernel prints nothing for an empty source and goes on with the next field: two blanks in a
 * row stand for it, which a token would swallow. */
static bool take_source(struct slice *rest, struct slice *ret)
{
	if (rest->len > 1 && rest->p[0] == ' ' && rest->p[1] == ' ') {
		*ret = (struct slice){rest->p + 1, 0};
		*rest = (struct slice){rest->p + 1, rest->len - 1};
		return true;
	}
	return slice_token(rest, ret);
}

/* The kernel begins the options of a mount with one of the two words, always. */
static bool is_options(struct slice options)
{
	struct slice first = options;

	if (!slice_until(&options, ',', &first))
		first = options;
	return slice_is(first, "rw") || slice_is(first, "ro");
}

int mountinfo_parse(struct slice line, struct mount *ret)
{
	struct mount mount = {0};
	struct slice rest = line;

	if (take_i64(&rest, &mount.id) < 0 || take_i64(&rest, &mount.parent_id) < 0 ||
	    take_number(&rest, &mount) < 0)
		return -EINVAL;
	if (!slice_token(&rest, &mount.root) || !slice_token(&rest, &mount.mount_point) ||
	    !slice_token(&rest, &mount.options) || take_tags(&rest, &mount.tags) < 0)
		return -EINVAL;
	if (mount.mount_point.p[0] != '/' || !is_options(mount.options))
		return -EINVAL;
	if (!slice_token(&rest, &mount.fs_type) || !take_source(&rest, &mount.source))
		return -EINVAL;
	mount.super_options = take_rest(rest);
	*ret = mount;
	return 0;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* The character of an escape at p, 0 when it is none. */
static char escaped(const char *p, size_t len)
{
	if (len < 4 || p[0] != '\\' || p[1] < '0' || p[1] > '3' || !is_octal(p[2]) ||
	    !is_octal(p[3]))
		return '\0';
	return (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
}

bool mountinfo_unescape(struct slice text, char *buf, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = escaped(text.p + i, text.len - i);

		if (c)
			i += 3;
		else
			c = (char)(text.p[i] ? text.p[i] : '?');
		if (len + 1 >= size) {
			buf[len] = '\0';
			return false;
		}
		buf[len++] = c;
	}
	buf[len] = '\0';
	return true;
}

/* "mapper/NAME" is a link of udev to the device. Nothing else of a source is looked up in /dev:
 * whoever mounts with FUSE may write into it what he likes, a path that hangs too. */
static int mapped_name(struct hw *hw, const char *label, char name[BLOCK_NAME_MAX])
{
	static const char mapper[] = "mapper/", dev[] = "dev/";
	char path[HW_PATH_MAX], dir[HW_PATH_MAX];

	if (strncmp(label, mapper, sizeof(mapper) - 1) != 0 ||
	    strchr(label + sizeof(mapper) - 1, '/') || label[sizeof(mapper) - 1] == '.')
		return -ENOENT;
	if (hw_real_path(hw, path, sizeof(path), "dev/%s", label) < 0 ||
	    strncmp(path, dev, sizeof(dev) - 1) != 0)
		return -ENOENT;
	if (block_dir(hw, path + sizeof(dev) - 1, dir, sizeof(dir)) < 0)
		return -ENOENT;
	return slice_copy(slice_of(path + sizeof(dev) - 1), name, BLOCK_NAME_MAX);
}

int mountinfo_device(struct hw *hw, const struct mount *mount, char name[BLOCK_NAME_MAX])
{
	static const char dev[] = "/dev/";
	char source[HW_PATH_MAX], dir[HW_PATH_MAX];

	if (block_name_of(hw, mount->major, mount->minor, name) == 0)
		return 0;
	if (!mountinfo_unescape(mount->source, source, sizeof(source)) ||
	    strncmp(source, dev, sizeof(dev) - 1) != 0)
		return -ENOENT;

	const char *label = source + sizeof(dev) - 1;

	/* Android has them one level down. */
	if (!strncmp(label, "block/", 6))
		label += 6;
	if (mapped_name(hw, label, name) == 0)
		return 0;
	if (slice_copy(slice_of(label), dir, BLOCK_NAME_MAX) < 0)
		return -ENOENT;
	/* Where sysfs can tell, a source that it does not know is only a label. */
	if (hw_exists(hw, "sys/class/block") && block_dir(hw, label, dir, sizeof(dir)) < 0)
		return -ENOENT;
	return slice_copy(slice_of(label), name, BLOCK_NAME_MAX);
}
