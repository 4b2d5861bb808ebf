/* Started by root, flashscoped starts flashscope-helper, which keeps what commands to devices need,
 * and gives up every privilege of its own before it reads anything. */
#pragma once

#include "base/packet_socket.h"
#include "config/config.h"

/* The helper, as far as this process is concerned. */
struct helper_process {
	char path[256];                 /* of its socket; "" when there is to be none */
	char off_reason[128];           /* then why */
	int pid;                        /* 0: started by somebody else, or ended */
	struct packet_socket_id socket; /* that this process has made */
};

/* Gives runtime folder and database to the user of the configuration, when root starts it: before
 * the helper, whose socket is made there as that user. -ENOENT, logged, when there is no such user.
 */
MUST_CHECK int files_give(const struct config *config);

/* Starts the helper when the configuration and the privileges say so; where it has to be started
 * and cannot be, this is logged, and the daemon does without. successor: of a daemon that was
 * killed and cannot end, whose helper does not either and listens still: then its socket is
 * replaced. */
void helper_start(const struct config *config, bool successor, struct helper_process *ret);

/* Becomes the user of the configuration, and drops all capabilities. Call it before there are
 * threads. 0; -errno, logged, when it would go on with more than was asked for. */
MUST_CHECK int privileges_drop(const struct config *config);

/* Reaps the helper's process once it is gone. Returns true when it was reaped by this call: no
 * other one will be started. */
bool helper_reap(struct helper_process *helper);

/* Removes the socket that was made for it, for a stop. */
void helper_leave(const struct helper_process *helper);
