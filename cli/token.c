#include "cli/token.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

int token_header(char *buf, size_t size, const char **ret_path)
{
	const char *path = getenv(TOKEN_FILE_VARIABLE);
	char line[512];

	if (!path || !*path)
		return -ENODATA;
	*ret_path = path;

	CLEANUP(fclosep) FILE *file = fopen(path, "re");

	if (!file)
		return -errno;
	if (!fgets(line, sizeof(line), file))
		return ferror(file) ? -EIO : -EBADMSG;
	line[strcspn(line, "\r\n")] = '\0';
	/* What is no visible character would end the header. */
	for (const char *p = line; *p; p++)
		if (*p <= ' ' || *p > '~')
			return -EBADMSG;

	int n = *line ? snprintf(buf, size, "Authorization: Bearer %s", line) : 0;

	return n > 0 && (size_t)n < size ? 0 : -EBADMSG;
}
