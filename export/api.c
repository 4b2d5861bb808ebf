#include "export/api.h"

#include <errno.h>
#include <string.h>

#include "base/errno_name.h"
#include "model/points.h"
#include "model/unit.h"

void api_problem(struct doc *doc, unsigned status, const char *title, const char *detail,
		 const char *parameter)
{
	doc_object(doc, NULL);
	doc_string(doc, "type", "about:blank");
	doc_string(doc, "title", title);
	doc_i64(doc, "status", status);
	doc_string(doc, "detail", detail);
	if (*parameter)
		doc_string(doc, "parameter", parameter);
	doc_end(doc);
}

static void add_time(struct doc *doc, int64_t boot, int64_t t_ms, int64_t wall_offset_ms)
{
	doc_time(doc, "t", t_ms + wall_offset_ms);
	doc_i64(doc, "boot", boot);
	doc_i64(doc, "boot_ms", t_ms);
}

static void add_end(struct doc *doc, int64_t t_end_ms, int64_t wall_offset_ms)
{
	if (t_end_ms == TIME_OPEN) {
		doc_null(doc, "t_end");
		doc_null(doc, "boot_ms_end");
		return;
	}
	doc_time(doc, "t_end", t_end_ms + wall_offset_ms);
	doc_i64(doc, "boot_ms_end", t_end_ms);
}

void api_event(struct doc *doc, const struct event *event, int64_t boot, int64_t wall_offset_ms)
{
	doc_object(doc, NULL);
	add_time(doc, boot, event->t_ms, wall_offset_ms);
	add_end(doc, event->t_end_ms, wall_offset_ms);
	doc_string(doc, "severity", severity_name(event->severity));
	doc_string(doc, "kind", event->kind);
	doc_string_or_null(doc, "collector", event->collector);
	doc_string_or_null(doc, "node", event->node);
	doc_string(doc, "text", event->text);
	doc_raw(doc, "evidence", *event->evidence ? event->evidence : "null");
	doc_end(doc);
}

void api_mark_members(struct doc *doc, const struct mark *mark, int64_t boot,
		      int64_t wall_offset_ms)
{
	doc_i64(doc, "id", mark->id);
	doc_string(doc, "label", mark->label);
	add_time(doc, boot, mark->t_ms, wall_offset_ms);
	add_end(doc, mark->t_end_ms, wall_offset_ms);
}

void api_mark(struct doc *doc, const struct mark *mark, int64_t boot, int64_t wall_offset_ms)
{
	doc_object(doc, NULL);
	api_mark_members(doc, mark, boot, wall_offset_ms);
	doc_end(doc);
}

void api_ambiguous(struct doc *doc, const struct points_ambiguity *item)
{
	static const char *const why[] = {
		[POINTS_CLOCK_STEP] = "clock_step",
		[POINTS_TWO_BOOTS] = "two_boots",
		[POINTS_AS_SHOWN] = "as_shown",
	};

	doc_object(doc, NULL);
	doc_string(doc, "why", why[item->why]);
	doc_i64(doc, "boot", item->boot);
	if (item->why == POINTS_CLOCK_STEP)
		doc_i64(doc, "boot_ms", item->at_ms);
	if (item->why == POINTS_TWO_BOOTS)
		doc_i64(doc, "other_boot", item->other_boot);
	doc_time(doc, "from", item->from_wall_ms);
	doc_time(doc, "to", item->to_wall_ms);
	doc_end(doc);
}

void api_boot(struct doc *doc, const struct api_boot *boot)
{
	doc_object(doc, NULL);
	doc_i64(doc, "boot", boot->boot);
	doc_string_or_null(doc, "boot_id", boot->boot_id);
	doc_bool(doc, "boot_id_is_own", boot->id_is_own);
	doc_string_or_null(doc, "kernel", boot->kernel);
	doc_time(doc, "t_start", boot->wall_offset_ms);
	doc_time(doc, "t_first", boot->first_ms + boot->wall_offset_ms);
	doc_i64(doc, "first_ms", boot->first_ms);
	doc_time(doc, "t_last", boot->last_ms + boot->wall_offset_ms);
	doc_i64(doc, "last_ms", boot->last_ms);
	doc_bool(doc, "current", boot->current);
	if (boot->cause) {
		doc_object(doc, "end");
		doc_string(doc, "cause", boot->cause);
		doc_string(doc, "certainty", boot->certainty);
		doc_string(doc, "text", boot->how);
		doc_raw(doc, "evidence", boot->detail);
		doc_end(doc);
	} else {
		doc_null(doc, "end");
	}
	doc_string_or_null(doc, "end_note", boot->note ? boot->note : "");
	doc_end(doc);
}

void api_kept(struct doc *doc, const struct api_kept *kept)
{
	bool any = kept->oldest_wall_ms && kept->newest_wall_ms;
	bool has_share = kept->share_bytes >= 0, has_days = has_share && kept->bytes_per_day > 0;

	doc_object(doc, NULL);
	doc_string(doc, "what", kept->what);
	doc_i64(doc, "bytes", kept->bytes);
	doc_i64_or_null(doc, "share_bytes", has_share, kept->share_bytes);
	if (kept->oldest_wall_ms)
		doc_time(doc, "oldest", kept->oldest_wall_ms);
	else
		doc_null(doc, "oldest");
	doc_i64_or_null(doc, "reach_ms", any, MAX(kept->newest_wall_ms - kept->oldest_wall_ms, 0));
	doc_i64(doc, "bytes_per_day", kept->bytes_per_day);
	doc_i64_or_null(doc, "days", has_days,
			has_days ? kept->share_bytes / kept->bytes_per_day : 0);
	doc_end(doc);
}

