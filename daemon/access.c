#include "daemon/access.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/user.h"

#define READ_MAX_BYTES 512
#define HOST_MAX_BYTES 256
#define SCHEME         "Bearer "

/* RFC 6750: b64token. */
#define TOKEN_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="

static const char *token_path(const struct config *config)
{
	const char *path = config_text(config, OPTION_TOKEN_FILE);

	return strcmp(path, "none") ? path : "";
}

/* "FILE:LINE: ", as all errors of the configuration begin. */
static void put_where(const struct config *config, size_t id, struct text *why)
{
	const char *where = config_where(config, id);

	if (where)
		text_printf(why, "%s: ", where);
}

int access_check_open(const struct config *config, const char *place, struct text *why)
{
	bool everybody = config_bool(config, OPTION_UNAUTHENTICATED);
	bool token = *token_path(config);

	if (everybody != token)
		return 0;
	put_where(config, token ? OPTION_TOKEN_FILE : OPTION_LISTEN, why);
	if (token)
		text_str(why, "[http] token_file and allow_unauthenticated = yes exclude each "
			      "other; leave one out");
	else
		text_printf(why,
			    "[http] listen: %s can be reached from elsewhere: set token_file in "
			    "[http] to a file of mode 0600 with a token of %d to %d characters "
			    "(head -c 32 /dev/urandom | base64), or say allow_unauthenticated = "
			    "yes there",
			    place, ACCESS_TOKEN_MIN, ACCESS_TOKEN_MAX);
	return -EINVAL;
}

int access_check(const struct config *config, struct text *why)
{
	struct listen_list list;
	char buf[ADDRESS_NAME_MAX];

	if (listen_parse(config_text(config, OPTION_LISTEN), &list, why) < 0)
		return -EINVAL;
	for (size_t i = 0; i < list.n; i++) {
		struct text name = TEXT_IN(buf);

		if (!listen_is_open(&list.items[i]))
			continue;
		listen_name(&list.items[i], &name);
		return access_check_open(config, buf, why);
	}
	return 0;
}

/* Who is in the daemon's group may use its socket, and reads everything there as it is. */
static bool others_may(const struct stat *st, gid_t gid)
{
	mode_t allowed = S_IRWXU | (st->st_gid == gid ? S_IRGRP : 0);

	return st->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO) & ~allowed;
}

static int check_file(int fd, const struct access *access, struct text *why)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode)) {
		text_str(why, "is no file");
		return -EINVAL;
	}
	if (others_may(&st, access->gid)) {
		text_printf(why, "has mode %04o, so others may know the token: chmod 600",
			    st.st_mode & 07777);
		return -EINVAL;
	}
	if (st.st_uid != 0 && st.st_uid != access->uid) {
		text_printf(why, "belongs to user %u, neither root nor the daemon's user %u: chown",
			    st.st_uid, access->uid);
		return -EINVAL;
	}
	return 0;
}

/* A file of root's alone can be read at the start, and never again. */
static int open_file(const struct access *access, struct text *why)
{
	int fd = open(access->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0)
		return fd;

	int r = -errno;

	text_printf(why, "cannot be opened: %s", strerror(-r));
	if (r == -EACCES)
		text_printf(why,
			    ": it cannot be read as user %u; let the daemon's group read it (chgrp "
			    "%u, chmod 640)",
			    geteuid(), access->gid);
	return r;
}

static int read_token(const struct access *access, char token[ACCESS_TOKEN_MAX], size_t *ret_len,
		      struct text *why)
{
	CLEANUP(closep) int fd = open_file(access, why);
	char buf[READ_MAX_BYTES];

	if (fd < 0)
		return fd;

	int r = check_file(fd, access, why);

	if (r < 0)
		return r;

	ssize_t n = read(fd, buf, sizeof(buf) - 1);

	if (n < 0) {
		text_str(why, strerror(errno));
		return -errno;
	}
	buf[n] = '\0';

	size_t len = strspn(buf, TOKEN_CHARACTERS);

	if (len < ACCESS_TOKEN_MIN || len > ACCESS_TOKEN_MAX ||
	    (buf[len] && !strchr("\r\n", buf[len]))) {
		text_printf(why,
			    "does not begin with a token: one line of %d to %d letters, digits "
			    "and -._~+/=",
			    ACCESS_TOKEN_MIN, ACCESS_TOKEN_MAX);
		return -EINVAL;
	}
	memset(token, 0, ACCESS_TOKEN_MAX);
	memcpy(token, buf, len);
	*ret_len = len;
	return 0;
}

