/* rsyslog: runtime/ratelimit.c; sysklogd: syslogd.c; syslog-ng: lib/logwriter.c */
#include "analysis/kernel_repeat.h"

#include <string.h>

#define DIGITS_MAX 9

static bool skip_word(struct slice *s, const char *word)
{
	size_t len = strlen(word);

	if (s->len < len || memcmp(s->p, word, len) != 0)
		return false;
	*s = (struct slice){s->p + len, s->len - len};
	return true;
}

/* How often, and the word behind it; 0 and a number of many digits are none. */
static bool take_times(struct slice *s, const char *behind, int64_t *ret)
{
	size_t n = 0;

	while (n < s->len && s->p[n] >= '0' && s->p[n] <= '9')
		n++;
	if (!n || n > DIGITS_MAX || parse_i64_slice((struct slice){s->p, n}, ret) < 0 || *ret < 1)
		return false;
	*s = (struct slice){s->p + n, s->len - n};
	return skip_word(s, behind);
}

static bool take_last(struct slice s, int64_t *ret)
{
	if (skip_word(&s, "last message repeated "))
		return take_times(&s, " time", ret);
	/* syslog-ng quotes the first 20 characters of it. */
	if (!skip_word(&s, "Last message '"))
		return false;
	while (s.len && !skip_word(&s, "' repeated "))
		s = (struct slice){s.p + 1, s.len - 1};
	return take_times(&s, " time", ret);
}

bool kernel_repeat_is_last(struct slice text)
{
	int64_t times;

	return take_last(text, &times);
}

bool kernel_repeat_take(struct slice *text, struct kernel_message *m)
{
	struct slice rest = *text;

	/* Who logs writes it without a name, or with that of whose line it was: a program that says
	 * so repeats nothing of the kernel. */
	if (m->facility == 0 && take_last(*text, &m->repeats)) {
		m->repeats_last = true;
		return true;
	}
	if (!skip_word(&rest, "message repeated ") || !take_times(&rest, " times: [", &m->repeats))
		return false;
	/* What was too long has lost its end. */
	while (rest.len && rest.p[rest.len - 1] == ' ')
		rest.len--;
	if (rest.len && rest.p[rest.len - 1] == ']')
		rest.len--;
	*text = rest;
	return true;
}
