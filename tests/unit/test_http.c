/* What the daemon answers to a request, without the HTTP library: routes, checks, documents. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "daemon/api.h"
#include "export/tree.h"
#include "sampling/registry.h"

struct fixture {
	char dir[64], database[96];
	struct settings settings;
	struct api api;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	snprintf(f->dir, sizeof(f->dir), "/tmp/test_http.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->database, sizeof(f->database), "%s/f.db", f->dir);
	assert_int_equal(settings_init(&f->settings, registry()), 0);
	assert_int_equal(config_set(f->settings.config, OPTION_DATABASE, f->database, "test"), 0);
	settings_apply(&f->settings);

	const struct store_options options = {
		.path = f->database,
		.boot_id = "11111111-2222-3333-4444-555555555555",
		.kernel = "6.1 <test>",
		.wall_offset_ms = clock_wall_offset_ms(),
		.size_max_bytes = 16 << 20,
		.tail_max_bytes = 4 << 20,
		.commit_ms = 60000,
	};

	f->api = (struct api){
		.settings = &f->settings,
		.catalog = registry(),
		.boot_id = options.boot_id,
		.kernel = options.kernel,
		.socket_path = "/run/<x>&\"y\"",
		.listen = "127.0.0.1:9750",
	};
	assert_int_equal(board_new(registry(), &f->api.board), 0);
	assert_int_equal(store_open(&options, registry(), &f->api.store), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	api_done(&f->api);
	store_close(f->api.store);
	board_free(f->api.board);
	settings_done(&f->settings);
	snprintf(command, sizeof(command), "rm -r %s", f->dir);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

/* Takes the parameters out of "a=b&c=d". */
static void set_query(struct request *request, char *query)
{
	char *save = NULL;

	for (char *p = strtok_r(query, "&", &save); p; p = strtok_r(NULL, "&", &save)) {
		char *value = strchr(p, '=');

		if (value)
			*value++ = '\0';
		request->params[request->n_params++] =
			(struct request_param){p, value ? value : ""};
	}
}

static struct answer ask(struct fixture *f, const char *method, const char *path, const char *query,
			 const char *host)
{
	char copy[512];
	struct answer answer;
	struct request request = {.method = method, .path = path, .host = host, .body = ""};

	snprintf(copy, sizeof(copy), "%s", query);
	set_query(&request, copy);
	api_handle(&f->api, &request, &answer);
	return answer;
}

static struct answer post(struct fixture *f, bool local, const char *body)
{
	struct answer answer;
	struct request request = {
		.method = "POST",
		.path = "/api/v1/marks",
		.host = "localhost",
		.local = local,
		.body = body,
		.body_len = strlen(body),
	};

	api_handle(&f->api, &request, &answer);
	return answer;
}

static struct tree *parse(const struct answer *answer)
{
	struct tree *tree = NULL;

	assert_non_null(answer->body);
	assert_int_equal(tree_parse(answer->body, answer->len, &tree), 0);
	return tree;
}

/* The answer is a problem with this status that names this parameter. */
static void assert_problem(struct answer *answer, unsigned status, const char *parameter)
{
	CLEANUP(tree_freep) struct tree *problem = parse(answer);

	assert_int_equal(answer->status, status);
	assert_string_equal(answer->type, "application/problem+json");
	assert_int_equal(tree_i64(problem, "status"), status);
	assert_string_equal(tree_text(problem, "parameter"), parameter);
	assert_string_equal(tree_text(problem, "type"), "about:blank");
	assert_true(*tree_text(problem, "title") && *tree_text(problem, "detail"));
	answer_done(answer);
}

static void test_host(void **state)
{
	static const struct {
		const char *host;
		unsigned status;
	} cases[] = {
		{"localhost", 200},
		{"LocalHost:9750", 200},
		{"127.0.0.1", 200},
		{"127.0.0.1:1", 200},
		{"[::1]:9750", 200},
		{"[::1]", 200},
		{"", 403},
		{"evil.example", 403},
		{"localhost.evil.example", 403},
		{"127.0.0.1.nip.io", 403},
		{"localhost:97x", 403},
		{"127.0.0.10", 403},
		{"::1", 403},
		{"localhost@evil", 403},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct answer answer = ask(*state, "GET", "/healthz", "", cases[i].host);

		assert_int_equal(answer.status, cases[i].status);
		answer_done(&answer);
	}
}

