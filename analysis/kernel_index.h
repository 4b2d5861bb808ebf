/* Which rules a text may match at all, before any is tried: a pattern's fixed text has pairs of
 * characters ("I/", "/O"), and a text that lacks one of them cannot match it. A line that is in no
 * rule, as most are, is so done with a few comparisons for each rule. Private to analysis/. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of pairs; several share a bit, so that it tells for certain only what is not there. */
struct kernel_pairs {
	uint64_t bits[4];
};

void kernel_pairs_of_text(const char *text, struct kernel_pairs *ret);

/* false: kernel_rules[rule] does not match a text with these pairs. */
bool kernel_index_may_match(size_t rule, const struct kernel_pairs *text);
