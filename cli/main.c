/* flashscope: the human's command, on the API of a running daemon or on a file. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "cli/cli.h"
#include "cli/token.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

static const struct command commands[] = {
	{"probe", command_probe, "what can be sampled here, what not, and why"},
	{"sample", command_sample, "one sample of everything, or a few for rates"},
	{"latest", command_latest, "the newest values of every node, with their age"},
	{"path", command_path, "which layers a file passes on its way to the device"},
	{"writers", command_writers, "who has written: processes, units or users"},
	{"query", command_query, "a metric over a window of time"},
	{"kernel-log", command_kernel_log, "what a saved kernel log says of storage"},
	{"fields", command_fields, "the metrics that can be asked for"},
	{"status", command_status, "how the daemon is doing, or what a database holds"},
	{"boots", command_boots, "the boots, how long they lasted and how each ended"},
	{"events", command_events, "what happened, with the marks"},
	{"mark", command_mark, "a label on a span of time, or around a command"},
	{"snapshot", command_snapshot,
	 "the whole database as one sealed file, while it is written"},
	{"export", command_export, "samples and records as plain rows: CSV, JSON, SQLite"},
	{"recover", command_recover, "a new database of what a damaged one still has"},
	{NULL, NULL, NULL},
};

static int usage(FILE *out)
{
	fputs("Usage: flashscope [--token-file FILE] COMMAND [OPTION...]\n\nCommands:\n", out);
	for (const struct command *c = commands; c->name; c++)
		fprintf(out, "  %-10s %s\n", c->name, c->help);
	fputs("\nflashscope COMMAND --help tells the options of a command.\n"
	      "--token-file, or " TOKEN_FILE_VARIABLE ", names the file of the token that a --url\n"
	      "on another machine wants.\n",
	      out);
	return out == stdout ? EXIT_DONE : EXIT_USAGE;
}

/* A disk that is full is seen when the last of it is written. */
static int finish(const struct command *command, int status)
{
	int r = cli_flush();

	if (!r)
		return status;
	fprintf(stderr, "flashscope %s: the output could not be written: %s\n", command->name,
		r == -EIO ? "is there room for it?" : strerror(-r));
	return EXIT_FAILED;
}

/* getopt begins its messages with argv[0]. */
static int run(const struct command *command, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "flashscope %s", command->name);
	argv[0] = name;
	return finish(command, command->run(argc, argv));
}

int main(int argc, char **argv)
{
	/* So that tables print names beyond ASCII as they are; numbers keep their form. */
	setlocale(LC_CTYPE, "");
	if (argc > 2 && !strcmp(argv[1], "--token-file")) {
		setenv(TOKEN_FILE_VARIABLE, argv[2], 1);
		argc -= 2;
		argv += 2;
	}
	if (argc < 2)
		return usage(stderr);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return usage(stdout);
	if (!strcmp(argv[1], "--version")) {
		puts("flashscope " FLASHSCOPE_VERSION);
		return EXIT_DONE;
	}
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, argv[1]))
			return run(c, argc - 1, argv + 1);
	fprintf(stderr, "flashscope: no such command: %s\n", argv[1]);
	return usage(stderr);
}
