#include "analysis/kernel_message.h"

#include <errno.h>
#include <string.h>

#include "analysis/kernel_line.h"
#include "analysis/kernel_repeat.h"

/* Syslog's number in front: facility x 8 + level. */
#define PRIORITY_MAX ((1 << 20) - 1)

static void clear(struct kernel_message *m)
{
	m->t_us = m->wall_us = KERNEL_TIME_NONE;
	m->wall_is_utc = m->wall_has_year = false;
	m->is_bare = false;
	m->repeats = 0;
	m->repeats_last = false;
	m->sequence = KERNEL_SEQUENCE_NONE;
	m->facility = 0;
	m->level = KERNEL_LEVEL_NONE;
	m->is_fragment = false;
	m->is_cut = false;
	m->text[0] = m->subsystem[0] = m->device[0] = '\0';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Takes one byte off the front, which may stand there as "\x0a". */
static char take_byte(struct slice *from, bool is_escaped)
{
	char c = from->p[0];
	size_t n = 1;

	if (is_escaped && c == '\\' && from->len >= 4 && from->p[1] == 'x') {
		int high = hex_digit(from->p[2]), low = hex_digit(from->p[3]);

		if (high >= 0 && low >= 0) {
			c = (char)(high * 16 + low);
			n = 4;
		}
	}
	from->p += n;
	from->len -= n;
	return c;
}

/* Control characters come out as blanks, those at the end not at all. Returns whether all fitted.
 */
static bool copy_text(struct slice from, bool is_escaped, char *buf, size_t size)
{
	size_t len = 0;

	while (from.len && len + 1 < size) {
		char c = take_byte(&from, is_escaped);

		buf[len++] = (unsigned char)c < ' ' || c == 0x7f ? ' ' : c;
	}
	while (len && buf[len - 1] == ' ')
		len--;
	buf[len] = '\0';
	return !from.len;
}

static bool starts_with(struct slice s, const char *prefix)
{
	size_t len = strlen(prefix);

	return s.len >= len && !memcmp(s.p, prefix, len);
}

static struct slice skip(struct slice s, size_t n)
{
	return (struct slice){s.p + n, s.len - n};
}

/* A line behind a record: " SUBSYSTEM=scsi". */
static void take_word(struct slice line, struct kernel_message *m)
{
	static const char subsystem[] = " SUBSYSTEM=", device[] = " DEVICE=";

	if (starts_with(line, subsystem))
		copy_text(skip(line, sizeof(subsystem) - 1), true, m->subsystem,
			  sizeof(m->subsystem));
	else if (starts_with(line, device))
		copy_text(skip(line, sizeof(device) - 1), true, m->device, sizeof(m->device));
}

/* Takes a number that is not negative and the c behind it off the front. */
static bool take_number(struct slice *rest, char c, int64_t *ret)
{
	struct slice part;

	return slice_until(rest, c, &part) && part.len && part.p[0] != '-' && part.p[0] != '+' &&
	       parse_i64_slice(part, ret) == 0;
}

/* "6,339,5140900,-,caller=T1;text" */
static int take_record(struct slice line, struct kernel_message *m)
{
	int64_t priority;
	struct slice flags;

	if (!take_number(&line, ',', &priority) || priority > PRIORITY_MAX ||
	    !take_number(&line, ',', &m->sequence) || !take_number(&line, ',', &m->t_us) ||
	    !slice_until(&line, ';', &flags))
		return -EINVAL;
	m->facility = (int)(priority / 8);
	m->level = (int)(priority % 8);
	m->is_fragment = flags.len && (flags.p[0] == 'c' || flags.p[0] == '+');
	m->is_cut = !copy_text(line, true, m->text, sizeof(m->text));
	return 0;
}

int kernel_message_record(struct slice record, struct kernel_message *ret)
{
	struct slice line;
	int r;

	clear(ret);
	if (!slice_line(&record, &line))
		return -EINVAL;
	r = take_record(line, ret);
	if (r < 0)
		return r;
	while (slice_line(&record, &line))
		take_word(line, ret);
	return 0;
}

/* The name of a window: ESC ] 0;name BEL, or ESC \ in place of BEL. */
static size_t title_len(struct slice s)
{
	for (size_t n = 2; n < s.len && n < 128; n++) {
		if (s.p[n] == '\a')
			return n + 1;
		if (s.p[n] == '\x1b')
			return n + 1 < s.len && s.p[n + 1] == '\\' ? n + 2 : 0;
	}
	return 0;
}

/* How long a sequence is that commands a terminal: ESC [ 1 ; 31 m, ESC [ ? 2004 l, ESC ( B, ESC 7.
 * 0: there is none. */
static size_t escape_len(struct slice s)
{
	size_t n = 2;

	if (s.len < 2 || s.p[0] != '\x1b')
		return 0;
	if (s.p[1] == ']')
		return title_len(s);
	if (s.p[1] == '(' || s.p[1] == ')')
		return s.len < 3 ? 0 : 3;
	if (s.p[1] != '[')
		return strchr("78=>cDEHM", s.p[1]) && s.p[1] ? 2 : 0;
	while (n < s.len && n < 32 && s.p[n] >= ' ' && s.p[n] <= '?')
		n++;
	return n < s.len ? n + 1 : 0;
}

/* Copies a line without what is meant for a terminal; the end of what does not fit is lost. */
static struct slice plain_line(struct slice line, char *buf, size_t size)
{
	size_t len = 0;

	while (line.len && len < size) {
		size_t n = escape_len(line);

		if (!n) {
			n = 1;
			if (line.p[0] != '\r')
				buf[len++] = line.p[0];
		}
		line = skip(line, n);
	}
	return (struct slice){buf, len};
}

/* logcat takes "mmc0: text" for a tag and its text, and shows it as "mmc0    : text". */
static void mend_tag(char *text)
{
	char *colon = strstr(text, ": ");
	char *end = colon;

	while (end && end > text && end[-1] == ' ')
		end--;
	if (!colon || end == colon)
		return;
	/* Without a name it was a text alone. */
	if (end == text)
		colon += 2;
	memmove(end, colon, strlen(colon) + 1);
}

int kernel_message_line(struct slice line, struct kernel_message *ret)
{
	/* Prefixes are short, so that a text that is cut here is cut by its own bound as well. */
	char buf[KERNEL_TEXT_MAX + 512];
	bool is_logcat;

	clear(ret);
	line = plain_line(line, buf, sizeof(buf));
	if (take_record(line, ret) == 0)
		return *ret->text ? 0 : -ENODATA;
	clear(ret);
	is_logcat = kernel_line_prefix(&line, ret);
	/* The text that is quoted has a stamp of its own, or not. */
	if (kernel_repeat_take(&line, ret) && !ret->repeats_last)
		kernel_line_stamp(&line, ret);
	/* "-- Boot ... --", "-- Logs begin at ... --" of journalctl. */
	if (ret->is_bare && starts_with(line, "-- "))
		ret->facility = 1;
	ret->is_cut = !copy_text(line, false, ret->text, sizeof(ret->text));
	if (is_logcat)
		mend_tag(ret->text);
	return *ret->text ? 0 : -ENODATA;
}

/* Words of a record begin with a blank and are written in capitals. */
static bool is_word_line(struct slice line)
{
	size_t n = 1;

	if (line.len < 3 || line.p[0] != ' ')
		return false;
	while (n < line.len && ((line.p[n] >= 'A' && line.p[n] <= 'Z') || line.p[n] == '_'))
		n++;
	return n > 1 && n < line.len && line.p[n] == '=';
}

/* A power cut leaves zeros where the end of a line was to be written, and the next boot goes on
 * behind them: so they end a line as well. Those in front of one are passed over. */
static bool next_line(struct slice *rest, struct slice *ret)
{
	size_t n = 0;

	while (rest->len && !rest->p[0])
		*rest = skip(*rest, 1);
	if (!rest->len)
		return false;
	while (n < rest->len && rest->p[n] != '\n' && rest->p[n])
		n++;
	*ret = (struct slice){rest->p, n};
	*rest = skip(*rest, MIN(n + 1, rest->len));
	return true;
}

bool kernel_message_next(struct slice *rest, struct kernel_message *ret)
{
	struct slice line, ahead;

	do {
		if (!next_line(rest, &line))
			return false;
	} while (kernel_message_line(line, ret) < 0);
	if (ret->sequence == KERNEL_SEQUENCE_NONE)
		return true;
	for (ahead = *rest; next_line(&ahead, &line) && is_word_line(line); *rest = ahead)
		take_word(line, ret);
	return true;
}

void kernel_message_follow(struct kernel_message *last, struct kernel_message *message)
{
	if (!message->repeats_last) {
		*last = *message;
		return;
	}
	message->facility = *last->text ? last->facility : 1;
	message->level = last->level;
	if (!*last->text)
		return;
	memcpy(message->text, last->text, sizeof(message->text));
	memcpy(message->subsystem, last->subsystem, sizeof(message->subsystem));
	memcpy(message->device, last->device, sizeof(message->device));
}
