/* Messages of the kernel carry names that devices and drivers choose. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "sampling/uevent.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *message = malloc(size + !size);
	struct uevent event;

	if (!message)
		return 0;
	memcpy(message, data, size);
	if (uevent_parse(message, size, &event) == 0) {
		const struct slice parts[] = {event.action, event.device, event.subsystem};

		for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
			if (!parts[i].len || parts[i].p < message ||
			    parts[i].p + parts[i].len >= message + size ||
			    memchr(parts[i].p, '\0', parts[i].len))
				abort();
		if (event.device.p[0] != '/')
			abort();
		uevent_concerns(&event);
	}
	free(message);
	return 0;
}
