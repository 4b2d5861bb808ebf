#include "cli/ambiguous.h"

#include "base/clock.h"
#include "base/text.h"

static void print_span(const struct points_ambiguity *a, FILE *out)
{
	char from[64], to[64];
	struct text t_from = TEXT_IN(from), t_to = TEXT_IN(to);

	clock_rfc3339(&t_from, a->from_wall_ms);
	clock_rfc3339(&t_to, a->to_wall_ms);
	fprintf(out, "%s to %s", from, to);
}

void ambiguous_print(FILE *out, const char *prefix, const struct points_ambiguity *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct points_ambiguity *a = &items[i];

		fprintf(out, "%sambiguous: ", prefix);
		print_span(a, out);
		if (a->why == POINTS_TWO_BOOTS)
			fprintf(out, " is in the boots %lld and %lld\n", (long long)a->other_boot,
				(long long)a->boot);
		else
			fprintf(out, " was shown twice in boot %lld, whose clock was set back\n",
				(long long)a->boot);
	}
}
