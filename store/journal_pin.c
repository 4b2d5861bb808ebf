#include "store/journal_pin.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "store/raw.h"
#include "store/sql.h"

#define STEP_BYTES 16384

static int open_pin(struct journal_pin *pin, const char *path)
{
	int r = sql_open(path, SQLITE_OPEN_READONLY, &pin->conn);

	/* It will read one page, again and again. */
	if (!r)
		sqlite3_db_config(pin->conn, SQLITE_DBCONFIG_LOOKASIDE, NULL, 0, 0);
	return r;
}

int journal_pin_hold(struct journal_pin *pin, const char *path)
{
	int r = 0;

	if (pin->conn)
		journal_pin_release(pin);
	else
		r = open_pin(pin, path);
	if (!r)
		r = sql_exec(pin->conn, "BEGIN");
	/* Of what reads the file it is the one that does not parse its schema. */
	if (!r)
		r = sql_exec(pin->conn, "PRAGMA user_version");
	if (r < 0)
		journal_pin_close(pin);
	return r;
}

void journal_pin_release(struct journal_pin *pin)
{
	if (pin->conn && !sqlite3_get_autocommit(pin->conn))
		sqlite3_exec(pin->conn, "ROLLBACK", NULL, NULL, NULL);
}

void journal_pin_close(struct journal_pin *pin)
{
	sqlite3_close(pin->conn);
	pin->conn = NULL;
}

/* Zeros behind the last frame are no frame. Written and not only reserved: what was never written
 * costs a transaction too when it is. */
void journal_reserve(const char *path, int64_t bytes)
{
	static const char zeros[STEP_BYTES];
	char name[RAW_PATH_BYTES];
	struct stat st;

	if (!raw_companion(path, "-wal", name))
		return;

	CLEANUP(closep) int fd = open(name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0 || fstat(fd, &st) < 0)
		return;
	for (int64_t at = st.st_size; at < bytes; at += STEP_BYTES)
		if (pwrite(fd, zeros, (size_t)MIN(bytes - at, STEP_BYTES), at) < 0)
			return;
}
