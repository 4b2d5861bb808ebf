/* What programs log stands in entries of the journal. */
/* mutations: 300 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/kernel_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct kernel_message *m)
{
	size_t len = strnlen(m->text, sizeof(m->text));

	if (!len || len >= sizeof(m->text) || m->t_us < KERNEL_TIME_NONE ||
	    m->wall_us < KERNEL_TIME_NONE || m->facility < 0 || m->level < KERNEL_LEVEL_NONE ||
	    m->level > 7 || strnlen(m->device, sizeof(m->device)) == sizeof(m->device))
		abort();
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)m->text[i] < ' ')
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice rest = {(const char *)data, size}, line;
	struct kernel_log log = {.n_boots = 1};
	struct kernel_message message;

	while (slice_line(&rest, &line))
		if (kernel_log_json(&log, line, &message))
			check(&message);
	if (strnlen(log.boot_id, sizeof(log.boot_id)) == sizeof(log.boot_id))
		abort();
	return 0;
}
