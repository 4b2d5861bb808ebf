/* flashscope mark: a label on a span of time. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/mark_monitor.h"
#include "export/doc.h"
#include "export/tree.h"

static const char help[] =
	"Usage: flashscope mark [OPTION...] start LABEL\n"
	"       flashscope mark [OPTION...] end ID\n"
	"       flashscope mark [OPTION...] LABEL -- COMMAND [ARGUMENT...]\n"
	"\n"
	"start prints the id of the mark, end ends it. With a command the mark lasts as long as "
	"it\n"
	"runs; signals are passed on to it. For example:\n"
	"\n"
	"  flashscope mark 'fio rnd4k run 3' -- fio job.fio\n"
	"  flashscope query diskstats.read_bytes --mark 'fio rnd4k run 3'\n"
	"\n"
	"flashscope events lists the marks.\n"
	"\n"
	"  --ufs-monitor  has the UFS driver time each request until the mark ends, at most for\n"
	"                 mark_max of [ufs] (docs/UFS-MONITOR.md); waits until it does\n"
	"  --for DURATION for no longer than that (90s, 10min, 1h); mark_max is the most\n"
	"  --socket PATH  of the daemon (default var/run/flashscoped.sock, then\n"
	"                 " DEFAULT_RUNTIME_DIR "/flashscoped.sock)\n"
	"  --url URL      of a proxy to the socket: the daemon takes marks from that alone\n"
	"  --json         print what the daemon answered; with a command on stderr\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage; with a command its own, 128 + N when "
	"signal\n"
	"N ended it, 127 when it does not exist, 126 when it cannot be run, 125 when it was not "
	"run\n"
	"because the mark could not be started.\n";

#define EXIT_NOT_RUN 125

struct mark_args {
	struct client_target target;
	bool json, ufs_monitor;
	int64_t ufs_monitor_ms; /* 0: as long as a mark may */
};

static int post(const struct mark_args *args, struct doc *doc, struct client_reply *reply)
{
	size_t len;
	CLEANUP(freep) char *body = NULL;
	int r = doc_error(doc);

	if (r < 0) {
		doc_done(doc);
		return r;
	}
	body = doc_take(doc, &len);
	r = client_post(&args->target, "/api/v1/marks", body, reply);
	if (r < 0)
		fprintf(stderr, "flashscope mark: %s\n", reply->error);
	return r;
}

static int post_start(const struct mark_args *args, const char *label, struct client_reply *reply)
{
	struct doc doc;

	doc_init(&doc, 64 * 1024);
	doc_object(&doc, NULL);
	doc_string(&doc, "label", label);
	if (args->ufs_monitor)
		doc_bool(&doc, "ufs_monitor", true);
	if (args->ufs_monitor_ms)
		doc_i64(&doc, "ufs_monitor_ms", args->ufs_monitor_ms);
	doc_end(&doc);

	int r = post(args, &doc, reply);

	if (r == 0 && args->ufs_monitor)
		mark_await_monitor(&args->target);
	return r;
}

static int post_end(const struct mark_args *args, int64_t id, struct client_reply *reply)
{
	struct doc doc;

	doc_init(&doc, 64 * 1024);
	doc_object(&doc, NULL);
	doc_i64(&doc, "end", id);
	doc_end(&doc);
	return post(args, &doc, reply);
}

static int id_of(const struct client_reply *reply, int64_t *ret_id)
{
	CLEANUP(tree_freep) struct tree *mark = NULL;
	int r = tree_parse(reply->body ? reply->body : "", reply->len, &mark);

	if (r < 0)
		return r;
	*ret_id = tree_i64(mark, "id");
	return *ret_id > 0 ? 0 : -EBADMSG;
}

static int mark_start(const struct mark_args *args, const char *label)
{
	CLEANUP(client_reply_done) struct client_reply reply = {0};
	int64_t id;

	if (post_start(args, label, &reply) < 0)
		return EXIT_FAILED;
	if (args->json) {
		puts(reply.body);
		return EXIT_DONE;
	}
	if (id_of(&reply, &id) < 0)
		return EXIT_FAILED;
	printf("%lld\n", (long long)id);
	return EXIT_DONE;
}

static int mark_end(const struct mark_args *args, const char *text)
{
	CLEANUP(client_reply_done) struct client_reply reply = {0};
	int64_t id;

	if (parse_i64_slice(slice_of(text), &id) < 0 || id <= 0) {
		fprintf(stderr, "flashscope mark: %s is not the id of a mark\n", text);
		return EXIT_USAGE;
	}
	if (post_end(args, id, &reply) < 0)
		return EXIT_FAILED;
	if (args->json)
		puts(reply.body);
	return EXIT_DONE;
}

static void passed_signals(sigset_t *set)
{
	static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
				      SIGUSR1, SIGUSR2, SIGCHLD, SIGALRM};

	sigemptyset(set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(set, signals[i]);
}

