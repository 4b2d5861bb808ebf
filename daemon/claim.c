#include "daemon/claim.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "daemon/lock.h"

#define NOT_OWN_FILE "%s is a link, has another name or is no file, and nothing is written to it"

int claim_runtime_dir(const char *dir, bool *ret_successor)
{
	char path[1024];
	bool successor = false;
	int fd, pid = 0, r = lock_make_dir(dir);

	snprintf(path, sizeof(path), "%s/flashscoped.lock", dir);
	if (r == 0)
		r = lock_take(path, &fd, &pid);
	if (r == -EOWNERDEAD) {
		log_warning("process %d was killed and cannot end until its disk answers; its "
			    "runtime folder %s is taken over",
			    pid, dir);
		successor = true;
		r = lock_take_over(path, &fd, &pid);
	}
	if (r == -EBUSY)
		log_error("another flashscoped (process %d) uses the runtime folder %s; give "
			  "--runtime-dir and --db of its own to run a second one",
			  pid, dir);
	else if (r == -ELOOP)
		log_error(NOT_OWN_FILE "; remove it, or give another folder by --runtime-dir",
			  path);
	else if (r < 0)
		log_error("the runtime folder %s cannot be used: %s; give another one by "
			  "--runtime-dir",
			  dir, strerror(-r));
	if (r == 0)
		*ret_successor = successor;
	return r;
}

int claim_database(const char *database)
{
	char path[1024];
	bool made = false;
	int fd, pid = 0, r = lock_make_parent(database, &made);

	if (made)
		log_info("the folder of %s was made", database);
	snprintf(path, sizeof(path), "%s.lock", database);
	if (r == 0)
		r = lock_take(path, &fd, &pid);
	if (r == -EBUSY) {
		log_error("another flashscoped (process %d) writes the database %s; give --db and "
			  "--runtime-dir of its own to run a second one",
			  pid, database);
		return r;
	}
	if (r == -ELOOP)
		log_warning(NOT_OWN_FILE "; remove it", path);
	else if (r == -EOWNERDEAD)
		log_warning("process %d, which writes the database %s, was killed and cannot end "
			    "until its disk answers; samples stay in memory until then",
			    pid, database);
	else if (r == -EACCES)
		log_warning(
			"%s cannot be made: user %u may not write there; chown the folder of "
			"the database to this user, or give another --db; samples stay in memory "
			"until then",
			path, geteuid());
	else if (r < 0)
		log_warning("%s cannot be made: %s; samples stay in memory until the database can "
			    "be opened",
			    path, strerror(-r));
	return 0;
}
