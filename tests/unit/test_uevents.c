/* The listener: when it asks for a look at the nodes, what a storm costs, whom it believes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "sampling/uevents.h"

static const char disk[] = "add@/d\0SUBSYSTEM=block", net[] = "add@/d\0SUBSYSTEM=net";

static struct uevents u;

static int set_up(void **state)
{
	(void)state;
	uevents_open(&u, false);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	uevents_close(&u);
	return 0;
}

static void hear_disk(int64_t t_ms)
{
	uevents_heard(&u, disk, sizeof(disk), true, t_ms);
}

static void a_recorded_tree_has_no_socket(void **state)
{
	(void)state;
	assert_int_equal(uevents_fd(&u), -1);
	assert_false(u.stats.uevents);
	assert_string_equal(u.stats.reason, "a recorded tree has no uevents");
	uevents_receive(&u, 1000);
	assert_int_equal(uevents_due_ms(&u), INT64_MAX);
	assert_false(uevents_take(&u, INT64_MAX));
}

static void one_plug_is_one_look(void **state)
{
	(void)state;
	assert_int_equal(uevents_due_ms(&u), INT64_MAX);
	hear_disk(50000);
	assert_int_equal(uevents_due_ms(&u), 50200);
	hear_disk(50150);
	assert_int_equal(uevents_due_ms(&u), 50350);
	assert_false(uevents_take(&u, 50349));
	assert_true(uevents_take(&u, 50350));
	assert_false(uevents_take(&u, 60000));
	assert_int_equal(uevents_due_ms(&u), INT64_MAX);
	assert_int_equal(u.stats.n_uevents, 2);
	assert_int_equal(u.stats.n_concerning, 2);
}

static void others_have_nothing_looked_at(void **state)
{
	(void)state;
	uevents_heard(&u, net, sizeof(net), true, 50000);
	uevents_heard(&u, disk, sizeof(disk), false, 50000);
	uevents_heard(&u, disk, 9, true, 50000);
	uevents_heard(&u, "", 0, true, 50000);
	assert_int_equal(uevents_due_ms(&u), INT64_MAX);
	assert_int_equal(u.stats.n_uevents, 3);
	assert_int_equal(u.stats.n_concerning, 0);
	assert_int_equal(u.stats.n_malformed, 2);
	assert_int_equal(u.stats.n_foreign, 1);
	uevents_overran(&u, 50000);
	assert_int_equal(uevents_due_ms(&u), 50200);
	assert_int_equal(u.stats.n_overruns, 1);
}

/* A message each 10 ms never leaves 200 ms of quiet. */
static void a_storm_gets_few_looks(void **state)
{
	unsigned n_looks = 0;
	int64_t t_ms = 100000, first_ms = 0;

	(void)state;
	for (; t_ms < 100000 + 60000; t_ms += 10) {
		hear_disk(t_ms);
		if (!uevents_take(&u, t_ms))
			continue;
		first_ms = first_ms ? first_ms : t_ms;
		n_looks++;
	}
	assert_int_equal(first_ms, 101000);
	assert_in_range(n_looks, UEVENTS_SCANS, UEVENTS_SCANS + 6);
	/* The last one is looked for all the same. */
	assert_true(uevents_due_ms(&u) < t_ms + UEVENTS_GAP_MS);
	assert_true(uevents_take(&u, uevents_due_ms(&u)));
	assert_int_equal(uevents_due_ms(&u), INT64_MAX);
	/* After a quiet minute a plug is seen at once again. */
	hear_disk(t_ms + 60000);
	assert_int_equal(uevents_due_ms(&u), t_ms + 60200);
}

static bool listen_live(void)
{
	uevents_close(&u);
	uevents_open(&u, true);
	/* In a container the socket may be refused; then a reason stands there. */
	assert_true(u.stats.uevents || *u.stats.reason);
	assert_int_equal(uevents_fd(&u) >= 0, u.stats.uevents);
	return u.stats.uevents;
}

