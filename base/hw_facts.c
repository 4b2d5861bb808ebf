#include "base/hw_facts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"

#define CONFIG_BYTES_MAX (1024 * 1024)

static const struct hw_fact *find_fact(struct hw *hw, const char *key)
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

static void remember(struct hw *hw, const char *key, int r, const char *value)
{
	struct hw_facts *facts = hw_facts_of(hw);
	struct hw_fact fact = {.r = r};

	if (facts->n == HW_FACTS_MAX || slice_copy(slice_of(key), fact.key, sizeof(fact.key)) < 0 ||
	    slice_copy(slice_of(r < 0 ? "" : value), fact.value, sizeof(fact.value)) < 0)
		return;
	facts->v[facts->n++] = fact;
}

int hw_read_line_once(struct hw *hw, const char *key, char *buf, size_t size, const char *path_fmt,
		      ...)
{
	const struct hw_fact *fact = find_fact(hw, key);
	char path[HW_PATH_MAX];
	va_list args;

	if (fact)
		return recall(fact, buf, size);
	va_start(args, path_fmt);
	int len = vsnprintf(path, sizeof(path), path_fmt, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;

	int r = hw_read_line(hw, buf, size, "%s", path);

	/* Another error may pass. */
	if (r >= 0 || r == -ENOENT || r == -ENODATA)
		remember(hw, key, r, buf);
	return r;
}

static int find_option(struct slice config, const char *option, char *buf, size_t size)
{
	struct slice line, name;

	while (slice_line(&config, &line))
		if (slice_until(&line, '=', &name) && slice_is(name, option))
			return slice_copy(line, buf, size);
	return slice_copy(slice_of("n"), buf, size);
}

static int read_option(struct hw *hw, const char *option, char *buf, size_t size)
{
	CLEANUP(freep) char *config = malloc(CONFIG_BYTES_MAX);
	char release[256];
	int r = config ? hw_read_line(hw, release, sizeof(release), "proc/sys/kernel/osrelease")
		       : -ENOMEM;

	if (r >= 0)
		r = hw_read(hw, config, CONFIG_BYTES_MAX, "boot/config-%s", release);
	return r < 0 ? r : find_option((struct slice){config, (size_t)r}, option, buf, size);
}

int hw_kernel_option(struct hw *hw, const char *option, char *buf, size_t size)
{
	const struct hw_fact *fact = find_fact(hw, option);

	if (fact)
		return recall(fact, buf, size);

	int r = read_option(hw, option, buf, size);

	if (r >= 0)
		remember(hw, option, r, buf);
	return r;
}
