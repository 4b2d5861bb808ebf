/* Reading the configuration again, at SIGHUP. Its files, and that of the token, may lie on a disk
 * that is slow or hangs, so they are read by a thread of its own, which the loop does not wait for;
 * what they say is taken over on the loop thread. */
#pragma once

#include <stdbool.h>

#include "daemon/access.h"
#include "daemon/committer.h"
#include "daemon/settings.h"
#include "sampling/sampler.h"

struct reload;

struct reload_options {
	int argc; /* of main() */
	char **argv;
	struct settings *settings; /* the running ones; others read them meanwhile */
	struct access *access;
	struct sampler *sampler;
	struct committer *committer;
	/* As arguments_read_again(), for tests; NULL for it. */
	int (*read)(int argc, char **argv, struct settings *settings);
};

/* What options point to outlives it. -ENOMEM, -errno. */
MUST_CHECK int reload_new(const struct reload_options *options, struct reload **ret);
/* A thread that still waits for a disk is left to its fate. NULL is fine. */
void reload_free(struct reload *reload);

/* Begins to read; what is being read already is read once more behind that. false, and logged: it
 * cannot be begun. */
bool reload_begin(struct reload *reload);

/* To be watched for input: what was read is there. -1 while nothing is read. */
int reload_fd(const struct reload *reload);

/* Takes over what can be changed in a running daemon: periods, log level, intervals of commits and
 * of looks for devices, the policy of the UFS monitors, the token. What differs and cannot be is
 * logged by its name, and what is wrong as well; a configuration with an error changes nothing.
 * Where it was asked for again meanwhile, it is begun again. Whether it was the end. */
bool reload_finish(struct reload *reload);
