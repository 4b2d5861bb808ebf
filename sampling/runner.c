#include "sampling/runner.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "sampling/schedule.h"

/* A little less than a period of 1 s, so that a group is not left out twice. */
#define BACKOFF_FIRST_MS 900
#define BACKOFF_MAX_MS   60000

struct slot {
	const struct collector *collector;
	bool wanted;
	bool ready; /* probed, and there is something to sample */
	bool probed;
	bool stale; /* a node went: probe again */
	bool news;
	struct backoff reprobe;
	void *state;
	struct probe probe;
};

struct place {
	size_t slot, group; /* group: index within its collector */
	bool gone;          /* its last sample asked for a new probe */
	struct backoff backoff;
};

struct runner {
	struct hw *hw;
	bool all_nodes;
	const char *device;
	struct slot *slots;
	size_t n_slots;
	struct place *places; /* by index of the group in the catalog */
	size_t n_places;
};

static void close_state(struct slot *slot)
{
	if (slot->ready && slot->collector->close)
		slot->collector->close(slot->state);
	slot->state = NULL;
	slot->ready = false;
}

void runner_close(struct runner *runner)
{
	if (!runner)
		return;
	for (size_t i = 0; i < runner->n_slots; i++) {
		close_state(&runner->slots[i]);
		probe_done(&runner->slots[i].probe);
	}
	free(runner->slots);
	free(runner->places);
	hw_close(runner->hw);
	free(runner);
}

void runner_closep(struct runner **runner)
{
	runner_close(*runner);
}

static void fill_slots(struct runner *runner, const struct runner_options *options,
		       const struct catalog *catalog)
{
	for (size_t i = 0; i < catalog->n_collectors; i++) {
		struct slot *slot = &runner->slots[i];

		slot->collector = catalog->collectors[i];
		slot->wanted = !options->wanted || options->wanted[i];
		for (size_t g = 0; g < slot->collector->n_groups; g++)
			runner->places[runner->n_places++] = (struct place){i, g};
	}
}

int runner_open(const struct runner_options *options, const struct catalog *catalog,
		struct runner **ret)
{
	CLEANUP(runner_closep) struct runner *runner = calloc(1, sizeof(*runner));

	if (!runner)
		return -ENOMEM;
	runner->slots = calloc(catalog->n_collectors + 1, sizeof(*runner->slots));
	runner->places = calloc(catalog_n_groups(catalog) + 1, sizeof(*runner->places));
	if (!runner->slots || !runner->places)
		return -ENOMEM;
	runner->n_slots = catalog->n_collectors;
	runner->all_nodes = options->all_nodes;
	runner->device = options->device;
	fill_slots(runner, options, catalog);

	int r = hw_open(options->root, &runner->hw);

	if (r < 0)
		return r;
	*ret = runner;
	runner = NULL;
	return 0;
}

struct hw *runner_hw(struct runner *runner)
{
	return runner->hw;
}

bool runner_wants(const struct runner *runner, size_t collector)
{
	return runner->slots[collector].wanted;
}

int runner_probe(struct runner *runner, size_t collector)
{
	struct slot *slot = &runner->slots[collector];

	close_state(slot);
	probe_done(&slot->probe);
	slot->probed = false;
	slot->stale = false;

	int r = probe_init(&slot->probe);

	if (r < 0)
		return r;
	slot->probed = true;
	slot->probe.want_all = runner->all_nodes;
	slot->probe.device = runner->device;
	r = slot->collector->probe(runner->hw, &slot->probe, &slot->state);
	slot->ready = r >= 0;
	/* A collector that fails without a word still has to stand as failed. */
	if (r < 0 && slot->probe.items[0].outcome == OUTCOME_OK)
		probe_collector(&slot->probe, outcome_of_error(r), "", "the probe failed");
	if (r >= 0)
		probe_judge(&slot->probe);
	return r < 0 ? r : 0;
}

const struct probe *runner_probe_of(const struct runner *runner, size_t collector)
{
	const struct slot *slot = &runner->slots[collector];

	return slot->probed ? &slot->probe : NULL;
}

/* Groups of one collector: one that is well says nothing of another that asks for probes. */
static bool any_gone(const struct runner *runner, size_t slot)
{
	for (size_t i = 0; i < runner->n_places; i++)
		if (runner->places[i].slot == slot && runner->places[i].gone)
			return true;
	return false;
}

static void probe_stale(struct runner *runner, size_t index, int64_t now_ms)
{
	struct slot *slot = &runner->slots[index];

	if (!slot->stale || backoff_waits(&slot->reprobe, now_ms))
		return;
	runner_probe(runner, index);
	slot->news = true;
}

/* The first time that a node is missed. */
static bool may_look_again(const struct slot *slot)
{
	return !slot->stale && !slot->reprobe.wait_ms;
}

/* Probes and samples once more, so that no row is made for a device whose name another has by now.
 */
static int sample_anew(struct runner *runner, size_t group, struct sink *sink)
{
	struct place *place = &runner->places[group];
	struct slot *slot = &runner->slots[place->slot];

	runner_probe(runner, place->slot);
	slot->news = true;
	sink_reset(sink, &slot->collector->groups[place->group]);
	return slot->ready ? slot->collector->sample(slot->state, runner->hw, place->group, sink)
			   : -ENXIO;
}

int runner_sample(struct runner *runner, size_t group, int64_t now_ms, struct sink *sink)
{
	struct place *place = &runner->places[group];
	struct slot *slot = &runner->slots[place->slot];

	sink_reset(sink, &slot->collector->groups[place->group]);
	probe_stale(runner, place->slot, now_ms);
	if (!slot->ready)
		return -ENXIO;
	if (backoff_waits(&place->backoff, now_ms))
		return -EAGAIN;

	int r = slot->collector->sample(slot->state, runner->hw, place->group, sink);

	if (r == -ENODEV && may_look_again(slot)) {
		r = sample_anew(runner, group, sink);
		if (r == -ENXIO)
			return r;
	}
	place->gone = r == -ENODEV;
	if (r == -ENODEV) {
		if (!slot->stale)
			backoff_fail(&slot->reprobe, now_ms, BACKOFF_FIRST_MS, BACKOFF_MAX_MS);
		slot->stale = true;
		return r;
	}
	if (r < 0) {
		backoff_fail(&place->backoff, now_ms, BACKOFF_FIRST_MS, BACKOFF_MAX_MS);
		return r;
	}
	backoff_reset(&place->backoff);
	if (!any_gone(runner, place->slot))
		backoff_reset(&slot->reprobe);
	return 0;
}

bool runner_news(struct runner *runner, size_t collector)
{
	bool news = runner->slots[collector].news;

	runner->slots[collector].news = false;
	return news;
}

size_t runner_collector_of(const struct runner *runner, size_t group)
{
	return runner->places[group].slot;
}
