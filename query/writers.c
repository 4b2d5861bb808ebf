#include "query/writers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"

#define SLOTS    (WRITERS_ROWS_MAX * 4) /* a power of two, more than there are rows */
/* With room for the others of each kind. */
#define CAPACITY (WRITERS_ROWS_MAX + N_WRITER_SOURCES)

#define GAP_LEAST_MS 1000
#define BOOTS_MAX    1024

/* All that there are, of each kind, each once. */
struct sums {
	struct writer *v; /* CAPACITY */
	uint16_t *slot;   /* SLOTS: index + 1 */
	size_t n;
	struct writers_report *report;
	int64_t boot, t_ms; /* of the hour that came last */
};

static void sums_done(struct sums *sums)
{
	free(sums->v);
	free(sums->slot);
}

static uint32_t hash_text(uint32_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT32_C(16777619);
	return hash * UINT32_C(16777619);
}

static size_t slot_of(const struct sums *sums, const struct writer *w)
{
	uint32_t hash = UINT32_C(2166136261) ^ (uint32_t)w->source;
	size_t slot;

	hash = hash_text(hash_text(hash_text(hash, w->name), w->unit), w->device);
	if (w->source == WRITER_UID)
		hash ^= (uint32_t)w->id * UINT32_C(2654435761);
	slot = hash % SLOTS;
	while (sums->slot[slot] && !writer_is_same(&sums->v[sums->slot[slot] - 1], w))
		slot = (slot + 1) % SLOTS;
	return slot;
}

static struct writer *find(const struct sums *sums, const struct writer *w)
{
	uint16_t index = sums->slot[slot_of(sums, w)];

	return index ? &sums->v[index - 1] : NULL;
}

static void add(struct sums *sums, const struct writer *w)
{
	size_t slot = slot_of(sums, w);

	if (sums->slot[slot]) {
		writer_merge(&sums->v[sums->slot[slot] - 1], w);
		return;
	}
	if (sums->n == CAPACITY)
		return;
	sums->v[sums->n++] = *w;
	sums->slot[slot] = (uint16_t)sums->n;
}

/* What a file calls others is a name as any other: it may hold any number of them. */
static void add_bounded(struct sums *sums, const struct writer *w)
{
	struct writer others = *w;

	if (sums->n < WRITERS_ROWS_MAX || find(sums, w)) {
		add(sums, w);
		return;
	}
	others.id = -1;
	others.n = MAX(w->n, INT64_C(1));
	others.unit[0] = others.device[0] = '\0';
	snprintf(others.name, sizeof(others.name), WRITER_OTHERS);
	add(sums, &others);
}

static void add_gap(struct writers_report *report, int64_t from_ms, int64_t to_ms)
{
	from_ms = MAX(from_ms, report->window_from_ms);
	to_ms = MIN(to_ms, report->window_to_ms);
	/* Ticks are not exact. */
	if (to_ms - from_ms < GAP_LEAST_MS)
		return;
	report->uncounted_ms += to_ms - from_ms;
	if (report->n_gaps < WRITERS_GAPS_MAX)
		report->gaps[report->n_gaps++] = (struct writers_gap){from_ms, to_ms};
}

static int take(const struct writer_record *record, void *arg)
{
	struct sums *sums = arg;
	struct writers_report *report = sums->report;
	int64_t offset_ms = record->boot->wall_offset_ms;
	int64_t from_ms = record->since_ms + offset_ms, to_ms = record->until_ms + offset_ms;

	if (!report->n_hours || record->boot->id != sums->boot || record->t_ms != sums->t_ms) {
		if (!report->n_hours) {
			add_gap(report, report->window_from_ms, from_ms);
			report->from_ms = from_ms;
			report->to_ms = to_ms;
		}
		report->n_hours++;
		sums->boot = record->boot->id;
		sums->t_ms = record->t_ms;
	}
	if (from_ms > report->to_ms)
		add_gap(report, report->to_ms, from_ms);
	report->from_ms = MIN(report->from_ms, from_ms);
	report->to_ms = MAX(report->to_ms, to_ms);
	report->has[record->writer->source] = true;
	/* That it was looked at is all that such a row says. */
	if (!writer_io_is_zero(&record->writer->io))
		add_bounded(sums, record->writer);
	return 0;
}

/* The largest first, the others behind all that have a name. */
static int compare(const void *a, const void *b)
{
	const struct writer *x = a, *y = b;

	if (writer_is_others(x) != writer_is_others(y))
		return writer_is_others(x) ? 1 : -1;
	return writer_is_smaller(x, y) - writer_is_smaller(y, x);
}

