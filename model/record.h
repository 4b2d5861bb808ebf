/* What is kept besides samples: events and marks. */
#pragma once

#include <stdint.h>

#include "model/sink.h"

enum severity {
	SEVERITY_INFO,
	SEVERITY_WARNING, /* this and worse is committed at once */
	SEVERITY_ERROR,
	SEVERITY_CRITICAL,
};

const char *severity_name(enum severity severity);
/* SEVERITY_INFO for what is no name of one. */
enum severity severity_named(const char *name);

#define EVENT_KIND_MAX     32
#define EVENT_TEXT_MAX     256
#define EVENT_EVIDENCE_MAX 1024
#define MARK_LABEL_MAX     256
#define TIME_OPEN          INT64_MIN /* an event or mark that has not ended */

/* Something that a person should know. */
struct event {
	int64_t t_ms;     /* boot clock */
	int64_t t_end_ms; /* TIME_OPEN, or t_ms for what has no length */
	enum severity severity;
	char kind[EVENT_KIND_MAX]; /* "boot", "stop", "node_came", "node_went", "clock_step", ... */
	char collector[NODE_NAME_MAX]; /* "" when it is about none */
	char node[NODE_NAME_MAX];
	char text[EVENT_TEXT_MAX];
	char evidence[EVENT_EVIDENCE_MAX]; /* JSON object, or "" */
};

/* The wall clock was set: what it showed more than the boot clock, before and from then on. */
struct clock_step {
	int64_t t_ms; /* boot clock */
	int64_t before_ms, after_ms;
};

/* A label on a span of time, set by a person or a script. */
struct mark {
	int64_t id; /* of the file, or of the running daemon before the commit: see
		       store_mark_start() */
	int64_t t_ms;
	int64_t t_end_ms;     /* TIME_OPEN while it lasts */
	int64_t ufs_until_ms; /* it asks for the UFS monitor until then, unless it ends; 0: not */
	char label[MARK_LABEL_MAX];
};
