#include "base/hw_facts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/kernel_config.h"
#include "base/macros.h"
#include "base/parse.h"
#include "base/text.h"

static struct hw_fact *find_fact(struct hw *hw, const char *key)
{
	struct hw_facts *facts = hw_facts_of(hw);

	for (size_t i = 0; i < facts->n; i++)
		if (!strcmp(facts->v[i].key, key))
			return &facts->v[i];
	return NULL;
}

static int recall(const struct hw_fact *fact, char *buf, size_t size)
{
	int r = fact->r < 0 ? fact->r : slice_copy(slice_of(fact->value), buf, size);

	return r < 0 ? r : fact->r;
}

/* In the room of a fact with the same key, else in what is free, else in that of the oldest. */
static struct hw_fact *room_for(struct hw *hw, const char *key)
{
	struct hw_facts *facts = hw_facts_of(hw);
	struct hw_fact *fact = find_fact(hw, key);

	if (fact)
		return fact;
	if (facts->n < HW_FACTS_MAX)
		return &facts->v[facts->n++];
	fact = &facts->v[facts->oldest];
	facts->oldest = (facts->oldest + 1) % HW_FACTS_MAX;
	return fact;
}

static void remember(struct hw *hw, const char *key, int64_t generation, int r, const char *value)
{
	struct hw_fact fact = {.generation = generation, .r = r};

	if (slice_copy(slice_of(key), fact.key, sizeof(fact.key)) < 0 ||
	    slice_copy(slice_of(r < 0 ? "" : value), fact.value, sizeof(fact.value)) < 0)
		return;
	*room_for(hw, key) = fact;
}

int hw_read_line_once(struct hw *hw, const char *key, int64_t generation, char *buf, size_t size,
		      const char *path_fmt, ...)
{
	const struct hw_fact *fact = find_fact(hw, key);
	char path[HW_PATH_MAX];
	va_list args;

	if (fact && fact->generation == generation)
		return recall(fact, buf, size);
	va_start(args, path_fmt);
	int len = vsnprintf(path, sizeof(path), path_fmt, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;

	int r = hw_read_line(hw, buf, size, "%s", path);

	/* Another error may pass. */
	if (r >= 0 || r == -ENOENT || r == -ENODATA)
		remember(hw, key, generation, r, buf);
	return r;
}

/* Returns what kernel_config_find() does; -ENOENT where there is no such file. */
static int look_into(struct hw *hw, const char *path, const char *option, char *buf, size_t size)
{
	CLEANUP(closep) int fd = hw_open_fd(hw, path);

	return fd < 0 ? fd : kernel_config_find(fd, option, buf, size);
}

/* Where a config may lie: the kernel's own copy first, which cannot be another kernel's. The others
 * are found by the release: of most distributions, of Fedora, of ostree, of Clear Linux, and of
 * kernels that lie beside their build or its headers. */
static const char *const places[] = {
	"proc/config.gz",           "boot/config-%s",
	"lib/modules/%s/config",    "usr/lib/modules/%s/config",
	"usr/lib/kernel/config-%s", "lib/modules/%s/build/.config",
};

/* Writes the path of a place; false where it needs a release and there is none. */
static bool place_path(const char *place, const char *release, struct text *path)
{
	const char *mark = strstr(place, "%s");

	text_reset(path);
	text_mem(path, place, mark ? (size_t)(mark - place) : strlen(place));
	if (mark) {
		text_str(path, release);
		text_str(path, mark + 2);
	}
	return !path->truncated && (!mark || *release);
}

/* A config that is damaged, or made without an option in it, is passed over for the next one; its
 * error is told when there is no better. */
static int read_option(struct hw *hw, const char *option, char *buf, size_t size)
{
	char release[128], path_buf[HW_PATH_MAX];
	struct text path = TEXT_IN(path_buf);
	int first_error = -ENOENT;

	if (hw_read_line(hw, release, sizeof(release), "proc/sys/kernel/osrelease") < 0)
		release[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (!place_path(places[i], release, &path))
			continue;

		int r = look_into(hw, path.p, option, buf, size);

		/* A value that is too long for the caller is an answer. */
		if (r >= 0 || r == -ENAMETOOLONG)
			return r;
		if (first_error == -ENOENT && r != -ENOTDIR)
			first_error = r;
	}
	return first_error;
}

int hw_kernel_option(struct hw *hw, const char *option, char *buf, size_t size)
{
	/* One fact of all options: none of them has an answer then. */
	static const char no_config[] = "no kernel config";
	const struct hw_fact *fact = find_fact(hw, option);

	if (!fact)
		fact = find_fact(hw, no_config);
	if (fact)
		return recall(fact, buf, size);

	int r = read_option(hw, option, buf, size);

	if (r >= 0 || r == -ENOENT)
		remember(hw, r < 0 ? no_config : option, 0, r, buf);
	return r;
}
