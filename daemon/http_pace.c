#include "daemon/http_pace.h"

void http_pace_start(struct http_pace *pace, int64_t total_bytes, int64_t now_ms)
{
	*pace = (struct http_pace){.end_ms = INT64_MAX};
	if (total_bytes > 0)
		pace->end_ms = now_ms + MAX(HTTP_WHOLE_LEAST_MS,
					    total_bytes / HTTP_WHOLE_BYTES_PER_S * 1000);
}

int64_t http_pace_grant(struct http_pace *pace, int64_t in_socket_bytes, int64_t now_ms)
{
	int64_t taken_bytes = pace->given_bytes - in_socket_bytes;
	int64_t periods = (taken_bytes - pace->taken_bytes) / HTTP_PACE_BYTES;
	bool has_all = pace->waits && !in_socket_bytes;

	if (now_ms >= pace->end_ms || (periods < 1 && !has_all))
		return 0;
	pace->taken_bytes = taken_bytes;
	return MIN(now_ms + HTTP_PACE_MS * MAX(MIN(periods, HTTP_PACE_AHEAD), INT64_C(1)),
		   pace->end_ms);
}
