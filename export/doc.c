#include "export/doc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

#define FIRST_BYTES 1024

void doc_init(struct doc *doc, size_t max_bytes)
{
	*doc = (struct doc){.max_bytes = max_bytes};
}

void doc_done(struct doc *doc)
{
	free(doc->p);
	doc_init(doc, doc->max_bytes);
}

int doc_error(const struct doc *doc)
{
	return doc->error;
}

/* Room for n more bytes and the NUL. */
static bool reserve(struct doc *doc, size_t n)
{
	size_t need = doc->len + n + 1, size = MAX(doc->size, FIRST_BYTES);

	if (doc->error)
		return false;
	if (need <= doc->size)
		return true;
	while (size < need)
		size *= 2;
	if (need > doc->max_bytes) {
		doc->error = -E2BIG;
		return false;
	}

	char *grown = realloc(doc->p, size);

	if (!grown) {
		doc->error = -ENOMEM;
		return false;
	}
	doc->p = grown;
	doc->size = size;
	return true;
}

static void put(struct doc *doc, const char *s, size_t len)
{
	if (!reserve(doc, len))
		return;
	memcpy(doc->p + doc->len, s, len);
	doc->len += len;
	doc->p[doc->len] = '\0';
}

static void put_string(struct doc *doc, const char *s)
{
	/* The longest escape of a byte is six bytes. */
	if (!reserve(doc, 6 * strlen(s) + 2))
		return;

	struct text text = text_in(doc->p + doc->len, doc->size - doc->len);

	text_json(&text, s);
	doc->len += text.len;
}

static void begin(struct doc *doc, const char *key)
{
	if (doc->comma)
		put(doc, ",", 1);
	doc->comma = true;
	if (!key)
		return;
	put_string(doc, key);
	put(doc, ":", 1);
}

static void open_level(struct doc *doc, const char *key, const char *open, char close)
{
	begin(doc, key);
	put(doc, open, 1);
	if (doc->depth >= DOC_DEPTH_MAX) {
		doc->error = -E2BIG;
		return;
	}
	doc->close[doc->depth++] = close;
	doc->comma = false;
}

void doc_object(struct doc *doc, const char *key)
{
	open_level(doc, key, "{", '}');
}

void doc_array(struct doc *doc, const char *key)
{
	open_level(doc, key, "[", ']');
}

void doc_end(struct doc *doc)
{
	if (!doc->depth)
		return;
	put(doc, &doc->close[--doc->depth], 1);
	doc->comma = true;
}

void doc_string(struct doc *doc, const char *key, const char *value)
{
	begin(doc, key);
	put_string(doc, value);
}

void doc_string_or_null(struct doc *doc, const char *key, const char *value)
{
	if (*value)
		doc_string(doc, key, value);
	else
		doc_null(doc, key);
}

void doc_i64_or_null(struct doc *doc, const char *key, bool known, int64_t value)
{
	if (known)
		doc_i64(doc, key, value);
	else
		doc_null(doc, key);
}

void doc_printf(struct doc *doc, const char *key, const char *fmt, ...)
{
	char buf[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	doc_string(doc, key, buf);
}

void doc_i64(struct doc *doc, const char *key, int64_t value)
{
	char buf[32];
	struct text text = TEXT_IN(buf);

	text_i64(&text, value);
	doc_raw(doc, key, buf);
}

void doc_u64(struct doc *doc, const char *key, uint64_t value)
{
	doc_i64(doc, key, (int64_t)MIN(value, (uint64_t)INT64_MAX));
}

void doc_bool(struct doc *doc, const char *key, bool value)
{
	doc_raw(doc, key, value ? "true" : "false");
}

void doc_null(struct doc *doc, const char *key)
{
	doc_raw(doc, key, "null");
}

void doc_time(struct doc *doc, const char *key, int64_t wall_ms)
{
	char buf[64];
	struct text text = TEXT_IN(buf);

	clock_rfc3339(&text, wall_ms);
	doc_string(doc, key, buf);
}

void doc_raw(struct doc *doc, const char *key, const char *text)
{
	begin(doc, key);
	put(doc, text, strlen(text));
}

char *doc_take(struct doc *doc, size_t *ret_len)
{
	char *p = doc->p;

	*ret_len = doc->len;
	doc->p = NULL;
	doc_done(doc);
	return p;
}
