#include "daemon/access_retry.h"

#include <time.h>

#include "base/log.h"
#include "daemon/detached.h"

#define PAUSE_MAX_S 32

static void *run(void *arg)
{
	struct access *access = arg;
	struct timespec pause = {.tv_sec = 1};
	char why[512];
	int r;

	do {
		struct text text = TEXT_IN(why);

		nanosleep(&pause, NULL);
		if (pause.tv_sec < PAUSE_MAX_S)
			pause.tv_sec *= 2;
		r = access_reload(access, &text);
	} while (r < 0);
	log_info("[http] token_file: the token is read now");
	return NULL;
}

int access_retry(struct access *access)
{
	return detached_start(run, access);
}
