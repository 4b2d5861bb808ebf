/* flashscope kernel-log: what a saved log of a kernel says of its storage. */
#include "cli/kernel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/macros.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "model/kernel_names.h"

static const char help[] =
	"Usage: flashscope kernel-log [--all] [--json] [--root DIR] [FILE | -]\n"
	"\n"
	"What a kernel log says of storage: one line for each incident, that is for all that a\n"
	"device went through at a time, file systems on it included. FILE is what dmesg,\n"
	"journalctl -k, also with -o json, logcat -b kernel, syslog, a serial console or pstore\n"
	"has left, or records of /dev/kmsg, also compressed by gzip; without one standard input.\n"
	"Times are seconds since boot by the kernel's clock, which stands still in suspend; in a\n"
	"log without them those of the wall clock that it has (dmesg -T), and without any all\n"
	"that happened to a device in a boot is one incident. Several boots in a log are told\n"
	"apart.\n"
	"\n"
	"  --all           print also each line, and what it was taken for\n"
	"  --json          {\"incidents\", \"boots\", \"counts\", \"lines\"}; not with --all\n"
	"  --root DIR      the machine's tree, as tools/capture makes it: partitions, controllers\n"
	"                  and addresses are known by their device, and FILE is DIR/dev/kmsg "
	"unless\n"
	"                  another one is given; / for a log of this machine\n";

struct log_args {
	const char *file, *root;
	bool all, json;
};

/* Returns -1 to go on, else the exit status. */
static int parse_args(int argc, char **argv, struct log_args *args)
{
	const struct cli_option options[] = {
		{"all", .flag = &args->all},
		{"json", .flag = &args->json},
		{"root", .text = &args->root},
	};
	int r = cli_options("kernel-log", help, options, ARRAY_SIZE(options), argc, argv);

	if (r >= 0)
		return r;
	if (optind + 1 < argc)
		return cli_wrong_usage("kernel-log", "one FILE at a time, not also \"%s\"",
				       argv[optind + 1]);
	if (args->all && args->json)
		return cli_wrong_usage("kernel-log", "--all or --json, one of them");
	args->file = optind < argc ? argv[optind] : args->root ? NULL : "-";
	if (!args->file)
		return -1;
	if (!strcmp(args->file, "-") && isatty(STDIN_FILENO))
		return cli_wrong_usage("kernel-log", "a FILE, or a log on standard input");
	return -1;
}

static int say(const char *what, const char *problem)
{
	fprintf(stderr, "flashscope kernel-log: ");
	cli_put_text(stderr, what);
	fprintf(stderr, ": %s\n", problem);
	return EXIT_FAILED;
}

