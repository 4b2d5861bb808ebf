/* The few lines that are said at the start: what is sampled, what is not and why, and where
 * everything lies. */
#pragma once

#include "daemon/api.h"

void summary_log(struct api *api);

/* Why a daemon that is killed loses what is not committed; "": it does not. */
const char *summary_mirror_reason(const struct api *api, const struct store_status *status);

/* Why HTTP cannot start, and what to do; what is the address or path that failed. */
void summary_no_http(const char *what, int error);