void api_node(struct doc *doc, const struct api_node *node)
{
	doc_object(doc, NULL);
	doc_string(doc, "collector", node->collector);
	doc_string(doc, "node", node->node);
	doc_string_or_null(doc, "identity", node->identity);
	doc_i64(doc, "run", node->run);
	doc_i64(doc, "boot", node->boot);
	doc_i64(doc, "first_ms", node->first_ms);
	doc_i64(doc, "last_ms", node->last_ms);
	doc_bool(doc, "gone", node->gone);
	doc_end(doc);
}

void api_metric(struct doc *doc, const struct metric *metric)
{
	const struct field *field = &metric->group->fields[metric->a];

	doc_object(doc, NULL);
	doc_printf(doc, "metric", "%s.%s", metric->group->name, metric->name);
	doc_string(doc, "group", metric->group->name);
	doc_string(doc, "collector", metric->collector->name);
	doc_string(doc, "name", metric->name);
	doc_string(doc, "kind", kind_name(metric->kind));
	doc_string(doc, "unit", unit_name(metric->unit));
	doc_string_or_null(doc, "base_unit", unit_base(metric->unit));
	doc_bool(doc, "derived", metric->derived != NULL);
	doc_string(doc, "help", metric->help);
	if (!metric->derived && field->states) {
		doc_array(doc, "states");
		for (size_t i = 0; field->states[i]; i++)
			doc_string(doc, NULL, field->states[i]);
		doc_end(doc);
	}
	doc_end(doc);
}

void api_fields(struct doc *doc, const struct catalog *catalog, const char *collector)
{
	const struct collector *owner;
	const struct group *group;
	struct metric metric;

	for (size_t i = 0; (group = catalog_group_at(catalog, i, &owner)); i++) {
		if (*collector && strcmp(owner->name, collector) != 0)
			continue;
		for (size_t j = 0; metric_at(owner, group, j, &metric) == 0; j++)
			api_metric(doc, &metric);
	}
}

void api_outcome(struct doc *doc, const struct probe_item *item)
{
	doc_string(doc, "outcome", outcome_name(item->outcome));
	doc_string_or_null(doc, "reason", item->reason);
	doc_string_or_null(doc, "advice", item->advice);
}

static bool has_number(const struct api_value *v)
{
	return !v->fault && v->value.type == VALUE_INT;
}

static void add_fields(struct doc *doc, const struct group *group, const struct api_value *v)
{
	doc_object(doc, "fields");
	for (size_t i = 0; i < group->n_fields; i++) {
		if (v[i].fault)
			doc_null(doc, group->fields[i].name);
		else if (has_number(&v[i]))
			doc_i64(doc, group->fields[i].name, v[i].value.i);
	}
	doc_end(doc);
}

static void add_faults(struct doc *doc, const struct group *group, const struct api_value *v)
{
	doc_object(doc, "faults");
	for (size_t i = 0; i < group->n_fields; i++)
		if (v[i].fault)
			doc_string(doc, group->fields[i].name, errno_name(v[i].fault));
	doc_end(doc);
}

static void add_flags(struct doc *doc, const struct group *group, const struct api_value *v)
{
	doc_object(doc, "flags");
	for (size_t i = 0; i < group->n_fields; i++)
		if (has_number(&v[i]) && v[i].value.flag != FLAG_NONE)
			doc_string(doc, group->fields[i].name,
				   flag_name((enum flag)v[i].value.flag));
	doc_end(doc);
}

static void add_info(struct doc *doc, const struct group *group, const struct api_value *v)
{
	doc_object(doc, "info");
	for (size_t i = 0; i < group->n_fields; i++)
		if (!v[i].fault && v[i].value.type == VALUE_TEXT)
			doc_string(doc, group->fields[i].name, v[i].text ? v[i].text : "");
	doc_end(doc);
}

static void add_last_good(struct doc *doc, const struct api_row *row, const struct api_value *v)
{
	doc_object(doc, "last_good");
	for (size_t i = 0; i < row->group->n_fields; i++) {
		if (!v[i].fault || v[i].value.type != VALUE_INT)
			continue;
		doc_object(doc, row->group->fields[i].name);
		doc_i64(doc, "value", v[i].value.i);
		doc_i64(doc, "age_ms", row->now_ms - v[i].good_at_ms);
		doc_end(doc);
	}
	doc_end(doc);
}

bool api_is_stale(int64_t age_ms, int64_t step_ms)
{
	return age_ms > 3 * step_ms;
}

void api_row(struct doc *doc, const struct api_row *row,
	     struct api_value (*get)(const void *arg, size_t field), const void *arg)
{
	struct api_value v[SINK_FIELDS_MAX];
	int64_t age_ms = MAX(row->now_ms - row->t_ms, 0);

	for (size_t i = 0; i < row->group->n_fields; i++)
		v[i] = get(arg, i);
	doc_object(doc, NULL);
	doc_string(doc, "collector", row->collector->name);
	doc_string(doc, "group", row->group->name);
	doc_string(doc, "node", row->node);
	doc_string_or_null(doc, "identity", row->identity);
	add_time(doc, row->boot, row->t_ms, row->wall_offset_ms);
	doc_i64(doc, "age_ms", age_ms);
	doc_bool(doc, "stale", row->stale || api_is_stale(age_ms, row->step_ms));
	add_fields(doc, row->group, v);
	add_faults(doc, row->group, v);
	add_flags(doc, row->group, v);
	add_info(doc, row->group, v);
	add_last_good(doc, row, v);
	doc_end(doc);
}
