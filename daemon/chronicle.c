#include "daemon/chronicle.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "daemon/events.h"
#include "daemon/going_down.h"

void chronicle_boot(struct store *store, const char *kernel, const char *boot_id,
		    bool boot_id_is_own)
{
	char evidence[512];
	struct text text = TEXT_IN(evidence);

	text_str(&text, "{\"kernel\":");
	text_json(&text, kernel);
	text_str(&text, ",\"boot_id\":");
	text_json(&text, boot_id);
	text_printf(&text, ",\"boot_id_is_own\":%s", boot_id_is_own ? "true" : "false");
	/* Again, beside the boot's own row: without it nobody would know when all of it was. */
	text_printf(&text, ",\"wall_offset_ms\":%lld}", (long long)store_wall_offset_ms(store));
	event_add(store, 0, SEVERITY_INFO, "boot", evidence, "the kernel %s started",
		  *kernel ? kernel : "(unknown)");
}

void chronicle_start(struct store *store)
{
	event_add(store, clock_boot_ms(), SEVERITY_INFO, "start",
		  "{\"version\":\"" FLASHSCOPE_VERSION "\"}",
		  "flashscoped " FLASHSCOPE_VERSION " started");
}

void chronicle_recovered(struct store *store)
{
	struct store_status status;
	char evidence[160], until[64] = "";
	struct text text = TEXT_IN(until);

	store_peek_status(store, &status);
	if (!status.n_recovered_ticks && !status.n_recovered_events)
		return;
	if (status.recovered_last_ms)
		clock_rfc3339(&text, status.recovered_last_ms + store_wall_offset_ms(store));
	snprintf(evidence, sizeof(evidence),
		 "{\"ticks\":%llu,\"events\":%llu,\"last_sample\":\"%s\"}",
		 (unsigned long long)status.n_recovered_ticks,
		 (unsigned long long)status.n_recovered_events, until);
	log_info("%llu ticks of groups and %llu events of the run before were not committed, and "
		 "are taken over",
		 (unsigned long long)status.n_recovered_ticks,
		 (unsigned long long)status.n_recovered_events);
	event_add(store, clock_boot_ms(), SEVERITY_INFO, "recovered", evidence,
		  "what the run before had not committed was taken over: %llu ticks of groups and "
		  "%llu events%s%s",
		  (unsigned long long)status.n_recovered_ticks,
		  (unsigned long long)status.n_recovered_events, *until ? ", until " : "", until);
}

static const char *signal_word(int signal)
{
	switch (signal) {
	case SIGTERM:
		return "SIGTERM";
	case SIGINT:
		return "SIGINT";
	case SIGHUP:
		return "SIGHUP";
	default:
		return "a signal";
	}
}

void chronicle_stop(struct store *store, struct hw *hw, int signal)
{
	const char *name = signal_word(signal);
	char by[64], evidence[160];
	enum going_down machine = going_down(hw, clock_wall_ms(), clock_boot_ms(), by, sizeof(by));

	log_info("stopping on %s", name);
	snprintf(evidence, sizeof(evidence), "{\"machine\":\"%s\",\"by\":\"%s\"}",
		 going_down_name(machine), by);
	event_add(store, clock_boot_ms(), SEVERITY_INFO, "stop", evidence,
		  machine == GOING_DOWN_YES
			  ? "flashscoped was stopped by %s, as the machine goes down"
			  : "flashscoped was stopped by %s",
		  name);
}
