#include "cli/client.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/token.h"
#include "cli/transport.h"
#include "export/tree.h"

static const char *const sockets[] = {
	"var/run/flashscoped.sock",
	DEFAULT_RUNTIME_DIR "/flashscoped.sock",
};

struct transfer {
	struct client_reply *reply;
	size_t size; /* of reply->body */
	int (*write)(void *arg, const char *p, size_t len);
	void *arg;
	int error; /* of write */
	bool said; /* something of an answer came */
};

#define PATIENCE_S 3

static void on_alarm(int signal)
{
	static const char message[] = "flashscope: the daemon has not answered for 3 s, and is "
				      "waited for; is it stopped, "
				      "or does its machine hang?\n";
	int error = errno;

	(void)signal;
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		errno = EIO;
	errno = error;
}

/* Who waits is told for what, unless there is a limit to all of it. */
static bool begin_patience(struct sigaction *ret_before)
{
	const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	unsigned limit_s = alarm(0);

	if (limit_s) {
		alarm(limit_s);
		return false;
	}
	sigaction(SIGALRM, &action, ret_before);
	alarm(PATIENCE_S);
	return true;
}

static void end_patience(const struct sigaction *before)
{
	alarm(0);
	sigaction(SIGALRM, before, NULL);
}

static int perform_patiently(const struct transport_request *request, long *ret_status,
			     const char **ret_words)
{
	struct sigaction before = {0};
	bool told = begin_patience(&before);
	int r = transport_perform(request, ret_status, ret_words);

	if (told)
		end_patience(&before);
	return r;
}

void client_reply_done(struct client_reply *reply)
{
	free(reply->body);
	*reply = (struct client_reply){0};
}

static int keep(struct transfer *t, const char *p, size_t len)
{
	struct client_reply *reply = t->reply;
	size_t need = reply->len + len + 1;

	if (need > CLIENT_BODY_MAX_BYTES)
		return -E2BIG;
	if (need > t->size) {
		size_t size = MAX(2 * need, (size_t)4096);
		char *grown = realloc(reply->body, size);

		if (!grown)
			return -ENOMEM;
		reply->body = grown;
		t->size = size;
	}
	memcpy(reply->body + reply->len, p, len);
	reply->len += len;
	reply->body[reply->len] = '\0';
	return 0;
}

static int on_data(void *arg, long status, const char *p, size_t len)
{
	struct transfer *t = arg;

	if (!t->said)
		alarm(0);
	t->said = true;
	if (t->write && status / 100 == 2)
		t->error = t->write(t->arg, p, len);
	else
		t->error = keep(t, p, len);
	return t->error;
}

static const char *find_socket(const struct client_target *target)
{
	if (target->socket || target->url)
		return target->socket;
	for (size_t i = 0; i < ARRAY_SIZE(sockets); i++)
		if (access(sockets[i], F_OK) == 0 || errno == EACCES)
			return sockets[i];
	return sockets[ARRAY_SIZE(sockets) - 1];
}

