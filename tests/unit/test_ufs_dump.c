/* The dump of a health descriptor: by the names of its values, in whatever order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "model/ufs_dump.h"

#define MISSING UFS_DUMP_MISSING
#define ODD     UFS_DUMP_ODD

static void dumps(void **unused)
{
	static const struct {
		const char *text;
		int64_t pre_eol_info, a, b;
		size_t n;
	} cases[] = {
		{"", MISSING, MISSING, MISSING, 0},
		{"\n\n\n", MISSING, MISSING, MISSING, 0},
		{"Health Descriptor[Byte offset 0x2]: bPreEOLInfo = 0x1\n"
		 "Health Descriptor[Byte offset 0x3]: bDeviceLifeTimeEstA = 0x2\n"
		 "Health Descriptor[Byte offset 0x4]: bDeviceLifeTimeEstB = 0x0\n",
		 1, 2, 0, 3},
		/* Out of order, and not where they claim to be. */
		{"x[0x2]: bDeviceLifeTimeEstB = 0xA\nx[0x3]: bPreEOLInfo = 0x3", 3, MISSING, 10, 2},
		{"bPreEOLInfo=0x1\r\nbDeviceLifeTimeEstA\t=\t11 \r\n", 1, 11, MISSING, 2},
		/* Names that only look alike. */
		{"bPreEOLInfoX = 1\nXbPreEOLInfo = 1\nbPreEOLInfo x = 1\nbpreeolinfo = 1\n",
		 MISSING, MISSING, MISSING, 0},
		{"bPreEOLInfo 0x1\nbPreEOLInfo: 0x1\n= 1\n bDeviceLifeTimeEstA", MISSING, MISSING,
		 MISSING, 0},
		/* What is no number, or more than one. */
		{"bPreEOLInfo = \nbDeviceLifeTimeEstA = 0x\nbDeviceLifeTimeEstB = x", ODD, ODD, ODD,
		 0},
		{"bPreEOLInfo = 1 2\nbDeviceLifeTimeEstA = -1\nbDeviceLifeTimeEstB = = 1", ODD, ODD,
		 ODD, 0},
		{"bPreEOLInfo = 99999999999999999999", ODD, MISSING, MISSING, 0},
		/* Twice the same is once; twice another is neither. */
		{"bPreEOLInfo = 1\nbPreEOLInfo = 0x1\n", 1, MISSING, MISSING, 1},
		{"bPreEOLInfo = 1\nbPreEOLInfo = 2\nbPreEOLInfo = 1\n", ODD, MISSING, MISSING, 0},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ufs_dump dump;

		assert_int_equal(ufs_dump_parse(slice_of(cases[i].text), &dump), cases[i].n);
		if (dump.pre_eol_info != cases[i].pre_eol_info || dump.life_time_a != cases[i].a ||
		    dump.life_time_b != cases[i].b)
			fail_msg("%s: %lld %lld %lld", cases[i].text, (long long)dump.pre_eol_info,
				 (long long)dump.life_time_a, (long long)dump.life_time_b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
