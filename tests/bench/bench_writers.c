/* What a look at ten thousand processes costs above the bare reads of their accounts. In a tree in
 * memory, where one in three has written at all and one in twenty since the look before; where all
 * have, so that more have than are known; and of the processes that run here. The bound is twice
 * the bare reads: of who has written the name and the start stand in another file. More than are
 * known are read twice at each look.
 *
 * Usage: bench_writers */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hw.h"
#include "base/macros.h"
#include "base/parse.h"
#include "model/writer_processes.h"

#define PROCESSES    10000
#define WRITERS_EACH 21 /* one in so many has written since the look before */
#define ROUNDS       5
#define BOUND        200 /* hundredths */
#define BOUND_ALL    300

static char root[64];

static void put(int pid, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/%d/%s", root, pid, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
		perror(path);
		exit(1);
	}
}

/* What process 0 of so many has written; the others nothing. */
static int one_in = 3;

static void put_io(int pid, int round)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "rchar: 123456\nwchar: 234567\nsyscr: 345\nsyscw: 456\nread_bytes: 4096\n"
		 "write_bytes: %d\ncancelled_write_bytes: 0\n",
		 pid % one_in ? 0 : (pid + round) * 4096);
	put(pid, "io", text);
}

static void make_tree(void)
{
	char path[128], text[256];

	snprintf(path, sizeof(path), "%s/proc", root);
	mkdir(path, 0755);
	/* tmpfs lists the newest first, /proc the least. */
	for (int pid = PROCESSES; pid; pid--) {
		snprintf(path, sizeof(path), "%s/proc/%d", root, pid);
		mkdir(path, 0755);
		put_io(pid, 0);
		snprintf(text, sizeof(text),
			 "%d (worker/%d) S 1 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 %d 1 2 3\n",
			 pid, pid % 50, pid);
		put(pid, "stat", text);
	}
}

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

struct bare {
	struct hw *hw;
	int64_t n;
};

static int read_bare(void *arg, const char *name, bool is_dir)
{
	struct bare *bare = arg;
	char buf[1024];

	(void)is_dir;
	if (name[0] >= '1' && name[0] <= '9' &&
	    hw_read(bare->hw, buf, sizeof(buf), "proc/%s/io", name) > 0)
		bare->n++;
	return 0;
}

/* Returns the CPU of one pass in ns. */
static int64_t bare_pass(struct hw *hw, int64_t *ret_n)
{
	struct bare bare = {.hw = hw};
	int64_t begin = cpu_ns();

	if (hw_each(hw, read_bare, &bare, "proc") < 0)
		exit(1);
	*ret_n = bare.n;
	return cpu_ns() - begin;
}

static int64_t look(struct hw *hw, struct writer_processes *processes, size_t *ret_turns)
{
	static struct writer_top top;
	int64_t begin = cpu_ns();
	int r;

	*ret_turns = 0;
	do {
		r = writer_processes_look(processes, hw, &top);
		++*ret_turns;
	} while (r == 0);
	if (r < 0)
		exit(1);
	return cpu_ns() - begin;
}

/* Returns whether it is within the bound. */
static bool measure(const char *what, const char *where, int64_t bound)
{
	struct hw *hw = NULL;
	struct writer_processes *processes;
	int64_t bare = INT64_MAX, full = INT64_MAX, n = 0;
	size_t turns = 0;

	if (hw_open(where, &hw) < 0 || !(processes = writer_processes_of(hw)))
		exit(1);
	(void)look(hw, processes, &turns);
	for (int round = 1; round <= ROUNDS; round++) {
		for (int pid = 3 * round; bound && pid <= PROCESSES; pid += WRITERS_EACH)
			put_io(pid, round);
		bare = MIN(bare, bare_pass(hw, &n));
		full = MIN(full, look(hw, processes, &turns));
	}
	hw_close(hw);
	if (!n)
		return true;

	int64_t ratio = full * 100 / bare;

	printf("%s: %" PRId64 " processes in %zu turns, %" PRId64 ".%" PRId64
	       " us of CPU for each, %" PRId64 ".%02" PRId64 " of the bare reads",
	       what, n, turns, full / n / 1000, full / n / 100 % 10, ratio / 100, ratio % 100);
	if (bound)
		printf(", bound %" PRId64 ".%02" PRId64 ": %s", bound / 100, bound % 100,
		       ratio <= bound ? "ok" : "ABOVE");
	puts("");
	return !bound || ratio <= bound;
}

int main(void)
{
	char command[128];
	bool ok;

	snprintf(root, sizeof(root), "/dev/shm/bench-writers-XXXXXX");
	if (!mkdtemp(root)) {
		perror(root);
		return 1;
	}
	make_tree();
	ok = measure("one in three has written", root, BOUND);
	one_in = 1;
	make_tree();
	ok = measure("all have written", root, BOUND_ALL) && ok;
	ok = measure("this machine", "/", 0) && ok;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) == 0 && ok ? 0 : 1;
}
