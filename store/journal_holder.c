#include "store/journal_holder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "base/parse.h"
#include "store/raw.h"

#define FIRST_READ_LOCK 123 /* bytes of -shm: one lock for each mark of readers */
#define LAST_READ_LOCK  127
#define HOLDERS_MAX     3
#define LINE_BYTES      256

struct holders {
	int64_t pids[HOLDERS_MAX];
	size_t n;
};

static void add_holder(struct holders *holders, int64_t pid)
{
	for (size_t i = 0; i < holders->n; i++)
		if (holders->pids[i] == pid)
			return;
	if (holders->n < HOLDERS_MAX)
		holders->pids[holders->n++] = pid;
}

/* "4: POSIX  ADVISORY  READ 26665 fe:00:11004128 123 123". The device is not compared: file systems
 * with several name another one here than stat() does. */
static void take_line(struct slice line, int64_t inode, struct holders *holders)
{
	enum { NUMBER, KIND, MANDATORY, ACCESS, PID, PLACE, FIRST, LAST, N };
	struct slice words[N], part;
	int64_t pid, found = 0, first, last;

	for (size_t i = 0; i < N; i++)
		if (!slice_token(&line, &words[i]))
			return;
	while (slice_until(&words[PLACE], ':', &part))
		;
	if (!slice_is(words[KIND], "POSIX") || !slice_is(words[ACCESS], "READ") ||
	    parse_i64_slice(words[PID], &pid) < 0 || parse_i64_slice(words[PLACE], &found) < 0 ||
	    parse_i64_slice(words[FIRST], &first) < 0 || parse_i64_slice(words[LAST], &last) < 0)
		return;
	if (found == inode && pid > 0 && first >= FIRST_READ_LOCK && last <= LAST_READ_LOCK)
		add_holder(holders, pid);
}

static void find_holders(const char *path, struct holders *holders)
{
	CLEANUP(fclosep) FILE *locks = fopen("/proc/locks", "re");
	char name[RAW_PATH_BYTES], line[LINE_BYTES];
	struct stat st;

	if (!locks || !raw_companion(path, "-shm", name) || stat(name, &st) < 0)
		return;
	while (fgets(line, sizeof(line), locks)) {
		struct slice rest = slice_of(line), whole;

		if (slice_line(&rest, &whole))
			take_line(whole, (int64_t)st.st_ino, holders);
	}
}

static void say_process(struct text *text, int64_t pid)
{
	char name[64], comm[32] = "";

	if (pid == getpid()) {
		text_str(text, "this process");
		return;
	}
	snprintf(name, sizeof(name), "/proc/%lld/comm", (long long)pid);

	CLEANUP(fclosep) FILE *file = fopen(name, "re");

	if (file && fgets(comm, sizeof(comm), file))
		comm[strcspn(comm, "\n")] = '\0';
	text_printf(text, "%s (process %lld)", *comm ? comm : "somebody", (long long)pid);
}

void journal_holder(struct text *text, const char *path)
{
	struct holders holders = {0};

	find_holders(path, &holders);
	if (!holders.n)
		text_str(text, "a reader");
	for (size_t i = 0; i < holders.n; i++) {
		if (i)
			text_str(text, " and ");
		say_process(text, holders.pids[i]);
	}
}
