#include "daemon/events.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/errno_name.h"
#include "base/log.h"

void event_add(struct store *store, int64_t t_ms, enum severity severity, const char *kind,
	       const char *evidence, const char *text_fmt, ...)
{
	struct event event = {.t_ms = t_ms, .t_end_ms = t_ms, .severity = severity};
	va_list args;

	snprintf(event.kind, sizeof(event.kind), "%s", kind);
	snprintf(event.evidence, sizeof(event.evidence), "%s", evidence);
	va_start(args, text_fmt);
	vsnprintf(event.text, sizeof(event.text), text_fmt, args);
	va_end(args);
	store_event(store, &event);
}

/* What the state is called in an event, and how grave it is. NULL: no event. */
static const char *state_sentence(enum node_state state, enum severity *ret_severity)
{
	*ret_severity = SEVERITY_INFO;
	switch (state) {
	case NODE_OK:
		return "answers again";
	case NODE_FAILED:
		*ret_severity = SEVERITY_WARNING;
		return "cannot be read";
	case NODE_HUNG:
		*ret_severity = SEVERITY_WARNING;
		return "does not answer";
	case NODE_SLOW:
		return "answered after its deadline";
	case NODE_SUSPENDED:
		return "is suspended";
	case NODE_DENIED:
		return "may not be read";
	case NODE_GONE:
		*ret_severity = SEVERITY_WARNING;
		return "went and had not answered";
	case NODE_UNSUPPORTED:
		return NULL;
	}
	return NULL;
}

void event_node_state(struct store *store, const struct collector *collector, const char *node,
		      enum node_state state, int error, int64_t since_ms)
{
	struct event event = {.t_ms = since_ms, .t_end_ms = since_ms};
	const char *sentence = state_sentence(state, &event.severity);
	const char *name = error ? errno_name(error) : "";

	if (!sentence)
		return;
	log_about(event.severity == SEVERITY_INFO ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING,
		  collector->name, node, "%s%s%s %s%s%s", collector->name, *node ? " " : "", node,
		  sentence, *name ? ": " : "", name);
	snprintf(event.kind, sizeof(event.kind), "node_%s", node_state_name(state));
	snprintf(event.collector, sizeof(event.collector), "%s", collector->name);
	snprintf(event.node, sizeof(event.node), "%s", node);
	snprintf(event.text, sizeof(event.text), "%s%s%s %s%s%s", collector->name, *node ? " " : "",
		 node, sentence, *name ? ": " : "", name);
	if (*name)
		snprintf(event.evidence, sizeof(event.evidence), "{\"error\":\"%s\"}", name);
	store_event(store, &event);
}
