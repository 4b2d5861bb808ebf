/* For tests of what happens without a free file descriptor. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

/* Takes all descriptors that are left of a few; gives them back with limit. */
static inline size_t take_descriptors(int fds[64], struct rlimit *limit)
{
	struct rlimit few;
	size_t n = 0;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, limit), 0);
	few = (struct rlimit){.rlim_cur = 48, .rlim_max = limit->rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	while (n < 64 && (fds[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		n++;
	assert_true(n < 64 && errno == EMFILE);
	return n;
}

static inline void give_back(const int *fds, size_t n, const struct rlimit *limit)
{
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, limit), 0);
}