static void test_problems(void **state)
{
	static const struct {
		const char *method, *path, *query;
		unsigned status;
		const char *parameter;
	} cases[] = {
		{"GET", "/nothing", "", 404, ""},
		{"GET", "/api/v1/", "", 404, ""},
		{"GET", "/api/v1/status/", "", 404, ""},
		{"POST", "/api/v1/status", "", 405, ""},
		{"DELETE", "/api/v1/marks", "", 405, ""},
		{"PUT", "/", "", 405, ""},
		{"get", "/healthz", "", 405, ""},
		{"GET", "/healthz", "x=1", 400, "x"},
		{"GET", "/", "a", 400, "a"},
		{"GET", "/api/v1/status", "verbose=1", 400, "verbose"},
		{"GET", "/api/v1/nodes", "collector=nonsense", 400, "collector"},
		{"GET", "/api/v1/fields", "collector=load&collector=load", 400, "collector"},
		{"GET", "/api/v1/latest", "collector=load&group=load", 400, "group"},
		{"GET", "/api/v1/latest", "collector=x", 400, "collector"},
		{"GET", "/api/v1/events", "limit=0", 400, "limit"},
		{"GET", "/api/v1/events", "limit=-1", 400, "limit"},
		{"GET", "/api/v1/events", "limit=10001", 400, "limit"},
		{"GET", "/api/v1/events", "limit=1e3", 400, "limit"},
		{"GET", "/api/v1/events", "from=yesterday", 400, "from"},
		{"GET", "/api/v1/marks", "to=1x", 400, "to"},
		{"GET", "/api/v1/marks", "from=now&to=-1h", 400, "from"},
		{"GET", "/api/v1/query", "", 400, "metric"},
		{"GET", "/api/v1/query", "metric=load", 400, "metric"},
		{"GET", "/api/v1/query", "metric=load.nothing", 400, "metric"},
		{"GET", "/api/v1/query", "metric=load.load1&step=0", 400, "step"},
		{"GET", "/api/v1/query", "metric=load.load1&agg=median", 400, "agg"},
		{"GET", "/api/v1/query", "metric=load.load1&from=x", 400, "from"},
		{"GET", "/api/v1/query", "metric=load.load1&n0de=x", 400, "n0de"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct answer answer =
			ask(*state, cases[i].method, cases[i].path, cases[i].query, "localhost");

		if (answer.status != cases[i].status)
			fail_msg("%s %s?%s: %u", cases[i].method, cases[i].path, cases[i].query,
				 answer.status);
		if (answer.status == 405)
			assert_non_null(answer.allow);
		assert_problem(&answer, cases[i].status, cases[i].parameter);
	}
}

static void test_documents(void **state)
{
	static const char *const paths[] = {
		"/api/v1/status", "/api/v1/collectors", "/api/v1/nodes",
		"/api/v1/fields", "/api/v1/boots",      "/api/v1/events",
		"/api/v1/marks",  "/api/v1/latest",     "/api/v1/ambiguous",
	};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct answer answer = ask(*state, "GET", paths[i], "", "localhost");
		CLEANUP(tree_freep) struct tree *tree = parse(&answer);

		assert_non_null(tree);
		assert_int_equal(answer.status, 200);
		assert_string_equal(answer.type, "application/json");
		answer_done(&answer);
	}
}

static void test_status(void **state)
{
	struct answer answer = ask(*state, "HEAD", "/api/v1/status", "", "localhost");
	CLEANUP(tree_freep) struct tree *status = parse(&answer);

	assert_string_equal(tree_text(status, "version"), FLASHSCOPE_VERSION);
	assert_string_equal(tree_text(status, "listen"), "127.0.0.1:9750");
	assert_string_equal(tree_text(status, "boot.kernel"), "6.1 <test>");
	assert_int_equal(tree_i64(status, "store.size_max_bytes"), 16 << 20);
	assert_int_equal(tree_n(tree_get(status, "not_sampled")), registry()->n_collectors);
	answer_done(&answer);
}

