#include "cli/shown.h"

#include <ctype.h>
#include <stdbool.h>
#include <wchar.h>

#include "base/macros.h"
#include "base/text.h"

/* Of "\xNN". */
#define ESCAPE_WIDTH 4

/* libsmartcols escapes a backslash where it would look like an escape. */
static bool looks_escaped(const char *s, size_t len)
{
	return len > 1 && s[0] == '\\' && s[1] == 'x';
}

/* musl makes such of the bytes that its locale C has no characters for. */
static bool is_surrogate(wchar_t wide)
{
	return wide >= 0xd800 && wide <= 0xdfff;
}

size_t shown_char(const char *s, size_t len, int *ret_columns)
{
	mbstate_t fresh = {0};
	wchar_t wide;
	size_t n = mbrtowc(&wide, s, len, &fresh);

	*ret_columns = -1;
	if (n == 0 || n > len) /* a NUL, no character, a part of one */
		return 1;
	if (!looks_escaped(s, len) && !is_surrogate(wide))
		*ret_columns = wcwidth(wide);
	return n;
}

size_t shown_width(const char *s, size_t len)
{
	size_t width = 0, n;
	int columns;

	for (; len; s += n, len -= n) {
		n = shown_char(s, len, &columns);
		width += columns < 0 ? n * ESCAPE_WIDTH : (size_t)columns;
	}
	return width;
}

static bool is_high_control(const char *s, size_t n)
{
	unsigned char last = (unsigned char)s[n - 1];

	return last >= 0x80 && last <= 0x9f && (n == 1 || (n == 2 && (unsigned char)s[0] == 0xc2));
}

void shown_put(FILE *out, const char *s, size_t len)
{
	size_t n;

	for (; len; s += n, len -= n) {
		/* 0 is a byte that belongs to no character, and stands for itself. */
		n = MIN(MAX(text_utf8_len(s), (size_t)1), len);
		if (is_high_control(s, n) || (n == 1 && iscntrl((unsigned char)*s)))
			fputc('?', out);
		else
			fwrite(s, 1, n, out);
	}
}
