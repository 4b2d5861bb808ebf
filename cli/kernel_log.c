/* flashscope kernel-log: what a saved log of a kernel says of its storage. */
#include "cli/kernel_log.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "cli/cli.h"
#include "cli/options.h"

static const char help[] =
	"Usage: flashscope kernel-log [--all] [--json] [FILE | -]\n"
	"\n"
	"What a kernel log says of storage: one line for each incident, that is for all that a\n"
	"device went through at a time, file systems on it included. FILE is what dmesg,\n"
	"journalctl -k -o short-monotonic, logcat -b kernel, syslog, a serial console or pstore\n"
	"has left, or records of /dev/kmsg; without one standard input. Times are seconds since\n"
	"boot by the kernel's clock, which stands still in suspend; in a log without them all "
	"that\n"
	"happened to a device is one incident.\n"
	"\n"
	"  --all           print also each line, and what it was taken for\n"
	"  --json          {\"incidents\", \"counts\", \"lines\"}\n";

struct log_args {
	const char *file;
	bool all, json;
};

/* Returns -1 to go on, else the exit status. */
static int parse_args(int argc, char **argv, struct log_args *args)
{
	const struct cli_option options[] = {
		{"all", .flag = &args->all},
		{"json", .flag = &args->json},
	};
	int r = cli_options("kernel-log", help, options, ARRAY_SIZE(options), argc, argv);

	if (r >= 0)
		return r;
	if (optind + 1 < argc)
		return cli_wrong_usage("kernel-log", "one FILE at a time, not also \"%s\"",
				       argv[optind + 1]);
	if (args->all && args->json)
		return cli_wrong_usage("kernel-log", "--all or --json, one of them");
	args->file = optind < argc ? argv[optind] : "-";
	if (!strcmp(args->file, "-") && isatty(STDIN_FILENO))
		return cli_wrong_usage("kernel-log", "a FILE, or a log on standard input");
	return -1;
}

static int say(const char *what, int error)
{
	fprintf(stderr, "flashscope kernel-log: ");
	cli_put_text(stderr, what);
	fprintf(stderr, ": %s\n", strerror(-error));
	return EXIT_FAILED;
}

static int read_log(const struct log_args *args, struct kernel_log *log)
{
	CLEANUP(fclosep) FILE *file = NULL;

	if (!strcmp(args->file, "-"))
		return kernel_log_read(log, stdin);
	file = fopen(args->file, "re");
	return file ? kernel_log_read(log, file) : -errno;
}

int command_kernel_log(int argc, char **argv)
{
	CLEANUP(kernel_log_done) struct kernel_log log = {0};
	struct log_args args = {0};
	int r = parse_args(argc, argv, &args);

	if (r >= 0)
		return r;
	log.shows_lines = args.all;
	r = incidents_new(NULL, NULL, &log.table);
	if (r == 0)
		r = read_log(&args, &log);
	if (r < 0)
		return say(args.file, r);
	if (args.all)
		putchar('\n');
	r = args.json ? kernel_log_print_json(&log) : kernel_log_print_table(&log);
	if (r < 0)
		return say("cannot print", r);
	return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
}
