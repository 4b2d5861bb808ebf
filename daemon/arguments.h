/* The command line of flashscoped. */
#pragma once

#include "daemon/settings.h"

enum arguments_result {
	ARGUMENTS_RUN,
	ARGUMENTS_DONE,  /* asked for help, version, check or dump, and answered */
	ARGUMENTS_WRONG, /* said on stderr; exit status 2 */
};

/* Reads files and options into the settings. */
enum arguments_result arguments_read(int argc, char **argv, struct settings *settings);

/* The same files and options for other settings, later; -EINVAL, logged, when something is wrong
 * with them. */
MUST_CHECK int arguments_read_again(int argc, char **argv, struct settings *settings);
