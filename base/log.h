/* Messages for people, one line each, on stderr. Only daemon and CLI log; lower layers return
 * errors. With log_journal(true) lines carry the "<N>" priority that journald understands. */
#pragma once

#include <stdbool.h>

#include "base/macros.h"

enum log_level {
	LOG_LEVEL_ERROR,   /* something is lost or cannot work */
	LOG_LEVEL_WARNING, /* works, but not as asked for */
	LOG_LEVEL_INFO,    /* what an operator expects to see at start, stop and change of state */
	LOG_LEVEL_DEBUG,
};

void log_journal(bool on);
void log_max_level(enum log_level level);
PRINTF_LIKE(2, 3) void log_line(enum log_level level, const char *fmt, ...);

#define log_error(...)   log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)    log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)   log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)
