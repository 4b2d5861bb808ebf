/* What the service manager and the journal are told, taken from sockets that play them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/passed_sockets.h"
#include "daemon/service.h"
#include "sampling/registry.h"
#include "sampling/sampler.h"
#include "store/store.h"

struct fixture {
	char dir[64], path[128], database[128];
	int fd; /* of the manager */
	char got[2048];
};

static int listen_at(const char *path, bool abstract)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	size_t len = strlen(path);

	memcpy(un.sun_path + abstract, path, len);
	assert_int_equal(bind(fd, (const struct sockaddr *)&un,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1)),
			 0);
	return fd;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	snprintf(f->dir, sizeof(f->dir), "/tmp/test_service.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/notify", f->dir);
	snprintf(f->database, sizeof(f->database), "%s/f.db", f->dir);
	f->fd = listen_at(f->path, false);
	setenv("NOTIFY_SOCKET", f->path, 1);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	close(f->fd);
	log_journal_at(NULL);
	snprintf(command, sizeof(command), "rm -r %s", f->dir);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

/* The next message, "" when none waits. */
static const char *next(struct fixture *f)
{
	ssize_t n = recv(f->fd, f->got, sizeof(f->got) - 1, 0);

	f->got[MAX(n, 0)] = '\0';
	return f->got;
}

static void test_nobody_is_told(void **state)
{
	static const char *const paths[] = {NULL, "", "@", "relative", "vsock:2:1"};
	struct service service;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		if (paths[i])
			setenv("NOTIFY_SOCKET", paths[i], 1);
		else
			unsetenv("NOTIFY_SOCKET");
		setenv("WATCHDOG_USEC", "1000000", 1);
		service_open(&service, 1000);
		assert_int_equal(service.notify.fd, -1);
		assert_int_equal(service_due_ms(&service), INT64_MAX);
		assert_int_equal(notify_send(&service.notify, "READY=1"), 0);
		service_turn(&service, NULL, NULL, 2000, 0);
		service_stopping(&service);
		service_close(&service);
		assert_null(getenv("NOTIFY_SOCKET"));
		assert_null(getenv("WATCHDOG_USEC"));
	}
}

static void test_abstract_socket(void **state)
{
	struct fixture *f = *state;
	char name[64], path[80];
	struct notify notify;

	snprintf(name, sizeof(name), "flashscope-test-%d", getpid());
	snprintf(path, sizeof(path), "@%s", name);

	/* Without the NUL byte at its end, as the protocol has it. */
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	CLEANUP(closep) int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	memcpy(un.sun_path + 1, name, strlen(name));
	assert_int_equal(
		bind(fd, (const struct sockaddr *)&un,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))),
		0);
	setenv("NOTIFY_SOCKET", path, 1);
	notify_open(&notify);
	assert_int_equal(notify_send(&notify, "A=%d\nB=%s", 7, "x"), 0);
	assert_int_equal(recv(fd, f->got, sizeof(f->got), 0), 7);
	assert_memory_equal(f->got, "A=7\nB=x", 7);
	notify_close(&notify);
}

static void test_watchdog_of_another(void **state)
{
	struct service service;

	(void)state;
	setenv("WATCHDOG_USEC", "1000000", 1);
	setenv("WATCHDOG_PID", "1", 1);
	service_open(&service, 0);
	assert_int_equal(service_due_ms(&service), INT64_MAX);
	service_close(&service);
	setenv("NOTIFY_SOCKET", ((struct fixture *)*state)->path, 1);
	setenv("WATCHDOG_USEC", "-5", 1);
	service_open(&service, 0);
	assert_int_equal(service_due_ms(&service), INT64_MAX);
	service_close(&service);
}

static void test_life(void **state)
{
	struct fixture *f = *state;
	const struct store_options options = {.path = f->database,
					      .boot_id = "",
					      .kernel = "",
					      .size_max_bytes = 16 << 20,
					      .tail_max_bytes = 4 << 20,
					      .commit_ms = 60000};
	const struct sampler_options sampler_options = {.root = f->dir, .no_lane = true};
	const struct sampler_callbacks callbacks = {0};
	CLEANUP(sampler_closep) struct sampler *sampler = NULL;
	CLEANUP(store_closep) struct store *store = NULL;
	struct service service;

	setenv("WATCHDOG_USEC", "4000000", 1);
	service_open(&service, 1000);
	assert_null(getenv("NOTIFY_SOCKET"));
	assert_int_equal(service_due_ms(&service), 3000);
	assert_int_equal(store_open(&options, registry(), &store), 0);
	assert_int_equal(sampler_open(&sampler_options, registry(), &callbacks, &sampler), 0);
	assert_int_equal(sampler_start(sampler, 1000), 0);

	/* No sample yet: not ready, but at something. */
	service_turn(&service, sampler, store, 1100, 0);
	assert_memory_equal(next(f), "STATUS=samples 0 of ", 20);
	assert_non_null(strstr(f->got, "nothing committed yet"));
	assert_string_equal(next(f), "");
	sampler_tick(sampler, 2000);
	service_turn(&service, sampler, store, 2000, 0);
	assert_string_equal(next(f), "READY=1");
	assert_string_equal(next(f), "");

	/* A sign of life at half of the time, once. */
	service_turn(&service, sampler, store, 2999, 0);
	assert_string_equal(next(f), "");
	service_turn(&service, sampler, store, 3000, 0);
	assert_string_equal(next(f), "WATCHDOG=1");
	service_turn(&service, sampler, store, 4999, 0);
	assert_string_equal(next(f), "");
	assert_int_equal(service_due_ms(&service), 5000);

	/* Told at commits, not at ticks. */
	assert_int_equal(store_commit(store, 4000, false), 0);
	service_turn(&service, sampler, store, 4999, 0);
	assert_non_null(strstr(next(f), "last commit 1970-01-01T00:00:0"));
	service_turn(&service, sampler, store, 4999, 0);
	assert_string_equal(next(f), "");

	service_reloading(&service);
	assert_memory_equal(next(f), "RELOADING=1\nMONOTONIC_USEC=", 27);
	service_reloaded(&service);
	assert_string_equal(next(f), "READY=1");

	service_stopping(&service);
	assert_memory_equal(next(f), "STOPPING=1\n", 11);
	service_held_up(&service, 6000, 5000);
	assert_memory_equal(next(f), "EXTEND_TIMEOUT_USEC=10000000\nWATCHDOG=1\n", 40);
	service_held_up(&service, 10999, 5000);
	assert_non_null(strstr(next(f), "for 4 s now"));
	service_held_up(&service, 11000, 5000);
	assert_string_equal(next(f), "");
	service_close(&service);
}

