/* What a process holds and may do: descriptors, capabilities, files that it makes for others,
 * kernel nodes that it writes. Each in a process of its own, which says by its status whether it is
 * so. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/capability.h"
#include "base/descriptors.h"
#include "base/hw_switch.h"
#include "base/packet_socket.h"
#include "base/user.h"

#define NOBODY 65534

static void is_so(bool (*what)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(what() ? EXIT_SUCCESS : EXIT_FAILURE);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static bool closes_all(void)
{
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC), high = dup2(null_fd, 700);

	if (descriptors_move(high, 5) < 0 || descriptors_move(5, 5) < 0 ||
	    descriptors_move(-1, 6) != -EBADF)
		return false;
	descriptors_close_from(6);
	return fcntl(high, F_GETFD) < 0 && fcntl(5, F_GETFD) == 0;
}

static void descriptors(void **unused)
{
	(void)unused;
	is_so(closes_all);
}

/* Also those that the build does not know. */
static bool bounds_all(void)
{
	capability_bound(CAPABILITY(CAP_SYS_ADMIN));
	for (unsigned i = 0; i < 64; i++)
		if (prctl(PR_CAPBSET_READ, i, 0, 0, 0) > 0 && i != CAP_SYS_ADMIN)
			return false;
	return true;
}

static void bounding_set(void **unused)
{
	(void)unused;
	if (!capability_is_effective(CAP_SETPCAP))
		skip();
	is_so(bounds_all);
}

static bool makes_none_for_others(void)
{
	char folder[] = "/tmp/flashscope-privileges-XXXXXX", path[64];
	bool ok;

	if (geteuid() == 0 && user_become(NOBODY, NOBODY) < 0)
		return false;
	if (!mkdtemp(folder))
		return false;
	snprintf(path, sizeof(path), "%s/socket", folder);
	ok = packet_socket_listen(path, geteuid() - 1) == -EPERM && access(path, F_OK) < 0;
	ok = ok && packet_socket_listen(path, geteuid()) >= 0;
	unlink(path);
	rmdir(folder);
	return ok;
}

static void socket_of_another(void **unused)
{
	(void)unused;
	if (geteuid() == 0 && !capability_is_effective(CAP_SETUID))
		skip();
	is_so(makes_none_for_others);
}

static void node_behind_a_link(void **unused)
{
	char folder[] = "/tmp/flashscope-privileges-XXXXXX", real[64], link[64], text[8] = "";
	struct hw *hw;
	int fd;

	(void)unused;
	assert_non_null(mkdtemp(folder));
	snprintf(real, sizeof(real), "%s/real", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(mkdir(real, 0700), 0);
	assert_int_equal(symlink("real", link), 0);
	snprintf(real, sizeof(real), "%s/real/node", folder);
	fd = open(real, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(hw_open("/", &hw), 0);
	assert_int_equal(hw_switch(hw, "1", "%s/link/node", folder + 1), -ELOOP);
	assert_int_equal(read(fd, text, sizeof(text)), 0);
	assert_int_equal(hw_switch(hw, "1", "%s/real/node", folder + 1), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 1);
	assert_int_equal(text[0], '1');
	hw_close(hw);
	close(fd);
	unlink(real);
	unlink(link);
	snprintf(real, sizeof(real), "%s/real", folder);
	rmdir(real);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors),
		cmocka_unit_test(bounding_set),
		cmocka_unit_test(socket_of_another),
		cmocka_unit_test(node_behind_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
