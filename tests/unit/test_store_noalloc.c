/* label: nosan */
/* A steady tick takes nothing from the heap: the allocator of this program counts. The first ticks,
 * and the first after the first commit, make the blocks. */
#include <stdatomic.h>

#include "tests/support/store_world.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static atomic_ulong n_allocations;

void *malloc(size_t size)
{
	n_allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	n_allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	n_allocations++;
	return __libc_realloc(p, size);
}

static void steady(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");
	unsigned long before, n = 0;
	struct sink sink;

	(void)state;
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= 600000; t += 1000) {
		before = n_allocations;
		world_tick(store, &sink, t, 5);
		if (t > 180000)
			n += n_allocations - before;
		if (t % 60000 == 0)
			assert_int_equal(store_commit(store, t, false), 0);
	}
	assert_true(n_allocations > 0);
	assert_int_equal(n, 0);
	sink_done(&sink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(steady, world_start, world_stop)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
