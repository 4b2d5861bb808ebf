/* The helper's side of the socket: who is served, and what it is not made to do. The server is a
 * process of its own; its collector counts its probes in memory that is shared. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hw.h"
#include "base/packet_socket.h"
#include "base/process.h"
#include "helper/server.h"

#define ANSWER_MS 5000

static const struct field fields[] = {{"n", UNIT_COUNT, KIND_GAUGE, "", "n", 0, NULL}};
static const struct group groups[] = {{.name = "counted",
				       .help = "Counts.",
				       .cost = COST_L,
				       .period_ms = 10000,
				       .fields = fields,
				       .n_fields = ARRAY_SIZE(fields)}};

static int *n_probes;

static int count_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	(void)hw;
	++*n_probes;
	probe_node(probe, "r", OUTCOME_OK, "", "there");
	*ret_state = NULL;
	return 0;
}

static int count_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	(void)state, (void)hw, (void)group;
	row_set(sink_row(sink, "r", ""), 0, 1);
	return 0;
}

static const struct collector counted = {.name = "counted",
					 .groups = groups,
					 .n_groups = 1,
					 .privileged = true,
					 .probe = count_probe,
					 .sample = count_sample};
static const struct collector *const collectors[] = {&counted};
static const struct catalog catalog = {collectors, ARRAY_SIZE(collectors)};

static char folder[64], path[80];
static pid_t server_pid;
static uint8_t packet[WIRE_MESSAGE_MAX];

/* poll() takes no more entries than the limit, so the limit alone is not it. */
static void use_up_descriptors(void)
{
	const struct rlimit few = {32, 32};

	if (setrlimit(RLIMIT_NOFILE, &few) < 0)
		_exit(EXIT_FAILURE);
	while (dup(STDERR_FILENO) >= 0)
		;
}

