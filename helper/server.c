#include "helper/server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/hw.h"
#include "base/log.h"
#include "base/packet_socket.h"
#include "base/process.h"
#include "helper/request.h"
#include "helper/ufs_watch.h"
#include "model/crash_records.h"
#include "sampling/schedule.h"

#define SEND_WAIT_MS 1000
#define STOP_TRY_MS  100
#define DEAF_MS      1000 /* after a connection that could not be taken */
#define REAP_MS      1000
#define RESCAN_MS    1000  /* between two looks that are asked for */
#define LIFE_MS      10000 /* between two looks whether the daemon lives, while its wish counts */
#define LOG_MS       1000  /* between two times that the kernel's log is opened */

/* Until the process that keeps the UFS monitors is started again, after it has died. */
#define WATCH_FIRST_MS 1000
#define WATCH_MAX_MS   60000

struct server {
	struct server_options options;
	struct crew *crew;
	int client_fd; /* -1: none */
	pid_t client_pid;
	bool greeted;
	int64_t deaf_until_ms;
	int64_t life_at_ms;       /* when to look whether the client lives */
	int64_t rescanned_ms;     /* when one was last asked for */
	int64_t rescan_at_ms;     /* INT64_MAX: none is put off */
	int64_t logged_ms;        /* when the kernel's log was opened last */
	bool gave_records;        /* to this client */
	struct wire_account told; /* the account that the daemon knows */
	struct ufs_watch ufs;
	bool wants_watch;                /* ufs shall run */
	struct backoff watch_again;      /* when it has died */
	int64_t watch_at_ms;             /* when it is started again, 0: it was not lost */
	struct wire_monitor wish;        /* of the daemon that asks */
	struct wire_monitored monitored; /* what became of the UFS monitors */
	uint8_t *packet;                 /* WIRE_MESSAGE_MAX */
};

static void hang_up(struct server *server, const char *why)
{
	if (server->client_fd < 0)
		return;
	log_info("process %d: %s", (int)server->client_pid, why);
	close(server->client_fd);
	server->client_fd = -1;
	/* One that never said what it is was no daemon, and its end says nothing of one. */
	if (server->greeted)
		(void)ufs_watch_tell(&server->ufs, "", NULL, NULL);
	server->greeted = false;
	server->wish = (struct wire_monitor){.policy = UFS_MONITOR_OFF};
}

/* A daemon that does not take its answers for a second has its connection ended: it finds out and
 * comes back. */
