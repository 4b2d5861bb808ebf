#include <curl/curl.h>
#include <errno.h>

#include "base/cleanup.h"
#include "cli/transport.h"

struct transfer {
	CURL *curl;
	const struct transport_request *request;
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

static size_t on_data(char *p, size_t size, size_t n, void *arg)
{
	const struct transfer *t = arg;
	size_t len = size * n;
	long status = 0;

	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
	return t->request->data(t->request->arg, status, p, len) ? 0 : len;
}

static void set_target(CURL *curl, const struct transport_request *request)
{
	curl_easy_setopt(curl, CURLOPT_URL, request->url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)TRANSPORT_CONNECT_TIMEOUT_S);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)TRANSPORT_STALL_TIMEOUT_S);
	if (request->socket)
		curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, request->socket);
}

int transport_perform(const struct transport_request *request, long *ret_status,
		      const char **ret_words)
{
	CLEANUP(slist_freep) struct curl_slist *headers = NULL;
	CLEANUP(curl_cleanupp) CURL *curl = curl_easy_init();
	struct transfer t = {curl, request};

	if (!curl)
		return -ENOMEM;
	set_target(curl, request);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_data);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &t);
	if (request->header && *request->header)
		headers = curl_slist_append(NULL, request->header);
	if (request->header && *request->header && !headers)
		return -ENOMEM;
	if (request->body) {
		headers = curl_slist_append(headers, "Content-Type: application/json");
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
	}
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);

	CURLcode code = curl_easy_perform(curl);

	if (code != CURLE_OK) {
		*ret_words = code == CURLE_OPERATION_TIMEDOUT ? "no answer in time"
							      : curl_easy_strerror(code);
		return code == CURLE_COULDNT_CONNECT ? -ECONNREFUSED : -EIO;
	}
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, ret_status);
	return 0;
}
