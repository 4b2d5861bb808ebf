/* A file of Android's properties: what is found stands in a line of its own behind the key. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/android.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char key[] = "ro.build.type";
	char *text = malloc(size + 1);
	struct slice value;

	if (!text)
		return 0;
	memcpy(text, data, size);
	if (android_property((struct slice){text, size}, key, &value) == 0) {
		if (value.p < text + sizeof(key) || value.p + value.len > text + size ||
		    memcmp(value.p - sizeof(key), "ro.build.type=", sizeof(key)) != 0 ||
		    memchr(value.p, '\n', value.len))
			abort();
	}
	free(text);
	return 0;
}
