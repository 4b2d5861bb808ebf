/* Whether the machine goes down, by the files that init leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/hw.h"
#include "daemon/going_down.h"

#define BOOT_MS INT64_C(100000)

static char root[64];

static void put(const char *path, const char *text)
{
	char name[128];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", root, path);
	file = fopen(name, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int set_up(void **state)
{
	char command[160];

	(void)state;
	snprintf(root, sizeof(root), "/tmp/test_going_down.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(command, sizeof(command), "mkdir -p %s/run/systemd/system", root);
	return system(command);
}

static int tear_down(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static enum going_down ask(char by[64])
{
	struct hw *hw = NULL;
	enum going_down state;

	assert_int_equal(hw_open(root, &hw), 0);
	state = going_down(hw, 0, BOOT_MS, by, 64);
	hw_close(hw);
	return state;
}

static void what_systemd_says(void **unused)
{
	static const struct {
		const char *text;
		enum going_down state;
	} table[] = {
		{"stopping\n99.60 180.00\n", GOING_DOWN_YES},
		{"stopping\n40.00 1.00\n", GOING_DOWN_YES},
		{"running\n100.00 1.00\n", GOING_DOWN_NO},
		{"degraded\n100.00 1.00\n", GOING_DOWN_NO},
		{"starting\n100.00 1.00\n", GOING_DOWN_NO},
		{"maintenance\n100.00 1.00\n", GOING_DOWN_NO},
		/* No manager, one that does not answer, and what nobody has written. */
		{"offline\n100.00 1.00\n", GOING_DOWN_UNKNOWN},
		{"unknown\n100.00 1.00\n", GOING_DOWN_UNKNOWN},
		{"100.00 1.00\n", GOING_DOWN_UNKNOWN},
		{"stopping\n", GOING_DOWN_UNKNOWN},
		{"", GOING_DOWN_UNKNOWN},
		/* Another stop, and another boot. */
		{"stopping\n39.00 1.00\n", GOING_DOWN_UNKNOWN},
		{"running\n39.00 1.00\n", GOING_DOWN_UNKNOWN},
		{"stopping\n102.00 1.00\n", GOING_DOWN_UNKNOWN},
		{"stopping\n-1.00 1.00\n", GOING_DOWN_UNKNOWN},
		{"stopping\nx.00 1.00\n", GOING_DOWN_UNKNOWN},
		{"stopping\n99999999999999999999.0 1\n", GOING_DOWN_UNKNOWN},
	};
	char by[64];

	(void)unused;
	assert_int_equal(ask(by), GOING_DOWN_UNKNOWN);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		put("run/flashscope-stop", table[i].text);
		assert_int_equal(ask(by), table[i].state);
		assert_int_equal(*by != 0, table[i].state != GOING_DOWN_UNKNOWN);
	}
	/* A shutdown that is announced has not begun; without an answer the sign is all there is.
	 */
	put("run/nologin",
	    "System is going down. Unprivileged users are not permitted to log in.\n");
	put("run/flashscope-stop", "running\n100.00 1.00\n");
	assert_int_equal(ask(by), GOING_DOWN_NO);
	put("run/flashscope-stop", "running\n39.00 1.00\n");
	assert_int_equal(ask(by), GOING_DOWN_YES);
	assert_string_equal(by, "/run/nologin");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_systemd_says, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
