#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/shown.h"
#include "export/stream.h"

void cli_check_root(const char *command, const char *root)
{
	static const char *const folders[] = {"proc", "sys"};
	char path[4096];

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		int n = snprintf(path, sizeof(path), "%s/%s", root, folders[i]);

		if (n < 0 || (size_t)n >= sizeof(path) || access(path, F_OK) == 0)
			return;
	}
	fprintf(stderr,
		"flashscope %s: %s has neither proc nor sys: is it a tree that tools/capture "
		"made?\n",
		command, root);
}

int cli_wrong_usage(const char *command, const char *fmt, ...)
{
	va_list args;

	if (fmt) {
		fprintf(stderr, "flashscope %s: ", command);
		va_start(args, fmt);
		vfprintf(stderr, fmt, args);
		va_end(args);
		fputc('\n', stderr);
	}
	fprintf(stderr, "flashscope %s --help tells the usage.\n", command);
	return EXIT_USAGE;
}

static int flush_error;

int cli_flush(void)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	/* Of what was written before its end only that it failed is known. */
	if (!flush_error)
		flush_error = errno ? errno : EIO;
	return -flush_error;
}

int cli_print_stream(struct stream *stream)
{
	char buf[16384];
	ssize_t n;

	while ((n = stream_read(stream, buf, sizeof(buf))) > 0)
		if (fwrite(buf, 1, (size_t)n, stdout) != (size_t)n)
			return -EIO;
	return (int)n;
}

static void on_alarm(int signal)
{
	static const char message[] = "flashscope: a node does not answer; given up\n";

	(void)signal;
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(EXIT_FAILED);
	_exit(EXIT_FAILED);
}

void cli_time_limit(unsigned seconds)
{
	struct sigaction action = {.sa_handler = on_alarm};

	sigaction(SIGALRM, &action, NULL);
	alarm(seconds);
}

void cli_put_text(FILE *out, const char *s)
{
	shown_put(out, s, strlen(s));
}
