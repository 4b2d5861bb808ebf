/* The commands of flashscope. Each takes the arguments from its own name on and returns the exit
 * status: 0 done, 1 failed, 2 wrong usage. */
#pragma once

#include <stdio.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

int command_probe(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_latest(int argc, char **argv);
int command_fields(int argc, char **argv);
int command_status(int argc, char **argv);
int command_query(int argc, char **argv);
int command_mark(int argc, char **argv);
int command_events(int argc, char **argv);
int command_boots(int argc, char **argv);
int command_path(int argc, char **argv);
int command_writers(int argc, char **argv);
int command_kernel_log(int argc, char **argv);
int command_snapshot(int argc, char **argv);
int command_recover(int argc, char **argv);
int command_export(int argc, char **argv);

/* Says on stderr what is wrong with the arguments and where they are explained; fmt NULL: getopt
 * has said it already. Returns EXIT_USAGE. */
PRINTF_LIKE(2, 3) int cli_wrong_usage(const char *command, const char *fmt, ...);

/* Says on stderr when a --root is no tree of nodes: reasons about a kernel would mislead. */
void cli_check_root(const char *command, const char *root);

/* Opens a database file for a command; a failure is said on stderr, and that the file may lack its
 * newest minutes. */
struct reader;
MUST_CHECK int cli_open_file(const char *command, const char *path, struct reader **ret);

/* Says on stderr why a file could not be read, and returns EXIT_FAILED. */
int cli_file_failed(const char *command, const char *path, const struct reader *reader, int r);

/* The database where it usually lies, for when no daemon answers: said on stderr. NULL: there is
 * none. */
const char *cli_usual_file(const char *command);

/* Wall-clock times of the oldest and the newest sample of a file. -ENODATA when it has none. */
MUST_CHECK int cli_file_span(struct reader *reader, int64_t *ret_first_ms, int64_t *ret_last_ms);

/* Wall-clock time of the last sample of the last boot that has any: what "now" is in a file, also
 * where the clock of an earlier boot was ahead. -ENODATA when it has none. */
MUST_CHECK int cli_file_newest(struct reader *reader, int64_t *ret_wall_ms);

/* Writes what waits for stdout: 0, or what was wrong with it, also before; main() tells it. -errno,
 * -EIO: not known any more. */
int cli_flush(void);

/* Copies a document to stdout. Returns 0, the error of its source, or -EIO. */
struct stream;
int cli_print_stream(struct stream *stream);

/* Ends the process with a message when it has not ended by itself after so many seconds: a node
 * may never answer. Counts anew at each call. */
void cli_time_limit(unsigned seconds);

/* Text of a database or a node; control characters, which may command a terminal, come out as "?".
 */
void cli_put_text(FILE *out, const char *s);
