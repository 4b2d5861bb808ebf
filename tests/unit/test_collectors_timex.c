/* Collector timex: units by the status, what the kernel stops to count, refusals, RTCs. */
#include "tests/unit/collector_fixture.h"

static void sample(struct fixture *f, const char *text)
{
	put(f, "TIMEX", text);
	assert_int_equal(fixture_probe(f, "timex", false), 0);
	assert_int_equal(fixture_sample(f, 0), 0);
	assert_int_equal(f->sink.n_rows, 1);
}

/* chrony on a board with a reference clock: 0x2001 is PLL and NANO. */
static void synchronized(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	sample(&f, "state 0\nstatus 0x2001\noffset -123456\nfreq -1441792\nmaxerror 8500\n"
		   "esterror 12\ntick 10000\ntai 37\n");
	check_value(&f, "system", "state", 0);
	check_value(&f, "system", "synchronized", 1);
	check_value(&f, "system", "offset", -123456);
	check_value(&f, "system", "freq", -1441792);
	check_value(&f, "system", "maxerror", 8500);
	check_flag(&f, "system", "maxerror", FLAG_NONE);
	check_value(&f, "system", "esterror", 12);
	check_value(&f, "system", "tick", 10000);
	check_value(&f, "system", "tai", 37);
	check_value(&f, "system", "status", 0x2001);
	check_text(&f, "system", "flags", "PLL, NANO");
	check_outcome(&f, "system", OUTCOME_OK);
	fixture_end(&f);
}

static void nobody_tells(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	sample(&f, "state 5\nstatus 64\noffset 7\nfreq 0\nmaxerror 16000000\nesterror 15999999\n");
	check_value(&f, "system", "state", 5);
	check_value(&f, "system", "synchronized", 0);
	check_value(&f, "system", "offset", 7000); /* without NANO it is in us */
	check_flag(&f, "system", "maxerror", FLAG_SATURATED);
	check_flag(&f, "system", "esterror", FLAG_NONE);
	check_absent(&f, "system", "tai");
	check_text(&f, "system", "flags", "UNSYNC");
	check_outcome(&f, "system", OUTCOME_OK);
	assert_non_null(strstr(item_of(&f, "system")->reason, "not synchronized"));
	fixture_end(&f);
}

static void hostile(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	sample(&f, "state 6\nstatus 0\noffset 9223372036854775807\nmaxerror -1\nesterror x\n"
		   "tick 1 2\ntai\nunknown 1\n\n");
	check_fault(&f, "system", "state", EINVAL);
	check_fault(&f, "system", "offset", ERANGE);
	check_flag(&f, "system", "maxerror", FLAG_IMPLAUSIBLE);
	check_absent(&f, "system", "esterror");
	check_absent(&f, "system", "tick");
	check_absent(&f, "system", "tai");
	check_absent(&f, "system", "flags");
	sample(&f, "state -1\noffset 5\n"); /* in which unit? */
	check_fault(&f, "system", "state", EINVAL);
	check_absent(&f, "system", "offset");
	check_absent(&f, "system", "synchronized");
	sample(&f, "nothing\n");
	check_fault(&f, "system", "state", ENODATA);
	check_outcome(&f, "system", OUTCOME_FAILED);
	fixture_end(&f);
}

/* A seccomp filter refuses the call, and then it is not tried again. */
static void refused(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "TIMEX", "");
	put(&f, "ERRORS", "TIMEX\tread\tEPERM\n");
	put(&f, "sys/class/rtc/rtc0/hctosys", "1\n");
	assert_int_equal(fixture_probe(&f, "timex", false), 0);
	check_outcome(&f, "system", OUTCOME_DENIED);
	assert_non_null(strstr(item_of(&f, "system")->advice, "SystemCallFilter"));
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 0);
	fixture_end(&f);
}

static void rtcs(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/class/rtc/rtc0/hctosys", "0\n");
	put(&f, "sys/class/rtc/rtc0/name", "rtc-rv3028 2-0052\n");
	put(&f, "sys/class/rtc/rtc1/hctosys", "1\n");
	put(&f, "sys/class/rtc/rtc2/hctosys", "yes\n");
	assert_int_equal(fixture_probe(&f, "timex", false), 0);
	check_outcome(&f, "system", OUTCOME_NO_NODE);
	check_outcome(&f, "rtc0", OUTCOME_OK);
	assert_non_null(strstr(item_of(&f, "rtc0")->reason, "did not set"));
	check_outcome(&f, "rtc2", OUTCOME_FAILED);
	assert_int_equal(fixture_sample(&f, 1), 0);
	assert_int_equal(f.sink.n_rows, 3);
	check_value(&f, "rtc0", "hctosys", 0);
	check_text(&f, "rtc0", "name", "rtc-rv3028 2-0052");
	assert_string_equal(row_of(&f, "rtc0")->identity, "name:rtc-rv3028 2-0052");
	check_value(&f, "rtc1", "hctosys", 1);
	check_absent(&f, "rtc1", "name");
	check_fault(&f, "rtc2", "hctosys", EINVAL);
	fixture_end(&f);
}

static void nothing(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/sys/kernel/osrelease", "6.1\n");
	put(&f, "boot/config-6.1", "# CONFIG_RTC_CLASS is not set\n");
	assert_int_equal(fixture_probe(&f, "timex", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_OPTION);
	check_outcome(&f, "rtc", OUTCOME_NO_OPTION);
	fixture_end(&f);
}

/* This machine's clock, which is asked and not set. */
static void live(void **unused)
{
	struct hw_timex timex;
	struct hw *hw;
	int r;

	(void)unused;
	assert_int_equal(hw_open("/", &hw), 0);
	r = hw_timex(hw, &timex);
	if (r == 0)
		for (size_t i = 0; i < HW_TIMEX_NUMBERS; i++)
			assert_true(timex.has[i]);
	else
		assert_true(r == -EPERM || r == -ENOSYS);
	hw_close(hw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synchronized), cmocka_unit_test(nobody_tells),
		cmocka_unit_test(hostile),      cmocka_unit_test(refused),
		cmocka_unit_test(rtcs),         cmocka_unit_test(nothing),
		cmocka_unit_test(live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
