#include "daemon/service.h"

#include <time.h>

#include "base/clock.h"
#include "base/text.h"

/* Where nothing is sampled, nothing is waited for. */
#define READY_ANYWAY_MS 15000

void service_open(struct service *service, int64_t now_ms)
{
	*service = (struct service){.opened_ms = now_ms, .fed_ms = now_ms};
	notify_open(&service->notify);
}

void service_close(struct service *service)
{
	notify_close(&service->notify);
}

int64_t service_due_ms(const struct service *service)
{
	if (!service->notify.watchdog_us)
		return INT64_MAX;
	return service->fed_ms + service->notify.watchdog_us / 2000;
}

static void feed(struct service *service, int64_t now_ms)
{
	if (now_ms >= service_due_ms(service) && notify_send(&service->notify, "WATCHDOG=1") == 0)
		service->fed_ms = now_ms;
}

static void count_collectors(const struct sampler *sampler, size_t *ret_sampled, size_t *ret_all)
{
	struct collector_status status;

	*ret_sampled = *ret_all = 0;
	while (sampler_collector_status(sampler, *ret_all, &status) == 0) {
		(*ret_all)++;
		*ret_sampled += status.enabled && status.n_samples > 0;
	}
}

static void describe_commit(const struct store_status *status, int64_t wall_offset_ms,
			    struct text *text)
{
	if (*status->error) {
		text_printf(text, "samples stay in memory: %.120s", status->error);
		return;
	}
	if (!status->last_commit_ms) {
		text_str(text, "nothing committed yet");
		return;
	}
	text_str(text, "last commit ");
	clock_rfc3339(text, (status->last_commit_ms + wall_offset_ms) / 1000 * 1000);
}

/* Once for each commit, not for each tick. */
static void tell_status(struct service *service, const struct sampler *sampler,
			const struct store_status *status, int64_t wall_offset_ms)
{
	char buf[256];
	struct text text = TEXT_IN(buf);
	size_t n_sampled, n_all;

	count_collectors(sampler, &n_sampled, &n_all);
	text_printf(&text, "samples %zu of %zu collectors; ", n_sampled, n_all);
	describe_commit(status, wall_offset_ms, &text);
	service->told = notify_send(&service->notify, "STATUS=%s", buf) == 0;
	service->n_commits = status->n_commits;
	service->n_failed_commits = status->n_failed_commits;
}

static void become_ready(struct service *service, const struct sampler *sampler, int64_t now_ms)
{
	struct sampler_stats stats;

	sampler_get_stats(sampler, &stats);
	if (!stats.n_ticks && now_ms - service->opened_ms < READY_ANYWAY_MS)
		return;
	service->ready = notify_send(&service->notify, "READY=1") == 0;
}

void service_turn(struct service *service, const struct sampler *sampler, struct store *store,
		  int64_t now_ms, int64_t wall_offset_ms)
{
	struct store_status status;

	if (service->notify.fd < 0)
		return;
	if (!service->ready)
		become_ready(service, sampler, now_ms);
	store_peek_status(store, &status);
	if (!service->told || status.n_commits != service->n_commits ||
	    status.n_failed_commits != service->n_failed_commits)
		tell_status(service, sampler, &status, wall_offset_ms);
	feed(service, now_ms);
}

void service_reloading(struct service *service)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	(void)notify_send(&service->notify,
			  "RELOADING=1\nMONOTONIC_USEC=%lld\nSTATUS=reads the configuration again",
			  now.tv_sec * 1000000LL + now.tv_nsec / 1000);
}

/* When it cannot be sent, the next turn does. */
void service_reloaded(struct service *service)
{
	service->ready = notify_send(&service->notify, "READY=1") == 0;
	service->told = false;
}

void service_stopping(struct service *service)
{
	(void)notify_send(&service->notify, "STOPPING=1\nSTATUS=commits the last samples");
}

void service_held_up(struct service *service, int64_t now_ms, int64_t max_ms)
{
	if (!service->extended_ms)
		service->extended_ms = now_ms;
	if (now_ms - service->extended_ms >= max_ms)
		return;
	(void)notify_send(&service->notify,
			  "EXTEND_TIMEOUT_USEC=%lld\nWATCHDOG=1\nSTATUS=waits for the disk of the "
			  "database, for %lld s now",
			  SERVICE_EXTEND_MS * 1000LL,
			  (long long)(now_ms - service->extended_ms) / 1000);
}
