/* Starts the helper again when it dies, where no service manager does: under ./run, the daemon has
 * no privileges left to start another one. */
#pragma once

/* Forks the helper and watches it. Returns in the helper: 0, or -errno of fork(). The guardian
 * itself never returns; it ends with what the helper ends with, after a signal to stop. The signals
 * of stop_fd are blocked, and stop_fd is its own signalfd of them. It keeps socket_fd for the next
 * helper, until it is told to stop: whoever looks whether somebody listens finds nobody then.
 *
 * lifeline_fd: the end of a pipe whose other end a daemon holds; when that one is gone, this is a
 * stop. -1 for none. (A signal at the death of a parent is not sent to root by another user.) */
int guardian_split(int stop_fd, int socket_fd, int lifeline_fd);