static void test_page_is_escaped(void **state)
{
	struct answer answer = ask(*state, "GET", "/", "", "localhost");

	assert_int_equal(answer.status, 200);
	answer.body[answer.len - 1] = '\0';
	assert_non_null(strstr(answer.body, "/run/&lt;x&gt;&amp;&quot;y&quot;"));
	assert_null(strstr(answer.body, "<x>"));
	assert_non_null(strstr(answer.body, "</html>"));
	answer_done(&answer);
}

static void test_marks(void **state)
{
	struct answer answer = post(*state, true, "{\"label\":\"fio \\\"rnd4k\\\"\"}");
	CLEANUP(tree_freep) struct tree *mark = parse(&answer);
	int64_t id = tree_i64(mark, "id");
	char body[64];

	assert_int_equal(answer.status, 200);
	assert_true(id > 0);
	assert_string_equal(tree_text(mark, "label"), "fio \"rnd4k\"");
	answer_done(&answer);
	snprintf(body, sizeof(body), "{\"end\":%lld}", (long long)id);
	answer = post(*state, true, body);
	assert_int_equal(answer.status, 200);
	answer_done(&answer);
	answer = post(*state, true, body);
	assert_problem(&answer, 404, "end");
	answer = post(*state, true, "{\"label\":\"a\",\"from\":\"-1s\",\"to\":\"now\"}");
	assert_int_equal(answer.status, 200);
	answer_done(&answer);
}

static int64_t until_ms(const struct fixture *f)
{
	return store_ufs_until_ms(f->api.store, clock_boot_ms());
}

static int64_t start_asking(struct fixture *f, const char *members)
{
	char body[128];
	int len = snprintf(body, sizeof(body), "{\"label\":\"x\",\"ufs_monitor\":true%s}", members);
	struct answer answer;

	assert_in_range(len, 1, sizeof(body) - 1);
	answer = post(f, true, body);

	CLEANUP(tree_freep) struct tree *mark = parse(&answer);
	int64_t id = tree_i64(mark, "id");

	assert_int_equal(answer.status, 200);
	answer_done(&answer);
	return id;
}

static void end_asking(struct fixture *f, int64_t id)
{
	struct answer answer;
	char body[64];

	snprintf(body, sizeof(body), "{\"end\":%lld}", (long long)id);
	answer = post(f, true, body);
	assert_int_equal(answer.status, 200);
	answer_done(&answer);
}

static void test_marks_that_ask(void **state)
{
	struct fixture *f = *state;
	int64_t now_ms = clock_boot_ms(), first, second;
	struct answer answer;

	assert_int_equal(config_set(f->settings.config, OPTION_UFS_MARK_MAX, "10min", "test"), 0);
	answer = post(f, true, "{\"label\":\"asks for nothing\"}");
	answer_done(&answer);
	assert_int_equal(until_ms(f), 0);
	first = start_asking(f, "");
	second = start_asking(f, "");
	assert_in_range(until_ms(f), now_ms + 600000, clock_boot_ms() + 600000);
	end_asking(f, second);
	assert_true(until_ms(f) > now_ms);
	end_asking(f, first);
	assert_int_equal(until_ms(f), 0);

	/* Of its own it asks for less, never for more. */
	first = start_asking(f, ",\"ufs_monitor_ms\":60000");
	assert_in_range(until_ms(f), now_ms + 60000, clock_boot_ms() + 60000);
	end_asking(f, first);
	answer = post(f, true, "{\"label\":\"x\",\"ufs_monitor\":true,\"ufs_monitor_ms\":600001}");
	assert_problem(&answer, 400, "ufs_monitor_ms");
	assert_int_equal(until_ms(f), 0);

	/* What is refused is not kept for a later time. */
	assert_int_equal(config_set(f->settings.config, OPTION_UFS_MONITOR, "off", "test"), 0);
	answer = post(f, true, "{\"label\":\"x\",\"ufs_monitor\":true}");
	assert_problem(&answer, 409, "ufs_monitor");
	assert_int_equal(until_ms(f), 0);
	assert_int_equal(config_set(f->settings.config, OPTION_UFS_MONITOR, "marked", "test"), 0);

	/* One that is never ended. */
	assert_int_equal(config_set(f->settings.config, OPTION_UFS_MARK_MAX, "1s", "test"), 0);
	start_asking(f, "");
	assert_true(until_ms(f) > 0);
	usleep(1100000);
	assert_int_equal(until_ms(f), 0);
}

