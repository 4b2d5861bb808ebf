#include <string.h>

#include "analysis/incident_parts.h"
#include "base/text.h"

static size_t row_of(struct incident_counts *counts, const char *device)
{
	size_t i = 0;
	struct text name;

	while (i < counts->n && strcmp(counts->rows[i].device, device) != 0)
		i++;
	if (i < counts->n)
		return i;
	if (i == INCIDENT_DEVICES_MAX)
		return i - 1;
	name = text_in(counts->rows[i].device, NODE_NAME_MAX);
	text_str(&name, i + 1 < INCIDENT_DEVICES_MAX ? device : "*");
	counts->n++;
	return i;
}

void counts_add(struct incident_counts *counts, const char *device, const struct finding *finding,
		bool is_new_cause)
{
	size_t i = row_of(counts, device);

	counts->rows[i].findings[finding->cause] += finding->times;
	counts->rows[i].incidents[finding->cause] += is_new_cause;
}

void counts_began(struct incident_counts *counts, const char *device)
{
	counts->rows[row_of(counts, device)].began++;
}

void counts_in_incident(struct incident_counts *counts, const char *device, enum kernel_cause cause)
{
	counts->rows[row_of(counts, device)].incidents[cause]++;
}

void counts_at_least(struct incident_counts *counts, const char *device)
{
	counts->rows[row_of(counts, device)].at_least = true;
}

bool counts_next(const struct incident_counts *counts, size_t *cursor, struct incidents_count *ret)
{
	for (; *cursor < counts->n * N_CAUSES; ++*cursor) {
		size_t i = *cursor / N_CAUSES, cause = *cursor % N_CAUSES;
		struct text name;

		if (!counts->rows[i].findings[cause])
			continue;
		name = text_in(ret->device, NODE_NAME_MAX);
		text_str(&name, counts->rows[i].device);
		ret->cause = (enum kernel_cause)cause;
		ret->findings = counts->rows[i].findings[cause];
		ret->incidents = counts->rows[i].incidents[cause];
		ret->began = counts->rows[i].began;
		ret->at_least = counts->rows[i].at_least;
		++*cursor;
		return true;
	}
	return false;
}
