/* flashscope snapshot: the whole database as one file with a seal, from the daemon or from a file
 * that may be in use. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/macros.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/new_file.h"
#include "cli/options.h"
#include "sampling/registry.h"
#include "store/reader.h"
#include "store/snapshot.h"

#define WALL_MAX_MS INT64_C(253402300799999) /* the end of the year 9999 */

static const char help[] =
	"Usage: flashscope snapshot FILE [--db DATABASE | --socket PATH | --url URL]\n"
	"       flashscope snapshot --check FILE\n"
	"\n"
	"Writes the whole database as one file that needs no companion and ends with a checksum,\n"
	"while the daemon goes on. What the daemon has not committed yet is committed first, "
	"unless\n"
	"another copy had that done within commit_interval; what is missing then is said. FILE\n"
	"appears when it is complete and checked, and is not replaced when it is there already.\n"
	"\n"
	"  --check         compares FILE with the checksum at its end\n"
	"  --db DATABASE   read a database file instead of asking the daemon; it may be in use\n"
	"  --socket PATH   of the daemon (default var/run/flashscoped.sock, then\n"
	"                  " DEFAULT_RUNTIME_DIR "/flashscoped.sock)\n"
	"  --url URL       of the daemon, as http://127.0.0.1:9750\n";

struct arguments {
	struct client_target target;
	const char *db, *file;
	bool check;
};

/* Returns -1 to go on, else the exit status. */
static int parse_args(int argc, char **argv, struct arguments *ret)
{
	const struct cli_option options[] = {
		{"check", .flag = &ret->check},
		{"db", .text = &ret->db},
		{"socket", .text = &ret->target.socket},
		{"url", .text = &ret->target.url},
	};
	int r = cli_options("snapshot", help, options, ARRAY_SIZE(options), argc, argv);

	if (r >= 0)
		return r;
	if (optind + 1 != argc)
		return cli_wrong_usage("snapshot", "takes one file");
	ret->file = argv[optind];
	if (ret->check && (ret->db || ret->target.socket || ret->target.url))
		return cli_wrong_usage("snapshot", "--check reads FILE and nothing else");
	return cli_one_source("snapshot", ret->db, &ret->target);
}

static int complain(const char *file, const char *words)
{
	fprintf(stderr, "flashscope snapshot: %s: %s\n", file, words);
	return EXIT_FAILED;
}

static const char *check_words(int r)
{
	if (r == -ENODATA)
		return "has no seal at its end: cut off, written to since, or no snapshot";
	return r == -EBADMSG ? "is not what was sealed: damaged" : strerror(-r);
}

static void print_time(const char *what, int64_t wall_ms)
{
	char buf[64];
	struct text text = TEXT_IN(buf);

	clock_rfc3339(&text, wall_ms);
	printf("%s %s\n", what, buf);
}

static void print_seal(const char *file, const struct snapshot_seal *seal, int64_t bytes)
{
	printf("%s: %lld bytes\nsha256 %s\n", file, (long long)bytes, seal->sha256);
	print_time("taken", seal->taken_wall_ms);
	if (seal->lacks_wall_ms >= 0)
		print_time("lacks what was sampled after", seal->lacks_wall_ms);
}

/* What was damaged when it was sealed is sealed as it was. */
static int check_trees(const char *file)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	int r = cli_open_file("snapshot", file, &reader);

	if (r < 0)
		return EXIT_FAILED;
	r = reader_check(reader);
	return r < 0 ? cli_file_failed("snapshot", file, reader, r) : EXIT_DONE;
}

static int check(const char *file)
{
	CLEANUP(closep) int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct snapshot_seal seal;
	int r = fd < 0 ? -errno : snapshot_check(fd, &seal);

	if (r < 0)
		return complain(file, check_words(r));
	print_seal(file, &seal, lseek(fd, 0, SEEK_END));
	return check_trees(file);
}

static int write_part(void *arg, const char *p, size_t len)
{
	return new_file_write(arg, p, len);
}