static int make_url(const struct client_target *target, const char *socket, const char *path,
		    char *url, size_t size)
{
	const char *base = socket ? "http://localhost" : target->url;
	size_t len = strlen(base);

	/* The daemon itself prints its address with a slash. */
	while (len && base[len - 1] == '/')
		len--;

	int n = snprintf(url, size, "%.*s%s", (int)MIN(len, size), base, path);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* The daemon's own words about what was wrong. */
static int refused(struct client_reply *reply)
{
	CLEANUP(tree_freep) struct tree *problem = NULL;
	const char *detail = "", *parameter = "";

	if (reply->body && tree_parse(reply->body, reply->len, &problem) == 0) {
		detail = tree_text(problem, "detail");
		parameter = tree_text(problem, "parameter");
	}
	snprintf(reply->error, sizeof(reply->error), "%s%s%s", parameter, *parameter ? ": " : "",
		 *detail ? detail : "the daemon answered with an error");
	return -EBADMSG;
}

/* Why nothing can be reached at the socket. */
static int socket_trouble(const char *socket, const char **ret_words)
{
	struct stat st;
	int error = stat(socket, &st) < 0 ? errno : 0;

	if (!error && !S_ISSOCK(st.st_mode)) {
		*ret_words = "is no socket";
		return -ENOTSOCK;
	}
	if (error == EACCES || (!error && access(socket, W_OK) < 0 && errno == EACCES)) {
		*ret_words = "permission denied: be root, the user of the daemon or of its group, "
			     "or ask it by --url, such as http://127.0.0.1:9750";
		return -EACCES;
	}
	*ret_words = "no daemon can be reached there";
	return -ECONNREFUSED;
}

static int failed(const struct transfer *t, const struct client_target *target, int error,
		  const char *words)
{
	const char *socket = find_socket(target);
	int r = error;

	if (t->error) {
		snprintf(t->reply->error, sizeof(t->reply->error), "%s", strerror(-t->error));
		return t->error;
	}

	if (error == -ECONNREFUSED)
		words = "no daemon can be reached there";
	if (error == -ECONNREFUSED && socket)
		r = socket_trouble(socket, &words);
	if (r == -ECONNREFUSED && !target->socket && !target->url)
		snprintf(
			t->reply->error, sizeof(t->reply->error),
			"no daemon can be reached at %s or %s: start flashscoped, or tell where it "
			"is by --socket or --url",
			sockets[0], sockets[1]);
	else
		snprintf(t->reply->error, sizeof(t->reply->error), "%s: %s",
			 socket ? socket : target->url, words);
	return r;
}

/* A socket needs none: then header stays empty. */
static int take_token(char *header, size_t size, struct client_reply *reply)
{
	const char *path = "";
	int r = token_header(header, size, &path);

	if (r == -ENODATA) {
		*header = '\0';
		return 0;
	}
	if (r < 0) {
		snprintf(reply->error, sizeof(reply->error), "the token file %s: %s", path,
			 r == -EBADMSG ? "its first line is no token" : strerror(-r));
		return -EIO;
	}
	return 0;
}

static int perform(struct transfer *t, const struct client_target *target, const char *path,
		   const char *body)
{
	const char *socket = find_socket(target), *words = "";
	char url[4096], header[1024] = "";
	const struct transport_request request = {.socket = socket,
						  .url = url,
						  .header = header,
						  .body = body,
						  .data = on_data,
						  .arg = t};
	int r = make_url(target, socket, path, url, sizeof(url));

	*t->reply = (struct client_reply){0};
	if (r < 0) {
		snprintf(t->reply->error, sizeof(t->reply->error), "the request is too long");
		return r;
	}
	if (target->url)
		r = take_token(header, sizeof(header), t->reply);
	if (r < 0)
		return r;
	r = perform_patiently(&request, &t->reply->status, &words);
	if (r < 0)
		return failed(t, target, r, words);
	return t->reply->status / 100 == 2 ? 0 : refused(t->reply);
}

int client_get(const struct client_target *target, const char *path, struct client_reply *ret)
{
	struct transfer t = {.reply = ret};

	return perform(&t, target, path, NULL);
}

int client_post(const struct client_target *target, const char *path, const char *body,
		struct client_reply *ret)
{
	struct transfer t = {.reply = ret};

	return perform(&t, target, path, body);
}

int client_get_stream(const struct client_target *target, const char *path,
		      int (*write)(void *arg, const char *p, size_t len), void *arg,
		      struct client_reply *ret)
{
	struct transfer t = {.reply = ret, .write = write, .arg = arg};

	return perform(&t, target, path, NULL);
}

char *client_escape(const char *value)
{
	size_t size = 3 * strlen(value) + 1;
	char *escaped = malloc(size);

	if (!escaped)
		return NULL;

	struct text text = text_in(escaped, size);

	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (isascii(c) && (isalnum(c) || strchr("-._~", c)))
			text_char(&text, *value);
		else
			text_printf(&text, "%%%02X", c);
	}
	return escaped;
}
