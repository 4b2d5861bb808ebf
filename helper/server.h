/* The helper's side of the socket: one daemon at a time, known by the credentials that the kernel
 * tells of it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "helper/crew.h"

struct server;

struct server_options {
	struct crew_options crew;
	int listen_fd;     /* SOCK_SEQPACKET, owned by the server from now on */
	uid_t allowed_uid; /* beside root and the helper's own */
	/* Names the UFS monitors that were switched on: helper/ufs_switch.h. NULL for none. */
	const char *memory_path;
};

MUST_CHECK int server_open(const struct server_options *options, struct server **ret);
void server_close(struct server *server);
void server_closep(struct server **server);

/* Serves until stop_fd has input. 0 or -errno of the system calls. */
int server_run(struct server *server, int stop_fd);

/* Kills the workers, waits for those that the kernel holds for at most wait_ms and says what they
 * wait for. */
void server_stop(struct server *server, int64_t wait_ms);