int access_reload(struct access *access, struct text *why)
{
	char token[ACCESS_TOKEN_MAX], cause[256];
	struct text text = TEXT_IN(cause);
	size_t len = 0;

	if (!*access->path)
		return 0;

	int r = read_token(access, token, &len, &text);

	if (r < 0) {
		text_printf(why, "%s[http] token_file: %s %s", access->where, access->path, cause);
		return r;
	}
	pthread_mutex_lock(&access->lock);
	memcpy(access->token, token, sizeof(token));
	access->token_len = len;
	pthread_mutex_unlock(&access->lock);
	return 0;
}

int access_open(struct access *access, const struct config *config, struct text *why)
{
	const char *user = config_text(config, OPTION_RUN_AS);
	struct text where;

	*access = (struct access){
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.uid = geteuid(),
		.gid = getegid(),
		.everybody = config_bool(config, OPTION_UNAUTHENTICATED),
	};
	snprintf(access->path, sizeof(access->path), "%s", token_path(config));
	where = TEXT_IN(access->where);
	put_where(config, OPTION_TOKEN_FILE, &where);
	/* One that is not there is said when it is to be become. */
	if (strcmp(user, "same") != 0)
		(void)!user_find(user, &access->uid, &access->gid);
	return access_reload(access, why);
}

void access_copy(const struct access *access, struct access *ret)
{
	*ret = (struct access){
		.lock = PTHREAD_MUTEX_INITIALIZER, .uid = access->uid, .gid = access->gid};
	memcpy(ret->path, access->path, sizeof(ret->path));
	memcpy(ret->where, access->where, sizeof(ret->where));
}

void access_take(struct access *access, const struct access *from)
{
	pthread_mutex_lock(&access->lock);
	memcpy(access->token, from->token, sizeof(access->token));
	access->token_len = from->token_len;
	pthread_mutex_unlock(&access->lock);
}

void access_done(struct access *access)
{
	explicit_bzero(access->token, sizeof(access->token));
}

bool access_wants_token(const struct access *access)
{
	return !access->everybody;
}

bool access_admits(struct access *access, const char *authorization)
{
	char given[ACCESS_TOKEN_MAX] = {0};
	unsigned differs = 0;

	if (!access_wants_token(access))
		return true;
	if (strncasecmp(authorization, SCHEME, strlen(SCHEME)) != 0)
		return false;
	authorization += strlen(SCHEME);
	authorization += strspn(authorization, " ");

	size_t len = strlen(authorization);

	if (len < ACCESS_TOKEN_MIN || len > sizeof(given))
		return false;
	memcpy(given, authorization, len);
	pthread_mutex_lock(&access->lock);
	/* All of it, wherever it differs first. */
	for (size_t i = 0; i < sizeof(given); i++)
		differs |= (unsigned char)given[i] ^ (unsigned char)access->token[i];
	differs |= access->token_len == 0;
	pthread_mutex_unlock(&access->lock);
	return !differs;
}

static bool is_number(const char *name, bool elsewhere)
{
	struct in_addr v4;
	struct in6_addr v6;
	char inner[HOST_MAX_BYTES];
	size_t len = strlen(name);

	if (inet_pton(AF_INET, name, &v4) == 1)
		return elsewhere || !strcmp(name, "127.0.0.1");
	if (len < 3 || name[0] != '[' || name[len - 1] != ']')
		return false;
	memcpy(inner, name + 1, len - 2);
	inner[len - 2] = '\0';
	if (inet_pton(AF_INET6, inner, &v6) != 1)
		return false;
	return elsewhere || IN6_IS_ADDR_LOOPBACK(&v6);
}

static bool is_own_name(const char *name)
{
	char own[HOST_MAX_BYTES] = "";
	size_t len;

	if (gethostname(own, sizeof(own) - 1) < 0 || !*own)
		return false;
	len = strlen(own);
	if (strncasecmp(name, own, len) != 0)
		return false;
	return !name[len] || !strcasecmp(name + len, ".local");
}

bool access_host_is_ours(const char *host, bool elsewhere)
{
	char name[HOST_MAX_BYTES];
	const char *bracket = strchr(host, ']');
	const char *colon = strchr(bracket ? bracket : host, ':');
	size_t len = colon ? (size_t)(colon - host) : strlen(host);

	if (len >= sizeof(name) || (colon && strspn(colon + 1, "0123456789") != strlen(colon + 1)))
		return false;
	memcpy(name, host, len);
	name[len] = '\0';
	return !strcasecmp(name, "localhost") || is_number(name, elsewhere) ||
	       (elsewhere && is_own_name(name));
}
