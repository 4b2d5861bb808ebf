/* Kernel: print_prefix() of kernel/printk/printk.c; dmesg(1), journalctl(1), logcat of Android. */
#include "analysis/kernel_line.h"

#include <string.h>

#include "analysis/kernel_repeat.h"
#include "analysis/kernel_wall.h"
#include "base/macros.h"

/* Longer ones are rare, and a line that quotes the kernel is more likely. */
#define PROMPT_MAX 80
/* Of what a console had printed when the kernel said something. */
#define JUNK_MAX   256

static struct slice skip(struct slice s, size_t n)
{
	return (struct slice){s.p + n, s.len - n};
}

static struct slice skip_blanks(struct slice s)
{
	while (s.len && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = skip(s, 1);
	return s;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* How many digits it begins with, max at most. */
static size_t n_digits(struct slice s, size_t max)
{
	size_t n = 0;

	while (n < s.len && n < max && is_digit(s.p[n]))
		n++;
	return n;
}

/* Whether it begins with a form, in which 0 is any digit and everything else is itself. */
static bool has_form(struct slice s, const char *form)
{
	for (size_t i = 0; form[i]; i++)
		if (i >= s.len || (form[i] == '0' ? !is_digit(s.p[i]) : s.p[i] != form[i]))
			return false;
	return true;
}

static bool is_word_of(struct slice s, const char *const *words, size_t n, size_t *ret_index)
{
	for (size_t i = 0; i < n; i++) {
		if (slice_is(s, words[i])) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

/* The number after the point in millionths; what is finer is cut off. */
static int64_t micros_of(struct slice s)
{
	int64_t us = 0;

	for (size_t i = 0; i < 6; i++)
		us = us * 10 + (i < s.len && is_digit(s.p[i]) ? s.p[i] - '0' : 0);
	return us;
}

/* "   12.345678", and what may stand behind. 12 digits of seconds are 30 thousand years. */
static bool read_stamp(struct slice s, int64_t *ret_us)
{
	int64_t seconds = 0, us;
	size_t n;

	s = skip_blanks(s);
	n = n_digits(s, 12);
	if (!n || n + 1 >= s.len || s.p[n] != '.' || !is_digit(s.p[n + 1]))
		return false;
	for (size_t i = 0; i < n; i++)
		seconds = seconds * 10 + (s.p[i] - '0');
	s = skip(s, n + 1);
	us = seconds * 1000000 + micros_of(s);
	s = skip_blanks(skip(s, n_digits(s, s.len)));
	/* Behind it nothing, or the time since the last line: "12.345678 <    0.000004>". */
	if (s.len && s.p[0] != '<')
		return false;
	*ret_us = us;
	return true;
}

static bool is_month(struct slice s)
{
	return s.len >= 4 && (s.p[3] == ' ' || is_digit(s.p[3])) && kernel_wall_month(s);
}

/* In brackets, in front: a wall clock, or who called: "T1", "C0". */
static bool is_passed_over(struct slice s)
{
	struct slice inside = skip_blanks(s);
	size_t n;

	if (kernel_wall_is_day(inside) || is_month(inside) || has_form(inside, "0000-00-00") ||
	    has_form(inside, "00:00:00"))
		return true;
	if (inside.len && (inside.p[0] == '+' || inside.p[0] == '<'))
		return true;
	if (inside.len < 2 || (inside.p[0] != 'T' && inside.p[0] != 'C'))
		return false;
	n = n_digits(skip(inside, 1), inside.len);
	return n && n + 1 == inside.len;
}

/* "[1:swapper/0]" and "[0:      swapper:    1]", as vendors have them. */
static bool is_vendors(struct slice inside)
{
	size_t n;

	inside = skip_blanks(inside);
	n = n_digits(inside, 7);
	return n && n < inside.len && inside.p[n] == ':';
}

/* Takes one pair of brackets, if it is a prefix. */
static bool take_brackets(struct slice *line, struct kernel_message *m)
{
	struct slice rest = skip_blanks(*line), inside;

	if (!rest.len || rest.p[0] != '[')
		return false;
	rest = skip(rest, 1);
	if (!slice_until(&rest, ']', &inside))
		return false;
	if (m->t_us == KERNEL_TIME_NONE && read_stamp(inside, &m->t_us)) {
		*line = rest;
		return true;
	}
	if (!is_passed_over(inside) && !(m->t_us != KERNEL_TIME_NONE && is_vendors(inside)))
		return false;
	kernel_wall_read(inside, m);
	*line = rest;
	return true;
}

/* "(0)", "-(1)" and ".(4)" before a vendor's brackets. */
static bool take_cpu(struct slice *line, const struct kernel_message *m)
{
	struct slice rest = skip_blanks(*line);
	size_t n;

	if (m->t_us == KERNEL_TIME_NONE && m->level == KERNEL_LEVEL_NONE)
		return false;
	if (rest.len && (rest.p[0] == '-' || rest.p[0] == '.'))
		rest = skip(rest, 1);
	if (!rest.len || rest.p[0] != '(')
		return false;
	n = n_digits(skip(rest, 1), 3);
	if (!n || n + 2 >= rest.len || rest.p[n + 1] != ')' || rest.p[n + 2] != '[')
		return false;
	*line = skip(rest, n + 2);
	return true;
}

/* "[name:ufs_mediatek_mod&]" */
static void take_module(struct slice *line)
{
	struct slice rest = skip_blanks(*line), inside;

	if (rest.len > 6 && !memcmp(rest.p, "[name:", 6) && slice_until(&rest, ']', &inside) &&
	    inside.p[inside.len - 1] == '&')
		*line = rest;
}

/* "<6>" */
static bool take_priority(struct slice *line, struct kernel_message *m)
{
	struct slice rest = skip_blanks(*line);
	size_t n = rest.len && rest.p[0] == '<' ? n_digits(skip(rest, 1), 4) : 0;
	int priority = 0;

	if (!n || n + 1 >= rest.len || rest.p[n + 1] != '>')
		return false;
	for (size_t i = 1; i <= n; i++)
		priority = priority * 10 + (rest.p[i] - '0');
	m->facility = priority / 8;
	m->level = priority % 8;
	*line = skip(rest, n + 2);
	return true;
}

static const char *const facilities[] = {
	"kern",   "user",   "mail",     "daemon", "auth",   "syslog", "lpr",    "news",
	"uucp",   "cron",   "authpriv", "ftp",    "res0",   "res1",   "res2",   "res3",
	"local0", "local1", "local2",   "local3", "local4", "local5", "local6", "local7"};
static const char *const levels[] = {"emerg", "alert",  "crit", "err",
				     "warn",  "notice", "info", "debug"};

static struct slice trimmed(struct slice s)
{
	s = skip_blanks(s);
	while (s.len && s.p[s.len - 1] == ' ')
		s.len--;
	return s;
}

static bool set_words(struct slice facility, struct slice level, struct kernel_message *m)
{
	size_t f, l;

	if (!is_word_of(trimmed(facility), facilities, ARRAY_SIZE(facilities), &f) ||
	    !is_word_of(trimmed(level), levels, ARRAY_SIZE(levels), &l))
		return false;
	m->facility = (int)f;
	m->level = (int)l;
	return true;
}

/* "kern  :info  : " of dmesg --decode. */
static bool take_decoded(struct slice *line, struct kernel_message *m)
{
	struct slice rest = *line, facility, level;

	if (!slice_until(&rest, ':', &facility) || !slice_until(&rest, ':', &level) ||
	    !set_words(facility, level, m))
		return false;
	*line = rest;
	return true;
}

/* "kern.err " of a syslog that writes it. */
static void take_dotted(struct slice *line, struct kernel_message *m)
{
	struct slice rest = *line, token, facility;

	if (slice_token(&rest, &token) && slice_until(&token, '.', &facility) &&
	    set_words(facility, token, m))
		*line = rest;
}

/* Takes "HOST PROGRAM: ", "kernel: " alone as well. Says whether the kernel was the program. */
static bool take_program(struct slice *line, struct kernel_message *m)
{
	struct slice rest = *line, token;

	take_dotted(&rest, m);
	if (!slice_token(&rest, &token))
		return false;
	/* What a message was that came again has no name here. */
	if (kernel_repeat_is_last(skip_blanks(rest))) {
		*line = skip_blanks(rest);
		return true;
	}
	if (!slice_is(token, "kernel:")) {
		take_dotted(&rest, m);
		if (!slice_token(&rest, &token) || token.p[token.len - 1] != ':')
			return false;
	}
	if (!slice_is(token, "kernel:"))
		m->facility = 1;
	*line = rest;
	return true;
}

/* "May 21 18:07:14 HOST kernel: ", also with a day before and a year behind. */
static bool take_syslog(struct slice *line, struct kernel_message *m)
{
	struct slice rest = *line, token;

	if (kernel_wall_is_day(rest))
		rest = skip_blanks(skip(rest, 4));
	if (!is_month(rest))
		return false;
	rest = skip_blanks(skip(rest, 3));
	if (!slice_token(&rest, &token) || n_digits(token, 2) != token.len ||
	    !slice_token(&rest, &token) || !has_form(token, "00:00:00"))
		return false;
	if (has_form(skip_blanks(rest), "0000 "))
		rest = skip(skip_blanks(rest), 5);
	if (!take_program(&rest, m))
		return false;
	kernel_wall_read(*line, m);
	*line = rest;
	return true;
}

/* "2026-12-01T18:07:14.123456+00:00 HOST kernel: "; dmesg writes a comma, and no host. */
static bool take_iso(struct slice *line, struct kernel_message *m)
{
	struct slice rest = *line, token;

	if (!has_form(rest, "0000-00-00T00:00:00") || !slice_token(&rest, &token))
		return false;
	if (!memchr(token.p, ',', token.len) && !take_program(&rest, m))
		return false;
	kernel_wall_read(*line, m);
	*line = rest;
	return true;
}

/* "Mon 2026-11-30 18:07:14 UTC HOST kernel: " of journalctl -o short-full */
static bool take_full(struct slice *line, struct kernel_message *m)
{
	struct slice rest = *line, token;

	if (!kernel_wall_is_day(rest) || !has_form(skip(rest, 4), "0000-00-00 00:00:00"))
		return false;
	rest = skip(rest, 4 + 19);
	if (!slice_token(&rest, &token) || !slice_token(&rest, &token) || !take_program(&rest, m))
		return false;
	kernel_wall_read(*line, m);
	*line = rest;
	return true;
}

/* "1796101967.219000 HOST kernel: " of journalctl -o short-unix; so many seconds are no stamp. */
static bool take_unix(struct slice *line, struct kernel_message *m)
{
	struct slice rest = *line, token, seconds;
	int64_t s;

	if (!slice_token(&rest, &token) || !slice_until(&token, '.', &seconds) || seconds.len < 9 ||
	    seconds.len > 11 || n_digits(token, 7) != 6 || token.len != 6 ||
	    n_digits(seconds, 12) != seconds.len || parse_i64_slice(seconds, &s) < 0 ||
	    !take_program(&rest, m))
		return false;
	kernel_wall_set(s * 1000000 + micros_of(token), m);
	*line = rest;
	return true;
}

/* "12-01 18:07:14.123  root  0  0 W mmc0    : ": the letter, and the name that logcat has made of
 * the text. Only the kernel has no process. */
static bool take_logcat(struct slice *line, struct kernel_message *m)
{
	static const char letters[] = "FEWIDV";
	static const int letter_levels[] = {2, 3, 4, 6, 7, 7};
	struct slice rest = *line, token = {0}, before = {0};
	const char *at;

	if (!has_form(rest, "00-00 00:00:00."))
		return false;
	rest = skip(rest, 15);
	if (!slice_token(&rest, &token))
		return false;
	for (int i = 0; i < 4; i++) {
		before = token;
		if (!slice_token(&rest, &token))
			return false;
		if (i && token.len == 1 && !is_digit(token.p[0]))
			break;
	}
	at = token.len == 1 ? memchr(letters, token.p[0], sizeof(letters) - 1) : NULL;
	if (!at || n_digits(before, before.len) != before.len)
		return false;
	m->level = letter_levels[at - letters];
	m->facility = slice_is(before, "0") ? 0 : 1;
	kernel_wall_read(*line, m);
	*line = rest;
	return true;
}

/* "2026-12-01 18:07:14.123 " of who recorded a console, before the line itself. */
static void take_recorder(struct slice *line, struct kernel_message *m)
{
	struct slice rest = *line, token;

	if (has_form(rest, "0000-00-00 ") || has_form(rest, "0000/00/00 "))
		rest = skip(rest, 11);
	if (!has_form(rest, "00:00:00") || !slice_token(&rest, &token))
		return;
	rest = skip_blanks(rest);
	if (!rest.len || (rest.p[0] != '[' && rest.p[0] != '<'))
		return;
	kernel_wall_read(*line, m);
	*line = rest;
}

/* What stands before the time of the kernel. */
static bool take_front(struct slice *line, struct kernel_message *m, bool *ret_has_program)
{
	*ret_has_program = false;
	take_recorder(line, m);
	while (m->t_us == KERNEL_TIME_NONE && take_brackets(line, m))
		;
	if (take_logcat(line, m))
		return true;
	*ret_has_program = take_syslog(line, m) || take_iso(line, m) || take_full(line, m) ||
			   take_unix(line, m);
	if (!*ret_has_program && m->t_us == KERNEL_TIME_NONE && !take_priority(line, m))
		take_decoded(line, m);
	return false;
}

/* journalctl -o short-monotonic has host and program behind the time. */
static void take_monotonic(struct slice *line)
{
	struct slice rest = *line, host, program;

	if (slice_token(&rest, &host) && slice_token(&rest, &program) &&
	    slice_is(program, "kernel:") && host.p[host.len - 1] != ':')
		*line = rest;
}

static bool ends_with(struct slice s, const char *end)
{
	size_t len = strlen(end);

	return s.len >= len && !memcmp(s.p + s.len - len, end, len);
}

static bool is_prompt(struct slice s)
{
	static const char *const ends[] = {"login: ", "assword: ", "# ", "$ ", "> "};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends_with(s, ends[i]))
			return true;
	return false;
}

/* A console waits at its prompt when the kernel says something: "board login: [   12.345678] text".
 */
static void take_prompt(struct slice *line, struct kernel_message *m)
{
	for (size_t at = 2; at < line->len && at <= PROMPT_MAX; at++) {
		struct slice rest = skip(*line, at);

		if (rest.p[0] != '[' || !is_prompt((struct slice){line->p, at}) ||
		    !take_brackets(&rest, m) || m->t_us == KERNEL_TIME_NONE)
			continue;
		*line = rest;
		return;
	}
}

/* "[   12.345678]", as printk prints it and hardly anybody else. */
static bool has_stamp(struct slice s)
{
	struct slice inside = {0};
	size_t n, width;

	if (!s.len || s.p[0] != '[')
		return false;
	s = skip(s, 1);
	inside = skip_blanks(s);
	n = n_digits(inside, 12);
	width = (size_t)(inside.p - s.p) + n;
	return n && width >= 5 && width <= 12 && has_form(skip(inside, n), ".000000]");
}

/* "<6>" right before. */
static size_t priority_len(struct slice before)
{
	size_t n = before.len;

	if (n < 3 || before.p[n - 1] != '>')
		return 0;
	for (n--; n && before.len - n < 6 && is_digit(before.p[n - 1]); n--)
		;
	return n && before.p[n - 1] == '<' ? before.len - n + 1 : 0;
}

/* "myapp: " or "myapp[3]: ": what follows is somebody's, whatever it quotes; but "Starting network:
 * " of an init script may be where the kernel came in between. */
static bool is_tag_end(struct slice line, size_t at)
{
	char before = line.p[at - 1];

	return at + 1 < line.len && line.p[at] == ':' && line.p[at + 1] == ' ' &&
	       ((before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') ||
		before == ']');
}

/* Whatever a console, or what records it, has put before the time of the kernel: a line of a
 * process that had no end yet, noise of the wire, a clock of its own. Only what the kernel itself
 * prints is so sure. */
static void take_junk(struct slice *line, struct kernel_message *m)
{
	size_t behind_tag = 0;

	for (size_t at = 1; at < line->len && at <= JUNK_MAX; at++) {
		size_t begin = at - priority_len((struct slice){line->p, at});

		if (!behind_tag && is_tag_end(*line, at))
			behind_tag = at + 2;
		if (!has_stamp(skip(*line, at)))
			continue;
		if (behind_tag && behind_tag != begin)
			return;
		kernel_wall_read(*line, m);
		*line = skip(*line, begin);
		return;
	}
}

/* Noise that the front of a line begins with. */
static struct slice without_noise(struct slice line)
{
	size_t n = 0;

	while (n < line.len && n < JUNK_MAX &&
	       ((unsigned char)line.p[n] < ' ' || (unsigned char)line.p[n] >= 0x7f))
		n++;
	return skip(line, n);
}

void kernel_line_stamp(struct slice *line, struct kernel_message *m)
{
	/* A number that another program wrote would make it the kernel. */
	if (m->facility == 0)
		take_priority(line, m);
	/* Time, caller and process, in any number that a vendor has found good. */
	while (take_brackets(line, m) || take_cpu(line, m))
		;
	if (m->t_us != KERNEL_TIME_NONE)
		take_monotonic(line);
	take_module(line);
	/* One blank parts the text from all that; more of them are its own. */
	if (line->len && line->p[0] == ' ')
		*line = skip(*line, 1);
}

static bool take_prefix(struct slice *line, struct kernel_message *m)
{
	const char *begins = line->p;
	bool has_program, is_logcat = take_front(line, m, &has_program);

	if (line->p == begins)
		take_prompt(line, m);
	if (m->t_us == KERNEL_TIME_NONE && m->facility == 0 && !has_program && !is_logcat)
		take_junk(line, m);
	kernel_line_stamp(line, m);
	return is_logcat;
}

/* A blank in front tells nothing. */
static bool is_bare(struct slice whole, struct slice text)
{
	return text.p == whole.p || (text.p == whole.p + 1 && *whole.p == ' ');
}

bool kernel_line_prefix(struct slice *line, struct kernel_message *m)
{
	const struct kernel_message before = *m;
	const struct slice whole = *line, clean = without_noise(*line);
	bool is_logcat = take_prefix(line, m);

	m->is_bare = is_bare(whole, *line);
	if (!m->is_bare || !clean.len || clean.p == whole.p)
		return is_logcat;
	*m = before;
	*line = clean;
	is_logcat = take_prefix(line, m);
	m->is_bare = is_bare(clean, *line);
	if (m->is_bare)
		*line = whole;
	return is_logcat;
}
