/* A bounded text under construction. It never grows and never overflows: what does not fit is
 * dropped and remembered, and the text stays NUL-terminated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

struct text {
	char *p;
	size_t len;
	size_t size;    /* of the buffer, with the NUL */
	bool truncated; /* something did not fit */
};

/* A text in the caller's array: struct text t = TEXT_IN(buf); */
#define TEXT_IN(array) text_in(array, sizeof(array))

struct text text_in(char *buf, size_t size);
void text_reset(struct text *text);
/* Falls back to an earlier length; clears truncated. */
void text_rewind(struct text *text, size_t len);

void text_char(struct text *text, char c);
void text_str(struct text *text, const char *s);
void text_mem(struct text *text, const char *p, size_t len);
PRINTF_LIKE(2, 3) void text_printf(struct text *text, const char *fmt, ...);

/* Plain decimal; some 30 times faster than a general JSON library, which matters for long series.
 */
void text_i64(struct text *text, int64_t value);

/* value * 10^-decimals, exactly, without trailing zeros: 47312 with 3 gives 47.312. decimals <= 18
 */
void text_fixed(struct text *text, int64_t value, unsigned decimals);

/* A JSON string with its quotes. Bytes that are no UTF-8 come out as U+FFFD, so that a damaged
 * name cannot spoil a document. */
void text_json(struct text *text, const char *s);

/* Length in bytes of the valid UTF-8 sequence at s, 0 if there is none. */
size_t text_utf8_len(const char *s);

/* How long something took or lies back, for people: "12 s", "2 h 5 min". */
void text_span(struct text *text, int64_t ms);
