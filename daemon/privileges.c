#include "daemon/privileges.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/capability.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/packet_socket.h"
#include "base/paths.h"
#include "base/user.h"
#include "daemon/lock.h"

#define HELPER_NAME   "flashscope-helper"
#define HELPER_SOCKET "helper.sock"
#define PASSED_FD     3
#define LISTEN_TRIES  20
#define LISTEN_TRY_MS 50

enum helper_mode { HELPER_AUTO, HELPER_START, HELPER_CONNECT, HELPER_OFF };

/* "same" is who this process is already. */
static int find_user(const struct config *config, uid_t *ret_uid, gid_t *ret_gid)
{
	const char *name = config_text(config, OPTION_RUN_AS);

	*ret_uid = geteuid();
	*ret_gid = getegid();
	if (!strcmp(name, "same"))
		return 0;

	int r = user_find(name, ret_uid, ret_gid);

	if (r < 0)
		log_error("there is no user %s", name);
	return r;
}

/* It lies beside this program. */
static int find_program(char *buf, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);
	char *slash;

	if (n < 0)
		return -errno;
	buf[n] = '\0';
	slash = strrchr(buf, '/');
	if (!slash || (size_t)(slash + 1 - buf) + sizeof(HELPER_NAME) > size)
		return -ENAMETOOLONG;
	memcpy(slash + 1, HELPER_NAME, sizeof(HELPER_NAME));
	return access(buf, X_OK) < 0 ? -errno : 0;
}

/* In the new process: what it inherits. It ends with the daemon, however that one ends, since its
 * standard input does, and holds nothing else of it but the socket and stderr. */
static int prepare_helper(int socket_fd, int lifeline_fd)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (null_fd < 0 || dup2(lifeline_fd, STDIN_FILENO) < 0 || dup2(null_fd, STDOUT_FILENO) < 0)
		return -errno;
	/* dup2() of a descriptor to itself would leave it closed on exec. */
	if (socket_fd == PASSED_FD)
		return fcntl(socket_fd, F_SETFD, 0) < 0 ? -errno : 0;
	return dup2(socket_fd, PASSED_FD) < 0 ? -errno : 0;
}

/* FNV-1a */
static uint32_t number_of(const char *text)
{
	uint32_t number = 2166136261U;

	for (; *text; text++)
		number = (number ^ (uint8_t)*text) * 16777619U;
	return number;
}

/* Where the helper remembers the monitors that it has switched on. Daemons with folders of their
 * own do not share it, so it is named by the runtime folder; but not beside that, where another
 * user may write, now or once the folder is given to one, and put a link there. */
static const char *memory_path(const struct config *config, char buf[static PATH_MAX])
{
	const char *runtime_dir = config_text(config, OPTION_RUNTIME_DIR);
	char real[PATH_MAX];

	if (!strcmp(runtime_dir, DEFAULT_RUNTIME_DIR) || !realpath(runtime_dir, real))
		return DEFAULT_MEMORY;
	snprintf(buf, PATH_MAX, DEFAULT_MEMORY "-%08" PRIx32, number_of(real));
	return buf;
}

static void run_helper(const struct config *config, const char *program, uid_t uid)
{
	static const char *const levels[] = {"error", "warning", "info", "debug"};
	char user[16], memory[PATH_MAX];

	snprintf(user, sizeof(user), "%u", uid);
	execl(program, HELPER_NAME, "--passed-socket", "--keep", "--with-stdin", "--allow", user,
	      "--root", config_text(config, OPTION_ROOT), "--log-level",
	      levels[config_number(config, OPTION_LOG_LEVEL)], "--memory",
	      memory_path(config, memory), (char *)NULL);
	log_error("%s cannot be run: %s", program, strerror(errno));
}

/* The helper of a daemon that was here a moment ago may not have ended yet. */
static int listen_soon(const char *path, uid_t uid, bool successor)
{
	int fd = packet_socket_listen(path, uid);

	if (fd == -EADDRINUSE && successor)
		return packet_socket_take_over(path, uid);
	for (int i = 0; fd == -EADDRINUSE && i < LISTEN_TRIES; i++) {
		usleep(LISTEN_TRY_MS * 1000);
		fd = packet_socket_listen(path, uid);
	}
	return fd;
}

static int start(const struct config *config, struct helper_process *helper, uid_t uid,
		 bool successor)
{
	char program[PATH_MAX];
	int r = find_program(program, sizeof(program));
	CLEANUP(closep) int fd = -1;
	int lifeline[2];

	if (r < 0) {
		log_error("%s is not beside flashscoped: %s", HELPER_NAME, strerror(-r));
		return r;
	}
	fd = listen_soon(helper->path, uid, successor);
	if (fd < 0) {
		log_error("%s: %s", helper->path,
			  fd == -EADDRINUSE ? "another flashscope-helper listens there"
					    : strerror(-fd));
		return fd;
	}
	helper->socket = packet_socket_id(helper->path);
	if (pipe2(lifeline, O_CLOEXEC) < 0)
		return -errno;
	helper->pid = fork();
	if (helper->pid == 0) {
		if (prepare_helper(fd, lifeline[0]) == 0)
			run_helper(config, program, uid);
		_exit(EXIT_FAILURE);
	}
	/* The other end stays open for as long as this process lives. */
	close(lifeline[0]);
	if (helper->pid < 0) {
		r = -errno;
		helper->pid = 0;
		close(lifeline[1]);
		log_error("%s cannot be started: %s", HELPER_NAME, strerror(-r));
	}
	return r;
}

/* A recorded tree has nothing that needs privileges. */
static bool may_start(const struct config *config)
{
	return capability_is_effective(CAP_SYS_ADMIN) ||
	       strcmp(config_text(config, OPTION_ROOT), "/") != 0;
}

