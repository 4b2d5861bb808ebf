/* Names that are near to a mistyped one. Private to query/. */
#pragma once

#include "base/text.h"
#include "model/catalog.h"

/* Appends "; did you mean a, b or c?" with up to three metrics of the catalog; when none is near, a
 * group with a near name, and where all metrics are listed. name is as the user gave it, with or
 * without group. */
void suggest_metrics(struct text *out, const struct catalog *catalog, const char *name);
