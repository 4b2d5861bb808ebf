#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"

static bool journal;
static enum log_level max_level = LOG_LEVEL_INFO;

void log_journal(bool on)
{
	journal = on;
}

void log_max_level(enum log_level level)
{
	max_level = level;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	static const char *const words[] = {"error: ", "warning: ", "", "debug: "};
	static const char *const priorities[] = {"<3>", "<4>", "<6>", "<7>"};
	char line[1024], message[900];
	struct text text = TEXT_IN(line);
	va_list args;

	if (level > max_level)
		return;
	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	text_str(&text, journal ? priorities[level] : words[level]);
	text_str(&text, message);
	text_char(&text, '\n');
	/* One write, so that lines of several processes do not mix. */
	if (write(STDERR_FILENO, text.p, text.len) < 0)
		return;
}
