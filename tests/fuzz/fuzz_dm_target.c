/* Names and uuids of device-mapper devices, which anybody who makes one may choose. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/dm_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input is a uuid, and a name with the name of what lies below it behind a newline. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *below;
	struct dm_target target;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	target = dm_target_of_uuid(text);
	if (target.kind && !*target.kind)
		abort();
	if (strnlen(target.format, sizeof(target.format)) == sizeof(target.format) ||
	    (target.format[0] && (!target.kind || strcmp(target.kind, "crypt") != 0)))
		abort();
	dm_target_of_lvm(text);
	below = strchr(text, '\n');
	if (below)
		*below++ = '\0';
	dm_target_likely(text, below ? below : "");
	free(text);
	return 0;
}
