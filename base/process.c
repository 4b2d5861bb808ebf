#include "base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define SIGNAL_DIGITS 16 /* of a set of signals in /proc */

/* Whether SIGKILL waits in a line of /proc/PID/status such as "SigPnd:\t0000000000000100". */
static bool kill_waits(const char *status, const char *name)
{
	const char *mask = strstr(status, name);

	if (!mask || strlen(mask) < strlen(name) + SIGNAL_DIGITS)
		return false;
	return strchr("13579bdf", mask[strlen(name) + SIGNAL_DIGITS - 1 - (SIGKILL - 1) / 4]);
}

bool process_is_dying(int pid)
{
	char path[32], status[4096];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);

	CLEANUP(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, status, sizeof(status) - 1);

	if (n < 0)
		return false;
	status[n] = '\0';
	return strstr(status, "\nState:\tZ") || kill_waits(status, "\nSigPnd:\t") ||
	       kill_waits(status, "\nShdPnd:\t");
}
