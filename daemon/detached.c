#include "daemon/detached.h"

#include <pthread.h>
#include <stddef.h>

#define STACK_BYTES ((size_t)512 * 1024)

int detached_start(void *(*run)(void *arg), void *arg)
{
	pthread_t thread;
	pthread_attr_t attr;
	int r = pthread_attr_init(&attr);

	if (r)
		return -r;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = pthread_create(&thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return -r;
}
