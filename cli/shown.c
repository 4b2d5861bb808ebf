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

size_t shown_width(const char *s, size_t len)
{
	size_t width = 0, n;

	for (; len; s += n, len -= n) {
		mbstate_t fresh = {0};
		wchar_t wide;
		int columns = -1;

		n = mbrtowc(&wide, s, len, &fresh);
		if (n == 0 || n > len) /* a NUL, no character, a part of one */
			n = 1;
		else if (!looks_escaped(s, len))
			columns = wcwidth(wide);
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
