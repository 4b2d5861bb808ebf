/* The reference page of all metrics (docs/METRICS.md), from the field tables alone. */
#pragma once

#include "export/stream.h"
#include "model/catalog.h"

/* Markdown. The catalog has to live as long as the stream. -ENOMEM. */
MUST_CHECK int reference_stream(const struct catalog *catalog, struct stream **ret);

/* What a derived quantity is made of: "d(read_time) * 1000 / d(reads)". */
void reference_formula(struct text *out, const struct derived *derived);