static void test_bad_marks(void **state)
{
	static const struct {
		const char *body;
		const char *parameter;
	} cases[] = {
		{"", ""},
		{"[]", ""},
		{"{", ""},
		{"label=x", ""},
		{"{\"label\":\"x\"} more", ""},
		{"{\"label\":\"x\"}{\"label\":\"x\"}", ""},
		{"{}", "label"},
		{"{\"label\":\"\"}", "label"},
		{"{\"label\":\"a\",\"label\":\"b\"}", ""},
		{"{\"label\":\"a:\\\"\",\"to\":\"now\",\"l\\u0061bel\":\"b\"}", ""},
		{"{\"label\":1}", "label"},
		{"{\"label\":null}", "label"},
		{"{\"label\":\"a\\u0000b\"}", "label"},
		{"{\"label\":\"\xff\"}", ""},
		{"{\"label\":\"x\",\"color\":\"red\"}", ""},
		{"{\"label\":\"x\",\"end\":1}", "label"},
		{"{\"ufs_monitor\":true,\"end\":1}", "label"},
		{"{\"label\":\"x\",\"ufs_monitor\":1}", "ufs_monitor"},
		{"{\"label\":\"x\",\"ufs_monitor_ms\":1}", "ufs_monitor_ms"},
		{"{\"ufs_monitor_ms\":1,\"end\":1}", "label"},
		{"{\"label\":\"x\",\"ufs_monitor\":true,\"ufs_monitor_ms\":0}", "ufs_monitor_ms"},
		{"{\"label\":\"x\",\"ufs_monitor\":true,\"ufs_monitor_ms\":-1}", "ufs_monitor_ms"},
		{"{\"label\":\"x\",\"ufs_monitor\":true,\"ufs_monitor_ms\":\"1\"}",
		 "ufs_monitor_ms"},
		{"{\"label\":\"x\",\"ufs_monitor\":true,\"from\":\"-1s\",\"to\":\"now\"}",
		 "ufs_monitor"},
		{"{\"end\":\"1\"}", "end"},
		{"{\"end\":0}", "end"},
		{"{\"end\":-5}", "end"},
		{"{\"end\":1.5}", "end"},
		{"{\"label\":\"x\",\"to\":\"now\"}", "from"},
		{"{\"label\":\"x\",\"from\":\"soon\"}", "from"},
		{"{\"label\":\"x\",\"from\":\"now\",\"to\":\"-1s\"}", "to"},
		{"{\"label\":\"x\",\"from\":\"1970-01-01\"}", "from"},
		{"{\"label\":{\"label\":{\"label\":{\"label\":{\"label\":1}}}}}", ""},
	};
	struct answer answer;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		answer = post(*state, true, cases[i].body);
		if (answer.status != 400)
			fail_msg("%s: %u", cases[i].body, answer.status);
		assert_problem(&answer, 400, cases[i].parameter);
	}
	answer = post(*state, false, "{\"label\":\"x\"}");
	assert_problem(&answer, 403, "");
}

static void test_bounds(void **state)
{
	struct fixture *f = *state;
	struct answer answer;
	struct request request = {.method = "GET",
				  .path = "/api/v1/status",
				  .host = "localhost",
				  .body = "",
				  .bad_params = true};

	api_handle(&f->api, &request, &answer);
	assert_problem(&answer, 400, "");
	request = (struct request){.method = "POST",
				   .path = "/api/v1/marks",
				   .local = true,
				   .host = "",
				   .body = "",
				   .body_too_long = true};
	api_handle(&f->api, &request, &answer);
	assert_problem(&answer, 413, "");
}

/* The parameter is described for this path. */
static bool describes(struct tree *params, const char *name)
{
	for (size_t i = 0; i < tree_n(params); i++)
		if (!strcmp(tree_text(tree_at(params, i), "name"), name))
			return true;
	return false;
}

static struct tree *read_description(void)
{
	char buf[128 * 1024];
	struct tree *tree = NULL;
	CLEANUP(fclosep) FILE *file = fopen(TEST_SOURCE_DIR "/../docs/openapi.json", "re");

	assert_non_null(file);

	size_t len = fread(buf, 1, sizeof(buf), file);

