/* A dump of the kernel's log is one record, in however many files it lies. pstore_dump() begins
 * with the newest lines, as much as fits into a record of the backend, and goes back from there:
 * Part1 is the end, the highest part the beginning. A backend with small records (EFI variables,
 * ERST) has ten of them and more for each panic. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/crash_records.h"

#define PARTS_MAX 64
#define PART_WITHIN_MS                                                                             \
	INT64_C(60000) /* between the parts of a dump: variables are written slowly */

struct joiner {
	struct crash_record *files; /* CRASH_FILES_MAX */
	bool *is_used;
	size_t n;
	char *text; /* as long as all tails */
	size_t len;
};

static size_t folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

static bool is_close(int64_t a_ms, int64_t b_ms)
{
	if (a_ms == CRASH_TIME_NONE || b_ms == CRASH_TIME_NONE)
		return a_ms == b_ms;
	return MAX(a_ms, b_ms) - MIN(a_ms, b_ms) <= PART_WITHIN_MS;
}

/* Kernels count their dumps from 1, so the number alone comes again at each boot. */
static bool is_of_dump(const struct crash_record *file, const struct crash_record *first)
{
	size_t len = folder_len(first->name);

	return file->number == first->number && !strcmp(file->reason, first->reason) &&
	       folder_len(file->name) == len && !strncmp(file->name, first->name, len) &&
	       is_close(file->wall_ms, first->wall_ms);
}

/* NULL: there is none. */
static const struct crash_record *next_part(struct joiner *j, const struct crash_record *first,
					    int64_t part)
{
	for (size_t i = 0; i < j->n; i++)
		if (!j->is_used[i] && j->files[i].part == part && is_of_dump(&j->files[i], first)) {
			j->is_used[i] = true;
			return &j->files[i];
		}
	return NULL;
}

/* Parts that are further back than the room for a tail are taken off the list alone. */
static void join(struct joiner *j, const struct crash_record *first, struct crash_record *ret)
{
	const struct crash_record *parts[PARTS_MAX] = {first};
	size_t n = 1, all = first->tail.len;
	char *from = j->text + j->len;

	*ret = *first;
	ret->part = 0;
	for (int64_t part = first->part + 1; first->part && n < PARTS_MAX && part <= PARTS_MAX;
	     part++) {
		const struct crash_record *file = next_part(j, first, part);

		if (!file)
			continue;
		ret->size_bytes += file->size_bytes;
		ret->wall_ms = MAX(ret->wall_ms, file->wall_ms);
		if (all < CRASH_TAIL_BYTES)
			parts[n++] = file;
		all += file->tail.len;
	}
	if (n == 1)
		return;
	while (n > 0) {
		const struct crash_record *file = parts[--n];
		size_t len = file->tail.len - file->body_at;

		memcpy(j->text + j->len, file->tail.p + file->body_at, len);
		j->len += len;
	}
	ret->tail = (struct slice){from, (size_t)(j->text + j->len - from)};
	if (ret->tail.len > CRASH_TAIL_BYTES)
		ret->tail = (struct slice){j->text + j->len - CRASH_TAIL_BYTES, CRASH_TAIL_BYTES};
}

/* The lowest part that is there of the dump of a file: mostly Part1. */
static size_t first_of(const struct joiner *j, size_t at)
{
	size_t first = at;

	for (size_t i = 0; i < j->n; i++)
		if (!j->is_used[i] && j->files[i].part && j->files[i].part < j->files[first].part &&
		    is_of_dump(&j->files[i], &j->files[at]))
			first = i;
	return first;
}

int crash_list_read(struct slice gathered, struct crash_list *ret)
{
	CLEANUP(freep) struct crash_record *files = calloc(CRASH_FILES_MAX, sizeof(*files));
	CLEANUP(freep) bool *is_used = calloc(CRASH_FILES_MAX, sizeof(*is_used));
	struct joiner j = {.files = files, .is_used = is_used};

	*ret = (struct crash_list){.joined = malloc(gathered.len + 1)};
	if (!files || !is_used || !ret->joined)
		return -ENOMEM;
	j.text = ret->joined;
	while (j.n < CRASH_FILES_MAX && gathered.len && crash_records_next(&gathered, &files[j.n]))
		j.n++;
	for (size_t i = 0; i < j.n; i++)
		while (!is_used[i] && ret->n < CRASH_RECORDS_MAX) {
			size_t first = first_of(&j, i);

			is_used[first] = true;
			join(&j, &files[first], &ret->v[ret->n++]);
		}
	return 0;
}

void crash_list_done(struct crash_list *list)
{
	free(list->joined);
	list->joined = NULL;
	list->n = 0;
}