static int list(const struct sums *sums, enum writer_source source, struct writer **ret,
		size_t *ret_n)
{
	struct writer *v = calloc(sums->n + 1, sizeof(*v));
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < sums->n; i++)
		if (sums->v[i].source == source)
			v[n++] = sums->v[i];
	if (n)
		qsort(v, n, sizeof(*v), compare);
	*ret = v;
	*ret_n = n;
	return 0;
}

/* What the processes of a unit have written, all of them. */
static struct writer_io io_of_unit(const struct sums *sums, const char *unit)
{
	struct writer_io io = {0};

	for (size_t i = 0; i < sums->n; i++)
		if (sums->v[i].source == WRITER_PROCESS && !strcmp(sums->v[i].unit, unit))
			writer_io_add(&io, &sums->v[i].io);
	return io;
}

/* What was written by processes whose units are not known any more. */
static struct writer_io io_of_others(const struct sums *sums)
{
	const struct writer *others = find(
		sums, &(struct writer){.source = WRITER_PROCESS, .id = -1, .name = WRITER_OTHERS});

	return others ? others->io : (struct writer_io){0};
}

/* The account of a cgroup, of all its disks, less that of its processes. The processes without a
 * unit are in some of them, so they are taken off as well, from the largest on: no byte counts
 * twice, and what is called unseen is no more than there is. */
static void add_unseen(struct sums *sums, const struct writer *units, size_t n)
{
	struct writer_io others = io_of_others(sums);

	for (size_t i = 0; i < n && sums->n < WRITERS_ROWS_MAX; i++) {
		const struct writer *unit = &units[i];
		struct writer unseen = {.source = WRITER_PROCESS, .id = -1, .name = WRITER_UNSEEN};
		bool is_slice = !strcmp(unit->name, WRITER_UNSEEN), is_first = true;
		const char *name = is_slice ? unit->unit : unit->name;
		struct text text = text_in(unseen.unit, sizeof(unseen.unit));
		struct writer_io io = {0}, seen, left;

		if (writer_is_others(unit))
			continue;
		for (size_t k = 0; k < n; k++) {
			bool is_same = is_slice ? !strcmp(units[k].name, WRITER_UNSEEN) &&
							  !strcmp(units[k].unit, name)
						: !strcmp(units[k].name, name);

			is_first = is_first && !(is_same && k < i);
			if (is_same)
				writer_io_add(&io, &units[k].io);
		}
		seen = is_slice ? (struct writer_io){0} : io_of_unit(sums, name);
		left = writer_io_minus(&io, &seen);
		text_str(&text, name);
		if (!is_first)
			continue;
		unseen.io = writer_io_minus(&left, &others);
		others = writer_io_minus(&others, &left);
		if (unseen.io.written >= WRITERS_UNSEEN_LEAST_BYTES)
			add(sums, &unseen);
	}
}

static enum writers_by choose(const struct writers_report *report, enum writers_by by)
{
	if (by != WRITERS_BY_ANY)
		return by;
	if (report->has[WRITER_PROCESS])
		return WRITERS_BY_PROCESS;
	if (report->has[WRITER_CGROUP])
		return WRITERS_BY_UNIT;
	return report->has[WRITER_UID] ? WRITERS_BY_UID : WRITERS_BY_PROCESS;
}

static const enum writer_source sources[] = {
	[WRITERS_BY_PROCESS] = WRITER_PROCESS,
	[WRITERS_BY_UNIT] = WRITER_CGROUP,
	[WRITERS_BY_UID] = WRITER_UID,
};

static int fill(struct sums *sums, struct writers_report *report)
{
	CLEANUP(freep) struct writer *units = NULL;
	size_t n_units = 0;
	int r = 0;

	if (report->by == WRITERS_BY_PROCESS && report->has[WRITER_CGROUP]) {
		r = list(sums, WRITER_CGROUP, &units, &n_units);
		if (r == 0)
			add_unseen(sums, units, n_units);
	}
	if (r == 0)
		r = list(sums, sources[report->by], &report->rows, &report->n);
	if (r == 0)
		r = list(sums, WRITER_DEVICE, &report->devices, &report->n_devices);
	if (r < 0)
		return r;
	for (size_t i = 0; i < report->n; i++)
		writer_io_add(&report->total, &report->rows[i].io);
	for (size_t i = 0; i < report->n_devices; i++)
		writer_io_add(&report->written, &report->devices[i].io);
	return 0;
}

/* ---- Where there is no account: why */

struct look {
	const struct writers_report *report;
	const char *source;
	const struct boot *boots;
	int n_boots;
	bool once;              /* it was looked at, which counts nothing yet */
	bool counted;           /* it was looked at again: when */
	bool in_window;         /* also within the window */
	int64_t from_ms, to_ms; /* of what was counted */
	char reason[256];       /* of the probe: of the account, else of the collector */
	bool is_own;
};

