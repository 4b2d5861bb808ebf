/* The documents of a query, and the stream that they are read from. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <json-c/json.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "export/points.h"
#include "export/points_document.h"
#include "model/sink.h"

static const struct points_head head = {
	.metric = "disk.reads",
	.agg = "rate",
	.kind = "counter",
	.help = "Reads, of \"all\" kinds.",
	.unit = UNIT_COUNT,
	.per_second = true,
	.from_wall_ms = 1796097600000,
	.to_wall_ms = 1796097610250,
	.step_ms = 5000,
};

static const struct points_series plain = {"vda", "virtio-1", 1, "boot-one", 1796097600000};
static const struct points_series odd = {"a,\"b\"\n\xff", "", 2, "boot-two", 1796097604999};

static const struct points_item items[] = {
	{.type = POINTS_SERIES, .series = &plain},
	{.type = POINTS_POINT,
	 .series = &plain,
	 .wall_ms = 1796097605000,
	 .boot_ms = 5000,
	 .has_value = true,
	 .value = {4096500, 3}},
	{.type = POINTS_POINT, .series = &plain, .wall_ms = 1796097610000, .boot_ms = 10000},
	{.type = POINTS_POINT,
	 .series = &plain,
	 .wall_ms = 1796097610250,
	 .boot_ms = 10250,
	 .has_value = true,
	 .value = {-1, 6},
	 .flag = FLAG_FILTERED},
	{.type = POINTS_SERIES_END, .series = &plain},
	{.type = POINTS_SERIES, .series = &odd},
	{.type = POINTS_POINT,
	 .series = &odd,
	 .wall_ms = 1796097605000,
	 .boot_ms = 1,
	 .has_value = true,
	 .value = {INT64_MIN, 0}},
	{.type = POINTS_DAMAGE, .series = &odd},
	{.type = POINTS_SERIES_END, .series = &odd},
};

struct source {
	size_t next, n;
	int end; /* what comes after the items */
};

static int next_item(void *arg, struct points_item *ret)
{
	struct source *source = arg;

	if (source->next == source->n)
		return source->end;
	*ret = items[source->next++];
	return 1;
}

/* The whole document, read in pieces of the given size. */
static const char *document(enum points_format format, size_t n, size_t piece)
{
	static char buf[4096];
	struct source source = {.n = n};
	CLEANUP(stream_closep) struct stream *stream = NULL;
	size_t len = 0;
	ssize_t r;

	assert_int_equal(points_stream(format, &head, next_item, &source, &stream), 0);
	while ((r = stream_read(stream, buf + len, MIN(piece, sizeof(buf) - 1 - len))) > 0)
		len += (size_t)r;
	assert_int_equal(r, 0);
	buf[len] = '\0';
	return buf;
}

static const char json[] =
	"{\"metric\":\"disk.reads\",\"unit\":\"count\",\"per_second\":true,\"agg\":\"rate\","
	"\"kind\":\"counter\",\"help\":\"Reads, of \\\"all\\\" kinds.\","
	"\"from\":\"2026-12-01T04:00:00Z\",\"to\":\"2026-12-01T04:00:10.250Z\","
	"\"step_ms\":5000,\"series\":["
	"{\"node\":\"vda\",\"identity\":\"virtio-1\",\"boot\":1,\"boot_id\":\"boot-one\","
	"\"wall_offset_ms\":1796097600000,"
	"\"points\":[[1796097605000,4096.5],[1796097610000,null],"
	"[1796097610250,-0.000001,\"filtered\"]]},"
	"{\"node\":\"a,\\\"b\\\"\\n\xef\xbf\xbd\",\"identity\":\"\",\"boot\":2,"
	"\"boot_id\":\"boot-two\",\"wall_offset_ms\":1796097604999,\"points\":[[1796097605000,-"
	"9223372036854775808]]}],"
	"\"damaged\":1}";

static void writes_json(void **state)
{
	struct json_object *parsed;

	(void)state;
	assert_string_equal(document(POINTS_JSON, ARRAY_SIZE(items), 4096), json);
	parsed = json_tokener_parse(json);
	assert_non_null(parsed);
	json_object_put(parsed);
	assert_non_null(strstr(document(POINTS_JSON, 0, 4096), "\"series\":[]}"));
}

static void writes_csv(void **state)
{
	(void)state;
	assert_string_equal(document(POINTS_CSV, ARRAY_SIZE(items), 4096),
			    "wall,boot,boot_ms,node,value,flag\n"
			    "2026-12-01T04:00:05Z,1,5000,vda,4096.5,\n"
			    "2026-12-01T04:00:10Z,1,10000,vda,,\n"
			    "2026-12-01T04:00:10.250Z,1,10250,vda,-0.000001,filtered\n"
			    "2026-12-01T04:00:05Z,2,1,\"a,\"\"b\"\"\n\xff\","
			    "-9223372036854775808,\n");
}

