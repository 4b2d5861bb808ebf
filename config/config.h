/* The effective configuration: defaults, then files, then the command line.
 *
 * Files are INI. What is wrong in them is collected, not reported one by one, so that a person sees
 * all of it at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/macros.h"
#include "config/option.h"

struct config;

#define CONFIG_ERRORS_MAX 100

/* more: options of the caller beside option_table, their ids go on from N_OPTIONS. The table and
 * its strings stay the caller's and outlive the configuration; its defaults must be valid.
 * -ENOMEM, -EINVAL. */
MUST_CHECK int config_new(const struct option_spec *more, size_t n_more, struct config **ret);
void config_free(struct config *config);
void config_freep(struct config **config);

/* Reads one plain file; a later one overrides an earlier one. Returns 0, -EINVAL when it has errors
 * (config_error()) or is something else, or the errno of opening and reading, which is an error in
 * the list too. */
int config_read_file(struct config *config, const char *path);
/* The same for a stream; name is what errors call it. */
int config_read(struct config *config, FILE *file, const char *name);

#define CONFIG_DIR_FILES_MAX 64

/* Reads the files NAME.conf of a folder, in the order of the bytes of their names. Names that begin
 * with a dot are left out, as are those of other endings; what is no plain file, or whose name has
 * other bytes than letters, digits and -_.@+, is an error, and so are more than
 * CONFIG_DIR_FILES_MAX. A folder that is not there is an empty one. Returns as
 * config_read_file(). */
int config_read_dir(struct config *config, const char *dir);

/* An error that was found elsewhere, for config_error(). */
PRINTF_LIKE(2, 3) void config_complain(struct config *config, const char *fmt, ...);

/* Sets one option from elsewhere; where names the place in an error ("--db"). 0 or -EINVAL. */
int config_set(struct config *config, size_t id, const char *value, const char *where);

/* Errors so far, in their order: "FILE:LINE: what". NULL past the end. */
const char *config_error(const struct config *config, size_t index);

/* Values by id. */
const char *config_text(const struct config *config, size_t id);
int64_t config_number(const struct config *config, size_t id);
/* The word of a choice, as config_number() has it. */
const char *config_word(const struct config *config, size_t id);
bool config_bool(const struct config *config, size_t id);
/* Whether a file or the command line said it. */
bool config_is_set(const struct config *config, size_t id);

/* Where it was said, "FILE:LINE" or "--listen"; NULL where nobody did. */
const char *config_where(const struct config *config, size_t id);

/* Another number for an option, while others may read it: what of a configuration can be changed
 * without a new start. Its text stays as it was. */
void config_replace_number(struct config *config, size_t id, int64_t number);

/* Section and key of an option, for messages. NULL past the last one. */
const struct option_spec *config_spec(const struct config *config, size_t id);

/* The whole configuration as a file that gives the same configuration when it is read. */
void config_dump(const struct config *config, FILE *out);
