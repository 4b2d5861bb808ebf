/* Plays the socket of a service manager: prints each datagram that comes to PATH, its lines joined
 * by blanks, with the process that sent it in front. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static void print(const struct msghdr *message, char *text, size_t len)
{
	const struct cmsghdr *head = CMSG_FIRSTHDR(message);
	struct ucred sender = {0};

	if (head && head->cmsg_type == SCM_CREDENTIALS)
		memcpy(&sender, CMSG_DATA(head), sizeof(sender));
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\n')
			text[i] = ' ';
	printf("%d %.*s\n", sender.pid, (int)len, text);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const int on = 1;
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	if (argc != 2 ||
	    snprintf(un.sun_path, sizeof(un.sun_path), "%s", argv[1]) >= (int)sizeof(un.sun_path) ||
	    setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0 ||
	    bind(fd, (const struct sockaddr *)&un, sizeof(un)) < 0) {
		perror("notify_listen");
		return 2;
	}
	for (;;) {
		char text[4096], control[CMSG_SPACE(sizeof(struct ucred))];
		struct iovec part = {text, sizeof(text)};
		struct msghdr message = {.msg_iov = &part,
					 .msg_iovlen = 1,
					 .msg_control = control,
					 .msg_controllen = sizeof(control)};
		ssize_t n = recvmsg(fd, &message, 0);

		if (n < 0)
			return 1;
		print(&message, text, (size_t)n);
	}
}
