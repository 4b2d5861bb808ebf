/* The build type of an Android, by its property files. */
#include "tests/unit/collector_fixture.h"

#include "model/android.h"

static void properties(void **unused)
{
	static const struct {
		const char *text, *value; /* NULL: none */
	} cases[] = {
		{"ro.build.type=user\n", "user"},
		{"ro.build.type=user", "user"},
		{"a=b\r\nro.build.type=userdebug\r\n", "userdebug"},
		{"  ro.build.type=eng \t\n", "eng"},
		{"ro.build.type=user\nro.build.type=eng\n", "user"},
		{"#ro.build.type=eng\nro.build.type=user\n", "user"},
		{"ro.system.build.type=user\nro.build.types=x\n", NULL},
		{"xro.build.type=user\n", NULL},
		{"ro.build.type\n", NULL},
		{"ro.build.type=", ""},
		{"ro.build.type", NULL},
		{"ro.build", NULL},
		{"\n\n\n", NULL},
		{"", NULL},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice value;
		int r = android_property(slice_of(cases[i].text), "ro.build.type", &value);

		if (r != (cases[i].value ? 0 : -ENOENT) ||
		    (r == 0 && !slice_is(value, cases[i].value)))
			fail_msg("'%s'", cases[i].text);
	}
}

static void build_types(void **unused)
{
	static const struct {
		const char *system, *root, *vendor, *errors;
		int r;
		const char *type;
	} cases[] = {
		{NULL, NULL, NULL, NULL, -ENOENT, NULL},
		{"ro.build.type=user\n", NULL, NULL, NULL, 0, "user"},
		{NULL, "ro.build.type=eng\n", NULL, NULL, 0, "eng"},
		{NULL, NULL, "ro.build.type=userdebug\n", NULL, 0, "userdebug"},
		{"ro.build.type=userdebug\n", NULL, "ro.build.type=user\n", NULL, 0, "user"},
		{"a=b\n", NULL, NULL, NULL, -ENODATA, NULL},
		{"a=b\n", NULL, "ro.build.type=eng\n", NULL, 0, "eng"},
		{"", NULL, NULL, NULL, -ENODATA, NULL},
		{"ro.build.type=\n", NULL, NULL, NULL, -ENODATA, NULL},
		{"ro.build.type=0123456789012345678901234567890123\n", NULL, NULL, NULL, -ENODATA,
		 NULL},
		{"x", NULL, "ro.build.type=eng\n", "system/build.prop\topen\tEACCES\n", -EACCES,
		 NULL},
		{"x", NULL, "ro.build.type=user\n", "system/build.prop\topen\tEACCES\n", 0, "user"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char type[ANDROID_TYPE_MAX] = "-";
		struct fixture f;
		int r;

		fixture_start(&f);
		if (cases[i].system)
			put(&f, "system/build.prop", cases[i].system);
		if (cases[i].root)
			put(&f, "default.prop", cases[i].root);
		if (cases[i].vendor)
			put(&f, "vendor/build.prop", cases[i].vendor);
		if (cases[i].errors)
			put(&f, "ERRORS", cases[i].errors);
		assert_int_equal(hw_open(f.root, &f.hw), 0);
		r = android_build_type(f.hw, type);
		if (r != cases[i].r || strcmp(type, cases[i].type ? cases[i].type : "-") != 0)
			fail_msg("case %zu: %d '%s'", i, r, type);
		fixture_end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(properties),
		cmocka_unit_test(build_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
