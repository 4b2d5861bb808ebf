/* GET /metrics: the newest values for Prometheus. */
#include "base/clock.h"
#include "base/macros.h"
#include "daemon/api.h"
#include "export/api.h"
#include "export/prometheus.h"

/* A scrape each minute, as is usual, sees no age worth telling below that. */
#define OFTEN_MS 60000

static int add_row(const struct latest_row *row, void *arg)
{
	struct prometheus *prometheus = arg;
	int64_t age_ms = clock_boot_ms() - row->t_ms;
	bool stale = api_is_stale(age_ms, row->step_ms);

	if (row->gone)
		return 0;

	int r = prometheus_row(prometheus, row->group_index, row->node, row->identity);

	if (r == 0 && (stale || row->step_ms >= OFTEN_MS))
		prometheus_age(prometheus, age_ms);
	if (r == 0 && stale)
		prometheus_stale(prometheus);
	for (size_t i = 0; r == 0 && i < row->group->n_fields; i++) {
		const struct latest_value *v = &row->values[i];

		if (v->fault || v->value.type != VALUE_ABSENT)
			r = prometheus_value(prometheus, i, &v->value, v->text, v->fault);
	}
	return r;
}

void serve_metrics(struct api *api, const struct request *request, struct answer *ret)
{
	struct prometheus *prometheus = NULL;
	int r = prometheus_new(api->catalog, &prometheus);

	(void)request;
	if (r == 0) {
		r = store_latest(api->store, add_row, prometheus);
		if (r < 0)
			prometheus_free(prometheus);
	}
	/* The stream owns it from here on. */
	if (r == 0)
		r = prometheus_stream(prometheus, &ret->stream);
	if (r < 0) {
		answer_problem(ret, 500, "", "the metrics do not fit into memory");
		return;
	}
	ret->status = 200;
	ret->type = "text/plain; version=0.0.4; charset=utf-8";
}
