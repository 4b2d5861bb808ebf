/* flashscope-helper: the privileged part. It opens devices, sends commands to them, reads what only
 * root may, and switches the UFS monitors: each in a process of its own. flashscoped asks it over a
 * Unix socket for groups by their number, for a new look for devices, for the kernel's log, opened
 * for reading, and tells it the policy of the monitors; no path, device or command is in a request.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/capability.h"
#include "base/cleanup.h"
#include "base/hw.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/packet_socket.h"
#include "base/parse.h"
#include "base/paths.h"
#include "base/user.h"
#include "helper/guardian.h"
#include "helper/server.h"
#include "sampling/registry.h"

#define DEFAULT_SOCKET      DEFAULT_RUNTIME_DIR "/helper.sock"
#define COMMAND_DEADLINE_MS 75000 /* the NVMe driver's own time-out is 60 s */
#define READ_DEADLINE_MS    5000
#define STOP_WAIT_MS        5000
#define PASSED_FD           3
#define SOCKET_PATH_MAX     sizeof(((struct sockaddr_un *)NULL)->sun_path)

enum { EXIT_STOPPED = 0, EXIT_CANNOT_START = 1, EXIT_USAGE = 2 };

static const char help[] =
	"Usage: flashscope-helper [OPTION...]\n"
	"\n"
	"Asks devices by commands for flashscoped, and reads for it what only root may. It runs\n"
	"as root; flashscoped needs no privileges then.\n"
	"\n"
	"  --socket PATH            to be asked on (default " DEFAULT_SOCKET ")\n"
	"  --passed-socket          the socket is descriptor 3\n"
	"  --allow USER             name or number of the user that flashscoped runs as\n"
	"  --root DIR               a recorded tree instead of this machine\n"
	"  --command-deadline TIME  after which a device counts as hung (default 75s; the kernel\n"
	"                           gives some commands 60 s)\n"
	"  --memory FILE            names the UFS monitors that were switched on, for one that is\n"
	"                           started after a kill (default " DEFAULT_MEMORY ")\n"
	"  --keep                   start it again when it dies\n"
	"  --with-stdin             with --keep: end when the standard input ends\n"
	"  --log-level LEVEL        error, warning, info or debug\n"
	"  --version\n"
	"  --help\n"
	"\n"
	"SIGTERM and SIGINT stop it. It waits 5 s for workers that the kernel holds, and says\n"
	"what they wait for.\n"
	"Exit status: 0 stopped as asked, 1 could not start, 2 wrong usage.\n";

struct arguments {
	const char *socket, *root, *memory;
	uid_t uid;
	int64_t deadline_ms;
	bool passed, keep, with_stdin, has_socket;
};

static int wrong(const char *option, const char *value, const char *what)
{
	fprintf(stderr, "flashscope-helper: --%s %s: %s\n", option, value, what);
	return EXIT_USAGE;
}

static int take_path(const char *option, const char *value, size_t size, const char **ret)
{
	if (!*value)
		return wrong(option, value, "is empty");
	if (strlen(value) >= size)
		return wrong(option, value, "is too long");
	*ret = value;
	return -1;
}

static int take_root(const char *value, const char **ret)
{
	CLEANUP(hw_closep) struct hw *hw = NULL;
	int r = hw_open(value, &hw);

	if (r < 0)
		return wrong("root", value, hw_open_problem(r));
	*ret = value;
	return -1;
}

/* The file itself is made when there is something to remember, long after the start. */
static int take_memory(const char *value, const char **ret)
{
	char dir[PATH_MAX];
	struct stat st;
	char *slash;
	int status = take_path("memory", value, sizeof(dir), ret);

	if (status >= 0)
		return status;
	if (*value != '/')
		return wrong("memory", value, "is no absolute path");
	if (stat(value, &st) == 0 && !S_ISREG(st.st_mode))
		return wrong("memory", value, "is no file");
	snprintf(dir, sizeof(dir), "%s", value);
	slash = strrchr(dir, '/');
	slash[slash == dir] = '\0';
	if (stat(dir, &st) < 0)
		return wrong("memory", value, strerror(errno));
	return S_ISDIR(st.st_mode) ? -1 : wrong("memory", value, strerror(ENOTDIR));
}

static int take_user(const char *value, uid_t *ret)
{
	gid_t gid;

	if (user_find(value, ret, &gid) < 0)
		return wrong("allow", value, "there is no such user");
	return -1;
}

static int take_level(const char *value)
{
	static const char *const names[] = {"error", "warning", "info", "debug"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], value) != 0)
			continue;
		log_max_level((enum log_level)i);
		return -1;
	}
	return wrong("log-level", value, "error, warning, info or debug");
}

static int take_deadline(const char *value, int64_t *ret_ms)
{
	if (parse_duration_ms(value, ret_ms) < 0 || *ret_ms < 100 || *ret_ms > 3600000)
		return wrong("command-deadline", value, "100ms to 1h");
	return -1;
}

/* An exit status, or -1 to go on. */
static int take_option(int c, const char *value, struct arguments *args)
{
	switch (c) {
	case 's':
		args->has_socket = true;
		return take_path("socket", value, SOCKET_PATH_MAX, &args->socket);
	case 'r':
		return take_root(value, &args->root);
	case 'm':
		return take_memory(value, &args->memory);
	case 'p':
		args->passed = true;
		return -1;
	case 'i':
		args->with_stdin = true;
		return -1;
	case 'k':
		args->keep = true;
		return -1;
	case 'a':
		return take_user(value, &args->uid);
	case 'd':
		return take_deadline(value, &args->deadline_ms);
	case 'l':
		return take_level(value);
	case 'h':
		fputs(help, stdout);
		return EXIT_STOPPED;
	case 'V':
		puts("flashscope-helper " FLASHSCOPE_VERSION);
		return EXIT_STOPPED;
	default:
		fputs("flashscope-helper --help tells the options.\n", stderr);
		return EXIT_USAGE;
	}
}