static void serve(int listen_fd, bool without_descriptors)
{
	const struct server_options options = {.crew = {.catalog = &catalog,
							.root = folder,
							.command_deadline_ms = 5000,
							.read_deadline_ms = 5000},
					       .listen_fd = listen_fd,
					       .allowed_uid = geteuid()};
	struct server *server;
	int stop[2];

	/* Also when the test fails, and does not come to its end. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pipe(stop) < 0 || server_open(&options, &server) < 0)
		_exit(EXIT_FAILURE);
	if (without_descriptors)
		use_up_descriptors();
	(void)server_run(server, stop[0]);
	_exit(EXIT_FAILURE);
}

static void begin(bool without_descriptors)
{
	int listen_fd;

	snprintf(folder, sizeof(folder), "/tmp/flashscope-server-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/socket", folder);
	n_probes = mmap(NULL, sizeof(*n_probes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	assert_ptr_not_equal(n_probes, MAP_FAILED);
	listen_fd = packet_socket_listen(path, geteuid());
	assert_true(listen_fd >= 0);
	server_pid = fork();
	assert_true(server_pid >= 0);
	if (server_pid == 0)
		serve(listen_fd, without_descriptors);
	close(listen_fd);
}

static void end(void)
{
	kill(server_pid, SIGKILL);
	waitpid(server_pid, NULL, 0);
	munmap(n_probes, sizeof(*n_probes));
	unlink(path);
	rmdir(folder);
}

static int connect_to_it(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void say_hello(int fd)
{
	struct wire_hello hello = {.version = FLASHSCOPE_VERSION, .digest = wire_digest(&catalog)};
	size_t len = wire_put_hello(packet, &hello);

	assert_int_equal(send(fd, packet, len, MSG_NOSIGNAL), (ssize_t)len);
}

static void ask_rescan(int fd)
{
	size_t len = wire_put_rescan(packet);

	assert_int_equal(send(fd, packet, len, MSG_NOSIGNAL), (ssize_t)len);
}

/* The kind of the next packet, 0 when it has hung up. */
static int answer(int fd)
{
	struct pollfd in = {.fd = fd, .events = POLLIN};

	assert_int_equal(poll(&in, 1, ANSWER_MS), 1);
	return recv(fd, packet, sizeof(packet), 0) > 0 ? packet[0] : 0;
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void silent_one_is_replaced(void **unused)
{
	int silent, daemon, second;

	(void)unused;
	begin(false);
	silent = connect_to_it();
	daemon = connect_to_it();
	assert_int_equal(answer(silent), 0);
	say_hello(daemon);
	assert_int_equal(answer(daemon), WIRE_HELLO);
	second = connect_to_it();
	assert_int_equal(answer(second), WIRE_REFUSED);
	assert_int_equal(answer(second), 0);
	close(second);
	close(daemon);
	close(silent);
	end();
}

/* As a killed daemon whose disk hangs: its first thread is a zombie, its connection is open. */
static pid_t dying_daemon(void)
{
	pid_t child = fork();
	pthread_t thread;

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	say_hello(connect_to_it());
	if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
		_exit(EXIT_FAILURE);
	pthread_exit(NULL);
}

static void one_that_cannot_end_is_replaced(void **unused)
{
	pid_t child;
	int fd, kind = WIRE_REFUSED;

	(void)unused;
	begin(false);
	child = dying_daemon();
	for (int i = 0; i < 500 && !process_is_dying(child); i++)
		usleep(10000);
	assert_true(process_is_dying(child));
	assert_false(process_is_dying(getpid()));
	usleep(100000);
	fd = connect_to_it();
	say_hello(fd);
	kind = answer(fd);
	assert_int_equal(kind, WIRE_HELLO);
	assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(fd);
	end();
}

/* The second one has the name, and keeps it when the first one goes. */
static void a_socket_in_the_place_of_another(void **unused)
{
	struct packet_socket_id first_id, second_id;
	int first, second, fd;

	(void)unused;
	begin(false);
	first_id = packet_socket_id(path);
	assert_int_equal(packet_socket_listen(path, geteuid()), -EADDRINUSE);
	second = packet_socket_take_over(path, geteuid());
	assert_true(second >= 0);
	second_id = packet_socket_id(path);
	assert_true(second_id.ino != first_id.ino);
	fd = connect_to_it();
	first = accept(second, NULL, NULL);
	assert_true(first >= 0);
	packet_socket_unlink(path, &first_id);
	assert_int_equal(access(path, F_OK), 0);
	packet_socket_unlink(path, &(struct packet_socket_id){0});
	assert_int_equal(access(path, F_OK), 0);
	packet_socket_unlink(path, &second_id);
	assert_int_equal(access(path, F_OK), -1);
	close(fd);
	close(first);
	close(second);
	end();
}

/* Each look is seen by a probe; those that are asked for within a second are one. */
static void looks_are_bounded(void **unused)
{
	int fd;

	(void)unused;
	begin(false);
	fd = connect_to_it();
	say_hello(fd);
	assert_int_equal(answer(fd), WIRE_HELLO);
	usleep(300000);

	int before = *n_probes;

	for (int i = 0; i < 30; i++) {
		ask_rescan(fd);
		usleep(10000);
	}
	assert_in_range(*n_probes, before, before + 1);
	/* But the last of them is not lost. */
	for (int i = 0; i < 500 && *n_probes == before; i++)
		usleep(10000);
	assert_in_range(*n_probes, before + 1, before + 2);
	close(fd);
	end();
}

/* Nor does a connection get around that. */
static void greetings_are_bounded(void **unused)
{
	int fd, before;

	(void)unused;
	begin(false);
	fd = connect_to_it();
	say_hello(fd);
	assert_int_equal(answer(fd), WIRE_HELLO);
	usleep(300000);
	before = *n_probes;
	for (int i = 0; i < 20; i++) {
		close(fd);
		fd = connect_to_it();
		say_hello(fd);
		assert_int_equal(answer(fd), WIRE_HELLO);
		usleep(20000);
	}
	for (int i = 0; i < 500 && *n_probes == before; i++)
		usleep(10000);
	assert_in_range(*n_probes, before + 1, before + 3);
	close(fd);
	end();
}

static void greets_once(void **unused)
{
	int fd, kind;

	(void)unused;
	begin(false);
	fd = connect_to_it();
	say_hello(fd);
	say_hello(fd);
	do
		kind = answer(fd);
	while (kind);
	close(fd);
	end();
}

static void ask_log(int fd)
{
	size_t len = wire_put_log(packet);

	assert_int_equal(send(fd, packet, len, MSG_NOSIGNAL), (ssize_t)len);
}

/* The answer to ask_log(): 0 with a descriptor, or the error. */
static int log_answer(int fd, int *ret_fd)
{
	struct wire_logged logged;
	ssize_t n;

	do {
		struct pollfd in = {.fd = fd, .events = POLLIN};

		assert_int_equal(poll(&in, 1, ANSWER_MS), 1);
		n = packet_socket_receive(fd, packet, sizeof(packet), ret_fd);
		assert_true(n > 0);
	} while (packet[0] != WIRE_LOGGED);
	assert_int_equal(wire_get_logged(packet, (size_t)n, &logged), 0);
	assert_int_equal(logged.error == 0, *ret_fd >= 0);
	return logged.error;
}

/* It is opened once a second, to be read and nothing else; there is no log before that. */
static void gives_the_log(void **unused)
{
	char name[128], text[16] = "";
	int fd, log_fd;
	FILE *file;

	(void)unused;
	begin(false);
	fd = connect_to_it();
	say_hello(fd);
	ask_log(fd);
	assert_int_equal(log_answer(fd, &log_fd), -ENOENT);
	snprintf(name, sizeof(name), "%s/dev", folder);
	assert_int_equal(mkdir(name, 0700), 0);
	snprintf(name, sizeof(name), "%s/dev/kmsg", folder);
	file = fopen(name, "w");
	assert_non_null(file);
	fputs("6,1,2,-;x\n", file);
	fclose(file);
	ask_log(fd);
	assert_int_equal(log_answer(fd, &log_fd), -EAGAIN);
	usleep(1100000);
	ask_log(fd);
	assert_int_equal(log_answer(fd, &log_fd), 0);
	assert_int_equal(read(log_fd, text, sizeof(text)), 10);
	assert_memory_equal(text, "6,1,2,-;x\n", 10);
	assert_int_equal(write(log_fd, "x", 1), -1);
	assert_true(fcntl(log_fd, F_GETFD) & FD_CLOEXEC);
	close(log_fd);
	close(fd);
	unlink(name);
	snprintf(name, sizeof(name), "%s/dev", folder);
	rmdir(name);
	end();
}

/* Once for a connection, by another process; here there are none. */
static void gives_records(void **unused)
{
	struct wire_logged gathered;
	size_t len;
	int fd, passed, kind;

	(void)unused;
	begin(false);
	fd = connect_to_it();
	say_hello(fd);
	len = wire_put_records(packet);
	assert_int_equal(send(fd, packet, len, MSG_NOSIGNAL), (ssize_t)len);
	do {
		struct pollfd in = {.fd = fd, .events = POLLIN};

		assert_int_equal(poll(&in, 1, ANSWER_MS), 1);
		len = (size_t)packet_socket_receive(fd, packet, sizeof(packet), &passed);
	} while (packet[0] != WIRE_GATHERED);
	assert_int_equal(wire_get_gathered(packet, len, &gathered), 0);
	assert_int_equal(gathered.error, -ENOENT);
	assert_int_equal(passed, -1);
	len = wire_put_records(packet);
	assert_int_equal(send(fd, packet, len, MSG_NOSIGNAL), (ssize_t)len);
	do
		kind = answer(fd);
	while (kind);
	close(fd);
	end();
}

static void put(const char *name, const char *text)
{
	char full[256];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", folder, name);
	for (char *p = full + strlen(folder) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0700);
		*p = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void wish(int fd, enum ufs_monitor policy)
{
	size_t len = wire_put_monitor(packet, &(struct wire_monitor){.policy = policy});

	assert_int_equal(send(fd, packet, len, MSG_NOSIGNAL), (ssize_t)len);
}

static struct wire_monitored monitored_answer(int fd)
{
	struct wire_monitored ret;
	ssize_t n;

	do {
		struct pollfd in = {.fd = fd, .events = POLLIN};

		assert_int_equal(poll(&in, 1, 2 * ANSWER_MS), 1);
		n = recv(fd, packet, sizeof(packet), 0);
		assert_true(n > 0);
	} while (packet[0] != WIRE_MONITORED);
	assert_int_equal(wire_get_monitored(packet, (size_t)n, &ret), 0);
	return ret;
}

/* The child of the server with that name, 0 without one. */
static pid_t child_of_server(const char *name)
{
	char file_name[64], comm[32];
	int pid, found = 0;
	FILE *children, *file;

	snprintf(file_name, sizeof(file_name), "/proc/%d/task/%d/children", (int)server_pid,
		 (int)server_pid);
	children = fopen(file_name, "r");
	assert_non_null(children);
	while (!found && fscanf(children, "%d", &pid) == 1) {
		snprintf(file_name, sizeof(file_name), "/proc/%d/comm", pid);
		file = fopen(file_name, "r");
		if (!file)
			continue;
		if (fscanf(file, "%31s", comm) == 1 && !strcmp(comm, name))
			found = pid;
		fclose(file);
	}
	fclose(children);
	return found;
}

static int hung_up_fd;

/* Says when the connection has ended. */
static void *hang_up_noticed(void *arg)
{
	char c;

	while (recv((int)(intptr_t)arg, &c, 1, 0) > 0)
		;
	if (write(hung_up_fd, "", 1) != 1)
		_exit(EXIT_FAILURE);
	return wait_for_ever(NULL);
}

/* Of all processes it alone is killed: that is told, and the next one has the same wish. */
static void who_keeps_the_monitors_is_started_again(void **unused)
{
	struct wire_monitored said;
	pid_t pid;
	char command[128];
	int fd;

	(void)unused;
	begin(false);
	put("sys/devices/platform/soc/1d84000.ufshc/monitor/monitor_enable", "1\n");
	put("sys/devices/platform/soc/1d84000.ufshc/host0/scsi_host/host0/nr_hw_queues", "8\n");
	fd = connect_to_it();
	say_hello(fd);
	wish(fd, UFS_MONITOR_ON);
	for (int i = 0; i < 2; i++) {
		said = monitored_answer(fd);
		assert_int_equal(said.n_hosts, 1);
		assert_int_equal(said.n_wanted, 1);
		assert_int_equal(said.error, 0);
		pid = child_of_server("flashscope-ufs");
		assert_true(pid > 0);
		assert_int_equal(kill(pid, SIGKILL), 0);
		said = monitored_answer(fd);
		assert_int_equal(said.n_hosts, 0);
		assert_int_equal(said.n_wanted, 0);
		assert_int_equal(said.error, -ESRCH);
	}
	/* Whom nobody needs is not started again. */
	wish(fd, UFS_MONITOR_OFF);
	usleep(2500000);
	assert_int_equal(child_of_server("flashscope-ufs"), 0);
	close(fd);
	snprintf(command, sizeof(command), "rm -rf %s/sys", folder);
	assert_int_equal(system(command), 0);
	end();
}

/* A daemon that is killed and cannot end: its wish ends, and without it what it wished for. */
static void the_wish_of_one_that_cannot_end(void **unused)
{
	struct pollfd in = {.events = POLLIN};
	char command[128], c;
	pid_t child;
	int ends[2];

	(void)unused;
	begin(false);
	put("sys/devices/platform/soc/1d84000.ufshc/monitor/monitor_enable", "1\n");
	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		pthread_t thread;
		int fd;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fd = connect_to_it();
		say_hello(fd);
		wish(fd, UFS_MONITOR_ON);
		monitored_answer(fd);
		hung_up_fd = ends[1];
		if (write(ends[1], "", 1) != 1 ||
		    pthread_create(&thread, NULL, hang_up_noticed, (void *)(intptr_t)fd) != 0)
			_exit(EXIT_FAILURE);
		pthread_exit(NULL);
	}
	in.fd = ends[0];
	assert_int_equal(poll(&in, 1, ANSWER_MS), 1);
	assert_int_equal(read(ends[0], &c, 1), 1);
	/* Its connection is ended within LIFE_MS. */
	assert_int_equal(poll(&in, 1, 15000), 1);
	assert_int_equal(read(ends[0], &c, 1), 1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	snprintf(command, sizeof(command), "rm -rf %s/sys", folder);
	assert_int_equal(system(command), 0);
	end();
}

static int64_t cpu_ms(void)
{
	struct timespec t;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(server_pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &t), 0);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void no_descriptor_is_no_loop(void **unused)
{
	int fd;
	int64_t before_ms;

	(void)unused;
	begin(true);
	fd = connect_to_it();
	usleep(200000);
	before_ms = cpu_ms();
	usleep(1000000);
	assert_in_range(cpu_ms() - before_ms, 0, 200);
	assert_int_equal(waitpid(server_pid, NULL, WNOHANG), 0);
	close(fd);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silent_one_is_replaced),
		cmocka_unit_test(one_that_cannot_end_is_replaced),
		cmocka_unit_test(a_socket_in_the_place_of_another),
		cmocka_unit_test(looks_are_bounded),
		cmocka_unit_test(greetings_are_bounded),
		cmocka_unit_test(greets_once),
		cmocka_unit_test(gives_the_log),
		cmocka_unit_test(gives_records),
		cmocka_unit_test(who_keeps_the_monitors_is_started_again),
		cmocka_unit_test(the_wish_of_one_that_cannot_end),
		cmocka_unit_test(no_descriptor_is_no_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