static int send_to_listener(int fd, const void *message, size_t len)
{
	struct sockaddr_nl address;
	socklen_t size = sizeof(address);

	assert_int_equal(getsockname(uevents_fd(&u), (struct sockaddr *)&address, &size), 0);
	address.nl_groups = 0;
	return sendto(fd, message, len, 0, (struct sockaddr *)&address, sizeof(address)) < 0
		       ? -errno
		       : 0;
}

/* 0 when a socket that is refused is a reason. */
static int open_refused(int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ARRAY_SIZE(code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return 77;
	uevents_open(&u, true);
	return !u.stats.uevents && uevents_fd(&u) == -1 &&
			       strstr(u.stats.reason, strerror(error)) &&
			       !strstr(u.stats.reason, "AF_NETLINK") == (error == EPROTONOSUPPORT)
		       ? 0
		       : 1;
}

static void a_refused_socket_is_a_reason(void **state)
{
	/* A hardened unit, a seccomp filter, a kernel without CONFIG_NET */
	static const int errors[] = {EAFNOSUPPORT, EPERM, EPROTONOSUPPORT};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0)
			_exit(open_refused(errors[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
			print_message("skipped: no seccomp here\n");
			skip();
		}
		assert_int_equal(status, 0);
	}
}

/* Whoever may send to the socket is not the kernel. */
static void a_forged_message_is_not_believed(void **state)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	struct pollfd input;

	(void)state;
	if (!listen_live() || fd < 0 || send_to_listener(fd, disk, sizeof(disk)) < 0) {
		print_message("skipped: nothing can be sent to a listener here\n");
		close(fd);
		skip();
	}
	input = (struct pollfd){.fd = uevents_fd(&u), .events = POLLIN};
	assert_int_equal(poll(&input, 1, 1000), 1);
	uevents_receive(&u, 5000);
	assert_in_range(u.stats.n_foreign, 1, 1);
	close(fd);
}

/* More than the socket holds: no more is read in a second than the bound, the rest is lost or
 * waits, and the loss is known. */
static void a_flood_is_bounded(void **state)
{
	int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	unsigned n_sent = 0;
	uint64_t n_before;

	(void)state;
	if (!listen_live() || fd < 0 || send_to_listener(fd, disk, sizeof(disk)) < 0) {
		print_message("skipped: nothing can be sent to a listener here\n");
		close(fd);
		skip();
	}
	for (; n_sent < 5000; n_sent++)
		if (send_to_listener(fd, disk, sizeof(disk)) < 0)
			break;
	assert_true(n_sent > UEVENTS_WINDOW_MAX);
	uevents_receive(&u, 5000);
	assert_in_range(u.stats.n_foreign + u.stats.n_uevents + u.stats.n_overruns, 1,
			UEVENTS_WINDOW_MAX);
	assert_int_equal(uevents_fd(&u), -1);
	assert_true(uevents_due_ms(&u) <= 5000 + UEVENTS_WINDOW_MS);
	/* While it is muted nothing is read; in the next second as much again. */
	n_before = u.stats.n_foreign;
	uevents_receive(&u, 5999);
	uevents_take(&u, 5999);
	assert_int_equal(u.stats.n_foreign, n_before);
	uevents_take(&u, 6000);
	assert_true(u.stats.n_foreign > n_before);
	assert_true(u.stats.n_foreign <= 2 * UEVENTS_WINDOW_MAX);
	/* To its end. */
	for (int64_t t_ms = 7000; uevents_fd(&u) < 0 && t_ms < 1000000; t_ms += 1000)
		uevents_take(&u, t_ms);
	assert_true(uevents_fd(&u) >= 0);
	close(fd);
}

int main(void)
{
#define UEVENTS_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		UEVENTS_TEST(a_recorded_tree_has_no_socket),
		UEVENTS_TEST(one_plug_is_one_look),
		UEVENTS_TEST(others_have_nothing_looked_at),
		UEVENTS_TEST(a_storm_gets_few_looks),
		UEVENTS_TEST(a_refused_socket_is_a_reason),
		UEVENTS_TEST(a_forged_message_is_not_believed),
		UEVENTS_TEST(a_flood_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