void helper_start(const struct config *config, bool successor, struct helper_process *ret)
{
	enum helper_mode mode = (enum helper_mode)config_number(config, OPTION_HELPER);
	uid_t uid;
	gid_t gid;

	*ret = (struct helper_process){0};
	if (mode == HELPER_OFF) {
		snprintf(ret->off_reason, sizeof(ret->off_reason),
			 "it is switched off (mode in [helper])");
		return;
	}
	if (snprintf(ret->path, sizeof(ret->path), "%s/" HELPER_SOCKET,
		     config_text(config, OPTION_RUNTIME_DIR)) >= (int)sizeof(ret->path)) {
		log_error("the path of the runtime folder is too long for %s", HELPER_SOCKET);
		snprintf(ret->off_reason, sizeof(ret->off_reason),
			 "the path of its socket would be too long");
		ret->path[0] = '\0';
		return;
	}
	if (mode == HELPER_CONNECT || (mode == HELPER_AUTO && !may_start(config)))
		return;
	if (find_user(config, &uid, &gid) == 0)
		(void)start(config, ret, uid, successor);
}

/* What was made as root before, and what the user has to write. A file that is not there is made by
 * the user. Only what belongs to this process is given, and no file that has another name as well:
 * the user may have made that name. */
static void give(const char *path, uid_t uid, gid_t gid)
{
	CLEANUP(closep) int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return;
	if (fd < 0 || fstat(fd, &st) < 0) {
		log_warning("%s cannot be given to user %u: %s", path, uid, strerror(errno));
		return;
	}
	if (st.st_uid == uid)
		return;
	if (st.st_uid != geteuid() || (!S_ISDIR(st.st_mode) && st.st_nlink != 1))
		log_warning("%s is not given to user %u: it belongs to user %u%s", path, uid,
			    st.st_uid, st.st_nlink > 1 ? ", or has other names" : "");
	else if (fchownat(fd, "", uid, gid, AT_EMPTY_PATH) < 0)
		log_warning("%s cannot be given to user %u: %s", path, uid, strerror(errno));
}

/* A folder in which everybody may make files is everybody's. */
static void give_dir(const char *path, uid_t uid, gid_t gid)
{
	struct stat st;

	if (stat(path, &st) < 0 || (st.st_mode & S_IWOTH))
		return;
	give(path, uid, gid);
}

static void dirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* Whether a folder holds nothing but the file, what stands beside it under its name, and the
 * runtime folder. */
static bool holds_only(const char *path, const char *file, const char *runtime_dir)
{
	CLEANUP(dirp) DIR *dir = opendir(path);
	const struct dirent *entry;
	struct stat runtime = {0}, st;

	if (!dir)
		return false;
	(void)!stat(runtime_dir, &runtime);
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    !strncmp(entry->d_name, file, strlen(file)))
			continue;
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    st.st_ino != runtime.st_ino || st.st_dev != runtime.st_dev)
			return false;
	}
	return true;
}

/* SQLite makes files beside the database, so its folder has to be the user's when it is there for
 * the database alone. */
static void give_database_dir(const char *database, const char *runtime_dir, uid_t uid, gid_t gid)
{
	char path[PATH_MAX];
	char *slash;
	bool made = false;

	if (lock_make_parent(database, &made) < 0 ||
	    snprintf(path, sizeof(path), "%s", database) >= (int)sizeof(path))
		return;
	slash = strrchr(path, '/');
	if (!slash || slash == path)
		return;
	*slash = '\0';
	if (made || holds_only(path, slash + 1, runtime_dir))
		give_dir(path, uid, gid);
}

static void give_files(const struct config *config, uid_t uid, gid_t gid)
{
	static const char *const endings[] = {"", "-wal", "-shm", "-journal", ".lock"};
	const char *database = config_text(config, OPTION_DATABASE);
	const char *runtime_dir = config_text(config, OPTION_RUNTIME_DIR);
	char path[PATH_MAX];

	give_database_dir(database, runtime_dir, uid, gid);
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		snprintf(path, sizeof(path), "%s%s", database, endings[i]);
		give(path, uid, gid);
	}
	snprintf(path, sizeof(path), "%s/flashscoped.lock", runtime_dir);
	give(path, uid, gid);
	give_dir(runtime_dir, uid, gid);
}

int files_give(const struct config *config)
{
	uid_t uid;
	gid_t gid;
	int r = find_user(config, &uid, &gid);

	if (r == 0 && uid != geteuid())
		give_files(config, uid, gid);
	return r;
}

int privileges_drop(const struct config *config)
{
	uid_t uid;
	gid_t gid;
	int r = find_user(config, &uid, &gid);

	if (r < 0)
		return r;
	if (uid != geteuid()) {
		/* The right to do so ends with being root. */
		capability_bound(0);
		r = user_become(uid, gid);
	} else if (uid == 0) {
		log_warning("it goes on as root, without capabilities: what belongs to root is "
			    "open to it all the same; user in [daemon] makes it another user");
	}
	if (r < 0) {
		log_error("flashscoped cannot run as user %u: %s", uid, strerror(-r));
		return r;
	}
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	r = capability_keep(0);
	if (r < 0)
		log_error("capabilities cannot be given up: %s", strerror(-r));
	return r;
}

bool helper_reap(struct helper_process *helper)
{
	if (!helper->pid || waitpid(helper->pid, NULL, WNOHANG) == 0)
		return false;
	helper->pid = 0;
	return true;
}

void helper_leave(const struct helper_process *helper)
{
	packet_socket_unlink(helper->path, &helper->socket);
}
