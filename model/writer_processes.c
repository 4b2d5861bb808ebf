#include "model/writer_processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hw.h"
#include "base/parse.h"
#include "base/text.h"

#define SLOTS         (WRITER_PROCESSES_MAX * 2) /* a power of two */
#define FREE_AT_ONCE  (WRITER_PROCESSES_MAX / 8)
#define ANCESTORS_MAX 16

/* A process that has read or written. */
struct known {
	int32_t pid, parent;
	int64_t start;                /* -1: not looked at yet, its children have been */
	struct writer_io last, since; /* as it was, and what came since the look before */
	/* Of children that were seen and have gone, to be taken off since: now, and what was too
	 * much at the look before, when the parent may have been read before it took them over. */
	struct writer_io owed, owed_before;
	bool seen, is_picked;
	char name[24];
};

struct writer_processes {
	struct known v[WRITER_PROCESSES_MAX];
	uint16_t slot[SLOTS];                   /* index + 1 by pid */
	int32_t pids[WRITER_PROCESSES_AT_ONCE]; /* of this turn */
	size_t n_pids;
	int32_t after; /* the pids up to here are done */
	bool is_sorted, is_first_done;
	unsigned forgotten_below;   /* the size of those that may be; 0: none were */
	int64_t newest, newest_now; /* start of the youngest of the look before, and of this one */
	size_t n_seen, n_denied, n_turns;
	struct writer_processes_stats stats; /* n_known is that of v */
};

struct writer_processes *writer_processes_of(struct hw *hw)
{
	return hw_memory(hw, "writer_processes", sizeof(struct writer_processes));
}

void writer_processes_get(const struct writer_processes *p, struct writer_processes_stats *ret)
{
	*ret = p->stats;
}

static size_t slot_of(const struct writer_processes *p, int32_t pid)
{
	size_t slot = ((uint32_t)pid * UINT32_C(2654435761)) % SLOTS;

	while (p->slot[slot] && p->v[p->slot[slot] - 1].pid != pid)
		slot = (slot + 1) % SLOTS;
	return slot;
}

static struct known *find(struct writer_processes *p, int32_t pid)
{
	uint16_t index = p->slot[slot_of(p, pid)];

	return index ? &p->v[index - 1] : NULL;
}

static void index_all(struct writer_processes *p)
{
	memset(p->slot, 0, sizeof(p->slot));
	for (size_t i = 0; i < p->stats.n_known; i++)
		p->slot[slot_of(p, p->v[i].pid)] = (uint16_t)(i + 1);
}

/* How large it is, in eighths of a doubling. */
static unsigned size_of(const struct writer_io *io)
{
	uint64_t sum = (uint64_t)io->written + (uint64_t)io->read;
	unsigned bits = sum ? 64 - (unsigned)__builtin_clzll(sum) : 0;

	if (bits < 4)
		return (unsigned)sum;
	return bits * 8 + ((unsigned)(sum >> (bits - 4)) & 7);
}

#define SIZES (65 * 8)

/* Makes room: the smallest go, at least an eighth of all at once, so that this is rare. What they
 * have written in this look is lost with them. */
static void forget_smallest(struct writer_processes *p)
{
	size_t n_of[SIZES] = {0}, n = 0, kept = 0;
	unsigned below = 0;

	for (size_t i = 0; i < p->stats.n_known; i++)
		n_of[size_of(&p->v[i].last)]++;
	while (n < FREE_AT_ONCE)
		n += n_of[below++];
	n = 0;
	for (size_t i = 0; i < p->stats.n_known; i++) {
		/* All may be of one size. */
		if (size_of(&p->v[i].last) < below && n < FREE_AT_ONCE * 2)
			n++;
		else
			p->v[kept++] = p->v[i];
	}
	p->stats.n_known = kept;
	p->stats.n_forgotten += (int64_t)n;
	p->forgotten_below = below;
	index_all(p);
}

static struct known *add(struct writer_processes *p, int32_t pid)
{
	struct known *known;

	if (p->stats.n_known == WRITER_PROCESSES_MAX)
		forget_smallest(p);
	known = &p->v[p->stats.n_known++];
	*known = (struct known){.pid = pid, .start = -1};
	p->slot[slot_of(p, pid)] = (uint16_t)p->stats.n_known;
	return known;
}

/* The nearest ancestor that this look has seen: who waited for it, or for whoever did. The first
 * process takes over those whose parents have gone. */
static int32_t heir_of(struct writer_processes *p, int32_t parent)
{
	for (int i = 0; i < ANCESTORS_MAX && parent > 1; i++) {
		const struct known *known = find(p, parent);

		if (!known || known->seen)
			return parent;
		parent = known->parent;
	}
	return 1;
}

