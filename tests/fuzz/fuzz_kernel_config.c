/* A config lies in files that a recorded tree, or whoever installed a kernel, has put in place. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/kernel_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(closep) int fd = memfd_create("config", MFD_CLOEXEC);
	char value[8];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		return 0;
	memset(value, 'x', sizeof(value));

	int r = kernel_config_find(fd, "CONFIG_PSI", value, sizeof(value));

	/* A value that is ended, and only on success. */
	if (r > 0 || (r == 0 && !memchr(value, '\0', sizeof(value))))
		abort();
	if (r < 0 && value[0] != 'x')
		abort();
	return 0;
}
