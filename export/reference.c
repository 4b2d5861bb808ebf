#include "export/reference.h"

#include <errno.h>
#include <stdlib.h>

#include "export/prometheus.h"

struct reference {
	const struct catalog *catalog;
	bool began;
	const struct collector *collector; /* of the last group */
	size_t group_index;
	bool in_group; /* its heading is written */
	size_t index;  /* next metric of the group: fields first */
};

static const char intro[] =
	"# Metrics\n\n"
	"This page is made by `flashscope fields --markdown` from the tables that the collectors\n"
	"are built from.\n\n"
	"A metric is called `GROUP.QUANTITY`, as in `flashscope query diskstats.read_bytes`. A "
	"field\n"
	"is stored as the integer that the kernel gives, in the unit named here; a group is a "
	"table\n"
	"of the database, a field its column. A derived quantity is computed from fields when it "
	"is\n"
	"asked for: `d(x)` is the increase of `x` between two samples, `interval` the time "
	"between\n"
	"them in milliseconds. Prometheus names are in base units.\n\n"
	"The cost of a read: F copies a variable of the kernel, L is local work or a lock in the\n"
	"kernel, H touches a register or a bus, Q sends a command to the device.\n\n"
	"`since` is the first kernel that has a field; where it is empty every kernel from 4.0 on\n"
	"has it. File is where a field is read, below the directory of its node in sysfs. Absent\n"
	"says what it means that a value is not there; one that is there and cannot be read is\n"
	"a fault with its errno, and never 0.\n";

static void put_factor(struct text *out, int64_t num, int64_t den)
{
	if (num != 1)
		text_printf(out, " * %lld", (long long)num);
	if (den != 1)
		text_printf(out, " / %lld", (long long)den);
}

void reference_formula(struct text *out, const struct derived *d)
{
	switch (d->how) {
	case DERIVE_SCALE:
		text_str(out, d->a);
		break;
	case DERIVE_DIFF:
		text_printf(out, "(%s - %s)", d->a, d->b);
		break;
	case DERIVE_QUOTIENT:
		text_printf(out, "%s / %s", d->a, d->b);
		break;
	case DERIVE_REST:
		text_printf(out, "(%s - %s) / %s", d->b, d->a, d->b);
		break;
	case DERIVE_MEAN:
		text_printf(out, "d(%s) / d(%s)", d->a, d->b);
		break;
	case DERIVE_SHARE:
	case DERIVE_AVERAGE:
		text_printf(out, "d(%s) / interval", d->a);
		break;
	}
	put_factor(out, d->num, d->den);
	if (d->how == DERIVE_SHARE)
		text_str(out, ", at most 1");
}

/* Within a cell of a table. */
static void put_cell(struct text *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '|')
			text_char(out, '\\');
		text_char(out, (char)(*s == '\n' ? ' ' : *s));
	}
}

static void put_heading(struct reference *ref, struct text *out, const struct group *group,
			const struct collector *collector)
{
	if (ref->collector != collector) {
		text_printf(out, "\n## %s\n\n", collector->name);
		text_printf(out, "%s\n", collector->help);
	}
	ref->collector = collector;
	text_printf(out, "\n### Group `%s`\n\n%s Cost %s, every ", group->name, group->help,
		    cost_name(group->cost));
	text_fixed(out, group->period_ms, 3);
	text_str(out, " s by default.");
	if (group->node)
		text_printf(out, " Node: %s.", group->node);
	if (group->absence)
		text_printf(out, " Absent: %s.", group->absence);
	text_str(out, "\n\n| field | kind | unit | since | Prometheus | |\n"
		      "|---|---|---|---|---|---|\n");
}

static void put_states(struct text *out, const struct field *field)
{
	if (!field->states)
		return;
	for (size_t i = 0; field->states[i]; i++)
		text_printf(out, "%s%zu %s", i ? ", " : " (", i, field->states[i]);
	text_str(out, field->states[0] ? ")" : "");
}

static void put_field(struct text *out, const struct group *group, const struct field *field)
{
	const char *since = field->since ? field->since : group->since ? group->since : "";

	text_printf(out, "| `%s` | %s | %s | %s | `", field->name, kind_name(field->kind),
		    field->kind == KIND_INFO ? "text" : unit_name(field->unit), since);
	prometheus_name(out, group, field);
	text_str(out, "` | ");
	put_cell(out, field->help);
	put_states(out, field);
	if (field->attr)
		text_printf(out, " File `%s`.", field->attr);
	if (field->absence) {
		text_str(out, " Absent: ");
		put_cell(out, field->absence);
		text_char(out, '.');
	}
	text_str(out, " |\n");
}

static void put_derived(struct text *out, const struct group *group, const struct metric *metric)
{
	if (metric->derived == group->derived)
		text_str(out, "\n| derived | kind | unit | made of | |\n|---|---|---|---|---|\n");
	text_printf(out, "| `%s` | %s | %s | ", metric->name, kind_name(metric->kind),
		    unit_name(metric->unit));
	reference_formula(out, metric->derived);
	text_str(out, " | ");
	put_cell(out, metric->help);
	text_str(out, " |\n");
}

static int step(void *self, struct text *out)
{
	struct reference *ref = self;
	const struct collector *collector = NULL;
	const struct group *group;
	struct metric metric;

	if (!ref->began) {
		ref->began = true;
		text_str(out, intro);
		return 1;
	}
	group = catalog_group_at(ref->catalog, ref->group_index, &collector);
	if (!group)
		return 0;
	if (!ref->in_group) {
		put_heading(ref, out, group, collector);
		ref->in_group = true;
		ref->index = 0;
		return 1;
	}
	if (metric_at(collector, group, ref->index++, &metric) < 0) {
		ref->group_index++;
		ref->in_group = false;
	} else if (metric.derived) {
		put_derived(out, group, &metric);
	} else {
		put_field(out, group, &group->fields[metric.a]);
	}
	return 1;
}

int reference_stream(const struct catalog *catalog, struct stream **ret)
{
	struct reference *ref = calloc(1, sizeof(*ref));

	if (!ref)
		return -ENOMEM;
	ref->catalog = catalog;
	return stream_new(step, free, ref, ret);
}
