/* The connection to the database that answers share. A streamed answer keeps it for as long as its
 * client takes, so a connection that failed is put aside and goes with its last user. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "daemon/api.h"
#include "daemon/heap.h"
#include "store/snapshot.h"

/* A connection holds some MB (the parsed schema); without a client they go back to the system. */
#define IDLE_MS 30000

struct api_reader {
	struct reader *reader;
	unsigned n_users; /* the api itself is one */
};

void api_reader_release(void *shared)
{
	struct api_reader *r = shared;

	if (!r || --r->n_users)
		return;
	reader_close(r->reader);
	free(r);
}

static int open_reader(struct api *api)
{
	struct api_reader *shared = calloc(1, sizeof(*shared));

	if (!shared)
		return -ENOMEM;

	int r = reader_open(config_text(api->settings->config, OPTION_DATABASE), api->store,
			    api->catalog, &shared->reader);

	if (r < 0) {
		free(shared);
		return r;
	}
	shared->n_users = 1;
	api->reader = shared;
	return 0;
}

struct reader *api_reader_acquire(struct api *api, struct answer *answer,
				  struct api_reader **ret_shared)
{
	int64_t now_ms = clock_boot_ms(), committing_ms = store_committing_ms(api->store);

	/* One whose client takes nothing is not to hold the journal while others ask. */
	if (api->snapshot)
		snapshot_look(api->snapshot);
	/* What the store thread waits for would hold up this one as well. */
	if (committing_ms && now_ms - committing_ms > API_DISK_HANGS_MS) {
		api_disk_hangs(answer, now_ms - committing_ms);
		return NULL;
	}

	int r = api->reader ? 0 : open_reader(api);

	if (r < 0) {
		answer_problem(answer, 503, "", "the database cannot be opened: %s", strerror(-r));
		return NULL;
	}
	api->reader->n_users++;
	api->reader_used_ms = now_ms;
	*ret_shared = api->reader;
	return api->reader->reader;
}

void api_reader_failed(struct api *api, struct answer *answer, int error)
{
	char why[256] = "";

	if (api->reader) {
		snprintf(why, sizeof(why), "%s", reader_error(api->reader->reader));
		api_reader_release(api->reader);
		api->reader = NULL;
	}
	answer_problem(answer, 503, "", "the database cannot be read: %s",
		       *why ? why : strerror(-error));
}

bool api_idle(struct api *api)
{
	if (api->snapshot) {
		snapshot_look(api->snapshot);
		return false;
	}
	if (!api->reader)
		return true;
	if (api->reader->n_users > 1 || clock_boot_ms() - api->reader_used_ms < IDLE_MS)
		return false;
	api_done(api);
	heap_trim();
	return true;
}

void api_done(struct api *api)
{
	api_reader_release(api->reader);
	api->reader = NULL;
}
