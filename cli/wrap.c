#include "cli/wrap.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_DEFAULT 80
#define WIDTH_MIN     20

unsigned wrap_width(FILE *out)
{
	struct winsize size = {0};

	if (!isatty(fileno(out)))
		return 0;
	if (ioctl(fileno(out), TIOCGWINSZ, &size) < 0 || !size.ws_col)
		return WIDTH_DEFAULT;
	return size.ws_col < WIDTH_MIN ? WIDTH_MIN : size.ws_col;
}

/* Columns that it takes: bytes that continue a UTF-8 sequence take none. */
static unsigned columns_of(const char *s, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

static void put(FILE *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fputc(iscntrl((unsigned char)s[i]) ? '?' : s[i], out);
}

void wrap_print(FILE *out, unsigned width, unsigned hang, const char *head, const char *text)
{
	unsigned column = columns_of(head, strlen(head));
	bool begins = true; /* nothing but the indent is on this line */

	put(out, head, strlen(head));
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t len = strcspn(text, " ");
		unsigned n = columns_of(text, len);

		if (width && column > hang && column + !begins + n > width) {
			fprintf(out, "\n%*s", (int)hang, "");
			column = hang;
			begins = true;
		}
		if (!begins) {
			fputc(' ', out);
			column++;
		}
		put(out, text, len);
		column += n;
		text += len;
		begins = false;
	}
	fputc('\n', out);
}
