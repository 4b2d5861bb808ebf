/* Talks to flashscope-helper as the caller likes, and says what it answers.
 * Usage: helper_client SOCKET WHAT...
 *
 * Each WHAT is a packet: hello (as a daemon of this build), other (of another build), tick, nogroup
 * (a tick of a group that there is none of), rescan, garbage, nothing; stay keeps the connection
 * until it is killed. For each, a line: the answer's kind, "refused: REASON", "closed", or "silent"
 * when none comes within a second. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sampling/registry.h"
#include "sampling/wire_helper.h"

#define ANSWER_MS 1000

static uint8_t packet[WIRE_MESSAGE_MAX];

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		printf("cannot connect: %s\n", strerror(errno));
		exit(EXIT_FAILURE);
	}
	return fd;
}

static size_t make(const char *what)
{
	struct wire_hello hello = {.version = FLASHSCOPE_VERSION,
				   .digest = wire_digest(registry())};
	struct wire_tick tick = {1, {{0, 1000}}};

	if (!strcmp(what, "hello"))
		return wire_put_hello(packet, &hello);
	if (!strcmp(what, "tick"))
		return wire_put_tick(packet, &tick);
	if (!strcmp(what, "rescan"))
		return wire_put_rescan(packet);
	if (!strcmp(what, "other")) {
		hello.digest ^= 1;
		return wire_put_hello(packet, &hello);
	}
	if (!strcmp(what, "nogroup")) {
		tick.groups[0].group = WIRE_GROUPS_MAX;
		return wire_put_tick(packet, &tick);
	}
	if (!strcmp(what, "garbage")) {
		memset(packet, 0xa5, 1000);
		return 1000;
	}
	return 0;
}

static void tell(int fd)
{
	static const char *const names[] = {
		[WIRE_PROBED] = "probed",   [WIRE_ROWS] = "rows",
		[WIRE_HELLO] = "hello",     [WIRE_NODE] = "node",
		[WIRE_ACCOUNT] = "account", [WIRE_MONITORED] = "monitored",
	};
	struct pollfd in = {.fd = fd, .events = POLLIN};
	struct wire_refused refused;
	ssize_t n = poll(&in, 1, ANSWER_MS) > 0 ? recv(fd, packet, sizeof(packet), 0) : -2;

	/* It has hung up without reading all; what it said stands behind that. */
	if (n == -1 && errno == ECONNRESET)
		n = recv(fd, packet, sizeof(packet), 0);

	if (n == -2)
		puts("silent");
	else if (n <= 0)
		puts("closed");
	else if (wire_get_refused(packet, (size_t)n, &refused) == 0)
		printf("refused: %s\n", refused.reason);
	else
		puts(packet[0] < sizeof(names) / sizeof(*names) && names[packet[0]]
			     ? names[packet[0]]
			     : "?");
}

int main(int argc, char **argv)
{
	int fd;

	if (argc < 3)
		return EXIT_FAILURE;
	fd = connect_to(argv[1]);
	for (int i = 2; i < argc; i++) {
		size_t len = make(argv[i]);

		while (!strcmp(argv[i], "stay"))
			pause();
		/* Where it has hung up, that is what it says next. */
		if (len)
			(void)!send(fd, packet, len, MSG_NOSIGNAL);
		tell(fd);
	}
	close(fd);
	return EXIT_SUCCESS;
}