static int read_log(const char *name, struct kernel_log *log)
{
	CLEANUP(closep) int fd = -1;
	struct stat st;

	if (!strcmp(name, "-"))
		return kernel_log_read(log, STDIN_FILENO);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	/* /dev/kmsg would wait for what the kernel says next. */
	if (S_ISCHR(st.st_mode) && fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	return kernel_log_read(log, fd);
}

/* The log that lies in a recorded tree is read without the tree. */
static void note_tree(const struct log_args *args)
{
	static const char end[] = "/dev/kmsg";
	size_t len = strlen(args->file);
	char sys[HW_PATH_MAX];

	if (args->root || len < sizeof(end) || strcmp(args->file + len - strlen(end), end) != 0)
		return;
	len -= strlen(end);
	if (snprintf(sys, sizeof(sys), "%.*s/sys", (int)len, args->file) >= (int)sizeof(sys) ||
	    access(sys, F_OK) < 0)
		return;
	fprintf(stderr, "flashscope kernel-log: with --root %.*s devices are known by that tree\n",
		(int)len, args->file);
}

static int say_problem(const struct log_args *args, const struct kernel_log *log, int error)
{
	if (error == -EISDIR)
		return say(args->file, "is a folder; for the tree of a machine: --root FOLDER");
	return say(args->file, log->problem ? log->problem : strerror(-error));
}

/* As zcat does: what there is, and no success. */
static int say_cut(const struct log_args *args, const struct kernel_log *log)
{
	char problem[160];

	snprintf(problem, sizeof(problem),
		 "is compressed by gzip, and damaged or cut off behind %lld bytes of text: only "
		 "they "
		 "are told",
		 log->cut_at);
	return say(args->file, problem);
}

/* That there are no incidents in what is no log of a kernel says nothing, nor do those that a
 * program has in its texts. */
static void note_strange(const struct log_args *args, const struct kernel_log *log)
{
	struct kernel_log_lines lines = kernel_log_lines(log);
	bool is_text = log->n_control <= log->n_bytes / 50;

	if (lines.kernel > lines.all / 10 || (log->n && is_text))
		return;
	fprintf(stderr, "flashscope kernel-log: ");
	cli_put_text(stderr, args->file);
	if (!lines.all)
		fputs(": there is no line in it\n", stderr);
	else if (!is_text)
		fputs(": is no text; what can be read is in flashscope kernel-log --help\n",
		      stderr);
	else
		fprintf(stderr,
			": looks like no log of a kernel: of %lld lines %lld have in front what "
			"such "
			"a log has (a stamp, a priority, \"kernel:\"); what can be read is in "
			"flashscope kernel-log --help\n",
			lines.all, lines.kernel);
}

static void names_freep(struct kernel_names **names)
{
	kernel_names_free(*names);
}

/* The log of args->root, or another one of that machine. */
static int open_tree(struct log_args *args, char own[HW_PATH_MAX], struct hw **ret_hw,
		     struct kernel_names **ret_names)
{
	int r = hw_open(args->root, ret_hw);

	if (r < 0)
		return say(args->root, hw_open_problem(r));
	if (!args->file && hw_is_live(*ret_hw))
		return cli_wrong_usage("kernel-log", "with this machine's tree a FILE or -, as in "
						     "dmesg | flashscope kernel-log --root / -");
	if (!args->file && snprintf(own, HW_PATH_MAX, "%s/dev/kmsg", args->root) >= HW_PATH_MAX)
		return say(args->root, strerror(ENAMETOOLONG));
	if (!args->file)
		args->file = own;
	cli_check_root("kernel-log", args->root);
	r = kernel_names_new(*ret_hw, ret_names);
	return r < 0 ? say(args->root, strerror(-r)) : -1;
}

static int print_log(const struct log_args *args, const struct kernel_log *log)
{
	int r;

	if (args->all)
		putchar('\n');
	r = args->json ? kernel_log_print_json(log) : kernel_log_print_table(log);
	if (r < 0)
		return say("cannot print", strerror(-r));
	return cli_flush() < 0 ? EXIT_FAILED : EXIT_DONE;
}

int command_kernel_log(int argc, char **argv)
{
	CLEANUP(kernel_log_done) struct kernel_log log = {.n_boots = 1};
	CLEANUP(hw_closep) struct hw *hw = NULL;
	CLEANUP(names_freep) struct kernel_names *names = NULL;
	struct log_args args = {0};
	char own[HW_PATH_MAX];
	int r = parse_args(argc, argv, &args);

	if (r < 0 && args.root)
		r = open_tree(&args, own, &hw, &names);
	if (r >= 0)
		return r;
	log.shows_lines = args.all;
	log.knows_devices = names;
	r = names ? incidents_new(kernel_names_find, names, &log.table)
		  : incidents_new(log_links_find, &log.links, &log.table);
	if (r == 0)
		r = read_log(args.file, &log);
	if (r < 0)
		return say_problem(&args, &log, r);
	r = print_log(&args, &log);
	note_strange(&args, &log);
	note_tree(&args);
	return log.cut_at ? say_cut(&args, &log) : r;
}
