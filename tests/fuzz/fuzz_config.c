/* A configuration file of any bytes: no crash, and what was accepted survives a dump. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *dump(const struct config *config, size_t *ret_len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_len);

	if (!out)
		abort();
	config_dump(config, out);
	fclose(out);
	return text;
}

static struct config *read_bytes(const void *data, size_t size)
{
	struct config *config = NULL;
	/* fmemopen() refuses a size of 0. */
	CLEANUP(fclosep) FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (config_new(NULL, 0, &config) < 0)
		abort();
	if (file)
		(void)config_read(config, file, "input");
	return config;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t first_len = 0, second_len = 0;
	CLEANUP(config_freep) struct config *config = read_bytes(data, size);
	CLEANUP(freep) char *first = dump(config, &first_len);
	CLEANUP(config_freep) struct config *again = read_bytes(first, first_len);
	CLEANUP(freep) char *second = dump(again, &second_len);

	if (config_error(again, 0) || first_len != second_len || memcmp(first, second, first_len))
		abort();
	return 0;
}
