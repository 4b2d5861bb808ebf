#include "model/mountinfo.h"

#include <errno.h>

static int take_i64(struct slice *rest, int64_t *ret)
{
	struct slice token;

	return slice_token(rest, &token) ? parse_i64_slice(token, ret) : -EINVAL;
}

/* "8:3" */
static int take_number(struct slice *rest, struct mount *mount)
{
	struct slice minor, major;

	if (!slice_token(rest, &minor) || !slice_until(&minor, ':', &major))
		return -EINVAL;
	if (parse_i64_slice(major, &mount->major) < 0 || parse_i64_slice(minor, &mount->minor) < 0)
		return -EINVAL;
	return mount->major < 0 || mount->minor < 0 ? -EINVAL : 0;
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

bool mountinfo_unescape(struct slice text, char *buf, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < text.len; i++) {
		const char *p = text.p + i;
		char c = *p;

		if (c == '\\' && i + 3 < text.len && p[1] >= '0' && p[1] <= '3' && is_octal(p[2]) &&
		    is_octal(p[3])) {
			c = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
			i += 3;
		}
		if (len + 1 >= size) {
			buf[len] = '\0';
			return false;
		}
		buf[len++] = c;
	}
	buf[len] = '\0';
	return true;
}