/* A manager that does not read costs nobody anything, and hears it later. */
static void test_full_queue(void **state)
{
	struct fixture *f = *state;
	struct notify notify;
	int n = 0;

	notify_open(&notify);
	while (n < 100000 && notify_send(&notify, "X=1") == 0)
		n++;
	assert_true(n < 100000);
	assert_int_equal(notify_send(&notify, "READY=1"), -EAGAIN);
	while (*next(f))
		;
	assert_int_equal(notify_send(&notify, "READY=1"), 0);
	notify_close(&notify);
}

static void test_journal(void **state)
{
	struct fixture *f = *state;

	log_journal_at(f->path);
	log_about(LOG_LEVEL_WARNING, "nvme", "nvme0", "nvme nvme0 does\nnot answer: %s", "EIO");
	assert_non_null(strstr(next(f), "PRIORITY=4\n"));
	assert_non_null(strstr(f->got, "\nFLASHSCOPE_COLLECTOR=nvme\n"));
	assert_non_null(strstr(f->got, "\nFLASHSCOPE_NODE=nvme0\n"));
	assert_non_null(strstr(f->got, "\nMESSAGE=nvme nvme0 does not answer: EIO\n"));
	assert_non_null(strstr(f->got, "\nSYSLOG_IDENTIFIER=test_daemon_"));
	log_info("one");
	assert_memory_equal(next(f), "PRIORITY=6\n", 11);
	assert_null(strstr(f->got, "FLASHSCOPE"));
	log_debug("not said");
	assert_string_equal(next(f), "");
}

/* Runs log_info() with stderr in a file and JOURNAL_STREAM naming it, or not. */
static void logged_to(const struct fixture *f, bool named, char *buf, size_t size)
{
	char path[160], stream[64];
	int saved = dup(STDERR_FILENO);
	struct stat st;

	snprintf(path, sizeof(path), "%s/stderr", f->dir);

	CLEANUP(fclosep) FILE *file = fopen(path, "w+e");

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &st), 0);
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino + !named);
	setenv("JOURNAL_STREAM", stream, 1);
	dup2(fileno(file), STDERR_FILENO);
	log_find_journal();
	if (named)
		log_journal_at("/nowhere/socket");
	log_warning("hello");
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	buf[fread(buf, 1, size - 1, file)] = '\0';
}

static void test_journal_stream(void **state)
{
	char buf[128];

	logged_to(*state, false, buf, sizeof(buf));
	assert_string_equal(buf, "warning: hello\n");
	logged_to(*state, true, buf, sizeof(buf));
	assert_string_equal(buf, "<4>hello\n");
	unsetenv("JOURNAL_STREAM");
	log_find_journal();
}

static void test_passed_sockets(void **state)
{
	static const struct {
		const char *n;
		int r;
	} cases[] = {{"0", 0}, {"x", -EINVAL}, {"-1", -EINVAL}, {"17", -E2BIG}, {"", -EINVAL}};
	char pid[16];

	(void)state;
	snprintf(pid, sizeof(pid), "%d", getpid());
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		setenv("LISTEN_PID", pid, 1);
		setenv("LISTEN_FDS", cases[i].n, 1);
		assert_int_equal(passed_sockets_take(), cases[i].r);
		assert_null(getenv("LISTEN_PID"));
		assert_null(getenv("LISTEN_FDS"));
	}
	setenv("LISTEN_PID", "1", 1);
	setenv("LISTEN_FDS", "1", 1);
	assert_int_equal(passed_sockets_take(), 0);
	assert_int_equal(passed_sockets_take(), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nobody_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(test_abstract_socket, setup, teardown),
		cmocka_unit_test_setup_teardown(test_watchdog_of_another, setup, teardown),
		cmocka_unit_test_setup_teardown(test_life, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full_queue, setup, teardown),
		cmocka_unit_test_setup_teardown(test_journal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_journal_stream, setup, teardown),
		cmocka_unit_test(test_passed_sockets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
