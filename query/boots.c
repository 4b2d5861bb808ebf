#include "query/boots.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"

#define NOT_DECIDED "not decided: the boot after it was over before it could be"

struct telling {
	const struct boot *boots;
	size_t n, next;
	const char *last_note;
	int (*visit)(const struct boot_story *story, void *arg);
	void *arg;
};

static int tell(struct telling *t, const struct boot_end_record *end)
{
	const struct boot *boot = &t->boots[t->next];
	struct boot_story story = {
		.boot = boot,
		.end = end,
		.with_evidence = t->n - t->next <= QUERY_EVIDENCE_BOOTS,
	};

	t->next++;
	if (!end && !boot->current)
		story.note = t->next == t->n ? t->last_note : NOT_DECIDED;
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

int query_boots(struct reader *reader, int (*visit)(const struct boot_story *story, void *arg),
		void *arg)
{
	CLEANUP(freep) struct boot *boots = calloc(QUERY_BOOTS_MAX, sizeof(*boots));
	int n = boots ? reader_boots(reader, boots, QUERY_BOOTS_MAX) : -ENOMEM;
	char note[QUERY_NOTE_MAX] = "";
	struct telling t = {.boots = boots,
			    .n = (size_t)MAX(n, 0),
			    .last_note = note,
			    .visit = visit,
			    .arg = arg};
	int r = MIN(n, 0);

	if (t.n && !boots[t.n - 1].current)
		write_note(reader, &boots[t.n - 1], note);
	if (!r)
		r = reader_boot_ends(reader, take_end, &t);
	while (!r && t.next < t.n)
		r = tell(&t, NULL);
	return r;
}
