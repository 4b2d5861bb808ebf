/* What is told of boots: how long each was up, and why the end of one is not known. */
#include "query/boots.h"
#include "tests/support/store_world.h"

#define UP_MS INT64_C(40200000) /* 11 h 10 min */

struct heard {
	struct boot boots[8];
	char notes[8][QUERY_NOTE_MAX];
	bool own[8];
	size_t n;
};

static int hear(const struct boot_story *story, void *arg)
{
	struct heard *heard = arg;

	assert_true(heard->n < ARRAY_SIZE(heard->boots));
	heard->boots[heard->n] = *story->boot;
	heard->own[heard->n] = story->id_is_own;
	snprintf(heard->notes[heard->n++], QUERY_NOTE_MAX, "%s", story->note ? story->note : "");
	return 0;
}

static struct heard listen_to(struct store *store)
{
	CLEANUP(reader_closep) struct reader *reader = world_reader(store);
	struct heard heard = {0};

	assert_int_equal(query_boots(reader, hear, &heard), 0);
	return heard;
}

static void began(struct store *store, bool own)
{
	struct event event = {.kind = "boot"};

	snprintf(event.evidence, sizeof(event.evidence),
		 "{\"kernel\":\"6.1.0\",\"boot_id\":\"x\",\"boot_id_is_own\":%s}",
		 own ? "true" : "false");
	store_event(store, &event);
	world_event(store, UP_MS, "start");
}

/* Killed before the first commit with samples. */
static void no_sample_was_written(void **state)
{
	struct store *store = world_open("a");

	(void)state;
	began(store, false);
	for (int committed = 0; committed < 2; committed++) {
		assert_int_equal(listen_to(store).boots[0].last_ms, UP_MS);
		assert_int_equal(store_commit(store, UP_MS, false), 0);
	}
	store_mark_span(store, "later", UP_MS + 1, UP_MS + 2000);
	assert_int_equal(listen_to(store).boots[0].last_ms, UP_MS + 2000);
	assert_int_equal(store_commit(store, UP_MS, true), 0);
	assert_int_equal(listen_to(store).boots[0].last_ms, UP_MS + 2000);
	store_close(store);
	assert_int_equal(listen_to(NULL).boots[0].last_ms, UP_MS + 2000);
}

static struct store *next_boot(struct store *store, const char *boot_id, bool own)
{
	if (store) {
		assert_int_equal(store_commit(store, UP_MS, true), 0);
		store_close(store);
	}
	store = world_open(boot_id);
	began(store, own);
	return store;
}

static void assert_note(const struct heard *heard, size_t i, const char *words)
{
	if (!strstr(heard->notes[i], words))
		fail_msg("boot %zu: %s", i + 1, heard->notes[i]);
}

/* The kernel's boot id cannot be read in the second one; the last one is alive. */
static void not_decided(void **state)
{
	struct store *store = next_boot(NULL, "a", false);
	struct heard heard;

	(void)state;
	store = next_boot(store, "b", true);
	store = next_boot(store, "c", false);
	store = next_boot(store, "d", false);
	for (int committed = 0; committed < 2; committed++) {
		heard = listen_to(store);
		assert_int_equal(heard.n, 4);
		for (size_t i = 0; i < 4; i++)
			assert_int_equal(heard.own[i], i == 1);
		assert_note(&heard, 0, "the kernel's boot id could not be read after it");
		assert_note(&heard, 1, "the boot after it was over before it could be");
		assert_note(&heard, 2, "not decided yet");
		assert_string_equal(heard.notes[3], "");
		assert_int_equal(store_commit(store, UP_MS, false), 0);
	}
	store_close(store);
	heard = listen_to(NULL);
	assert_note(&heard, 2, "may still be decided");
	assert_note(&heard, 3, "not known here");
}

/* A file that lost its events still has its boots. */
static void without_events(void **state)
{
	struct store *store = next_boot(NULL, "a", false);
	char answer[256];

	(void)state;
	assert_int_equal(store_commit(store, UP_MS, true), 0);
	store_close(store);
	world_shell("DROP TABLE event", answer, sizeof(answer));
	assert_int_equal(listen_to(NULL).n, 1);
}

/* As it lasts. */
static void alive_without_an_id(void **state)
{
	struct store *store = next_boot(NULL, "a", true);
	struct heard heard;

	(void)state;
	store = next_boot(store, "b", true);
	for (int committed = 0; committed < 2; committed++) {
		heard = listen_to(store);
		assert_int_equal(heard.n, 2);
		assert_true(heard.own[0] && heard.own[1]);
		assert_note(&heard, 0, "the kernel's boot id could not be read after it");
		assert_int_equal(store_commit(store, UP_MS, false), 0);
	}
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_sample_was_written, world_start, world_stop),
		cmocka_unit_test_setup_teardown(not_decided, world_start, world_stop),
		cmocka_unit_test_setup_teardown(without_events, world_start, world_stop),
		cmocka_unit_test_setup_teardown(alive_without_an_id, world_start, world_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
