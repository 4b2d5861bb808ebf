/* What a vendor's kernel dumps of a health descriptor. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/ufs_dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of its exact size, so that a byte too many is found. */
	char *text = malloc(size ? size : 1);
	struct ufs_dump dump;
	size_t n;

	if (!text)
		return 0;
	memcpy(text, data, size);
	n = ufs_dump_parse((struct slice){text, size}, &dump);
	if (dump.pre_eol_info < UFS_DUMP_ODD || dump.life_time_a < UFS_DUMP_ODD ||
	    dump.life_time_b < UFS_DUMP_ODD)
		abort();
	if (n != (size_t)(dump.pre_eol_info >= 0) + (size_t)(dump.life_time_a >= 0) +
			 (size_t)(dump.life_time_b >= 0))
		abort();
	free(text);
	return 0;
}
