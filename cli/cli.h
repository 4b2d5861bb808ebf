/* The commands of flashscope. Each takes the arguments from its own name on and returns the exit
 * status: 0 done, 1 failed, 2 wrong usage. */
#pragma once

#include <stdio.h>

#include <stdbool.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

int command_probe(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_fields(int argc, char **argv);
int command_status(int argc, char **argv);
int command_query(int argc, char **argv);
int command_mark(int argc, char **argv);

/* Reads names of collectors: sets wanted[] by their index, all of them when there are no names.
 * An unknown one is complained about on stderr; -EINVAL. */
int cli_wanted(const char *command, int n_names, char **names, bool *wanted);

/* Copies a document to stdout. Returns 0, the error of its source, or -EIO. */
struct stream;
int cli_print_stream(struct stream *stream);

/* Says on stderr when the file that the reader has open may lack its newest minutes. */
struct reader;
void cli_tell_lack(struct reader *reader, const char *path);

/* Ends the process with a message when it has not ended by itself after so many seconds: a node
 * may never answer. Counts anew at each call. */
void cli_time_limit(unsigned seconds);

/* Text of a database or a node; control characters, which may command a terminal, come out as "?".
 */
void cli_put_text(FILE *out, const char *s);