/* The process has gone. */
static void settle(struct writer_processes *p, const struct known *gone)
{
	struct writer_io io = gone->last;
	struct known *heir;
	int32_t pid;

	if (gone->parent <= 0 || gone->start < 0)
		return;
	pid = heir_of(p, gone->parent);
	heir = find(p, pid);
	if (!heir && p->stats.n_known == WRITER_PROCESSES_MAX)
		return;
	if (!heir) {
		heir = add(p, pid);
		/* It has neither read nor written so far, and was looked at. */
		heir->seen = true;
	}
	writer_io_add(&heir->owed, &io);
}

/* Whether all that a process has written is news, which was not known: it has not written before,
 * or was not there. The first look counts nothing; and who may have been forgotten is taken as
 * such. */
static bool is_news(const struct writer_processes *p, int64_t start)
{
	return p->is_first_done && (!p->forgotten_below || start > p->newest);
}

static void take(struct writer_processes *p, struct known *known, const struct writer_stat *stat,
		 const struct writer_io *io)
{
	struct text name = text_in(known->name, sizeof(known->name));

	if (known->start < 0) {
		if (is_news(p, stat->start))
			known->since = *io;
	} else {
		struct writer_io more = writer_io_minus(io, &known->last);

		writer_io_add(&known->since, &more);
	}
	known->start = stat->start;
	known->parent = (int32_t)stat->parent;
	known->last = *io;
	text_str(&name, stat->name);
	p->newest_now = MAX(p->newest_now, stat->start);
}

static void look_at(struct writer_processes *p, struct hw *hw, int32_t pid)
{
	char buf[1024];
	struct writer_stat stat;
	struct writer_io io;
	struct known *known;
	int r = hw_read(hw, buf, sizeof(buf), "proc/%d/io", pid);

	if (r == -ENOENT || r == -ESRCH)
		return;
	p->n_seen++;
	known = find(p, pid);
	if (known)
		known->seen = true;
	if (r < 0 || writer_parse_io((struct slice){buf, (size_t)r}, &io) < 0) {
		p->n_denied++;
		return;
	}
	/* Another process with the same number and the same counters has written nothing either. */
	if (known ? !memcmp(&known->last, &io, sizeof(io)) : writer_io_is_zero(&io))
		return;
	r = hw_read(hw, buf, sizeof(buf), "proc/%d/stat", pid);
	if (r < 0 || writer_parse_stat((struct slice){buf, (size_t)r}, &stat) < 0)
		return;
	if (known && known->start >= 0 && known->start != stat.start) {
		struct known gone = *known;

		*known = (struct known){.pid = pid, .start = -1, .seen = true};
		settle(p, &gone);
		known = find(p, pid);
	}
	/* It would be forgotten again. */
	if (!known && size_of(&io) < p->forgotten_below && !is_news(p, stat.start))
		return;
	if (!known)
		known = add(p, pid);
	known->seen = true;
	take(p, known, &stat, &io);
}

