/* The elements of the API's documents, one function for each: daemon and CLI write the same.
 *
 * A time is three keys: the wall clock as RFC 3339 ("t"), the number of the boot in the file
 * ("boot"), and ms on the boot clock ("boot_ms"). Each function adds one element to an open array.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "export/doc.h"
#include "model/catalog.h"
#include "model/probe.h"
#include "model/record.h"

/* {"type","title","status","detail","parameter"}: application/problem+json (RFC 9457).
 * parameter may be "". */
void api_problem(struct doc *doc, unsigned status, const char *title, const char *detail,
		 const char *parameter);

/* {"t","boot","boot_ms","t_end","boot_ms_end","severity","kind","collector","node","text",
 *  "evidence"}: t_end and boot_ms_end are null while it lasts, collector, node and evidence where
 * there is none. */
void api_event(struct doc *doc, const struct event *event, int64_t boot, int64_t wall_offset_ms);

/* {"id","label","t","boot","boot_ms","t_end","boot_ms_end"} */
void api_mark(struct doc *doc, const struct mark *mark, int64_t boot, int64_t wall_offset_ms);
/* The same within an object that is open. */
void api_mark_members(struct doc *doc, const struct mark *mark, int64_t boot,
		      int64_t wall_offset_ms);

struct api_boot {
	int64_t boot;
	const char *boot_id, *kernel;
	int64_t first_ms, last_ms, wall_offset_ms;
	bool current;
	bool id_is_own;                       /* made up */
	const char *cause;                    /* of its end; NULL: it is not in the file */
	const char *certainty, *how, *detail; /* detail: the evidence as JSON */
	const char *note;                     /* why there is none, and what else is known; NULL */
};

/* {"boot","boot_id","boot_id_is_own","kernel","t_start","t_first","first_ms","t_last","last_ms","current","end",
 * "end_note"}: t_start is when the kernel started; end is {"cause","certainty","text","evidence"},
 * or null with a note. */
void api_boot(struct doc *doc, const struct api_boot *boot);

/* {"why","boot","boot_ms" or "other_boot","from","to"}; why is "clock_step", "two_boots" or
 * "as_shown". */
struct points_ambiguity;
void api_ambiguous(struct doc *doc, const struct points_ambiguity *item);

struct api_kept {
	const char *what;
	int64_t bytes, share_bytes;             /* share_bytes -1: not known */
	int64_t oldest_wall_ms, newest_wall_ms; /* 0: there is none */
	int64_t bytes_per_day;                  /* 0: not known yet */
};

/* {"what","bytes","share_bytes","oldest","reach_ms","bytes_per_day","days"}: what one resolution
 * takes of the file, how far it reaches back from the newest, and how many days of sampling its
 * share has room for. */
void api_kept(struct doc *doc, const struct api_kept *kept);

struct api_node {
	const char *collector, *node, *identity;
	int64_t run, boot, first_ms, last_ms;
	bool gone;
};

/* {"collector","node","identity","run","boot","first_ms","last_ms","gone"} */
void api_node(struct doc *doc, const struct api_node *node);

/* {"metric","group","collector","name","kind","unit","base_unit","derived","help"}, with "states"
 * for a state. */
struct metric;
void api_metric(struct doc *doc, const struct metric *metric);

/* All fields and derived quantities of the catalog, or of one collector. */
void api_fields(struct doc *doc, const struct catalog *catalog, const char *collector);

/* {"outcome","reason","advice"} as keys of an open object; reason and advice null without text. */
void api_outcome(struct doc *doc, const struct probe_item *item);

/* One value of a row, as it was at its newest sample. */
struct api_value {
	struct value value;
	const char *text;   /* of VALUE_TEXT */
	int fault;          /* errno of the newest sample, 0 when it was good */
	int64_t good_at_ms; /* of value, when the newest sample is a fault */
};

/* Whether a sample is older than a node that is sampled every step_ms should have. */
bool api_is_stale(int64_t age_ms, int64_t step_ms);

struct api_row {
	const struct collector *collector;
	const struct group *group;
	const char *node, *identity;
	int64_t boot, t_ms, wall_offset_ms, now_ms, step_ms;
	bool stale; /* whatever its age is */
};

/* {"collector","group","node","identity","t","boot","boot_ms","age_ms","stale","fields","faults",
 *  "flags","info","last_good"}: a failed field is null in fields and has its errno name in faults;
 * last_good holds {"value","age_ms"} of those that were good before. get gives value i. */
void api_row(struct doc *doc, const struct api_row *row,
	     struct api_value (*get)(const void *arg, size_t field), const void *arg);

/* Reads the body of POST /api/v1/marks: {"label":"...", "from":"...", "to":"..."} starts a mark, or
 * adds a whole one when to is given; "ufs_monitor":true with the label asks for the UFS monitor
 * until it ends, and "ufs_monitor_ms":N beside it for no longer than that; {"end":ID} ends one.
 * Texts are cut to nothing when absent. -EINVAL with *ret_why and *ret_parameter (static strings).
 */
struct api_mark_request {
	char label[MARK_LABEL_MAX];
	char from[64], to[64];
	int64_t end_id;         /* 0: none */
	bool ufs_monitor;       /* asks for it */
	int64_t ufs_monitor_ms; /* no longer than that; 0: as long as a mark may */
};

int api_parse_mark(const char *body, size_t len, struct api_mark_request *ret, const char **ret_why,
		   const char **ret_parameter);
