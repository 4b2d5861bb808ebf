#include "export/writers.h"

#include "model/decimal.h"

#define SHARE_DECIMALS 4

static void put_share(struct doc *doc, int64_t part, int64_t all)
{
	static const int64_t scale = 10000;
	char buf[32];
	struct text text = TEXT_IN(buf);

	if (all <= 0) {
		doc_null(doc, "share");
		return;
	}
	text_fixed(&text, (int64_t)(((wide_int)part * scale + all / 2) / all), SHARE_DECIMALS);
	doc_raw(doc, "share", buf);
}

static void put_writer(struct doc *doc, const struct writer *w, int64_t all)
{
	bool is_process = w->source == WRITER_PROCESS, is_user = w->source == WRITER_UID;

	doc_object(doc, NULL);
	doc_string_or_null(doc, "name", w->name);
	doc_string_or_null(doc, is_process ? "unit" : "cgroup", w->unit);
	doc_string_or_null(doc, "device", w->device);
	doc_i64_or_null(doc, "pid", is_process && w->id >= 0, w->id);
	doc_i64_or_null(doc, "uid", is_user && w->id >= 0, w->id);
	doc_i64_or_null(doc, "processes", is_process && w->n > 0, w->n);
	doc_i64(doc, "written", w->io.written);
	put_share(doc, w->io.written, all);
	doc_i64(doc, "read", w->io.read);
	doc_i64_or_null(doc, "cancelled", is_process, w->io.cancelled);
	doc_i64_or_null(doc, "syncs", is_user, w->io.syncs);
	doc_end(doc);
}

static bool is_counted(const struct writers_report *report)
{
	return report->state == WRITERS_COUNTED || report->state == WRITERS_NONE;
}

int64_t writers_not_attributed(const struct writers_report *report)
{
	if (!report->has[WRITER_DEVICE] || !is_counted(report))
		return -1;
	return MAX(report->written.written - report->total.written, INT64_C(0));
}

static void put_devices(struct doc *doc, const struct writers_report *report)
{
	doc_array(doc, "devices");
	for (size_t i = 0; i < report->n_devices; i++) {
		doc_object(doc, NULL);
		doc_string(doc, "name", report->devices[i].name);
		doc_i64(doc, "written", report->devices[i].io.written);
		doc_i64(doc, "read", report->devices[i].io.read);
		doc_end(doc);
	}
	doc_end(doc);
}

static void put_gaps(struct doc *doc, const struct writers_report *report)
{
	doc_i64(doc, "uncounted_ms", report->uncounted_ms);
	doc_array(doc, "uncounted");
	for (size_t i = 0; i < report->n_gaps; i++) {
		doc_object(doc, NULL);
		doc_time(doc, "from", report->gaps[i].from_ms);
		doc_time(doc, "to", report->gaps[i].to_ms);
		doc_end(doc);
	}
	doc_end(doc);
}

void api_writers(struct doc *doc, const struct writers_report *report, size_t limit)
{
	bool has_devices = report->has[WRITER_DEVICE];

	doc_object(doc, NULL);
	doc_string(doc, "by", writers_by_name(report->by));
	doc_string(doc, "state", writers_state_name(report->state));
	doc_string_or_null(doc, "reason", report->reason);
	if (report->n_hours) {
		doc_time(doc, "from", report->from_ms);
		doc_time(doc, "to", report->to_ms);
	} else {
		doc_null(doc, "from");
		doc_null(doc, "to");
	}
	doc_u64(doc, "hours", report->n_hours);
	doc_bool(doc, "cut", report->is_cut);
	doc_array(doc, "accounts");
	for (int i = 0; i < N_WRITER_SOURCES; i++)
		if (report->has[i])
			doc_string(doc, NULL, writer_source_name((enum writer_source)i));
	doc_end(doc);
	put_gaps(doc, report);
	doc_i64_or_null(doc, "written", is_counted(report), report->total.written);
	doc_i64_or_null(doc, "read", is_counted(report), report->total.read);
	doc_i64_or_null(doc, "devices_written", has_devices, report->written.written);
	doc_i64_or_null(doc, "not_attributed", has_devices && is_counted(report),
			writers_not_attributed(report));
	put_devices(doc, report);
	doc_array(doc, "writers");
	for (size_t i = 0; i < report->n && i < limit; i++)
		put_writer(doc, &report->rows[i], report->total.written);
	doc_end(doc);
	doc_end(doc);
}
