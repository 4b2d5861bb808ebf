#include "cli/ambiguous.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "export/tree.h"

static void print_span(const struct points_ambiguity *a, FILE *out)
{
	char from[64], to[64];
	struct text t_from = TEXT_IN(from), t_to = TEXT_IN(to);

	clock_rfc3339(&t_from, a->from_wall_ms);
	clock_rfc3339(&t_to, a->to_wall_ms);
	fprintf(out, "%s to %s", from, to);
}

static void print_item(FILE *out, const char *prefix, const struct points_ambiguity *a)
{
	long long boot = a->boot;

	fprintf(out, "%sambiguous: ", prefix);
	print_span(a, out);
	switch (a->why) {
	case POINTS_CLOCK_STEP:
		fprintf(out, " was shown twice in boot %lld, whose clock was set back\n", boot);
		break;
	case POINTS_TWO_BOOTS:
		fprintf(out, " is in the boots %lld and %lld\n", (long long)a->other_boot, boot);
		break;
	case POINTS_AS_SHOWN:
		fprintf(out,
			" in boot %lld had times of this window by its clock, before that was "
			"set back; it is not in it\n",
			boot);
		break;
	}
}

void ambiguous_print(FILE *out, const char *prefix, const struct points_ambiguity *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		print_item(out, prefix, &items[i]);
}

void ambiguous_print_tree(FILE *out, const char *prefix, struct tree *array)
{
	for (size_t i = 0; i < tree_n(array); i++) {
		struct tree *item = tree_at(array, i);
		const char *why = tree_text(item, "why");
		struct points_ambiguity a = {
			.why = !strcmp(why, "two_boots")  ? POINTS_TWO_BOOTS
			       : !strcmp(why, "as_shown") ? POINTS_AS_SHOWN
							  : POINTS_CLOCK_STEP,
			.boot = tree_i64(item, "boot"),
			.other_boot = tree_i64(item, "other_boot"),
		};

		if (clock_parse_rfc3339(tree_text(item, "from"), &a.from_wall_ms) == 0 &&
		    clock_parse_rfc3339(tree_text(item, "to"), &a.to_wall_ms) == 0)
			print_item(out, prefix, &a);
	}
}
