/* Which mount a path lies in. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "model/mount_tree.h"

struct question {
	const char *path;
	int64_t id; /* expected; 0: none */
};

static void check(const struct mount_place *places, size_t n, const struct question *questions,
		  size_t n_questions)
{
	for (size_t i = 0; i < n_questions; i++) {
		size_t index = 99;
		int r = mount_tree_find(places, n, questions[i].path, &index);

		if (!questions[i].id) {
			assert_int_equal(r, -ENOENT);
			continue;
		}
		assert_int_equal(r, 0);
		if (places[index].id != questions[i].id)
			fail_msg("%s: mount %lld, expected %lld", questions[i].path,
				 (long long)places[index].id, (long long)questions[i].id);
	}
}

static void the_longest_that_can_be_reached(void **unused)
{
	static const struct mount_place places[] = {
		{28, 1, "/"},      {87, 28, "/srv"},      {90, 87, "/srv/backup"},
		{91, 28, "/data"}, {92, 28, "/database"}, {84, 37, "/boot/efi"}, /* 37: left out */
	};
	static const struct question questions[] = {
		{"/", 28},          {"/srv", 87},      {"/srv/", 87},
		{"/srv/x", 87},     {"/srvx", 28},     {"/srv/backup/y", 90},
		{"/data", 91},      {"/database", 92}, {"/data/base", 91},
		{"/databases", 28}, {"/boot", 28},     {"/boot/efi/a", 84},
		{"relative", 0},    {"", 0},
	};

	(void)unused;
	check(places, ARRAY_SIZE(places), questions, ARRAY_SIZE(questions));
}

/* What lies below a place that was mounted over later is out of reach. */
static void what_is_covered_is_not_met(void **unused)
{
	static const struct mount_place places[] = {
		{1, 0, "/"},        {2, 1, "/mnt"},
		{3, 2, "/mnt/a"},   {4, 2, "/mnt"},   /* over /mnt: its parent is what it covers */
		{5, 4, "/mnt/a/b"}, {6, 1, "/mnt/a"}, /* made before /mnt was mounted */
	};
	static const struct question questions[] = {
		{"/mnt/x", 4},
		{"/mnt/a", 4},
		{"/mnt/a/b/c", 5},
		{"/other", 1},
	};

	(void)unused;
	check(places, ARRAY_SIZE(places), questions, ARRAY_SIZE(questions));
}

static void ids_that_make_no_sense_end(void **unused)
{
	static const struct mount_place ring[] = {{1, 2, "/"}, {2, 1, "/"}, {3, 3, "/own"}};
	static const struct mount_place same[] = {{7, 7, "/"}, {7, 7, "/a"}, {7, 7, "/a"}};
	static const struct mount_place odd[] = {{5, 5, "x"}, {0, 0, ""}, {INT64_MAX, 0, "/y"}};
	static const struct mount_place unknown[] = {{-1, -1, "/"}, {-1, -1, "/a"}};
	size_t index;

	(void)unused;
	check(ring, ARRAY_SIZE(ring), (const struct question[]){{"/own/x", 3}}, 1);
	assert_int_equal(mount_tree_find(ring, ARRAY_SIZE(ring), "/x", &index), 0);
	assert_true(index < 2);
	check(same, ARRAY_SIZE(same), (const struct question[]){{"/a/b", 7}}, 1);
	check(odd, ARRAY_SIZE(odd), (const struct question[]){{"/y/z", INT64_MAX}, {"/", 0}}, 2);
	assert_int_equal(mount_tree_find(unknown, ARRAY_SIZE(unknown), "/a/b", &index), 0);
	assert_int_equal(index, 1);
	assert_int_equal(mount_tree_find(NULL, 0, "/", &index), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_that_can_be_reached),
		cmocka_unit_test(what_is_covered_is_not_met),
		cmocka_unit_test(ids_that_make_no_sense_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
