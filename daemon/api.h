/* What the daemon answers: routes, checks of a request, and the documents. Knows no HTTP library.
 *
 * Two threads use it: one for requests that api_may_wait() tells, with their streams, api_idle()
 * and api_done(), and one for all others. */
#pragma once

#include <stdint.h>

#include "daemon/access.h"
#include "daemon/board.h"
#include "daemon/request.h"
#include "daemon/settings.h"
#include "query/query.h"
#include "store/reader.h"
#include "store/store.h"

#define API_PLACE_MAX  128
#define API_PLACES_MAX 24

struct api_reader; /* a connection that several answers may share */

struct api {
	const struct settings *settings;
	const struct catalog *catalog;
	struct store *store;
	struct committer *committer; /* NULL: commits come by themselves */
	struct board *board;
	const char *boot_id, *kernel;
	bool boot_id_is_own;        /* the kernel's cannot be read */
	const char *socket_path;    /* absolute where it can be */
	struct access *access;      /* NULL: whoever asks is let in */
	char listen[API_PLACE_MAX]; /* the first address, "127.0.0.1:9750"; "" without one */
	struct api_place {
		char name[API_PLACE_MAX]; /* an address, or the path of a Unix socket */
		bool elsewhere;           /* others than this machine can reach it */
		bool absent;              /* at the start it was no address of this machine */
	} places[API_PLACES_MAX];         /* beside socket_path */
	size_t n_places;
	bool in_memory;         /* the database will not survive a restart of the machine */
	int64_t started_ms;     /* boot clock */
	const char *pmsg_error; /* why there is no ring; NULL: there is, or none is wanted */
	struct api_reader *reader;
	int64_t reader_used_ms;
	/* That is being read, NULL: none. One at a time: it keeps the journal from being begun
	 * anew. */
	struct snapshot *snapshot;
};

/* Whether the answer comes from the file, so that making it may wait for a disk. */
bool api_may_wait(const struct request *request);

/* Whether who asks is let in. If not, the answer is a problem that is made without the file. */
bool api_admits(struct api *api, const struct request *request);

/* The answer when the disk has not answered for that long. */
void api_disk_hangs(struct answer *answer, int64_t ms);

/* From this time on nobody waits for it any more. */
#define API_DISK_HANGS_MS 10000

/* Always gives an answer; the caller releases it with answer_done(). */
void api_handle(struct api *api, const struct request *request, struct answer *ret);

/* The routes, for tests of the API's description: path and names of the parameters of a GET (NULL
 * at the end), whether it takes POST. false past the end. */
bool api_route(size_t index, const char **ret_path, const char *const **ret_params, bool *ret_post);

/* To be called now and then: closes a connection that nobody asked for in a while. true when there
 * is none, and no more calls are needed until the next request. */
bool api_idle(struct api *api);

/* Releases the connection when no answer uses it any more. */
void api_done(struct api *api);

/* The connection, opened when there is none. On error the answer is a problem already. Every
 * acquire is paired with one release; one that failed (broken) is not given out again. */
struct reader *api_reader_acquire(struct api *api, struct answer *answer,
				  struct api_reader **ret_shared);
void api_reader_release(void *shared);
/* A call of the reader failed: makes the problem. */
void api_reader_failed(struct api *api, struct answer *answer, int error);

/* The documents, one for each route. */
void serve_status(struct api *api, const struct request *request, struct answer *ret);
void serve_collectors(struct api *api, const struct request *request, struct answer *ret);
void serve_latest(struct api *api, const struct request *request, struct answer *ret);
void serve_nodes(struct api *api, const struct request *request, struct answer *ret);
void serve_boots(struct api *api, const struct request *request, struct answer *ret);
void serve_events(struct api *api, const struct request *request, struct answer *ret);
void serve_ambiguous(struct api *api, const struct request *request, struct answer *ret);
void serve_marks(struct api *api, const struct request *request, struct answer *ret);
void serve_post_mark(struct api *api, const struct request *request, struct answer *ret);
void serve_writers(struct api *api, const struct request *request, struct answer *ret);
void serve_query(struct api *api, const struct request *request, struct answer *ret);
void serve_iopath(struct api *api, const struct request *request, struct answer *ret);
void serve_metrics(struct api *api, const struct request *request, struct answer *ret);
void serve_snapshot(struct api *api, const struct request *request, struct answer *ret);
void serve_page(struct api *api, const struct request *request, struct answer *ret);

/* Bound of one document. */
#define API_DOC_MAX_BYTES (8 * 1024 * 1024)
