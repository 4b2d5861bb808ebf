/* A reader of our own that keeps the journal from being begun anew at each commit.
 *
 * SQLite begins its journal at the front again whenever all of it is in the file and nobody reads
 * it. That costs a write of the header with a sync of its own, and clears the index of the journal:
 * 32 KiB in "-shm", which the kernel then writes as well. With a reader in it the next commit goes
 * on behind the last one. https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files
 * tells how readers hold the journal; here it is wanted, and bounded. */
#pragma once

#include <sqlite3.h>
#include <stdint.h>

#include "base/macros.h"

struct journal_pin {
	sqlite3 *conn; /* NULL: not opened yet */
};

/* Holds the journal of the database at path where it ends now, and lets go what it held before: a
 * checkpoint is not kept from anything. To be called between a commit and its checkpoint; a reader
 * that comes when all is moved holds nothing. 0, -errno: then nothing is held. */
MUST_CHECK int journal_pin_hold(struct journal_pin *pin, const char *path);
/* Gives the journal of the database at path its room of bytes at once, unless it has it: a commit
 * that makes it longer costs the file system a transaction. What cannot be had comes later. */
void journal_reserve(const char *path, int64_t bytes);
/* The next commit may begin the journal anew. */
void journal_pin_release(struct journal_pin *pin);
/* Releases, and closes the connection. */
void journal_pin_close(struct journal_pin *pin);
