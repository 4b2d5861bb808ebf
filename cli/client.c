#include "cli/client.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/token.h"
#include "export/tree.h"

#define CONNECT_TIMEOUT_S 5L
#define STALL_TIMEOUT_S   30L

static const char *const sockets[] = {
	"var/run/flashscoped.sock",
	"/run/flashscope/flashscoped.sock",
};

struct transfer {
	CURL *curl;
	struct client_reply *reply;
	size_t size; /* of reply->body */
	int (*write)(void *arg, const char *p, size_t len);
	void *arg;
	int error; /* of write */
};

static void curl_cleanupp(CURL **curl)
{
	if (*curl)
		curl_easy_cleanup(*curl);
}

static void slist_freep(struct curl_slist **list)
{
	curl_slist_free_all(*list);
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

static size_t on_data(char *p, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	size_t len = size * n;
	long status = 0;

	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
	if (t->write && status / 100 == 2)
		t->error = t->write(t->arg, p, len);
	else
		t->error = keep(t, p, len);
	return t->error ? 0 : len;
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

static int set_target(CURL *curl, const struct client_target *target, const char *path,
		      struct client_reply *reply)
{
	const char *socket = find_socket(target);
	char url[4096];
	const char *base = socket ? "http://localhost" : target->url;
	size_t len = strlen(base);

	/* The daemon itself prints its address with a slash. */
	while (len && base[len - 1] == '/')
		len--;

	int n = snprintf(url, sizeof(url), "%.*s%s", (int)MIN(len, sizeof(url)), base, path);

	if (n < 0 || (size_t)n >= sizeof(url)) {
		snprintf(reply->error, sizeof(reply->error), "the request is too long");
		return -ENAMETOOLONG;
	}
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_TIMEOUT_S);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, STALL_TIMEOUT_S);
	if (socket)
		curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, socket);
	return 0;
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

static int failed(const struct transfer *t, const struct client_target *target, CURLcode code)
{
	const char *socket = find_socket(target);

	if (t->error) {
		snprintf(t->reply->error, sizeof(t->reply->error), "%s", strerror(-t->error));
		return t->error;
	}

	const char *words = "no daemon can be reached there";
	int r = -ECONNREFUSED;

	if (code != CURLE_COULDNT_CONNECT) {
		words = curl_easy_strerror(code);
		r = -EIO;
	} else if (socket) {
		r = socket_trouble(socket, &words);
	}
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

/* A socket needs none. */
static int add_token(struct curl_slist **headers, struct client_reply *reply)
{
	char header[1024];
	const char *path = "";
	int r = token_header(header, sizeof(header), &path);

	if (r == -ENODATA)
		return 0;
	if (r < 0) {
		snprintf(reply->error, sizeof(reply->error), "the token file %s: %s", path,
			 r == -EBADMSG ? "its first line is no token" : strerror(-r));
		return -EIO;
	}
	*headers = curl_slist_append(*headers, header);
	return *headers ? 0 : -ENOMEM;
}

static int perform(struct transfer *t, const struct client_target *target, const char *path,
		   const char *body)
{
	CLEANUP(slist_freep) struct curl_slist *headers = NULL;
	CLEANUP(curl_cleanupp) CURL *curl = curl_easy_init();

	*t->reply = (struct client_reply){0};
	if (!curl)
		return -ENOMEM;
	t->curl = curl;

	int r = set_target(curl, target, path, t->reply);

	if (r < 0)
		return r;
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_data);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, t);
	if (target->url)
		r = add_token(&headers, t->reply);
	if (r < 0)
		return r;
	if (body) {
		headers = curl_slist_append(headers, "Content-Type: application/json");
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	}
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);

	CURLcode code = curl_easy_perform(curl);

	if (code != CURLE_OK)
		return failed(t, target, code);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &t->reply->status);
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
	char *escaped = curl_easy_escape(NULL, value, 0);
	char *copy = escaped ? strdup(escaped) : NULL;

	curl_free(escaped);
	return copy;
}
