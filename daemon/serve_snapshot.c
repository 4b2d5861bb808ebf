/* GET /api/v1/snapshot: the file as it stands, with what was not committed yet. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "daemon/api.h"
#include "daemon/committer.h"
#include "store/snapshot.h"

#define COMMIT_WAIT_MS 5000
#define LOOK_MS        20
#define RETRY_AFTER_S  "60" /* who takes nothing loses the place in that time */

struct source {
	struct api *api;
	struct snapshot *snapshot;
};

static void source_free(void *arg)
{
	struct source *source = arg;

	source->api->snapshot = NULL;
	snapshot_close(source->snapshot);
	free(source);
}

/* Until what was sampled before now_ms is committed. Whether it was. */
static bool wait_for_commit(struct api *api, int64_t now_ms, uint64_t n_failed,
			    struct store_status *status)
{
	int64_t end_ms = now_ms + COMMIT_WAIT_MS;

	do {
		store_peek_status(api->store, status);
		if (status->last_commit_ms >= now_ms)
			return true;
		if (status->n_failed_commits != n_failed)
			return false;
		usleep(LOOK_MS * 1000);
	} while (clock_boot_ms() < end_ms);
	return false;
}

/* What waits in memory is committed first, unless that was done for a copy a short while ago.
 * Returns whether it was; else *ret_since_ms is from when on samples are not in the file (boot
 * clock). Takes the time of one commit, and is on the thread that may wait. */
static bool commit_first(struct api *api, int64_t *ret_since_ms)
{
	int64_t now_ms = clock_boot_ms();
	struct store_status status;

	store_peek_status(api->store, &status);
	if (api->committer && committer_ask(api->committer) &&
	    wait_for_commit(api, now_ms, status.n_failed_commits, &status))
		return true;
	*ret_since_ms = status.last_commit_ms;
	return false;
}

static int step(void *self, struct text *out)
{
	struct source *source = self;
	uint8_t page[SNAPSHOT_PIECE_BYTES];
	ssize_t n = snapshot_read(source->snapshot, page);

	if (n > 0)
		text_mem(out, (const char *)page, (size_t)n);
	return n > 0 ? 1 : (int)n;
}

void serve_snapshot(struct api *api, const struct request *request, struct answer *ret)
{
	int64_t since_ms = 0;
	struct source *source;
	int r;

	(void)request;
	if (api->snapshot) {
		ret->retry_after = RETRY_AFTER_S;
		answer_problem(ret, 503, "", "another snapshot is being read; one at a time");
		return;
	}

	bool all = commit_first(api, &since_ms);

	source = calloc(1, sizeof(*source));
	r = source ? snapshot_open(config_text(api->settings->config, OPTION_DATABASE), api->store,
				   api->catalog, &source->snapshot)
		   : -ENOMEM;
	if (r < 0) {
		free(source);
		answer_problem(ret, 503, "", "the database cannot be read: %s", strerror(-r));
		return;
	}
	source->api = api;
	api->snapshot = source->snapshot;
	if (!all)
		snapshot_set_lacks(source->snapshot, since_ms + store_wall_offset_ms(api->store));
	ret->stream_bytes = snapshot_bytes(source->snapshot);
	r = stream_new(step, source_free, source, &ret->stream);
	if (r < 0) {
		answer_problem(ret, 500, "", "out of memory");
		return;
	}
	ret->status = 200;
	ret->type = "application/vnd.sqlite3";
}
