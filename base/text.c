#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text text_in(char *buf, size_t size)
{
	buf[0] = '\0';
	return (struct text){.p = buf, .size = size};
}

void text_reset(struct text *text)
{
	text_rewind(text, 0);
}

void text_rewind(struct text *text, size_t len)
{
	text->len = len;
	text->p[len] = '\0';
	text->truncated = false;
}

void text_mem(struct text *text, const char *p, size_t len)
{
	size_t room = text->size - 1 - text->len;

	if (len > room) {
		text->truncated = true;
		len = room;
	}
	memcpy(text->p + text->len, p, len);
	text->len += len;
	text->p[text->len] = '\0';
}

void text_char(struct text *text, char c)
{
	text_mem(text, &c, 1);
}

void text_str(struct text *text, const char *s)
{
	text_mem(text, s, strlen(s));
}

void text_printf(struct text *text, const char *fmt, ...)
{
	size_t room = text->size - text->len;
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(text->p + text->len, room, fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= room) {
		text->truncated = true;
		text->len = n < 0 ? text->len : text->size - 1;
		text->p[text->len] = '\0';
		return;
	}
	text->len += (size_t)n;
}

/* Writes the digits of value backwards, ending before end; at least min of them. */
static char *put_digits(char *end, uint64_t value, unsigned min)
{
	char *p = end;

	do {
		*--p = (char)('0' + value % 10);
		value /= 10;
	} while (value || end - p < (int)min);
	return p;
}

static uint64_t magnitude_of(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

void text_i64(struct text *text, int64_t value)
{
	char buf[24], *end = buf + sizeof(buf), *p = put_digits(end, magnitude_of(value), 1);

	if (value < 0)
		*--p = '-';
	text_mem(text, p, (size_t)(end - p));
}

void text_fixed(struct text *text, int64_t value, unsigned decimals)
{
	char buf[48], *end = buf + sizeof(buf) - 1;
	char *p = put_digits(end, magnitude_of(value), decimals + 1);
	char *point = end - decimals;

	if (decimals) {
		memmove(p - 1, p, (size_t)(point - p));
		p--;
		*--point = '.';
		while (end[-1] == '0')
			end--;
		if (end[-1] == '.')
			end--;
	}
	if (value < 0)
		*--p = '-';
	text_mem(text, p, (size_t)(end - p));
}

static size_t utf8_len(const unsigned char *s)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = s[0] < 0x80                   ? 1
		   : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
		   : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
		   : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
						 : 0;

	if (n < 2)
		return n;

	uint32_t code = s[0] & (0xffU >> (n + 1));

	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return n;
}

size_t text_utf8_len(const char *s)
{
	return utf8_len((const unsigned char *)s);
}

static void json_byte(struct text *text, unsigned char c)
{
	switch (c) {
	case '"':
		text_str(text, "\\\"");
		break;
	case '\\':
		text_str(text, "\\\\");
		break;
	case '\n':
		text_str(text, "\\n");
		break;
	case '\t':
		text_str(text, "\\t");
		break;
	default:
		if (c < 0x20 || c == 0x7f)
			text_printf(text, "\\u%04x", c);
		else
			text_char(text, (char)c);
	}
}

void text_json(struct text *text, const char *s)
{
	text_char(text, '"');
	while (*s) {
		size_t n = utf8_len((const unsigned char *)s);

		if (n == 1)
			json_byte(text, (unsigned char)*s);
		else if (n)
			text_mem(text, s, n);
		else
			text_str(text, "\xef\xbf\xbd");
		s += n ? n : 1;
	}
	text_char(text, '"');
}

void text_span(struct text *text, int64_t ms)
{
	long long s = ms / 1000;

	if (s < 60)
		text_printf(text, "%lld s", s);
	else if (s < 3600)
		text_printf(text, "%lld min %lld s", s / 60, s % 60);
	else if (s < 86400)
		text_printf(text, "%lld h %lld min", s / 3600, s / 60 % 60);
	else
		text_printf(text, "%lld d %lld h", s / 86400, s / 3600 % 24);
}
