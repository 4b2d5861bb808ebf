/* What was gathered of pstore, what its logs say of the end, and a file of utmp. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/boot_end.h"
#include "daemon/going_down.h"
#include "model/crash_records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of its exact size, so that a byte too many is found. */
	char *text = malloc(size ? size : 1);
	struct crash_record record;
	struct slice rest = {text, size};
	struct crash_list list;

	if (!text)
		return 0;
	memcpy(text, data, size);
	(void)boot_end_of_log(rest, NULL);
	(void)going_down_run_level(rest);
	while (crash_records_next(&rest, &record)) {
		if (record.tail.len &&
		    (record.tail.p < text || record.tail.p + record.tail.len > text + size))
			abort();
		(void)boot_end_of_log(record.tail, NULL);
	}
	if (crash_list_read((struct slice){text, size}, &list) == 0)
		for (size_t i = 0; i < list.n; i++)
			(void)boot_end_of_log(list.v[i].tail, NULL);
	crash_list_done(&list);
	free(text);
	return 0;
}