	assert_in_range(len, 1000, sizeof(buf) - 1);
	assert_int_equal(tree_parse(buf, len, &tree), 0);
	return tree;
}

/* docs/openapi.json has the routes, parameters and methods of the code, and no others. */
static void test_description(void **state)
{
	CLEANUP(tree_freep) struct tree *description = read_description();
	const char *path, *const *params;
	size_t n_routes = 0, n_params = 0;
	bool post;

	(void)state;
	for (; api_route(n_routes, &path, &params, &post); n_routes++) {
		struct tree *route = tree_get(tree_get(description, "paths"), path);
		struct tree *described = tree_get(route, "get.parameters");

		if (!route)
			fail_msg("%s is not described", path);
		assert_int_equal(tree_get(route, "post") != NULL, post);
		for (n_params = 0; params[n_params]; n_params++)
			if (!describes(described, params[n_params]))
				fail_msg("%s: %s is not described", path, params[n_params]);
		assert_int_equal(tree_n(described), n_params);
	}
	assert_int_equal(tree_n_keys(tree_get(description, "paths")), n_routes);
}

/* A probe that has not even an outcome of the collector itself is no row. */
static void test_empty_probe(void **state)
{
	struct fixture *f = *state;
	const struct collector *collector = registry()->collectors[0];
	const struct probe probe = {0};
	struct answer answer;
	char row[128];

	board_probed(f->api.board, collector, &probe);
	answer = ask(f, "GET", "/", "", "localhost");
	assert_int_equal(answer.status, 200);
	snprintf(row, sizeof(row), "<td>%s</td>", collector->name);
	assert_null(memmem(answer.body, answer.len, row, strlen(row)));
	answer_done(&answer);
}

static bool page_has(const struct answer *answer, const char *text)
{
	return memmem(answer->body, answer->len, text, strlen(text));
}

/* A collector that has much to say: nodes that are sampled, and nodes whose texts take six bytes of
 * HTML for each of theirs. */
