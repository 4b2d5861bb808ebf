/* The token for a daemon on another machine: the first line of the file that FLASHSCOPE_TOKEN_FILE
 * (--token-file) names. */
#pragma once

#include <stddef.h>

#include "base/macros.h"

#define TOKEN_FILE_VARIABLE "FLASHSCOPE_TOKEN_FILE"

/* Makes the header of a request. -ENODATA when no file is named; else -errno of reading it,
 * -EBADMSG when its first line is no token; *ret_path is then the file. */
MUST_CHECK int token_header(char *buf, size_t size, const char **ret_path);
