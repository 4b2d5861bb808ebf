/* Who may ask over HTTP. This machine may; who comes from elsewhere has to send the bearer token
 * (RFC 6750), unless the configuration says that anybody may read.
 *
 * The loop thread takes the token anew, others ask: a lock of its own keeps them apart. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/text.h"
#include "config/config.h"
#include "config/listen.h"

#define ACCESS_TOKEN_MIN 16
#define ACCESS_TOKEN_MAX 128

struct access {
	pthread_mutex_t lock;
	char token[ACCESS_TOKEN_MAX]; /* rest zero; token_len 0: nobody from elsewhere is let in */
	size_t token_len;
	bool everybody;  /* allow_unauthenticated */
	char path[256];  /* of the token, "" without one */
	char where[256]; /* that it was said: "FILE:LINE: ", "" without one */
	uid_t uid;       /* that may own the file beside root */
	gid_t gid;       /* that may read it beside its owner: the daemon's */
};

/* What the options say together: -EINVAL, and why says what to do, when an address can be reached
 * from elsewhere and there is neither a token nor the word that none is wanted. Touches no file. */
int access_check(const struct config *config, struct text *why);

/* The same for one place that turned out to be open, such as a socket that was passed. */
int access_check_open(const struct config *config, const char *place, struct text *why);

/* Reads the token, when there is to be one. -EINVAL: its file may be read or written by others than
 * its owner and the daemon's group, or holds no token; -errno of opening it; why says what to do.
 */
int access_open(struct access *access, const struct config *config, struct text *why);
void access_done(struct access *access);

/* Reads the token again, as whoever the daemon is by then. On an error the one before stays. */
int access_reload(struct access *access, struct text *why);

/* One of its own that reads the same token again, by another thread; and the token that it has
 * read. So a file that is slow holds up nobody. */
void access_copy(const struct access *access, struct access *ret);
void access_take(struct access *access, const struct access *from);

/* Whether a request with this Authorization header, "" without one, is let in. The time that this
 * takes tells nothing of the token. */
bool access_admits(struct access *access, const char *authorization);

/* Whether a token is asked for at all. */
bool access_wants_token(const struct access *access);

/* Whether a Host header names this machine. A page of a strange site can make a browser talk to an
 * address of this machine under a name of its own, and that name then stands in Host: an address as
 * number is never such a name. elsewhere: numbers other than those of loopback count, and the host
 * name of this machine, alone or with .local. */
bool access_host_is_ours(const char *host, bool elsewhere);