static int look_at_node(const struct node_info *node, void *arg)
{
	struct look *look = arg;
	int64_t offset_ms = 0, from_ms, to_ms;

	if (strcmp(node->name, look->source) != 0)
		return 0;
	for (int i = 0; i < look->n_boots; i++)
		if (look->boots[i].id == node->boot)
			offset_ms = look->boots[i].wall_offset_ms;
	from_ms = node->first_ms + offset_ms;
	to_ms = node->last_ms + offset_ms;
	look->once = true;
	if (from_ms == to_ms)
		return 0;
	look->in_window = look->in_window || (from_ms < look->report->window_to_ms &&
					      to_ms > look->report->window_from_ms);
	look->from_ms = look->counted ? MIN(look->from_ms, from_ms) : from_ms;
	look->to_ms = look->counted ? MAX(look->to_ms, to_ms) : to_ms;
	look->counted = true;
	return 0;
}

static int look_at_outcome(const struct info_record *info, void *arg)
{
	struct look *look = arg;
	bool is_own = !strcmp(info->node, look->source);

	if (strcmp(info->collector, "writers") != 0 || !strcmp(info->value, "ok") ||
	    (*info->node && !is_own) || look->is_own)
		return 0;
	look->is_own = is_own;
	snprintf(look->reason, sizeof(look->reason), "%s: %s", info->value, info->reason);
	return 0;
}

static void say_why(const struct look *look, struct writers_report *report)
{
	struct text text = TEXT_IN(report->reason);

	if (look->in_window) {
		text_str(&text, "it was, but an hour is written when it is over, and this one was "
				"not when the daemon ended");
	} else if (look->counted) {
		text_str(&text, "counted from ");
		clock_rfc3339(&text, look->from_ms);
		text_str(&text, " to ");
		clock_rfc3339(&text, look->to_ms);
		text_str(&text, ", not in this window");
	} else if (look->once) {
		text_str(&text, "the first look only finds out where the counters stand, and "
				"there was no second one yet: it comes within a minute");
	} else if (look->reason[0]) {
		text_str(&text, look->reason);
	} else {
		text_str(&text, "not looked at yet: the first look comes within a minute of the "
				"daemon's start");
	}
}

/* Nobody wrote, or nobody looked: two things. */
static int judge(struct reader *reader, const char *source, struct writers_report *report)
{
	CLEANUP(freep) struct boot *boots = calloc(BOOTS_MAX, sizeof(*boots));
	struct look look = {.report = report, .source = source, .boots = boots};
	int r;

	if (!boots)
		return -ENOMEM;
	r = reader_boots(reader, boots, BOOTS_MAX);
	look.n_boots = MIN(r, BOOTS_MAX);
	if (r >= 0)
		r = reader_nodes(reader, "writers", look_at_node, &look);
	if (r >= 0 && !look.once)
		r = reader_infos(reader, INFO_OUTCOMES, look_at_outcome, &look);
	if (r < 0)
		return r;
	/* An hour in which nobody wrote has a row that says so. */
	report->state = look.counted && !look.in_window ? WRITERS_OUTSIDE : WRITERS_NOT_COUNTED;
	say_why(&look, report);
	return 0;
}

int query_writers(struct reader *reader, enum writers_by by, int64_t from_wall_ms,
		  int64_t to_wall_ms, struct writers_report *ret)
{
	CLEANUP(writers_report_done) struct writers_report report = {0};
	CLEANUP(sums_done) struct sums sums = {.report = &report};
	int r;

	report.window_from_ms = from_wall_ms;
	report.window_to_ms = to_wall_ms;
	sums.v = calloc(CAPACITY, sizeof(*sums.v));
	sums.slot = calloc(SLOTS, sizeof(*sums.slot));
	if (!sums.v || !sums.slot)
		return -ENOMEM;
	r = reader_writers(reader, from_wall_ms, to_wall_ms, take, &sums);
	report.by = choose(&report, by);
	report.is_cut =
		report.n_hours && (report.from_ms < from_wall_ms || report.to_ms > to_wall_ms);
	if (r == 0)
		r = fill(&sums, &report);
	if (r == 0 && !report.n && report.has[sources[report.by]])
		report.state = WRITERS_NONE;
	else if (r == 0 && !report.n)
		r = judge(reader, writer_source_name(sources[report.by]), &report);
	if (r < 0)
		return r;
	*ret = report;
	report = (struct writers_report){0};
	return 0;
}
