/* A request made of any bytes: "METHOD PATH NAME=VALUE&..." newline body. It always gets an answer,
 * and what is JSON in it can be read. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "daemon/api.h"
#include "export/tree.h"
#include "sampling/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char database[64];

static void remove_files(void)
{
	char path[96];

	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s", database,
			 (const char *const[]){"", "-wal", "-shm", ".lock"}[i]);
		unlink(path);
	}
	*strrchr(database, '/') = '\0';
	rmdir(database);
}

static struct api *the_api(void)
{
	static struct settings settings;
	static struct api api;

	if (api.store)
		return &api;
	snprintf(database, sizeof(database), "/tmp/fuzz_http.XXXXXX");
	if (!mkdtemp(database))
		abort();
	memcpy(database + strlen(database), "/f.db", sizeof("/f.db"));
	atexit(remove_files);

	const struct store_options options = {
		.path = database,
		.boot_id = "b",
		.kernel = "k",
		.wall_offset_ms = clock_wall_offset_ms(),
		.size_max_bytes = 16 << 20,
		.tail_max_bytes = 4 << 20,
		.commit_ms = 60000,
	};

	api = (struct api){.settings = &settings,
			   .catalog = registry(),
			   .boot_id = "b",
			   .kernel = "k",
			   .socket_path = "s"};
	if (settings_init(&settings, registry()) < 0 ||
	    config_set(settings.config, OPTION_DATABASE, database, "test") < 0 ||
	    board_new(registry(), &api.board) < 0 ||
	    store_open(&options, registry(), &api.store) < 0)
		abort();
	settings_apply(&settings);
	return &api;
}

static void drain(struct answer *answer)
{
	char buf[4096];

	while (stream_read(answer->stream, buf, sizeof(buf)) > 0)
		;
}

static void check(struct answer *answer)
{
	CLEANUP(tree_freep) struct tree *tree = NULL;

	if (answer->status < 200 || answer->status > 599 || !answer->type)
		abort();
	if (answer->stream)
		drain(answer);
	else if (strstr(answer->type, "json") && tree_parse(answer->body, answer->len, &tree) < 0)
		abort();
	answer_done(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(freep) char *text = malloc(size + 1);
	static char empty[1];
	struct request request = {.host = "localhost", .local = true};
	struct answer answer;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';

	char *rest = text, *line = strsep(&rest, "\n");

	request.body = rest ? rest : empty;
	request.body_len = rest ? size - (size_t)(rest - text) : 0;
	request.method = strsep(&line, " ");
	request.path = line ? strsep(&line, " ") : empty;
	for (char *p; line && (p = strsep(&line, "&"));) {
		char *name = strsep(&p, "=");

		if (request.n_params == REQUEST_PARAMS_MAX) {
			request.bad_params = true;
			break;
		}
		request.params[request.n_params++] = (struct request_param){name, p ? p : empty};
	}
	api_handle(the_api(), &request, &answer);
	check(&answer);
	return 0;
}