static int compare_pids(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Keeps the smallest pids beyond those that are done. The kernel lists them in their order, a
 * recorded tree does not. */
static int note_pid(void *arg, const char *name, bool is_dir)
{
	struct writer_processes *p = arg;
	int64_t pid;

	(void)is_dir;
	if (name[0] < '1' || name[0] > '9' || parse_i64(name, &pid) < 0 || pid > INT32_MAX ||
	    pid <= p->after)
		return 0;
	if (p->n_pids == WRITER_PROCESSES_AT_ONCE) {
		if (!p->is_sorted)
			qsort(p->pids, p->n_pids, sizeof(*p->pids), compare_pids);
		p->is_sorted = true;
		if (pid > p->pids[p->n_pids - 1])
			return 0;
		p->n_pids--;
		while (p->n_pids && p->pids[p->n_pids - 1] > pid) {
			p->pids[p->n_pids] = p->pids[p->n_pids - 1];
			p->n_pids--;
		}
		p->pids[p->n_pids] = (int32_t)pid;
		p->n_pids = WRITER_PROCESSES_AT_ONCE;
		return 0;
	}
	p->is_sorted = p->is_sorted && (!p->n_pids || p->pids[p->n_pids - 1] < pid);
	p->pids[p->n_pids++] = (int32_t)pid;
	return 0;
}

/* Takes owed off since, and what was too much off owed: *owed is what is left of it. */
static void take_off(struct writer_io *since, struct writer_io *owed)
{
	struct writer_io left = writer_io_minus(owed, since);

	*since = writer_io_minus(since, owed);
	*owed = left;
}

static void find_unit(struct hw *hw, struct writer *writer, int32_t pid)
{
	char buf[4096], path[1024];
	bool is_slice;
	int r = hw_read(hw, buf, sizeof(buf), "proc/%d/cgroup", pid);

	if (r >= 0 && writer_parse_cgroup((struct slice){buf, (size_t)r}, path, sizeof(path)) == 0)
		writer_unit_of(path, writer->unit, &is_slice);
}

static bool is_larger(const struct known *a, const struct known *b)
{
	if (a->since.written != b->since.written)
		return a->since.written > b->since.written;
	return a->since.read > b->since.read;
}

/* The largest of this look, in their order: only their units are looked up. */
struct picks {
	struct known *v[WRITER_TOP_MAX];
	size_t n;
};

static void pick(struct picks *picks, struct known *known)
{
	size_t at = picks->n;

	while (at && is_larger(known, picks->v[at - 1]))
		at--;
	if (at == WRITER_TOP_MAX)
		return;
	picks->n = MIN(picks->n + 1, ARRAY_SIZE(picks->v));
	memmove(&picks->v[at + 1], &picks->v[at], (picks->n - at - 1) * sizeof(*picks->v));
	picks->v[at] = known;
}

static void tell(struct writer_processes *p, struct hw *hw, struct writer_top *top)
{
	struct picks picks = {.n = 0};
	struct writer rest = {.source = WRITER_PROCESS, .id = -1, .name = WRITER_OTHERS};

	for (size_t i = 0; i < p->stats.n_known; i++) {
		struct known *known = &p->v[i];

		known->is_picked = false;
		if (writer_io_is_zero(&known->since))
			continue;
		writer_io_add(&p->stats.io, &known->since);
		pick(&picks, known);
	}
	for (size_t i = 0; i < picks.n; i++)
		picks.v[i]->is_picked = true;
	for (size_t i = 0; i < p->stats.n_known; i++) {
		if (p->v[i].is_picked || writer_io_is_zero(&p->v[i].since))
			continue;
		writer_io_add(&rest.io, &p->v[i].since);
		rest.n++;
	}
	for (size_t i = 0; i < picks.n; i++) {
		struct writer writer = {.source = WRITER_PROCESS,
					.id = picks.v[i]->pid,
					.n = 1,
					.io = picks.v[i]->since};

		snprintf(writer.name, sizeof(writer.name), "%s", picks.v[i]->name);
		find_unit(hw, &writer, picks.v[i]->pid);
		writer_top_add(top, &writer);
	}
	top->others.io = rest.io;
	top->others.n = rest.n;
}

static void begin_look(struct writer_processes *p)
{
	p->after = 0;
	p->n_seen = p->n_denied = p->n_turns = 0;
	p->newest_now = 0;
	for (size_t i = 0; i < p->stats.n_known; i++) {
		p->v[i].seen = false;
		p->v[i].since = (struct writer_io){0};
	}
}

/* All have been looked at: those that were not seen have gone. */
static void end_look(struct writer_processes *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->stats.n_known; i++)
		if (!p->v[i].seen)
			settle(p, &p->v[i]);
	for (size_t i = 0; i < p->stats.n_known; i++) {
		struct known *known = &p->v[i];

		if (!known->seen)
			continue;
		take_off(&known->since, &known->owed_before);
		take_off(&known->since, &known->owed);
		known->owed_before = known->owed;
		known->owed = (struct writer_io){0};
		p->v[kept++] = *known;
	}
	p->stats.n_known = kept;
	index_all(p);
	p->newest = MAX(p->newest, p->newest_now);
	p->stats.n_seen = p->n_seen;
	p->stats.n_denied = p->n_denied;
	p->stats.n_turns = p->n_turns;
	p->stats.has_looked = p->is_first_done = true;
}

int writer_processes_look(struct writer_processes *p, struct hw *hw, struct writer_top *top)
{
	int r;

	if (!p->after)
		begin_look(p);
	p->n_pids = 0;
	p->is_sorted = true;
	r = hw_each(hw, note_pid, p, "proc");
	if (r < 0)
		return r;
	if (!p->is_sorted)
		qsort(p->pids, p->n_pids, sizeof(*p->pids), compare_pids);
	for (size_t i = 0; i < p->n_pids; i++)
		look_at(p, hw, p->pids[i]);
	p->n_turns++;
	if (p->n_pids == WRITER_PROCESSES_AT_ONCE) {
		p->after = p->pids[p->n_pids - 1];
		return 0;
	}
	writer_top_begin(top, WRITER_PROCESS, p->stats.has_looked);
	end_look(p);
	tell(p, hw, top);
	p->after = 0;
	return 1;
}