/* What the terminal sent reached the command by itself. */
static void pass_on(pid_t child, const siginfo_t *info)
{
	if (info->si_code != SI_KERNEL)
		kill(child, info->si_signo);
}

/* Status of the child once it ended. The signals are blocked, so none is missed. */
static int wait_for(pid_t child, const sigset_t *set)
{
	siginfo_t info;
	int status;

	for (;;) {
		pid_t pid = waitpid(child, &status, WNOHANG);

		if (pid == child && WIFEXITED(status))
			return WEXITSTATUS(status);
		if (pid == child && WIFSIGNALED(status))
			return 128 + WTERMSIG(status);
		if (pid < 0 && errno != EINTR)
			return EXIT_FAILED;
		if (sigwaitinfo(set, &info) >= 0 && info.si_signo != SIGCHLD)
			pass_on(child, &info);
	}
}

static int run_command(char **argv)
{
	sigset_t set, before;

	passed_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &before);

	pid_t child = fork();

	if (child < 0) {
		fprintf(stderr, "flashscope mark: %s was not run: %s\n", argv[0], strerror(errno));
		return EXIT_NOT_RUN;
	}
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		execvp(argv[0], argv);
		fprintf(stderr, "flashscope mark: %s: %s\n", argv[0], strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	return wait_for(child, &set);
}

static int mark_command(const struct mark_args *args, const char *label, char **argv)
{
	CLEANUP(client_reply_done) struct client_reply started = {0}, ended = {0};
	int64_t id;

	if (post_start(args, label, &started) < 0 || id_of(&started, &id) < 0) {
		fprintf(stderr, "flashscope mark: without the mark %s was not run\n", argv[0]);
		return EXIT_NOT_RUN;
	}

	int status = run_command(argv);

	if (post_end(args, id, &ended) < 0)
		fprintf(stderr, "flashscope mark: mark %lld is still open\n", (long long)id);
	if (args->json && ended.body)
		fprintf(stderr, "%s\n", ended.body);
	return status;
}

/* argv does not fit any of the three forms. */
static int wrong_usage(int argc, char **argv)
{
	if (argc == 0)
		return cli_wrong_usage("mark", "start, end, or a label for a command?");
	if (!strcmp(argv[0], "start"))
		return cli_wrong_usage("mark", argc == 1 ? "start needs a LABEL"
							 : "start takes one LABEL: quote it");
	if (!strcmp(argv[0], "end"))
		return cli_wrong_usage("mark", "end takes one ID, which start printed");
	if (argc == 2 && !strcmp(argv[1], "--"))
		return cli_wrong_usage("mark", "no COMMAND after --");
	return cli_wrong_usage("mark", "after the label \"%s\" come -- and a COMMAND", argv[0]);
}

static int take_for(const char *text, struct mark_args *args)
{
	if (parse_duration_ms(text, &args->ufs_monitor_ms) == 0 && args->ufs_monitor_ms > 0)
		return 0;
	fprintf(stderr, "flashscope mark: --for %s: a duration as 90s, 10min or 1h\n", text);
	return -EINVAL;
}

int command_mark(int argc, char **argv)
{
	static const struct option options[] = {
		{"socket", required_argument, NULL, 's'},
		{"url", required_argument, NULL, 'u'},
		{"json", no_argument, NULL, 'j'},
		{"ufs-monitor", no_argument, NULL, 'm'},
		{"for", required_argument, NULL, 'f'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct mark_args args = {0};
	int option;

	/* "+": the arguments of the command are not ours. */
	while ((option = getopt_long(argc, argv, "+h", options, NULL)) >= 0) {
		switch (option) {
		case 's':
			args.target.socket = optarg;
			break;
		case 'u':
			args.target.url = optarg;
			break;
		case 'j':
			args.json = true;
			break;
		case 'm':
			args.ufs_monitor = true;
			break;
		case 'f':
			if (take_for(optarg, &args) < 0)
				return EXIT_USAGE;
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_DONE;
		default:
			return cli_wrong_usage("mark", NULL);
		}
	}
	if (args.target.socket && args.target.url)
		return cli_wrong_usage("mark", "--socket or --url, not both");
	if (args.ufs_monitor_ms && !args.ufs_monitor)
		return cli_wrong_usage("mark", "--for goes with --ufs-monitor");
	argc -= optind;
	argv += optind;
	if (argc >= 3 && !strcmp(argv[1], "--"))
		return mark_command(&args, argv[0], argv + 2);
	if (argc == 2 && !strcmp(argv[0], "start"))
		return mark_start(&args, argv[1]);
	if (argc == 2 && !strcmp(argv[0], "end") && args.ufs_monitor)
		return cli_wrong_usage("mark", "--ufs-monitor goes with a start or a command");
	if (argc == 2 && !strcmp(argv[0], "end"))
		return mark_end(&args, argv[1]);
	return wrong_usage(argc, argv);
}
