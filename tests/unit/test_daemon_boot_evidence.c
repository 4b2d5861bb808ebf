/* What firmware, boot loader and SoC say of the reset, in a tree of a few files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hw.h"
#include "daemon/boot_evidence.h"

#define CHOSEN "sys/firmware/devicetree/base/chosen"

static char root[64];

static void put(const char *path, const char *bytes, size_t len)
{
	char name[160], command[200];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", root, path);
	snprintf(command, sizeof(command), "mkdir -p $(dirname %s)", name);
	assert_int_equal(system(command), 0);
	file = fopen(name, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	fclose(file);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/test_boot_evidence.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void expect(size_t n, const char *from, const char *text)
{
	struct boot_evidence evidence;
	struct hw *hw = NULL;

	assert_int_equal(hw_open(root, &hw), 0);
	boot_evidence_read(hw, &evidence);
	hw_close(hw);
	assert_int_equal(evidence.n_firmware, n);
	if (!n)
		return;
	assert_string_equal(evidence.firmware[n - 1].from, from);
	assert_string_equal(evidence.firmware[n - 1].text, text);
}

#define PUT(path, bytes) put(path, bytes, sizeof(bytes) - 1)

static void barebox(void **unused)
{
	(void)unused;
	expect(0, "", "");
	PUT("proc/device-tree/chosen/reset-source", "POR\0");
	expect(1, "/chosen/reset-source", "POR");
	PUT(CHOSEN "/reset-source", "WDG\0");
	expect(1, "/chosen/reset-source", "WDG");
	PUT(CHOSEN "/reset-source-instance", "\0\0\1\2");
	expect(1, "/chosen/reset-source", "WDG (instance 258)");
	PUT(CHOSEN "/reset-source-instance", "\0\0\1");
	expect(1, "/chosen/reset-source", "WDG");
	PUT(CHOSEN "/reset-source", "\0\0");
	expect(0, "", "");
	PUT(CHOSEN "/reset-source",
	    "a name that is longer than any name of a reset source there has ever been");
	expect(0, "", "");
}

static void pmic(void **unused)
{
	(void)unused;
	PUT(CHOSEN "/power/power_reset", "\0\0\0\0");
	expect(0, "", "");
	PUT(CHOSEN "/power/power_reset", "\0\0\0\2");
	expect(1, "/chosen/power/power_reset", "PMIC: under-voltage");
	PUT(CHOSEN "/power/power_reset", "\0\0\0\x14");
	expect(1, "/chosen/power/power_reset", "PMIC: over-temperature watchdog");
	PUT(CHOSEN "/power/power_reset", "\1\0\0\1");
	expect(1, "/chosen/power/power_reset", "PMIC: over-voltage 0x1000001");
	PUT(CHOSEN "/power/power_reset", "\0\2");
	expect(0, "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(barebox, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pmic, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
