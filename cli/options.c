#include "cli/options.h"

#include <getopt.h>
#include <stdio.h>

#include "base/macros.h"
#include "cli/cli.h"

/* What getopt_long() returns for the option at an index, beyond all characters. */
#define FIRST_VALUE 256

/* Returns -1 to go on, else the exit status. */
static int take_option(const struct cli_option *option, const char *argument)
{
	if (option->flag)
		*option->flag = true;
	else if (option->text)
		*option->text = argument;
	else
		return option->take(argument, option->arg) < 0 ? EXIT_USAGE : -1;
	return -1;
}

int cli_options(const char *command, const char *help, const struct cli_option *options, size_t n,
		int argc, char **argv)
{
	struct option table[CLI_OPTIONS_MAX + 2] = {0};
	int r = -1;

	n = MIN(n, (size_t)CLI_OPTIONS_MAX);
	for (size_t i = 0; i < n; i++)
		table[i] = (struct option){
			.name = options[i].name,
			.has_arg = options[i].flag ? no_argument : required_argument,
			.val = FIRST_VALUE + (int)i,
		};
	table[n] = (struct option){"help", no_argument, NULL, 'h'};
	for (int c; r == -1 && (c = getopt_long(argc, argv, "h", table, NULL)) != -1;) {
		if (c == 'h') {
			fputs(help, stdout);
			return EXIT_DONE;
		}
		if (c < FIRST_VALUE)
			return cli_wrong_usage(command, NULL);
		r = take_option(&options[c - FIRST_VALUE], optarg);
	}
	return r;
}

int cli_one_source(const char *command, const char *db, const struct client_target *target)
{
	if (db && (target->socket || target->url))
		return cli_wrong_usage(command, "--db reads a file: no --socket and no --url");
	if (target->socket && target->url)
		return cli_wrong_usage(command, "--socket or --url, not both");
	return -1;
}
