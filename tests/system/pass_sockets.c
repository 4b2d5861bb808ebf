/* Opens sockets that listen, and runs a program with them as a service manager does:
 *   pass_sockets tcp:ADDRESS unix:PATH ... -- PROGRAM ARGUMENT...
 * An address is that of IPv4 without a port; the kernel chooses one. "packets:PATH" is a socket of
 * packets, which the helper takes. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listen_tcp(const char *ip)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (inet_pton(AF_INET, ip, &in.sin_addr) != 1 ||
	    bind(fd, (const struct sockaddr *)&in, sizeof(in)) < 0)
		return -1;
	return fd;
}

static int listen_unix(const char *path, int type)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, type, 0);

	if (snprintf(un.sun_path, sizeof(un.sun_path), "%s", path) >= (int)sizeof(un.sun_path) ||
	    bind(fd, (const struct sockaddr *)&un, sizeof(un)) < 0)
		return -1;
	return fd;
}

static int open_one(const char *what)
{
	if (!strncmp(what, "tcp:", 4))
		return listen_tcp(what + 4);
	if (!strncmp(what, "unix:", 5))
		return listen_unix(what + 5, SOCK_STREAM);
	if (!strncmp(what, "packets:", 8))
		return listen_unix(what + 8, SOCK_SEQPACKET);
	return -1;
}

int main(int argc, char **argv)
{
	char number[16];
	int n = 0;

	/* Whoever started this may have left some open. */
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	for (; n + 1 < argc && strcmp(argv[n + 1], "--") != 0; n++) {
		int fd = open_one(argv[n + 1]);

		if (fd != 3 + n || listen(fd, 8) < 0) {
			perror(argv[n + 1]);
			return 2;
		}
	}
	if (n + 2 >= argc)
		return 2;
	snprintf(number, sizeof(number), "%d", getpid());
	setenv("LISTEN_PID", number, 1);
	snprintf(number, sizeof(number), "%d", n);
	setenv("LISTEN_FDS", number, 1);
	execv(argv[n + 2], argv + n + 2);
	perror(argv[n + 2]);
	return 2;
}
