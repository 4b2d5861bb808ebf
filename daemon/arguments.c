#include "daemon/arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/paths.h"
#include "daemon/access.h"
#include "daemon/durable.h"
#include "daemon/places.h"

enum {
	ARG_HELP = 'h',
	ARG_VERSION = 'V',
	ARG_CONFIG = 'c',
	ARG_CHECK = 256,
	ARG_DUMP,
	ARG_OPTION, /* ARG_OPTION + id sets an option */
};

static const struct option long_options[] = {
	{"help", no_argument, NULL, ARG_HELP},
	{"version", no_argument, NULL, ARG_VERSION},
	{"config", required_argument, NULL, ARG_CONFIG},
	{"check-config", no_argument, NULL, ARG_CHECK},
	{"dump-config", no_argument, NULL, ARG_DUMP},
	{"root", required_argument, NULL, ARG_OPTION + OPTION_ROOT},
	{"db", required_argument, NULL, ARG_OPTION + OPTION_DATABASE},
	{"runtime-dir", required_argument, NULL, ARG_OPTION + OPTION_RUNTIME_DIR},
	{"listen", required_argument, NULL, ARG_OPTION + OPTION_LISTEN},
	{"log-level", required_argument, NULL, ARG_OPTION + OPTION_LOG_LEVEL},
	{0},
};

static void help(void)
{
	fputs("Usage: flashscoped [OPTION...]\n"
	      "\n"
	      "Samples this machine's storage, keeps it in a database, serves it over HTTP.\n"
	      "\n"
	      "  --config FILE        configuration, with FILE.d/*.conf; may be given again, later "
	      "files\n"
	      "                       win\n"
	      "  --check-config       tell all errors of the configuration, start nothing\n"
	      "  --dump-config        print the effective configuration, start nothing\n"
	      "  --root DIR           sample a recorded tree (default /)\n"
	      "  --db FILE            database (default " DEFAULT_DATABASE ")\n"
	      "  --runtime-dir DIR    socket and lock (default " DEFAULT_RUNTIME_DIR ")\n"
	      "  --listen LIST        HTTP beside the Unix socket (default 127.0.0.1:9750): "
	      "ADDR:PORT,\n"
	      "                       unix:/PATH, systemd, with blanks between; port 0 takes a "
	      "free\n"
	      "                       one, none serves the Unix socket alone\n"
	      "  --log-level LEVEL    error, warning, info or debug\n"
	      "  --version\n"
	      "  --help\n"
	      "\n"
	      "SIGTERM and SIGINT stop it, with all that was sampled committed; SIGPWR commits "
	      "and\n"
	      "goes on; SIGHUP reads the configuration again, or stops it when its terminal is "
	      "gone.\n"
	      "Exit status: 0 stopped as asked, 1 could not start, 2 wrong usage or "
	      "configuration.\n",
	      stdout);
}

static const char *option_word(int id)
{
	for (size_t i = 0; long_options[i].name; i++)
		if (long_options[i].val == id)
			return long_options[i].name;
	return "?";
}

struct wish {
	bool check, dump, help, version, wrong;
};

/* FILE, then what packages and this machine add to it: FILE.d/NAME.conf. */
static void read_file(struct config *config, const char *path)
{
	CLEANUP(freep) char *dir = NULL;

	(void)config_read_file(config, path);
	if (asprintf(&dir, "%s.d", path) < 0) {
		dir = NULL;
		config_complain(config, "%s.d: %s", path, strerror(ENOMEM));
		return;
	}
	(void)config_read_dir(config, dir);
}

/* Files first, so that the command line wins wherever it stands. */
static void read_files(int argc, char **argv, struct settings *settings, struct wish *wish)
{
	int id;

	optind = 1;
	while ((id = getopt_long(argc, argv, "c:hV", long_options, NULL)) >= 0) {
		if (id == '?')
			wish->wrong = true;
		if (id == ARG_CONFIG)
			read_file(settings->config, optarg);
		wish->check |= id == ARG_CHECK;
		wish->dump |= id == ARG_DUMP;
		wish->help |= id == ARG_HELP;
		wish->version |= id == ARG_VERSION;
	}
	if (optind < argc) {
		fprintf(stderr, "flashscoped: no such argument: %s\n", argv[optind]);
		wish->wrong = true;
	}
}