static int check_together(const struct arguments *args)
{
	if (args->passed && args->has_socket)
		return wrong("socket", args->socket, "there is one already, by --passed-socket");
	if (args->with_stdin && !args->keep) {
		fputs("flashscope-helper: --with-stdin goes with --keep\n", stderr);
		return EXIT_USAGE;
	}
	return -1;
}

static int parse_arguments(int argc, char **argv, struct arguments *args)
{
	static const struct option options[] = {
		{"socket", required_argument, NULL, 's'},
		{"passed-socket", no_argument, NULL, 'p'},
		{"allow", required_argument, NULL, 'a'},
		{"root", required_argument, NULL, 'r'},
		{"command-deadline", required_argument, NULL, 'd'},
		{"memory", required_argument, NULL, 'm'},
		{"keep", no_argument, NULL, 'k'},
		{"log-level", required_argument, NULL, 'l'},
		{"with-stdin", no_argument, NULL, 'i'},
		{"version", no_argument, NULL, 'V'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int r = -1;

	for (int c; r < 0 && (c = getopt_long(argc, argv, "h", options, NULL)) != -1;)
		r = take_option(c, optarg, args);
	if (r < 0 && optind < argc) {
		fprintf(stderr, "flashscope-helper: no such argument: %s\n", argv[optind]);
		return EXIT_USAGE;
	}
	return r < 0 ? check_together(args) : r;
}

static int open_stop_fd(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGHUP, &ignore, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int open_socket(const struct arguments *args)
{
	int r;

	if (!args->passed) {
		r = packet_socket_listen(args->socket, args->uid);
		if (r < 0)
			log_error("%s: %s", args->socket,
				  r == -EADDRINUSE ? "another flashscope-helper listens there"
						   : strerror(-r));
		return r;
	}
	r = packet_socket_check(PASSED_FD);
	if (r < 0)
		log_error("descriptor %d is no socket of packets that listens", PASSED_FD);
	return r < 0 ? r : PASSED_FD;
}

/* Root without the right to write everywhere may not in the folder of another user: there the next
 * one replaces it. */
static void remove_socket(const struct arguments *args, const struct packet_socket_id *id)
{
	if (!args->passed)
		packet_socket_unlink(args->socket, id);
}

static int serve(const struct arguments *args, struct rate_memory *rate, int socket_fd, int stop_fd)
{
	const struct packet_socket_id id = packet_socket_id(args->socket);
	const struct server_options options = {
		.crew = {.catalog = registry(),
			 .root = args->root,
			 .command_deadline_ms = args->deadline_ms,
			 .read_deadline_ms = READ_DEADLINE_MS,
			 .rate = rate},
		.listen_fd = socket_fd,
		.allowed_uid = args->uid,
		/* Nothing is switched in a recorded tree. */
		.memory_path = strcmp(args->root, "/") ? NULL : args->memory,
	};
	CLEANUP(server_closep) struct server *server = NULL;
	int r = server_open(&options, &server);

	if (r == 0)
		r = server_run(server, stop_fd);
	if (r < 0)
		log_error("it cannot go on: %s", strerror(-r));
	remove_socket(args, &id);
	if (server)
		server_stop(server, STOP_WAIT_MS);
	return r < 0 ? EXIT_CANNOT_START : EXIT_STOPPED;
}

/* Of the process that serves; its workers give up more. SYSLOG is for the kernel's log, SYS_PTRACE
 * for the accounts of processes, which the scout alone reads. */
static void drop_privileges(void)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (capability_keep(CAPABILITY(CAP_SYS_ADMIN) | CAPABILITY(CAP_SYS_RAWIO) |
			    CAPABILITY(CAP_DAC_READ_SEARCH) | CAPABILITY(CAP_SYSLOG) |
			    CAPABILITY(CAP_SYS_PTRACE)) < 0)
		log_warning("privileges cannot be given up");
}

/* Only where a service manager starts the next helper: one of ours is forked by its guardian, and
 * one of a daemon that was started anew is asked at once. */
static struct rate_memory *map_rate(const struct arguments *args)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s.asked", args->memory);
	return rate_map(args->passed && !args->keep ? path : NULL, wire_digest(registry()));
}

int main(int argc, char **argv)
{
	struct arguments args = {.socket = DEFAULT_SOCKET,
				 .root = "/",
				 .memory = DEFAULT_MEMORY,
				 .uid = geteuid(),
				 .deadline_ms = COMMAND_DEADLINE_MS};
	int status = parse_arguments(argc, argv, &args);

	log_name("flashscope-helper");
	if (status >= 0)
		return status;
	log_find_journal();
	limits_raise_files();

	int stop_fd = open_stop_fd(), socket_fd = open_socket(&args);

	if (stop_fd < 0 || socket_fd < 0)
		return EXIT_CANNOT_START;
	log_info("version " FLASHSCOPE_VERSION);

	struct rate_memory *rate = map_rate(&args);

	drop_privileges();
	if (args.keep &&
	    guardian_split(stop_fd, socket_fd, args.with_stdin ? STDIN_FILENO : -1) < 0)
		return EXIT_CANNOT_START;
	return serve(&args, rate, socket_fd, stop_fd);
}
