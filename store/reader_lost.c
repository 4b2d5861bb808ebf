/* Whether a file began in the place of another one. */
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "store/reader_internal.h"
#include "store/sql.h"

int reader_lost_before(struct reader *reader, char text[EVENT_TEXT_MAX])
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(reader->conn, &stmt,
			    "SELECT text FROM event WHERE kind IN ('database_lost',"
			    "'database_broken') ORDER BY id DESC LIMIT 1");

	if (!r)
		r = sql_step(stmt);
	if (r > 0)
		snprintf(text, EVENT_TEXT_MAX, "%s", column_text(stmt, 0));
	return r < 0 ? reader_failed(reader, r) : r;
}
