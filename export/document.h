/* The JSON objects of `flashscope probe` and `flashscope sample`, one line each.
 *
 * Written with base/text rather than json-c: values have to come out as the exact integers and
 * decimals that they are, keys in the order of the field table, and names that are no UTF-8 must
 * not spoil the document. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "model/collector.h"
#include "model/probe.h"

/* Enough for any one object: every text of a row escaped in full. */
#define DOCUMENT_LINE_MAX (640 * 1024)

/* A row, and the row of the same run of the node one tick earlier. */
struct document_sample {
	const struct collector *collector;
	const struct sink *sink;
	const struct row *row;
	bool in_series;           /* one of several ticks: has t, and rates where before is known */
	int64_t t_ms;             /* since the first tick */
	int64_t at_ms, before_ms; /* when row and before were really sampled */
	const struct row *before; /* NULL: the first sample of this run */
};

void document_sample(struct text *text, const struct document_sample *sample);

/* {"collector","node","state","reason","advice"}; node "" is the collector itself. */
void document_probe_item(struct text *text, const struct collector *collector,
			 const struct probe_item *item);
