#include "daemon/api.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "export/api.h"

struct route {
	const char *path;
	void (*get)(struct api *api, const struct request *request, struct answer *ret);
	void (*post)(struct api *api, const struct request *request, struct answer *ret);
	const char *params[8]; /* of a GET; NULL at the end */
	bool reads_file;
};

static void serve_healthz(struct api *api, const struct request *request, struct answer *ret)
{
	static const char text[] = "ok\n";

	(void)api;
	(void)request;
	answer_text(ret, "text/plain; charset=utf-8", text, sizeof(text) - 1);
}

static void serve_fields(struct api *api, const struct request *request, struct answer *ret)
{
	struct doc doc;
	const char *collector = request_param(request, "collector");

	if (*collector && !catalog_find_collector(api->catalog, collector)) {
		answer_problem(ret, 400, "collector", "no such collector: %s", collector);
		return;
	}
	doc_init(&doc, API_DOC_MAX_BYTES);
	doc_array(&doc, NULL);
	api_fields(&doc, api->catalog, collector);
	doc_end(&doc);
	answer_doc(ret, &doc);
}

static const struct route routes[] = {
	{"/", serve_page, NULL, {NULL}},
	{"/healthz", serve_healthz, NULL, {NULL}},
	{"/metrics", serve_metrics, NULL, {NULL}},
	{"/api/v1/status", serve_status, NULL, {NULL}},
	{"/api/v1/collectors", serve_collectors, NULL, {NULL}},
	{"/api/v1/nodes", serve_nodes, NULL, {"collector", NULL}, true},
	{"/api/v1/fields", serve_fields, NULL, {"collector", NULL}},
	{"/api/v1/boots", serve_boots, NULL, {NULL}, true},
	{"/api/v1/events", serve_events, NULL, {"from", "to", "limit", NULL}, true},
	{"/api/v1/ambiguous", serve_ambiguous, NULL, {"from", "to", "limit", NULL}, true},
	{"/api/v1/marks", serve_marks, serve_post_mark, {"from", "to", "limit", NULL}, true},
	{"/api/v1/writers", serve_writers, NULL, {"by", "from", "to", "limit", NULL}, true},
	{"/api/v1/latest", serve_latest, NULL, {"collector", "node", NULL}},
	{"/api/v1/iopath", serve_iopath, NULL, {"of", NULL}},
	{"/api/v1/snapshot", serve_snapshot, NULL, {NULL}, true},
	{"/api/v1/query",
	 serve_query,
	 NULL,
	 {"metric", "node", "from", "to", "step", "agg", NULL},
	 true},
};

void api_disk_hangs(struct answer *answer, int64_t ms)
{
	answer_problem(answer, 503, "", "the disk under the database has not answered for %lld s",
		       (long long)ms / 1000);
}

static const struct route *find_route(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++)
		if (!strcmp(routes[i].path, path))
			return &routes[i];
	return NULL;
}

bool api_may_wait(const struct request *request)
{
	const struct route *route = find_route(request->path);

	return route && route->reads_file;
}

bool api_route(size_t index, const char **ret_path, const char *const **ret_params, bool *ret_post)
{
	if (index >= ARRAY_SIZE(routes))
		return false;
	*ret_path = routes[index].path;
	*ret_params = routes[index].params;
	*ret_post = routes[index].post != NULL;
	return true;
}

bool api_admits(struct api *api, const struct request *request)
{
	return !request->elsewhere || !api->access ||
	       access_admits(api->access, request->authorization);
}

/* Who has the token is no page of a strange site. */
static bool host_is_ours(const struct api *api, const struct request *request)
{
	if (request->local)
		return true;
	if (request->elsewhere && api->access && access_wants_token(api->access))
		return true;
	return access_host_is_ours(request->host, request->elsewhere);
}

static void refuse_client(const struct request *request, struct answer *ret)
{
	ret->authenticate = *request->authorization
				    ? "Bearer realm=\"flashscope\", error=\"invalid_token\""
				    : "Bearer realm=\"flashscope\"";
	answer_problem(ret, 401, "",
		       "this address wants the token of the daemon: Authorization: Bearer TOKEN");
}

static void refuse_host(const struct request *request, struct answer *ret)
{
	if (request->elsewhere)
		answer_problem(ret, 403, "",
			       "the Host header is neither an address nor the name of this "
			       "machine");
	else
		answer_problem(ret, 403, "",
			       "the Host header is none of localhost, 127.0.0.1 and [::1]");
}

static bool is_known(const struct route *route, const char *name)
{
	for (size_t i = 0; route->params[i]; i++)
		if (!strcmp(route->params[i], name))
			return true;
	return false;
}

static void refuse_param(const struct route *route, const char *name, struct answer *ret)
{
	char buf[256];
	struct text names = TEXT_IN(buf);

	for (size_t i = 0; route->params[i]; i++)
		text_printf(&names, "%s%s", i ? ", " : "", route->params[i]);
	if (names.len)
		answer_problem(ret, 400, name, "%s has no parameter of this name; it has %s",
			       route->path, buf);
	else
		answer_problem(ret, 400, name, "%s has no parameters", route->path);
}

/* Whether the parameters are those of the route, each once. Else the answer is the problem. */
static bool params_are_good(const struct route *route, const struct request *request,
			    struct answer *ret)
{
	if (request->bad_params) {
		answer_problem(ret, 400, "", "more than %d parameters, or a NUL byte in one",
			       REQUEST_PARAMS_MAX);
		return false;
	}
	for (size_t i = 0; i < request->n_params; i++) {
		const char *name = request->params[i].name;

		if (!is_known(route, name)) {
			refuse_param(route, name, ret);
			return false;
		}
		for (size_t j = 0; j < i; j++) {
			if (strcmp(name, request->params[j].name) != 0)
				continue;
			answer_problem(ret, 400, name, "the parameter is given twice");
			return false;
		}
	}
	return true;
}

static void handle_get(struct api *api, const struct route *route, const struct request *request,
		       struct answer *ret)
{
	if (params_are_good(route, request, ret))
		route->get(api, request, ret);
}

static void handle_post(struct api *api, const struct route *route, const struct request *request,
			struct answer *ret)
{
	if (!request->local)
		answer_problem(ret, 403, "", "changes are taken from the Unix socket only: %s",
			       api->socket_path);
	else if (request->body_too_long)
		answer_problem(ret, 413, "", "the body is longer than %d bytes",
			       REQUEST_BODY_MAX_BYTES);
	else if (request->n_params || request->bad_params)
		answer_problem(ret, 400, request->bad_params ? "" : request->params[0].name,
			       "a POST has its parameters in its body");
	else
		route->post(api, request, ret);
}

void api_handle(struct api *api, const struct request *request, struct answer *ret)
{
	const struct route *route = find_route(request->path);
	bool get = !strcmp(request->method, "GET") || !strcmp(request->method, "HEAD");

	*ret = (struct answer){0};
	if (request->needs_host && !*request->host) {
		answer_problem(ret, 400, "", "a request of HTTP/1.1 needs a Host header");
	} else if (!api_admits(api, request)) {
		refuse_client(request, ret);
	} else if (!host_is_ours(api, request)) {
		refuse_host(request, ret);
	} else if (!route) {
		answer_problem(ret, 404, "", "there is nothing under this path");
	} else if (get) {
		handle_get(api, route, request, ret);
	} else if (route->post && !strcmp(request->method, "POST")) {
		handle_post(api, route, request, ret);
	} else {
		ret->allow = route->post ? "GET, HEAD, POST" : "GET, HEAD";
		answer_problem(ret, 405, "", "allowed here: %s", ret->allow);
	}
}
