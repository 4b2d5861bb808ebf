/* Kinds of dm devices by uuid and name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "model/dm_target.h"

static void the_uuid_tells(void **unused)
{
	static const struct {
		const char *uuid, *kind, *format;
	} cases[] = {
		{"CRYPT-LUKS2-6c1f0b8e3a5d4d7c9e21b0aa44c7e913-root", "crypt", "LUKS2"},
		{"CRYPT-LUKS1-6c1f-x", "crypt", "LUKS1"},
		{"CRYPT-PLAIN-swap", "crypt", "PLAIN"},
		{"CRYPT-BITLK-12-x", "crypt", "BITLK"},
		{"CRYPT-VERITY-6c1f-vroot", "verity", ""},
		{"CRYPT-INTEGRITY-6c1f-x", "integrity", ""},
		{"CRYPT-", "crypt", ""},
		{"CRYPT-<script>-", "crypt", ""},
		{"CRYPT-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-x", "crypt", ""},
		{"LVM-Z3kq0bXn5tPj7WcGf2aYh8sLr1oVmE4d", "lvm", ""},
		{"LVM-Z3kq0bXn5tPj-tpool", "lvm thin-pool", ""},
		{"LVM-Z3kq0bXn5tPj-cow", "lvm snapshot", ""},
		{"mpath-3600508b400105e210000900000490000", "multipath", ""},
		{"part1-mpath-3600508b400105e21000090000", "partition", ""},
		{"part-x", NULL, ""},
		{"partisan", NULL, ""},
		{"DMRAID-isw_x", "dmraid", ""},
		{"a2f5b0c4-8f3d-4d3e-9a1b-6c0f57d2e913", NULL, ""},
		{"", NULL, ""},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct dm_target target = dm_target_of_uuid(cases[i].uuid);

		if (cases[i].kind) {
			assert_non_null(target.kind);
			assert_string_equal(target.kind, cases[i].kind);
		} else {
			assert_null(target.kind);
		}
		assert_string_equal(target.format, cases[i].format);
	}
}

static void the_name_makes_likely(void **unused)
{
	static const struct {
		const char *name, *below, *kind;
	} cases[] = {
		{"system_a-verity", "system_a", "verity"},
		{"-verity", "", NULL},
		{"userdata", "userdata", "default-key"},
		{"userdata", "sda12", NULL},
		{"system_a", "super", "linear"},
		{"system", "system", NULL},
		{"", "", NULL},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *kind = dm_target_likely(cases[i].name, cases[i].below);

		if (cases[i].kind)
			assert_string_equal(kind, cases[i].kind);
		else
			assert_null(kind);
	}
	assert_string_equal(dm_target_of_lvm("vg-lv_rimage_0"), "lvm raid");
	assert_string_equal(dm_target_of_lvm("vg-pool-tpool"), "lvm thin");
	assert_string_equal(dm_target_of_lvm("vg-lv_corig"), "lvm cache");
	assert_null(dm_target_of_lvm("crypt"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_uuid_tells),
		cmocka_unit_test(the_name_makes_likely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
