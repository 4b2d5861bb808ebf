/* The options of a command as a table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cli/client.h"

/* One of text, flag and take says what becomes of it. */
struct cli_option {
	const char *name;  /* without the dashes */
	const char **text; /* gets the argument */
	bool *flag;        /* set; there is no argument */
	/* Takes the argument; -errno when it is wrong, which it has said on stderr. */
	int (*take)(const char *argument, void *arg);
	void *arg;
};

#define CLI_OPTIONS_MAX 16

/* Reads the options of a command, at most CLI_OPTIONS_MAX; --help and -h print help. Returns -1 to
 * go on with argv[optind], else the exit status. */
int cli_options(const char *command, const char *help, const struct cli_option *options, size_t n,
		int argc, char **argv);

/* That at most one of them was given: -1 to go on, else the exit status. */
int cli_one_source(const char *command, const char *db, const struct client_target *target);
