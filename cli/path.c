/* flashscope path: which layers a file passes on its way to the device. */
#include "cli/path.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/iopath.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/options.h"
#include "export/iopath.h"

static const char help[] =
	"Usage: flashscope path [OPTION...] [MOUNT | FILE | DEVICE]\n"
	"\n"
	"Draws the layers between a file system and its device, with what is known of each: file\n"
	"system, device mapper and RAID, partition, disk, controller, link. DEVICE is a disk, a\n"
	"partition, a dm device (also by its dm name) or a controller: then all paths that lead\n"
	"there. Without an argument all paths of the machine. Looks itself, without a daemon.\n"
	"\n"
	"  --json          print the document of GET /api/v1/iopath\n"
	"  --root DIR      a recorded tree instead of this machine\n"
	"  --db FILE       a database file, as it was at its end\n"
	"  --socket PATH   ask the daemon that listens there\n"
	"  --url URL       ask the daemon, as http://127.0.0.1:9750\n";

struct path_args {
	struct client_target target;
	const char *root, *db, *of;
	bool json;
};

static int check_args(const struct path_args *args)
{
	int n = !!args->root + !!args->db + !!args->target.socket + !!args->target.url;

	if (n > 1)
		return cli_wrong_usage("path", "one of --root, --db, --socket and --url");
	return -1;
}

/* Returns -1 to go on, else the exit status. */
static int parse_args(int argc, char **argv, struct path_args *args)
{
	const struct cli_option options[] = {
		{"json", .flag = &args->json},      {"root", .text = &args->root},
		{"db", .text = &args->db},          {"socket", .text = &args->target.socket},
		{"url", .text = &args->target.url},
	};
	int r = cli_options("path", help, options, ARRAY_SIZE(options), argc, argv);

	if (r >= 0)
		return r;
	if (optind + 1 < argc)
		return cli_wrong_usage("path",
				       "one MOUNT, FILE or DEVICE at a time, not also \"%s\"",
				       argv[optind + 1]);
	args->of = optind < argc ? argv[optind] : "";
	if (optind < argc && !*args->of)
		return cli_wrong_usage("path", "a MOUNT, FILE or DEVICE with a name");
	return check_args(args);
}

/* What was asked for. */
struct place {
	char *path;
	bool is_looked_at; /* as a file of this machine */
	int error;         /* of the look; 0: the file is there, and path is its true name */
};

static void place_done(struct place *place)
{
	free(place->path);
}

/* Mounts and devices are known by their true names. -ENOMEM. */
static int look_at(const char *of, struct place *ret)
{
	ret->is_looked_at = true;
	ret->path = realpath(of, NULL);
	ret->error = ret->path ? 0 : -errno;
	if (!ret->path)
		ret->path = strdup(of);
	return ret->path ? 0 : -ENOMEM;
}

/* here: files of this machine are meant, and what has no slash is not one at first. */
static int place_of(const char *of, bool here, struct place *ret)
{
	if (here && strchr(of, '/'))
		return look_at(of, ret);
	ret->path = strdup(of);
	return ret->path ? 0 : -ENOMEM;
}

static void say_problem(const char *problem)
{
	fputs("flashscope path: ", stderr);
	cli_put_text(stderr, problem);
	fputc('\n', stderr);
}

/* A name lies somewhere, whatever it is; a file that was looked at is there or is not. */
static int check_file(const struct place *place, struct iopaths *paths)
{
	char problem[IOPATH_PROBLEM_MAX];
	struct text text = TEXT_IN(problem);

	if (!paths->taken_from || !place->is_looked_at || place->error == -EACCES)
		return 0;
	if (!place->error) {
		paths->taken_from = NULL;
		return 0;
	}
	text_printf(&text, "%s: %s", place->path, strerror(-place->error));
	say_problem(problem);
	return place->error;
}

/* Makes the document from facts. here: what names no device may be a file in this folder. */
static int make(const struct facts *facts, const struct place *place, bool here, struct doc *doc)
{
	CLEANUP(iopaths_done) struct iopaths paths = {0};
	char problem[IOPATH_PROBLEM_MAX];
	int r = iopath_find(facts, place->path, &paths, problem);

	if (r == -ENOENT && here && !place->is_looked_at) {
		CLEANUP(place_done) struct place file = {0};

		if (look_at(place->path, &file) == 0 && !file.error)
			return make(facts, &file, false, doc);
	}
	if (r < 0) {
		say_problem(*problem ? problem : strerror(-r));
		return r;
	}
	r = check_file(place, &paths);
	if (r < 0)
		return r;
	paths.truncated = paths.truncated || facts->truncated;
	doc_init(doc, IOPATH_DOC_MAX_BYTES);
	iopath_document(doc, place->path, &paths);
	if (doc_error(doc) < 0)
		say_problem(strerror(-doc_error(doc)));
	return doc_error(doc);
}

static int show(const struct path_args *args, const char *text, size_t len)
{
	CLEANUP(tree_freep) struct tree *document = NULL;

	if (args->json) {
		puts(text);
		return EXIT_DONE;
	}
	if (tree_parse(text, len, &document) < 0 || path_draw(document) < 0) {
		say_problem("the answer is no document of paths");
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

static int show_facts(const struct path_args *args)
{
	CLEANUP(facts_done) struct facts facts = {0};
	CLEANUP(doc_done) struct doc doc = {0};
	CLEANUP(place_done) struct place place = {0};
	bool here = !args->db && (!args->root || !strcmp(args->root, "/"));
	int r = place_of(args->of, here, &place);

	/* A file may well lie on a file system of the kernel's own. */
	if (r == 0)
		r = args->db ? path_read_file(args->db, &facts)
			     : path_read_root(args->root ? args->root : "/", *place.path == '/',
					      &facts);
	if (r == 0)
		r = make(&facts, &place, here, &doc);
	return r < 0 ? EXIT_FAILED : show(args, doc.p, doc.len);
}

static int show_daemon(const struct path_args *args)
{
	CLEANUP(client_reply_done) struct client_reply reply = {0};
	CLEANUP(place_done) struct place place = {0};
	CLEANUP(freep) char *escaped = NULL;
	char buf[4096];
	struct text path = TEXT_IN(buf);

	/* A file that is not there is the daemon's to answer: its root may be another. */
	if (place_of(args->of, args->target.socket, &place) == 0)
		escaped = client_escape(place.path);
	if (!escaped)
		return EXIT_FAILED;
	text_printf(&path, "/api/v1/iopath%s%s", *escaped ? "?of=" : "", escaped);
	if (path.truncated) {
		say_problem("the name is too long");
		return EXIT_FAILED;
	}
	if (client_get(&args->target, buf, &reply) < 0) {
		say_problem(reply.error);
		return EXIT_FAILED;
	}
	return show(args, reply.body ? reply.body : "", reply.len);
}

int command_path(int argc, char **argv)
{
	struct path_args args = {.of = ""};
	int r = parse_args(argc, argv, &args);

	if (r >= 0)
		return r;
	cli_time_limit(60);
	r = args.target.socket || args.target.url ? show_daemon(&args) : show_facts(&args);
	return cli_flush() < 0 ? EXIT_FAILED : r;
}
