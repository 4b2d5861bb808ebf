#include "query/boots.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"

/* Why it is not known how one ended that another one follows. */
#define BY_OWN_ID                                                                                  \
	"not decided: the kernel's boot id could not be read after it, so nobody knows whether "   \
	"the next one is another boot"
#define IS_ALIVE "not decided yet: the boot after it does so in its first minutes"
#define MAY_BE                                                                                     \
	"not decided: the boot after it was over before it could be, or it may still be decided"
#define WAS_SHORT "not decided: the boot after it was over before it could be"

struct telling {
	const struct boot *boots;
	const struct boot_traces *traces;
	size_t n, next;
	const char *last_note;
	int (*visit)(const struct boot_story *story, void *arg);
	void *arg;
};

static const char *note_of(const struct telling *t, size_t index)
{
	size_t next = index + 1;

	if (next == t->n)
		return t->last_note;
	if (t->traces[next].id_is_own)
		return BY_OWN_ID;
	if (next + 1 < t->n)
		return WAS_SHORT;
	return t->boots[next].current ? IS_ALIVE : MAY_BE;
}

static int tell(struct telling *t, const struct boot_end_record *end)
{
	const struct boot *boot = &t->boots[t->next];
	struct boot_story story = {
		.boot = boot,
		.end = end,
		.id_is_own = t->traces[t->next].id_is_own,
		.with_evidence = t->n - t->next <= QUERY_EVIDENCE_BOOTS,
	};

	if (!end && !boot->current)
		story.note = note_of(t, t->next);
	t->next++;
	return t->visit(&story, t->arg);
}

/* Both lists are in the order of boots. */
static int take_end(const struct boot_end_record *end, void *arg)
{
	struct telling *t = arg;
	int r = 0;

	while (t->next < t->n && t->boots[t->next].id < end->boot && !r)
		r = tell(t, NULL);
	return !r && t->next < t->n && t->boots[t->next].id == end->boot ? tell(t, end) : r;
}

/* What is decided when the next boot starts cannot be in a file that ends with this one. */
static void write_note(struct reader *reader, const struct boot *boot, char note[QUERY_NOTE_MAX])
{
	struct event last;
	bool stopped = reader_last_event(reader, boot->id, &last) > 0 && !strcmp(last.kind, "stop");
	bool down = stopped && strstr(last.evidence, "\"going_down\"");

	snprintf(note, QUERY_NOTE_MAX, "not known here: decided when the next boot starts; %s",
		 down      ? "the recorder was stopped as the machine went down"
		 : stopped ? "the recorder was stopped, the boot may have gone on"
			   : "the recording breaks off, or goes on");
}

/* A boot that was killed before the first commit with samples has left events. */
static void widen(struct boot *boots, const struct boot_traces *traces, int n)
{
	for (int i = 0; i < n; i++)
		boots[i].last_ms = MAX(boots[i].last_ms, traces[i].last_ms);
}

int query_boots(struct reader *reader, int (*visit)(const struct boot_story *story, void *arg),
		void *arg)
{
	CLEANUP(freep) struct boot *boots = calloc(QUERY_BOOTS_MAX, sizeof(*boots));
	CLEANUP(freep)
	struct boot_traces *traces = calloc(QUERY_BOOTS_MAX, sizeof(*traces));
	int n = boots && traces ? reader_boots(reader, boots, QUERY_BOOTS_MAX) : -ENOMEM;
	char note[QUERY_NOTE_MAX] = "";
	struct telling t = {.boots = boots,
			    .traces = traces,
			    .n = (size_t)MAX(n, 0),
			    .last_note = note,
			    .visit = visit,
			    .arg = arg};
	int r = n < 0 ? n : reader_boot_traces(reader, boots, (size_t)n, traces);

	/* Damage to events takes nothing away from the list of boots. */
	if (n >= 0 && r != -ENOMEM)
		r = 0;
	if (!r)
		widen(boots, traces, n);
	if (!r && t.n && !boots[t.n - 1].current)
		write_note(reader, &boots[t.n - 1], note);
	if (!r)
		r = reader_boot_ends(reader, take_end, &t);
	while (!r && t.next < t.n)
		r = tell(&t, NULL);
	return r;
}
