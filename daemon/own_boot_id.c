#include "daemon/own_boot_id.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "daemon/durable.h"

#define UUID_LEN 36

static bool is_uuid(const char *s)
{
	for (size_t i = 0; i < UUID_LEN; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s[i] != '-' : !isxdigit((unsigned char)s[i]))
			return false;
	}
	return true;
}

static bool read_kept(const char *path, char buf[HW_BOOT_ID_MAX])
{
	CLEANUP(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char kept[UUID_LEN + 1] = "";

	if (fd < 0 || read(fd, kept, UUID_LEN) != UUID_LEN || !is_uuid(kept))
		return false;
	memcpy(buf, kept, sizeof(kept));
	return true;
}

/* Version 4 of RFC 4122. */
static int make_uuid(char buf[HW_BOOT_ID_MAX])
{
	unsigned char r[16];
	size_t len = 0;

	if (getrandom(r, sizeof(r), GRND_NONBLOCK) != (ssize_t)sizeof(r))
		return -EAGAIN;
	r[6] = (unsigned char)((r[6] & 0x0f) | 0x40);
	r[8] = (unsigned char)((r[8] & 0x3f) | 0x80);
	for (size_t i = 0; i < sizeof(r); i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			buf[len++] = '-';
		snprintf(buf + len, HW_BOOT_ID_MAX - len, "%02x", r[i]);
		len += 2;
	}
	return 0;
}

static bool keep(const char *path, const char *id)
{
	CLEANUP(closep)
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);

	return fd >= 0 && write(fd, id, UUID_LEN) == UUID_LEN;
}

int own_boot_id(const char *dir, char buf[HW_BOOT_ID_MAX], bool *ret_kept)
{
	char path[1024];
	bool memory;
	int r;

	if ((size_t)snprintf(path, sizeof(path), "%s/boot_id", dir) >= sizeof(path))
		return -ENAMETOOLONG;
	memory = durable_is_memory(path);
	*ret_kept = true;
	if (memory && read_kept(path, buf))
		return 0;
	r = make_uuid(buf);
	if (r < 0)
		return r;
	*ret_kept = memory && keep(path, buf);
	return 0;
}

bool own_boot_id_instead(const char *dir, char buf[HW_BOOT_ID_MAX], bool *ret_new)
{
	bool kept = false;

	*ret_new = false;
	if (*buf)
		return false;
	if (own_boot_id(dir, buf, &kept) < 0)
		buf[0] = '\0';
	log_warning("the boot id of the kernel cannot be read; this boot is %s, %s",
		    *buf ? buf : "nameless",
		    kept ? "as long as the runtime folder is there"
			 : "and another one at each start of flashscoped");
	*ret_new = !kept;
	return true;
}
