/* Messages for people, one line each, on stderr. Only daemon, helper and CLI log; lower layers
 * return errors. Where stderr is the journal of systemd, each goes there with its priority and what
 * it is about as fields of their own. */
#pragma once

#include <stdbool.h>

#include "base/macros.h"

enum log_level {
	LOG_LEVEL_ERROR,   /* something is lost or cannot work */
	LOG_LEVEL_WARNING, /* works, but not as asked for */
	LOG_LEVEL_INFO,    /* what an operator expects to see at start, stop and change of state */
	LOG_LEVEL_DEBUG,
};

/* Looks whether stderr is the journal (JOURNAL_STREAM). Then lines go to its socket, or, when that
 * one does not take them, to stderr with the "<N>" that it understands. */
void log_find_journal(void);
/* Another socket than that of the journal, for tests. The path stays the caller's. */
void log_journal_at(const char *path);

void log_max_level(enum log_level level);
/* What each line begins with, behind its level: for a program whose lines stand among those of
 * another one. The string stays the caller's. */
void log_name(const char *name);
PRINTF_LIKE(2, 3) void log_line(enum log_level level, const char *fmt, ...);

/* The same about a collector and a node of it, which become the fields FLASHSCOPE_COLLECTOR and
 * FLASHSCOPE_NODE; "" for none. The message names them as well. */
PRINTF_LIKE(4, 5)
void log_about(enum log_level level, const char *collector, const char *node, const char *fmt, ...);

#define log_error(...)   log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)    log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)   log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)