static void read_options(int argc, char **argv, struct settings *settings)
{
	char where[64];
	int id;

	optind = 1;
	opterr = 0;
	while ((id = getopt_long(argc, argv, "c:hV", long_options, NULL)) >= 0) {
		if (id < ARG_OPTION)
			continue;
		snprintf(where, sizeof(where), "--%s", option_word(id));
		(void)config_set(settings->config, (size_t)(id - ARG_OPTION), optarg, where);
	}
}

static int print_errors(const struct config *config)
{
	const char *error;
	size_t n = 0;

	for (; (error = config_error(config, n)); n++)
		fprintf(stderr, "flashscoped: %s\n", error);
	return n > 0;
}

/* What no option can say alone. */
static bool is_consistent(const struct config *config)
{
	char why[512];
	struct text text = TEXT_IN(why);

	if (access_check(config, &text) == 0)
		return true;
	fprintf(stderr, "flashscoped: %s\n", why);
	return false;
}

/* It may come later, so it is no error. */
static void warn_absent(const struct config *config)
{
	struct listen_list list = {.n = 0};
	char why[128], name[ADDRESS_NAME_MAX];
	struct text text = TEXT_IN(why);

	(void)!listen_parse(config_text(config, OPTION_LISTEN), &list, &text);
	for (size_t i = 0; i < list.n; i++) {
		const struct address *address = &list.items[i].address;

		if (list.items[i].kind != LISTEN_IP ||
		    place_is_here(&address->sockaddr, address->len))
			continue;
		address_name(&address->sockaddr, name);
		fprintf(stderr,
			"flashscoped: warning: %s is no address of this machine now; it is served "
			"once it is\n",
			name);
	}
}

static enum arguments_result check(const struct config *config)
{
	const char *database = config_text(config, OPTION_DATABASE);
	struct access access;
	char why[512];
	struct text text = TEXT_IN(why);
	int r = access_open(&access, config, &text);

	access_done(&access);
	if (r < 0) {
		fprintf(stderr, "flashscoped: %s\n", why);
		return ARGUMENTS_WRONG;
	}
	warn_absent(config);
	if (durable_is_memory(database))
		fprintf(stderr, "flashscoped: warning: the database %s " DURABLE_MEMORY_WORDS "\n",
			database);
	puts("ok");
	return ARGUMENTS_DONE;
}

enum arguments_result arguments_read(int argc, char **argv, struct settings *settings)
{
	struct wish wish = {0};

	read_files(argc, argv, settings, &wish);
	if (wish.help) {
		help();
		return ARGUMENTS_DONE;
	}
	if (wish.version) {
		puts("flashscoped " FLASHSCOPE_VERSION);
		return ARGUMENTS_DONE;
	}
	if (wish.wrong) {
		fputs("flashscoped --help tells the options.\n", stderr);
		return ARGUMENTS_WRONG;
	}
	read_options(argc, argv, settings);
	if (print_errors(settings->config) || !is_consistent(settings->config))
		return ARGUMENTS_WRONG;
	settings_apply(settings);
	if (wish.dump)
		config_dump(settings->config, stdout);
	else if (wish.check)
		return check(settings->config);
	return wish.dump || wish.check ? ARGUMENTS_DONE : ARGUMENTS_RUN;
}

int arguments_read_again(int argc, char **argv, struct settings *settings)
{
	struct wish wish = {0};
	char why[512];
	struct text text = TEXT_IN(why);
	const char *error;

	read_files(argc, argv, settings, &wish);
	read_options(argc, argv, settings);
	for (size_t n = 0; (error = config_error(settings->config, n)); n++)
		log_error("%s", error);
	if (config_error(settings->config, 0))
		return -EINVAL;
	if (access_check(settings->config, &text) < 0) {
		log_error("%s", why);
		return -EINVAL;
	}
	settings_apply(settings);
	return 0;
}
