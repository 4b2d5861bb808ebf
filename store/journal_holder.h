/* Who keeps the journal of a database from being begun anew. */
#pragma once

#include "base/text.h"

/* Appends who reads the database at path, by the locks on its "-shm": "sqlite3 (process 4711)",
 * more than one with "and", "this process"; "a reader" when it cannot be told. Kernel:
 * Documentation/filesystems/proc.rst (/proc/locks); the places of the locks:
 * https://www.sqlite.org/walformat.html#locks */
void journal_holder(struct text *text, const char *path);