static void any_size_of_buffer_gives_the_same(void **state)
{
	(void)state;
	for (size_t piece = 1; piece < 100; piece += 7)
		assert_string_equal(document(POINTS_JSON, ARRAY_SIZE(items), piece), json);
}

static void reads_its_own_document(void **state)
{
	CLEANUP(points_document_freep) struct points_document *read = NULL;
	CLEANUP(stream_closep) struct stream *stream = NULL;
	struct points_head h;
	char csv[1024];
	ssize_t n;

	(void)state;
	assert_int_equal(points_document_parse(json, &read), 0);
	points_document_head(read, &h);
	assert_int_equal(points_stream(POINTS_CSV, &h, points_document_next, read, &stream), 0);
	n = stream_read(stream, csv, sizeof(csv) - 1);
	assert_true(n > 0);
	csv[n] = '\0';
	assert_string_equal(csv, "wall,boot,boot_ms,node,value,flag\n"
				 "2026-12-01T04:00:05Z,1,5000,vda,4096.5,\n"
				 "2026-12-01T04:00:10Z,1,10000,vda,,\n"
				 "2026-12-01T04:00:10.250Z,1,10250,vda,-0.000001,filtered\n"
				 "2026-12-01T04:00:05Z,2,1,\"a,\"\"b\"\"\n\xef\xbf\xbd\","
				 "-9223372036854775808,\n");
}

static void refuses_other_documents(void **state)
{
	static const char *const table[] = {
		"",
		"x",
		"[]",
		"{}",
		"{\"metric\":1}",
		"null",
		("{\"metric\":\"a.b\",\"unit\":\"furlongs\",\"agg\":\"rate\",\"kind\":\"gauge\","
		 "\"help\":\"\",\"from\":\"2026-12-01\",\"to\":\"2026-12-01\",\"series\":[]}"),
	};
	struct points_document *read = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		assert_int_equal(points_document_parse(table[i], &read), -EBADMSG);
	assert_null(read);
}

static void refuses_bad_points(void **state)
{
	static const char *const table[] = {
		"[1]",       "[]",
		"1",         "null",
		"[\"x\",1]", "[1,\"x\"]",
		"[1,1e400]", "[1,0.12345678]",
		"[1.5,1]",   "[1,99999999999999999999]",
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		CLEANUP(points_document_freep) struct points_document *read = NULL;
		struct points_item item;

		snprintf(text, sizeof(text),
			 "{\"metric\":\"a.b\",\"unit\":\"count\",\"agg\":\"rate\",\"kind\":"
			 "\"gauge\","
			 "\"help\":\"\",\"from\":\"2026-12-01\",\"to\":\"2026-12-01\",\"series\":"
			 "[{\"node\":\"a\",\"points\":[%s]}]}",
			 table[i]);
		assert_int_equal(points_document_parse(text, &read), 0);
		assert_int_equal(points_document_next(read, &item), 1);
		if (points_document_next(read, &item) != -EBADMSG)
			fail_msg("%s was taken", table[i]);
	}
}

static void an_error_of_the_source_ends_it(void **state)
{
	struct source source = {.n = 3, .end = -EIO};
	CLEANUP(stream_closep) struct stream *stream = NULL;
	char buf[64];

	(void)state;
	assert_int_equal(points_stream(POINTS_JSON, &head, next_item, &source, &stream), 0);
	assert_int_equal(stream_read(stream, buf, sizeof(buf)), -EIO);
	assert_int_equal(stream_read(stream, buf, sizeof(buf)), -EIO);
}

static int long_step(void *self, struct text *out)
{
	unsigned *n = self;

	for (size_t i = 0; i < STREAM_PIECE_MAX; i++)
		text_char(out, (char)('a' + *n % 26));
	return ++*n < 100;
}

static void long_documents_are_whole(void **state)
{
	unsigned n = 0;
	CLEANUP(stream_closep) struct stream *stream = NULL;
	char buf[1000];
	size_t total = 0;
	ssize_t r;

	(void)state;
	assert_int_equal(stream_new(long_step, NULL, &n, &stream), 0);
	while ((r = stream_read(stream, buf, sizeof(buf))) > 0) {
		for (size_t i = 0; i < (size_t)r; i++, total++)
			assert_int_equal(buf[i], 'a' + total / STREAM_PIECE_MAX % 26);
	}
	assert_int_equal(r, 0);
	assert_int_equal(total, 100 * STREAM_PIECE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_json),
		cmocka_unit_test(writes_csv),
		cmocka_unit_test(reads_its_own_document),
		cmocka_unit_test(refuses_other_documents),
		cmocka_unit_test(refuses_bad_points),
		cmocka_unit_test(any_size_of_buffer_gives_the_same),
		cmocka_unit_test(an_error_of_the_source_ends_it),
		cmocka_unit_test(long_documents_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
