#include "sampling/hangs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STUCK_MS      1000 /* a killed process that lives longer was held by the kernel */
#define LOOK_MS       1000
#define LOOK_LATER_MS 10000

/* The directory of an attribute of sysfs, with its slash: a device that hangs in one attribute will
 * hang in the others. 0 for what is no such path. */
static size_t device_dir_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !strncmp(path, "sys/", 4) ? (size_t)(slash - path) + 1 : 0;
}

/* Whether another attribute of the same device hangs already. */
static bool is_second_of_device(const struct hangs *hangs, const struct hang *hang)
{
	size_t len = device_dir_len(hang->path);

	for (size_t i = 0; len && i < HANGS_MAX; i++) {
		const struct hang *other = &hangs->v[i];

		if (other != hang && other->used && !strncmp(other->path, hang->path, len))
			return true;
	}
	return false;
}

static bool is_same(const struct hang *hang, const struct lane_place *place)
{
	size_t len = strlen(hang->path);

	if (hang->collector != (size_t)place->collector)
		return false;
	if (!len)
		return !place->path[0] && hang->group == place->group;
	return hang->path[len - 1] == '/' ? !strncmp(hang->path, place->path, len)
					  : !strcmp(hang->path, place->path);
}

/* What hung before and was tried again, else a free place, else that of another one that is tried
 * again. NULL when all are avoided. */
static struct hang *hang_for(struct hangs *hangs, const struct lane_place *place)
{
	struct hang *free_hang = NULL, *tried = NULL;

	for (size_t i = 0; i < HANGS_MAX; i++) {
		struct hang *hang = &hangs->v[i];

		if (hang->used && !hang->pid && is_same(hang, place))
			return hang;
		if (!hang->used && !free_hang)
			free_hang = hang;
		if (hang->used && !hang->avoided)
			tried = hang;
	}
	if (!free_hang && tried)
		tried->used = false;
	return free_hang ? free_hang : tried;
}

static void fill(const struct hangs *hangs, struct hang *hang, const struct lane_place *place)
{
	*hang = (struct hang){
		.used = true, .collector = (size_t)place->collector, .group = place->group};
	snprintf(hang->node, sizeof(hang->node), "%s", place->node);
	snprintf(hang->path, sizeof(hang->path), "%s", place->path);
	if (is_second_of_device(hangs, hang))
		hang->path[device_dir_len(hang->path)] = '\0';
}

int hangs_add(struct hangs *hangs, const struct lane_place *place, pid_t pid, int64_t now_ms,
	      const struct hang **ret)
{
	struct hang *hang = hang_for(hangs, place);

	if (!hang)
		return -ENOSPC;
	if (!hang->used)
		fill(hangs, hang, place);
	hang->avoided = true;
	hang->was_stuck = false;
	hang->left_ms = now_ms;
	hang->pid = pid;
	backoff_fail(&hang->backoff, now_ms, hangs->first_ms, HANG_MAX_MS);
	*ret = hang;
	return 0;
}

void hangs_reap(struct hangs *hangs, int64_t now_ms)
{
	for (size_t i = 0; i < HANGS_MAX; i++) {
		struct hang *hang = &hangs->v[i];

		if (!hang->used || !hang->pid || !lane_reap(hang->pid))
			continue;
		hang->pid = 0;
		hang->was_stuck = now_ms - hang->left_ms >= STUCK_MS;
	}
}

/* What the kernel has let go may answer now, so it is tried at once; what hung again then is not:
 * one that is held and let go over and over would be asked without a pause. */
static bool has_to_wait(const struct hangs *hangs, const struct hang *hang, int64_t now_ms)
{
	if (hang->was_stuck && hang->backoff.wait_ms <= hangs->first_ms)
		return false;
	return backoff_waits(&hang->backoff, now_ms);
}

bool hangs_lift(struct hangs *hangs, int64_t now_ms)
{
	bool any = false;

	for (size_t i = 0; i < HANGS_MAX; i++) {
		struct hang *hang = &hangs->v[i];

		if (!hang->used || !hang->avoided || hang->pid || has_to_wait(hangs, hang, now_ms))
			continue;
		hang->avoided = false;
		any = true;
	}
	return any;
}

int64_t hangs_look_ms(int64_t since_ms, int64_t now_ms)
{
	return now_ms + (now_ms - since_ms < LOOK_LATER_MS ? LOOK_MS : LOOK_LATER_MS);
}

/* What is tried again waits for an answer, and for nothing here. */
static int64_t hang_next_ms(const struct hangs *hangs, const struct hang *hang, int64_t now_ms)
{
	if (!hang->used || !hang->avoided)
		return SCHEDULE_NEVER;
	if (hang->pid)
		return hangs_look_ms(hang->left_ms, now_ms);
	return has_to_wait(hangs, hang, now_ms) ? hang->backoff.until_ms : now_ms;
}

int64_t hangs_next_ms(const struct hangs *hangs, int64_t now_ms)
{
	int64_t next_ms = SCHEDULE_NEVER;

	for (size_t i = 0; i < HANGS_MAX; i++)
		next_ms = MIN(next_ms, hang_next_ms(hangs, &hangs->v[i], now_ms));
	return next_ms;
}

bool hangs_take_answered(struct hangs *hangs, size_t collector, int group, struct hang *ret)
{
	for (size_t i = 0; i < HANGS_MAX; i++) {
		struct hang *hang = &hangs->v[i];

		if (!hang->used || hang->avoided || hang->collector != collector ||
		    hang->group != group)
			continue;
		hang->used = false;
		*ret = *hang;
		return true;
	}
	return false;
}

void hangs_forget(struct hangs *hangs, size_t collector)
{
	for (size_t i = 0; i < HANGS_MAX; i++)
		if (hangs->v[i].used && hangs->v[i].avoided && hangs->v[i].collector == collector)
			return;
	for (size_t i = 0; i < HANGS_MAX; i++)
		if (hangs->v[i].collector == collector)
			hangs->v[i].used = false;
}

size_t hangs_paths(const struct hangs *hangs, const char **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < HANGS_MAX; i++)
		if (hangs->v[i].used && hangs->v[i].avoided && hangs->v[i].path[0])
			ret[n++] = hangs->v[i].path;
	return n;
}

bool hangs_leave_out(const struct hangs *hangs, size_t collector, int group)
{
	for (size_t i = 0; i < HANGS_MAX; i++) {
		const struct hang *hang = &hangs->v[i];

		if (hang->used && hang->avoided && !hang->path[0] && hang->collector == collector &&
		    hang->group == group)
			return true;
	}
	return false;
}

bool hangs_have(const struct hangs *hangs, size_t collector, const char *node)
{
	for (size_t i = 0; i < HANGS_MAX; i++)
		if (hangs->v[i].used && hangs->v[i].collector == collector &&
		    !strcmp(hangs->v[i].node, node))
			return true;
	return false;
}

bool hangs_are_full(const struct hangs *hangs)
{
	for (size_t i = 0; i < HANGS_MAX; i++)
		if (!hangs->v[i].used || !hangs->v[i].avoided)
			return false;
	return true;
}

size_t hangs_n_left(const struct hangs *hangs)
{
	size_t n = 0;

	for (size_t i = 0; i < HANGS_MAX; i++)
		n += hangs->v[i].used && hangs->v[i].pid;
	return n;
}
