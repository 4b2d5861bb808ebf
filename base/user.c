#include "base/user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"

static void filep(FILE **file)
{
	if (*file)
		fclose(*file);
}

int user_find(const char *name, uid_t *ret_uid, gid_t *ret_gid)
{
	CLEANUP(filep) FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *user;
	int64_t number = -1;
	bool by_number = parse_i64(name, &number) == 0;

	while (file && (user = fgetpwent(file))) {
		if (by_number ? user->pw_uid != number : strcmp(user->pw_name, name) != 0)
			continue;
		*ret_uid = user->pw_uid;
		*ret_gid = user->pw_gid;
		return 0;
	}
	if (!by_number || number < 0 || number >= UINT32_MAX)
		return -ENOENT;
	*ret_uid = (uid_t)number;
	*ret_gid = (gid_t)number;
	return 0;
}

int user_become(uid_t uid, gid_t gid)
{
	if (geteuid() == uid && getegid() == gid)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
		return -errno;
	return 0;
}
