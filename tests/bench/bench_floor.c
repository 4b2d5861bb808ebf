/* The floor under sampling: reads files through descriptors that stay open, once a second, and does
 * nothing with what it read. Prints the CPU time that one round took.
 *
 * Usage: bench_floor SECONDS <LIST, where LIST has one path per line. Without arguments it reads
 * /proc/loadavg for two seconds. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define N_FILES_MAX 4096

static int64_t clock_us(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static size_t open_list(FILE *list, int fds[N_FILES_MAX])
{
	char path[4096];
	size_t n = 0;

	while (n < N_FILES_MAX && fgets(path, sizeof(path), list)) {
		path[strcspn(path, "\n")] = '\0';
		fds[n] = open(path, O_RDONLY | O_CLOEXEC);
		if (fds[n] >= 0)
			n++;
		else
			fprintf(stderr, "floor: %s: %s\n", path, strerror(errno));
	}
	return n;
}

int main(int argc, char **argv)
{
	static int fds[N_FILES_MAX];
	static char buf[64 * 1024];
	int64_t n_ticks = argc > 1 ? strtoll(argv[1], NULL, 10) : 2;
	int64_t next_s = clock_us(CLOCK_BOOTTIME) / 1000000 + 1;
	int64_t start_us, read_us = 0, n_bytes = 0;
	size_t n;

	if (argc > 1) {
		n = open_list(stdin, fds);
	} else {
		fds[0] = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
		n = fds[0] >= 0;
	}
	if (n == 0 || n_ticks < 1) {
		fputs("floor: nothing to read\n", stderr);
		return 1;
	}
	start_us = clock_us(CLOCK_PROCESS_CPUTIME_ID);
	for (int64_t tick = 0; tick < n_ticks; tick++) {
		struct timespec next = {.tv_sec = (time_t)(next_s + tick)};
		int64_t before_us;

		clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &next, NULL);
		before_us = clock_us(CLOCK_PROCESS_CPUTIME_ID);
		for (size_t i = 0; i < n; i++) {
			ssize_t len = pread(fds[i], buf, sizeof(buf), 0);

			n_bytes += len > 0 ? len : 0;
		}
		read_us += clock_us(CLOCK_PROCESS_CPUTIME_ID) - before_us;
	}
	/* Reading alone, and with waking up for it: the daemon has to wake up too. */
	printf("floor: %zu files, %" PRId64 " bytes, %" PRId64 " us reading, %" PRId64
	       " us with wake-up\n",
	       n, n_bytes / n_ticks, read_us / n_ticks,
	       (clock_us(CLOCK_PROCESS_CPUTIME_ID) - start_us) / n_ticks);
	return 0;
}
