#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

#define JOURNAL_SOCKET    "/run/systemd/journal/socket"
#define MESSAGE_MAX_BYTES 900

static const char *journal; /* its socket; NULL: stderr is something else */
static const char *own_name;
/* Changed by a reload while other threads log. */
static _Atomic(enum log_level) max_level = LOG_LEVEL_INFO;

static const char priorities[] = {'3', '4', '6', '7'};

/* The variable has device and inode of the stream that the service manager made stderr. */
void log_find_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char own[64];
	struct stat st;

	journal = NULL;
	if (!stream || fstat(STDERR_FILENO, &st) < 0)
		return;
	snprintf(own, sizeof(own), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	if (!strcmp(own, stream))
		journal = JOURNAL_SOCKET;
}

void log_journal_at(const char *path)
{
	journal = path;
}

void log_max_level(enum log_level level)
{
	max_level = level;
}

void log_name(const char *name)
{
	own_name = name;
}

/* A value ends with its line. */
static void add_field(struct text *text, const char *name, const char *value)
{
	if (!*value)
		return;
	text_str(text, name);
	text_char(text, '=');
	for (; *value; value++)
		text_char(text, *value == '\n' ? ' ' : *value);
	text_char(text, '\n');
}

/* The journal's own protocol: a datagram with a field on each line. A socket for each, since lines
 * are few, and a process that was forked closes what it does not know. */
static int send_to_journal(enum log_level level, const char *collector, const char *node,
			   const char *message)
{
	const char priority[] = {priorities[level], '\0'};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	CLEANUP(closep) int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	char buf[MESSAGE_MAX_BYTES + 512];
	struct text text = TEXT_IN(buf);

	if (fd < 0)
		return -errno;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", journal);
	add_field(&text, "PRIORITY", priority);
	add_field(&text, "SYSLOG_IDENTIFIER", program_invocation_short_name);
	add_field(&text, "FLASHSCOPE_COLLECTOR", collector);
	add_field(&text, "FLASHSCOPE_NODE", node);
	add_field(&text, "MESSAGE", message);
	return sendto(fd, text.p, text.len, MSG_NOSIGNAL, (const struct sockaddr *)&address,
		      sizeof(address)) < 0
		       ? -errno
		       : 0;
}

static void write_line(enum log_level level, const char *message)
{
	static const char *const words[] = {"error: ", "warning: ", "", "debug: "};
	char line[MESSAGE_MAX_BYTES + 64];
	struct text text = TEXT_IN(line);

	if (journal)
		text_printf(&text, "<%c>", priorities[level]);
	else
		text_str(&text, words[level]);
	/* The journal has the name of the program in a field. */
	if (own_name && !journal) {
		text_str(&text, own_name);
		text_str(&text, ": ");
	}
	text_str(&text, message);
	text_char(&text, '\n');
	/* One write, so that lines of several processes do not mix. */
	if (write(STDERR_FILENO, text.p, text.len) < 0)
		return;
}

static void log_message(enum log_level level, const char *collector, const char *node,
			const char *message)
{
	if (!journal || send_to_journal(level, collector, node, message) < 0)
		write_line(level, message);
}

void log_line(enum log_level level, const char *fmt, ...)
{
	char message[MESSAGE_MAX_BYTES];
	va_list args;

	if (level > max_level)
		return;
	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	log_message(level, "", "", message);
}

void log_about(enum log_level level, const char *collector, const char *node, const char *fmt, ...)
{
	char message[MESSAGE_MAX_BYTES];
	va_list args;

	if (level > max_level)
		return;
	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	log_message(level, collector, node, message);
}