/* Returns the exit status. -1: no daemon answered, and none was named. */
static int from_daemon(const struct arguments *arguments, struct new_file *file)
{
	CLEANUP(client_reply_done) struct client_reply reply = {0};
	int r = client_get_stream(&arguments->target, "/api/v1/snapshot", write_part, file, &reply);

	if (r == -ECONNREFUSED && !arguments->target.socket && !arguments->target.url)
		return -1;
	if (r < 0)
		fprintf(stderr, "flashscope snapshot: %s\n", reply.error);
	return r < 0 ? EXIT_FAILED : EXIT_DONE;
}

static int copy(struct snapshot *snapshot, struct new_file *file)
{
	uint8_t buf[SNAPSHOT_PIECE_BYTES];
	ssize_t n;

	while ((n = snapshot_read(snapshot, buf)) > 0) {
		int r = new_file_write(file, (const char *)buf, (size_t)n);

		if (r < 0)
			return r;
	}
	return (int)n;
}

static int take_time_of(const struct event *event, const struct boot *boot, void *arg)
{
	int64_t *wall_ms = arg;

	*wall_ms = MAX(*wall_ms, event->t_ms + boot->wall_offset_ms);
	return 0;
}

/* Of a file without a sample: when the last event was written everything before it was as well. */
static int64_t last_event(struct reader *reader)
{
	int64_t wall_ms = 0;

	(void)reader_events(reader, 0, WALL_MAX_MS, 1, take_time_of, &wall_ms);
	return wall_ms;
}

/* A file that was not closed may have more in its journal, or a daemon more in its memory. */
static int64_t lacks_after(struct reader *reader)
{
	struct reader_lack lack;
	int64_t last_ms;

	if (reader_lacks(reader, &lack) < 0 ||
	    (reader_was_stopped(reader) > 0 && lack.kind == READER_LACKS_NOTHING))
		return -1;
	return cli_file_newest(reader, &last_ms) < 0 ? last_event(reader) : last_ms;
}

static int from_file(const char *db, struct new_file *file)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	CLEANUP(snapshot_closep) struct snapshot *snapshot = NULL;
	int r = cli_open_file("snapshot", db, &reader);

	if (r < 0)
		return EXIT_FAILED;
	r = reader_check(reader);
	if (r == 0)
		r = snapshot_open(db, NULL, registry(), &snapshot);
	if (r == 0) {
		snapshot_set_lacks(snapshot, lacks_after(reader));
		r = copy(snapshot, file);
	}
	return r < 0 ? cli_file_failed("snapshot", db, reader, r) : EXIT_DONE;
}

static int take(struct arguments *arguments, struct new_file *file)
{
	struct snapshot_seal seal;
	int r = arguments->db ? from_file(arguments->db, file) : from_daemon(arguments, file);

	if (r == -1) {
		const char *db = cli_usual_file("snapshot");

		r = db ? from_file(db, file)
		       : complain(arguments->file, "no daemon can be reached; name it by --socket "
						   "or --url, or a file by --db");
	}
	if (r != EXIT_DONE)
		return r;
	r = snapshot_check(file->fd, &seal);
	if (r < 0)
		return complain(arguments->file, check_words(r));

	int64_t bytes = lseek(file->fd, 0, SEEK_END);

	r = new_file_keep(file);
	if (r < 0)
		return complain(arguments->file, strerror(-r));
	print_seal(arguments->file, &seal, bytes);
	return EXIT_DONE;
}

int command_snapshot(int argc, char **argv)
{
	CLEANUP(new_file_drop) struct new_file file = NEW_FILE_NONE;
	struct arguments arguments = {0};
	int r = parse_args(argc, argv, &arguments);

	if (r >= 0)
		return r;
	if (arguments.check)
		return check(arguments.file);
	r = new_file_begin(&file, arguments.file);
	if (r < 0)
		return complain(arguments.file, r == -EEXIST ? "is there already" : strerror(-r));
	return take(&arguments, &file);
}