static bool send_to(int fd, const uint8_t *packet, size_t len)
{
	struct pollfd out = {.fd = fd, .events = POLLOUT};

	for (;;) {
		if (send(fd, packet, len, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
			return true;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN || poll(&out, 1, SEND_WAIT_MS) <= 0)
			return false;
	}
}

static void send_packet(struct server *server, size_t len)
{
	if (server->client_fd >= 0 && !send_to(server->client_fd, server->packet, len))
		hang_up(server, "it takes no answers");
}

static void on_rows(void *arg, const struct wire_rows *head, const struct sink *sink)
{
	struct server *server = arg;
	struct wire_rows part = *head;
	size_t next = 0;

	part.last = false;
	while (server->greeted && !part.last)
		send_packet(server, wire_put_rows(server->packet, &part, sink, &next));
}

static void on_probed(void *arg, size_t collector, int error, const struct probe *probe)
{
	struct server *server = arg;
	struct wire_probed head = {.collector = collector, .error = error};
	size_t next = 0;

	while (server->greeted && !head.last)
		send_packet(server, wire_put_probed(server->packet, &head, probe, &next));
}

static void on_node(void *arg, const struct wire_node *node)
{
	struct server *server = arg;
	const char *asks = server->options.crew.catalog->collectors[node->collector]->name;
	const char *what = *node->node ? node->node : "looking for devices";

	if (node->hung)
		log_warning("%s: %s does not answer", asks, what);
	else
		log_info("%s: %s %s", asks, what,
			 node->gone ? "went and had not answered" : "answers again");
	if (server->greeted)
		send_packet(server, wire_put_node(server->packet, node));
}

static bool monitors_were_left_on(const struct server *server)
{
	const char *path = server->options.memory_path;

	return path && access(path, F_OK) == 0;
}

/* Tells the wish to the process that keeps the monitors, which is started for it. A policy that
 * never switches anything on needs nobody who does, unless one before has left something on. */
static void tell_wish(struct server *server)
{
	const struct server_options *options = &server->options;
	int r;

	if (server->ufs.fd < 0 && server->wish.policy == UFS_MONITOR_OFF &&
	    !monitors_were_left_on(server)) {
		server->wants_watch = false;
		return;
	}
	server->wants_watch = true;
	server->watch_at_ms = 0;
	r = ufs_watch_tell(&server->ufs, options->crew.root, options->memory_path, &server->wish);
	if (r < 0)
		log_warning("the UFS monitors are left as they are: %s", strerror(-r));
}

int server_open(const struct server_options *options, struct server **ret)
{
	CLEANUP(server_closep) struct server *server = calloc(1, sizeof(*server));
	int r;

	if (!server)
		return -ENOMEM;
	server->options = *options;
	server->client_fd = -1;
	server->rescanned_ms = -RESCAN_MS;
	server->rescan_at_ms = INT64_MAX;
	server->logged_ms = -LOG_MS;
	server->ufs = UFS_WATCH_NONE;
	server->packet = malloc(WIRE_MESSAGE_MAX);
	if (!server->packet)
		return -ENOMEM;
	r = crew_open(&options->crew, &(struct crew_events){server, on_rows, on_probed, on_node},
		      &server->crew);
	if (r < 0)
		return r;
	server->wish.policy = UFS_MONITOR_OFF;
	tell_wish(server);
	*ret = server;
	server = NULL;
	return 0;
}

void server_close(struct server *server)
{
	if (!server)
		return;
	crew_close(server->crew);
	if (server->client_fd >= 0)
		close(server->client_fd);
	if (server->options.listen_fd >= 0)
		close(server->options.listen_fd);
	free(server->packet);
	free(server);
}

void server_closep(struct server **server)
{
	server_close(*server);
}

/* A connection that is not taken is told why. */
static void refuse(struct server *server, int fd, const char *reason)
{
	struct wire_refused refused;

	snprintf(refused.reason, sizeof(refused.reason), "%s", reason);
	(void)send_to(fd, server->packet, wire_put_refused(server->packet, &refused));
}

static bool is_allowed(const struct server *server, uid_t uid)
{
	return uid == 0 || uid == geteuid() || uid == server->options.allowed_uid;
}

/* Without a descriptor for it, a connection keeps waiting, and poll() does not wait for anything.
 */
static void accept_failed(struct server *server, int error)
{
	if (error == EAGAIN || error == EINTR || error == ECONNABORTED)
		return;
	log_warning("a connection cannot be taken: %s", strerror(error));
	server->deaf_until_ms = clock_boot_ms() + DEAF_MS;
}

static void accept_client(struct server *server)
{
	CLEANUP(closep)
	int fd = accept4(server->options.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred peer;
	socklen_t size = sizeof(peer);
	char reason[WIRE_TEXT_MAX];

	if (fd < 0)
		accept_failed(server, errno);
	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return;
	if (!is_allowed(server, peer.uid)) {
		snprintf(reason, sizeof(reason), "user %u may not ask flashscope-helper", peer.uid);
		log_warning("process %d: %s", (int)peer.pid, reason);
		refuse(server, fd, reason);
		return;
	}
	if (!server->greeted)
		hang_up(server, "it has not said who it is, and another one comes");
	else if (server->client_fd >= 0 && process_is_dying(server->client_pid))
		hang_up(server, "it was killed and cannot end, and another one comes");
	if (server->client_fd >= 0) {
		snprintf(reason, sizeof(reason), "process %d asks flashscope-helper already",
			 (int)server->client_pid);
		refuse(server, fd, reason);
		return;
	}
	server->client_fd = fd;
	server->client_pid = peer.pid;
	fd = -1;
}

static void rescan(struct server *server, int64_t now_ms)
{
	server->rescanned_ms = now_ms;
	server->rescan_at_ms = INT64_MAX;
	crew_rescan(server->crew);
	ufs_watch_look(&server->ufs);
}

/* Each look has all workers look: however often it is asked for, there is one a second. */
static void ask_rescan(struct server *server)
{
	int64_t now_ms = clock_boot_ms(), from_ms = server->rescanned_ms + RESCAN_MS;

	if (now_ms >= from_ms)
		rescan(server, now_ms);
	else
		server->rescan_at_ms = from_ms;
}

/* Two that were not built from one source would take each other's numbers for something else. */
static int greet(struct server *server, const struct wire_hello *theirs)
{
	struct wire_hello ours = {.digest = wire_digest(server->options.crew.catalog)};
	char reason[WIRE_TEXT_MAX];

	snprintf(ours.version, sizeof(ours.version), "%s", FLASHSCOPE_VERSION);
	if (strcmp(ours.version, theirs->version) != 0 || ours.digest != theirs->digest) {
		snprintf(reason, sizeof(reason),
			 "flashscope-helper %s does not belong to flashscoped %s%s", ours.version,
			 theirs->version,
			 strcmp(ours.version, theirs->version) ? "" : " of another build");
		refuse(server, server->client_fd, reason);
		hang_up(server, reason);
		return 0;
	}
	log_info("process %d: flashscoped %s asks", (int)server->client_pid, theirs->version);
	server->greeted = true;
	server->gave_records = false;
	server->told = (struct wire_account){0};
	send_packet(server, wire_put_hello(server->packet, &ours));
	if (server->wants_watch)
		send_packet(server, wire_put_monitored(server->packet, &server->monitored));
	ask_rescan(server);
	crew_tell_hung(server->crew);
	return 0;
}

static int take_monitor(struct server *server, const struct wire_monitor *wish)
{
	server->wish = *wish;
	tell_wish(server);
	return 0;
}

static int take_hello(struct server *server, const struct wire_hello *hello)
{
	return server->greeted ? -EBADMSG : greet(server, hello);
}

static int open_log(struct server *server)
{
	CLEANUP(hw_closep) struct hw *hw = NULL;
	int64_t now_ms = clock_boot_ms();
	int r;

	if (now_ms < server->logged_ms + LOG_MS)
		return -EAGAIN;
	server->logged_ms = now_ms;
	r = hw_open(server->options.crew.root, &hw);
	return r < 0 ? r : hw_open_log(hw);
}

/* The kernel looks at the privileges of who opens its log, not of who reads it, so the daemon reads
 * by itself what is opened here. The path is fixed, and what is passed on can be read and no more.
 */
static void give_log(struct server *server)
{
	CLEANUP(closep) int fd = open_log(server);
	struct wire_logged logged = {.error = MIN(fd, 0)};
	size_t len = wire_put_logged(server->packet, &logged);

	if (fd < 0)
		send_packet(server, len);
	else if (packet_socket_send_fd(server->client_fd, server->packet, len, fd) < 0)
		hang_up(server, "it takes no answers");
}

/* In a process of its own: a disk may be read, and may not answer. */
static void gather_records(struct server *server)
{
	CLEANUP(hw_closep) struct hw *hw = NULL;
	int fd = memfd_create("records", MFD_CLOEXEC);
	int r = fd < 0 ? -errno : hw_open(server->options.crew.root, &hw);

	if (r == 0)
		r = crash_records_gather(hw, fd);

	struct wire_logged gathered = {.error = MIN(r, 0)};
	size_t len = wire_put_gathered(server->packet, &gathered);

	if (r < 0)
		(void)send_to(STDIN_FILENO, server->packet, len);
	else if (packet_socket_send_fd(STDIN_FILENO, server->packet, len, fd) < 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_SUCCESS);
}

/* Once for a connection. The answer comes from the process that gathers. */
static int give_records(struct server *server)
{
	struct wire_logged failed = {0};
	pid_t pid;

	if (server->gave_records)
		return -EBADMSG;
	server->gave_records = true;
	pid = fork();
	if (pid == 0) {
		/* Other sockets of the helper would keep its peers from noticing its end. */
		if (descriptors_move(server->client_fd, STDIN_FILENO) < 0)
			_exit(EXIT_FAILURE);
		descriptors_close_from(STDERR_FILENO + 1);
		gather_records(server);
	}
	if (pid < 0) {
		failed.error = -errno;
		send_packet(server, wire_put_gathered(server->packet, &failed));
	}
	return 0;
}

static int obey(struct server *server, const struct request *request)
{
	if (request->type == WIRE_HELLO)
		return take_hello(server, &request->hello);
	if (!server->greeted)
		return -EBADMSG;
	if (request->type == WIRE_MONITOR)
		return take_monitor(server, &request->monitor);
	if (request->type == WIRE_LOG) {
		give_log(server);
		return 0;
	}
	if (request->type == WIRE_RECORDS)
		return give_records(server);
	if (request->type == WIRE_TICK) {
		crew_request(server->crew, &request->tick, clock_boot_ms());
		return 0;
	}
	ask_rescan(server);
	return 0;
}

static void receive(struct server *server)
{
	struct request request;
	ssize_t n = recv(server->client_fd, server->packet, WIRE_MESSAGE_MAX, MSG_TRUNC);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		hang_up(server, "it has gone");
		return;
	}
	if (n > WIRE_MESSAGE_MAX ||
	    request_read(server->packet, (size_t)n, server->options.crew.catalog, &request) < 0 ||
	    obey(server, &request) < 0)
		hang_up(server, "what it asks cannot be understood");
}

static void tell_account(struct server *server)
{
	struct wire_account account;

	crew_account(server->crew, &account);
	if (!server->greeted || !memcmp(&account, &server->told, sizeof(account)))
		return;
	server->told = account;
	send_packet(server, wire_put_account(server->packet, &account));
}

static void tell_monitored(struct server *server)
{
	if (server->greeted)
		send_packet(server, wire_put_monitored(server->packet, &server->monitored));
}

static void take_monitored(struct server *server)
{
	if (ufs_watch_receive(&server->ufs, &server->monitored))
		tell_monitored(server);
}

/* For as long as nobody keeps the monitors nothing is known of them. */
static void lose_watch(struct server *server, int64_t now_ms)
{
	struct backoff *again = &server->watch_again;

	/* until_ms is when it was started: it has lived long enough. */
	if (now_ms - again->until_ms > WATCH_MAX_MS)
		backoff_reset(again);
	backoff_fail(again, now_ms, WATCH_FIRST_MS, WATCH_MAX_MS);
	server->watch_at_ms = again->until_ms;
	server->monitored = (struct wire_monitored){
		.error = server->wish.policy == UFS_MONITOR_OFF ? 0 : -ESRCH};
	tell_monitored(server);
}

/* One that died has left the monitors as they are, and another one sees to them. */
static void keep_watch(struct server *server, int64_t now_ms)
{
	if (!server->wants_watch || server->ufs.fd >= 0)
		return;
	if (!server->watch_at_ms)
		lose_watch(server, now_ms);
	if (now_ms >= server->watch_at_ms)
		tell_wish(server);
}

static int64_t watch_due_ms(const struct server *server, int64_t now_ms)
{
	if (!server->wants_watch || server->ufs.fd >= 0)
		return INT64_MAX;
	return MAX(server->watch_at_ms, now_ms);
}

/* A daemon that was killed while its disk hangs holds its connection for as long as that lasts: its
 * wish ends with it. One that only does not run may go on. */
static void check_client(struct server *server, int64_t now_ms)
{
	if (!server->wants_watch || !server->greeted || now_ms < server->life_at_ms)
		return;
	server->life_at_ms = now_ms + LIFE_MS;
	if (process_is_dying(server->client_pid))
		hang_up(server, "it was killed and cannot end");
}

/* Each child is waited for by whom it belongs to: the keepers of the crew, and the watch. */
static int64_t due_ms(struct server *server, int64_t now_ms)
{
	int64_t due_ms = MIN(crew_due_ms(server->crew, now_ms), server->rescan_at_ms);

	due_ms = MIN(due_ms, watch_due_ms(server, now_ms));
	if (server->wants_watch && server->greeted)
		due_ms = MIN(due_ms, MAX(server->life_at_ms, now_ms));
	if (ufs_watch_reap(&server->ufs))
		due_ms = MIN(due_ms, now_ms + REAP_MS);
	return server->deaf_until_ms > now_ms ? MIN(due_ms, server->deaf_until_ms) : due_ms;
}

static int wait_ms(int64_t due_ms, int64_t now_ms)
{
	if (due_ms == INT64_MAX)
		return -1;
	return (int)MAX(MIN(due_ms - now_ms, 60000), 0);
}

int server_run(struct server *server, int stop_fd)
{
	enum { STOP, LISTEN, CLIENT, UFS, N_OWN };
	struct pollfd fds[N_OWN + CREW_FDS_MAX] = {{.fd = stop_fd, .events = POLLIN}};

	for (;;) {
		int64_t now_ms = clock_boot_ms();
		size_t n = N_OWN + crew_fds(server->crew, fds + N_OWN);

		fds[LISTEN] = (struct pollfd){
			.fd = server->deaf_until_ms > now_ms ? -1 : server->options.listen_fd,
			.events = POLLIN};
		fds[CLIENT] = (struct pollfd){.fd = server->client_fd, .events = POLLIN};
		fds[UFS] = (struct pollfd){.fd = server->ufs.fd, .events = POLLIN};
		if (poll(fds, (nfds_t)n, wait_ms(due_ms(server, now_ms), now_ms)) < 0 &&
		    errno != EINTR)
			return -errno;
		if (fds[STOP].revents)
			return 0;
		/* Whoever has greeted by now is not replaced. */
		if (fds[CLIENT].fd >= 0 && fds[CLIENT].revents)
			receive(server);
		if (fds[LISTEN].revents)
			accept_client(server);
		if (fds[UFS].fd >= 0 && fds[UFS].revents)
			take_monitored(server);
		if (clock_boot_ms() >= server->rescan_at_ms)
			rescan(server, clock_boot_ms());
		check_client(server, clock_boot_ms());
		keep_watch(server, clock_boot_ms());
		crew_turn(server->crew, clock_boot_ms());
		tell_account(server);
	}
}

/* Says each process that the kernel holds. Returns whether there was any. */
static bool tell_held(struct server *server, const char *what)
{
	struct crew_held held;
	size_t i = 0;

	for (; crew_held(server->crew, i, &held); i++)
		log_warning(
			"%s process %d, the worker of %s: the kernel has held it in /%s for %lld s",
			what, (int)held.process.pid, *held.device ? held.device : "all probes",
			held.process.path,
			(long long)((clock_boot_ms() - held.process.since_ms) / 1000));
	return i > 0;
}

void server_stop(struct server *server, int64_t wait_ms)
{
	int64_t until_ms = clock_boot_ms() + wait_ms;
	struct crew_held held;

	/* What waits for held workers must not pass for one that serves. */
	close(server->options.listen_fd);
	server->options.listen_fd = -1;
	hang_up(server, "it is left alone, the helper stops");
	/* The wish of nobody: where the one that had switched them on has died. */
	if (server->ufs.fd < 0)
		tell_wish(server);
	ufs_watch_stop(&server->ufs);
	crew_stop(server->crew, clock_boot_ms());
	if (!tell_held(server, "waiting for"))
		return;
	while (crew_held(server->crew, 0, &held) && clock_boot_ms() < until_ms)
		clock_sleep_until(clock_boot_ms() + STOP_TRY_MS);
	if (!tell_held(server, "leaving behind"))
		log_info("all workers have ended");
}
