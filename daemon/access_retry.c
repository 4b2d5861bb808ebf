#include "daemon/access_retry.h"

#include <time.h>

#include "base/log.h"

#define PAUSE_MAX_S 32
#define STACK_BYTES ((size_t)128 * 1024)

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
	pthread_attr_t attr;
	pthread_t thread;
	int r = pthread_attr_init(&attr);

	if (r)
		return -r;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	r = pthread_create(&thread, &attr, run, access);
	pthread_attr_destroy(&attr);
	return -r;
}
