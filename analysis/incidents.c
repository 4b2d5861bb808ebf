#include "analysis/incidents.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct incidents {
	incidents_canonical canonical;
	void *arg;
	struct incident slots[INCIDENTS_MAX];
	struct incidents_lines lines;
};

int incidents_new(incidents_canonical canonical, void *arg, struct incidents **ret)
{
	struct incidents *table = calloc(1, sizeof(*table));

	if (!table)
		return -ENOMEM;
	table->canonical = canonical;
	table->arg = arg;
	*ret = table;
	return 0;
}

void incidents_free(struct incidents *table)
{
	free(table);
}

void incidents_freep(struct incidents **table)
{
	incidents_free(*table);
}

void incidents_take(struct incidents *table, const struct kernel_message *message,
		    struct incidents_taken *ret)
{
	kernel_classify(message, &ret->finding);
	ret->change = INCIDENTS_SAME;
	ret->incident = NULL;
	table->lines.all++;
}

void incidents_advance(struct incidents *table, int64_t now_us)
{
	(void)table;
	(void)now_us;
}

void incidents_close(struct incidents *table)
{
	(void)table;
}

const struct incident *incidents_changed(struct incidents *table)
{
	(void)table;
	return NULL;
}

int64_t incidents_closed_early(const struct incidents *table)
{
	(void)table;
	return 0;
}

int64_t incidents_lost(const struct incidents *table)
{
	(void)table;
	return 0;
}

bool incidents_count_next(const struct incidents *table, size_t *cursor,
			  struct incidents_count *ret)
{
	(void)table;
	(void)cursor;
	(void)ret;
	return false;
}

struct incidents_lines incidents_lines(const struct incidents *table)
{
	return table->lines;
}

void incidents_plain_name(const char *name, char *ret)
{
	snprintf(ret, NODE_NAME_MAX, "%s", name);
}
