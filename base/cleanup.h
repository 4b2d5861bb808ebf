/* Scope-bound release of the resources that this project owns. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(fn) __attribute__((cleanup(fn)))

/* For heap memory: CLEANUP(freep) char *s = ...; */
static inline void freep(void *p)
{
	free(*(void **)p);
}

/* For file descriptors; -1 owns nothing. errno survives. */
static inline void closep(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

static inline void closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static inline void fclosep(FILE **file)
{
	if (*file)
		fclose(*file);
}
