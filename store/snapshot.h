/* A copy of the whole file as it stood at one moment, page by page, while it is written.
 *
 * What is made is an SQLite file that needs no companion, and behind its last page a seal: lines of
 * text with the SHA-256 of all before it, which SQLite leaves alone. One read transaction is held
 * from open to close; for so long the journal is not begun anew, and no writer waits for it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/macros.h"
#include "base/sha256.h"
#include "model/catalog.h"

struct snapshot;
struct store;

#define SNAPSHOT_PIECE_BYTES 4096
#define SNAPSHOT_SEAL_BYTES  256

/* What the seal says. */
struct snapshot_seal {
	char sha256[SHA256_HEX_BYTES]; /* of all bytes before the seal */
	int64_t taken_wall_ms;
	int64_t lacks_wall_ms; /* samples after this time are not in it; -1: it lacks nothing */
};

/* store: of the same file, to see how far its journal has grown; NULL for a file alone. Errors are
 * those of reader_open(), and -ENOTSUP for a journal that is laid out in a way that is not known.
 */
MUST_CHECK int snapshot_open(const char *path, struct store *store, const struct catalog *catalog,
			     struct snapshot **ret);
void snapshot_close(struct snapshot *snapshot);
void snapshot_closep(struct snapshot **snapshot);

/* For the seal. Lacks nothing, unless this was called. */
void snapshot_set_lacks(struct snapshot *snapshot, int64_t wall_ms);

/* Length of the whole, the seal included. */
int64_t snapshot_bytes(const struct snapshot *snapshot);

/* The next bytes, at most SNAPSHOT_PIECE_BYTES: their number, 0 at the end, -errno. -EBUSY: it took
 * so long that the journal has nearly reached its bound, or somebody has opened a pulled copy. */
MUST_CHECK ssize_t snapshot_read(struct snapshot *snapshot, uint8_t buf[SNAPSHOT_PIECE_BYTES]);

/* Lets the file go when the journal has nearly reached its bound: snapshot_read() then says -EBUSY.
 * To be called now and then while nobody reads. Whether it still goes on. */
bool snapshot_look(struct snapshot *snapshot);

/* Reads all of a snapshot and compares it with its seal. -ENODATA: it has none (cut off, written
 * to since, or none at all); -EBADMSG: it is not what was sealed; -errno. */
MUST_CHECK int snapshot_check(int fd, struct snapshot_seal *ret);
