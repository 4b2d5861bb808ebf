#include "cli/wrap.h"

#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/shown.h"

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

size_t wrap_piece(const char *s)
{
	size_t len = strcspn(s, " ,");

	return s[len] == ',' ? len + 1 : len;
}

void wrap_print(FILE *out, unsigned width, unsigned hang, const char *head, const char *text)
{
	size_t column = shown_width(head, strlen(head));
	bool begins = true; /* nothing but the indent is on this line */
	size_t blanks;

	shown_put(out, head, strlen(head));
	for (text += blanks = strspn(text, " "); *text; text += blanks = strspn(text, " ")) {
		size_t len = wrap_piece(text);
		size_t n = shown_width(text, len), gap = !begins && blanks;

		if (width && column > hang && column + gap + n > width) {
			fprintf(out, "\n%*s", (int)hang, "");
			column = hang;
			gap = 0;
		}
		if (gap)
			fputc(' ', out);
		shown_put(out, text, len);
		column += gap + n;
		text += len;
		begins = false;
	}
	fputc('\n', out);
}
