#include "analysis/kernel_index.h"

#include <pthread.h>
#include <string.h>

#include "analysis/kernel_rules.h"
#include "base/macros.h"

/* Rules past it are always tried. */
#define INDEXED_MAX 512

static struct kernel_pairs needed[INDEXED_MAX];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void add_pair(struct kernel_pairs *pairs, char a, char b)
{
	unsigned bit = ((unsigned char)a * 33U + (unsigned char)b * 7U) % 256;

	pairs->bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

void kernel_pairs_of_text(const char *text, struct kernel_pairs *ret)
{
	*ret = (struct kernel_pairs){0};
	for (; *text && text[1]; text++)
		add_pair(ret, text[0], text[1]);
}

/* Behind the hole or choice that p is at; the end of the text when it has none. */
static const char *behind(const char *p, char end)
{
	const char *q = strchr(p, end);

	return q ? q + 1 : p + strlen(p);
}

/* Of what has to stand in the text as it is: no choice, no hole, and no blank, which stands for
 * several as well. */
static void pairs_of_pattern(const char *p, struct kernel_pairs *ret)
{
	char before = ' ';

	while (*p) {
		if (*p == '{' || *p == '<') {
			p = behind(p, *p == '{' ? '}' : '>');
			before = ' ';
			continue;
		}
		if (before != ' ' && *p != ' ' && *p != '$')
			add_pair(ret, before, *p);
		before = *p++;
	}
}

static void make_index(void)
{
	for (size_t i = 0; i < MIN(n_kernel_rules, (size_t)INDEXED_MAX); i++)
		pairs_of_pattern(kernel_rules[i].pattern, &needed[i]);
}

bool kernel_index_may_match(size_t rule, const struct kernel_pairs *text)
{
	pthread_once(&once, make_index);
	if (rule >= INDEXED_MAX)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(text->bits); i++)
		if (needed[rule].bits[i] & ~text->bits[i])
			return false;
	return true;
}