static void talks(struct board *board, size_t index, size_t n_ok, size_t n_denied)
{
	struct probe probe;
	char node[32], text[PROBE_TEXT_MAX];

	memset(text, '"', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(probe_init(&probe), 0);
	for (size_t i = 0; i < n_ok; i++) {
		snprintf(node, sizeof(node), "ok%zu", i);
		probe_node(&probe, node, OUTCOME_OK, "", "%s", "");
	}
	for (size_t i = 0; i < n_denied; i++) {
		snprintf(node, sizeof(node), "denied%zu", i);
		probe_node(&probe, node, OUTCOME_DENIED, text, "%s", text);
	}
	board_probed(board, registry()->collectors[index], &probe);
	probe_done(&probe);
}

/* However much one collector has to say, the page has a row for each of the others. */
static void test_long_page(void **state)
{
	struct fixture *f = *state;
	struct sampler_options options = {.root = "/", .no_lane = true};
	struct sampler_callbacks callbacks = {0};
	CLEANUP(sampler_closep) struct sampler *sampler = NULL;
	size_t n = registry()->n_collectors;
	struct answer answer;
	char row[128];

	assert_int_equal(sampler_open(&options, registry(), &callbacks, &sampler), 0);
	board_update(f->api.board, sampler, &(struct board_loop){0});
	talks(f->api.board, 0, 200, 250);
	for (size_t i = 1; i < n; i++)
		talks(f->api.board, i, 1, i < n - 1 ? 15 : 1);
	answer = ask(f, "GET", "/", "", "localhost");
	assert_int_equal(answer.status, 200);
	assert_true(page_has(&answer, "ok63 and 136 more"));
	assert_true(page_has(&answer, "<br>denied15: denied, &quot;"));
	assert_true(page_has(&answer, "<br>and 234 more, see /api/v1/collectors</td></tr>"));
	assert_true(page_has(&answer, "<td></td><td>too much for this page"));
	for (size_t i = 0; i < n; i++) {
		snprintf(row, sizeof(row), "\n<tr><td>%s</td>", registry()->collectors[i]->name);
		assert_true(page_has(&answer, row));
	}
	/* The last one is short, and whole. */
	snprintf(row, sizeof(row), "<td>%s</td><td>%s</td><td>ok0 <br>denied0: denied, &quot;",
		 registry()->collectors[n - 1]->name, node_state_name(NODE_OK));
	assert_true(page_has(&answer, row));
	assert_true(page_has(&answer, "</html>"));
	answer_done(&answer);
}

static size_t count_missing(struct tree *status, const char *node, const char *reason)
{
	struct tree *list = tree_get(status, "not_sampled");
	const char *name = registry()->collectors[0]->name;
	size_t n = 0;

	for (size_t i = 0; i < tree_n(list); i++)
		n += !strcmp(tree_text(tree_at(list, i), "collector"), name) &&
		     !strcmp(tree_text(tree_at(list, i), "node"), node) &&
		     !strcmp(tree_text(tree_at(list, i), "reason"), reason);
	return n;
}

/* Of a collector without a node that is well, the worst one is not all that is told. */
static void test_each_node(void **state)
{
	struct fixture *f = *state;
	struct sampler_options options = {.root = "/", .no_lane = true};
	struct sampler_callbacks callbacks = {0};
	CLEANUP(sampler_closep) struct sampler *sampler = NULL;
	struct probe probe;

	assert_int_equal(sampler_open(&options, registry(), &callbacks, &sampler), 0);
	board_update(f->api.board, sampler, &(struct board_loop){0});
	assert_int_equal(probe_init(&probe), 0);
	probe_node(&probe, "one", OUTCOME_NO_NODE, "", "%s", "not recorded");
	for (size_t i = 0; i < 2; i++) {
		char own[64];

		probe_collector(&probe, OUTCOME_OK, "", "%s", "");
		probe_judge(&probe);
		snprintf(own, sizeof(own),
			 i ? "none of 2 nodes is ok; two: may not be read" : "one: not recorded");
		board_probed(f->api.board, registry()->collectors[0], &probe);

		struct answer answer = ask(f, "GET", "/api/v1/status", "", "localhost");
		struct answer page = ask(f, "GET", "/", "", "localhost");
		CLEANUP(tree_freep) struct tree *status = parse(&answer);

		assert_int_equal(count_missing(status, "", own), 1);
		assert_int_equal(count_missing(status, "one", "not recorded"), i);
		assert_int_equal(count_missing(status, "two", "may not be read"), i);
		assert_true(page_has(&page, own));
		assert_int_equal(page_has(&page, "<br>one: no_node, not recorded"), i);
		assert_int_equal(page_has(&page, "<br>two: denied, may not be read"), i);
		answer_done(&answer);
		answer_done(&page);
		probe_node(&probe, "two", OUTCOME_DENIED, "", "%s", "may not be read");
	}
	probe_done(&probe);
}

static void *commit_of_long_ago(void *arg)
{
	(void)!store_commit(arg, clock_boot_ms() - 60000, false);
	return NULL;
}

/* While a commit does not come back, what needs the file is refused and the rest is answered. */
static void test_disk_hangs(void **state)
{
	struct fixture *f = *state;
	struct answer answer;
	sqlite3 *conn = NULL;
	pthread_t thread;

	assert_int_equal(sqlite3_open(f->database, &conn), SQLITE_OK);
	assert_int_equal(sqlite3_exec(conn, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	store_event(f->api.store, &(struct event){.kind = "x", .t_ms = 1});
	assert_int_equal(pthread_create(&thread, NULL, commit_of_long_ago, f->api.store), 0);
	while (!store_committing_ms(f->api.store))
		usleep(1000);
	answer = ask(f, "GET", "/api/v1/query", "metric=load.load1", "localhost");
	assert_problem(&answer, 503, "");
	answer_done(&answer);
	answer = ask(f, "GET", "/api/v1/status", "", "localhost");
	assert_int_equal(answer.status, 200);
	answer_done(&answer);
	sqlite3_exec(conn, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(conn);
	pthread_join(thread, NULL);
	answer = ask(f, "GET", "/api/v1/query", "metric=load.load1", "localhost");
	assert_int_equal(answer.status, 200);
	answer_done(&answer);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_problems),
		cmocka_unit_test(test_documents),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_page_is_escaped),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_marks_that_ask),
		cmocka_unit_test(test_bad_marks),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_description),
		cmocka_unit_test(test_disk_hangs),
		cmocka_unit_test(test_empty_probe),
		cmocka_unit_test(test_long_page),
		cmocka_unit_test(test_each_node),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
