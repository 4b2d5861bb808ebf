/* Reading the configuration again, at SIGHUP, on the loop thread. */
#pragma once

#include "daemon/access.h"
#include "daemon/committer.h"
#include "daemon/settings.h"
#include "sampling/sampler.h"

struct reload {
	int argc; /* of main() */
	char **argv;
	struct settings *settings; /* the running ones; others read them meanwhile */
	struct access *access;
	struct sampler *sampler;
	struct committer *committer;
};

/* Takes over what can be changed in a running daemon: periods, log level, intervals of commits and
 * of looks for devices, the policy of the UFS monitors, the token. What differs and cannot be is
 * logged by its name, and what is wrong as well; a configuration with an error changes nothing. */
void reload_run(const struct reload *reload);
