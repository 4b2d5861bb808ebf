/* Records of /dev/kmsg, and what people save of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/kernel_message.h"
#include "base/macros.h"

static void records(void **unused)
{
	struct kernel_message m;

	(void)unused;
	assert_int_equal(kernel_message_record(
				 slice_of("3,1239,9436467326,-,caller=T12;sd 6:0:0:0: [sdf] a;b\n"
					  " SUBSYSTEM=scsi\n DEVICE=+scsi:6:0:0:0\n"),
				 &m),
			 0);
	assert_int_equal(m.facility, 0);
	assert_int_equal(m.level, 3);
	assert_int_equal(m.sequence, 1239);
	assert_int_equal(m.t_us, 9436467326);
	assert_false(m.is_fragment);
	assert_string_equal(m.text, "sd 6:0:0:0: [sdf] a;b");
	assert_string_equal(m.subsystem, "scsi");
	assert_string_equal(m.device, "+scsi:6:0:0:0");
	assert_int_equal(kernel_message_record(slice_of("30,7,1,-;systemd[1]: a"), &m), 0);
	assert_int_equal(m.facility, 3);
	assert_int_equal(m.level, 6);
	assert_int_equal(kernel_message_record(slice_of("4,8,2,c;part"), &m), 0);
	assert_true(m.is_fragment);
	assert_string_equal(m.device, "");
}

/* Bytes that the kernel does not print come as \xNN; a text must not command a terminal. */
static void escapes(void **unused)
{
	struct kernel_message m;

	(void)unused;
	assert_int_equal(kernel_message_record(
				 slice_of("6,1,2,-;a\\x0ab\\x5cx41 \\xc3\\xa4\\x1b\\xZZ\\x"), &m),
			 0);
	assert_string_equal(m.text, "a b\\x41 \xc3\xa4 \\xZZ\\x");
	assert_int_equal(kernel_message_record(slice_of("6,1,2,-;a\\x00b"), &m), 0);
	assert_string_equal(m.text, "a b");
}

static void what_is_no_record(void **unused)
{
	static const char *const table[] = {
		"",
		"\n",
		";",
		"6,1,2,-",
		"6;1,2,-;x",
		"a,1,2,-;x",
		"6,,2,-;x",
		"6,1,,;x",
		"-6,1,2,-;x",
		"6,-1,2,-;x",
		"6,1,+2,-;x",
		"6,1;x",
		"6,99999999999999999999,2,-;x",
		"9999999,1,2,-;x",
		"[    1.000000] x",
	};
	struct kernel_message m;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (kernel_message_record(slice_of(table[i]), &m) != -EINVAL)
			fail_msg("taken: %s", table[i]);
}

struct line {
	const char *line;
	int64_t t_us;
	int facility, level;
	const char *text;
};

static void check_line(const struct line *expected)
{
	struct kernel_message m;

	if (kernel_message_line(slice_of(expected->line), &m) < 0)
		fail_msg("refused: %s", expected->line);
	if (m.t_us != expected->t_us || m.facility != expected->facility ||
	    m.level != expected->level || strcmp(m.text, expected->text) != 0)
		fail_msg("%s: %lld %d %d '%s'", expected->line, (long long)m.t_us, m.facility,
			 m.level, m.text);
}

/* clang-format off */
static const struct line lines[] = {
	/* dmesg, and the console */
	{"[   12.345678] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"[43976878.027119] mmc0: a", 43976878027119, 0, -1, "mmc0: a"},
	{"[    8.029488]  nvme0n1: p1 p2", 8029488, 0, -1, " nvme0n1: p1 p2"},
	{"<6>[   12.345678] mmc0: a", 12345678, 0, 6, "mmc0: a"},
	{"<30>[   12.345678] systemd[1]: a", 12345678, 3, 6, "systemd[1]: a"},
	{"[   12.345678][  T176] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"<4>[ 2307.623264][  C1] mmc0: a", 2307623264, 0, 4, "mmc0: a"},
	{"[   12.345678] [   T42] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"kern  :err   : [   12.345678] mmc0: a", 12345678, 0, 3, "mmc0: a"},
	{"daemon:info  : [   12.345678] systemd[1]: a", 12345678, 3, 6, "systemd[1]: a"},
	{"[   12.345678 <    0.000010>] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"[Mon May 21 18:07:14 2018] mmc0: a", -1, 0, -1, "mmc0: a"},
	{"[May21 18:07] mmc0: a", -1, 0, -1, "mmc0: a"},
	{"[  +0.000010] mmc0: a", -1, 0, -1, "mmc0: a"},
	{"2026-12-01T18:07:14,123456+00:00 nvme nvme0: a", -1, 0, -1, "nvme nvme0: a"},
	{"\x1b[32m[   12.345678] \x1b[0m\x1b[33mmmc0\x1b[0m: a\r", 12345678, 0, -1, "mmc0: a"},
	{"mmc0: a", -1, 0, -1, "mmc0: a"},
	/* vendors */
	{"[   90.372004] [1:  kworker/u16:1:   10] ufshcd-qcom 1d84000.ufshc: a", 90372004, 0, -1, "ufshcd-qcom 1d84000.ufshc: a"},
	{"[   90.372004]  (0)[1:swapper/0]mmc0: a", 90372004, 0, -1, "mmc0: a"},
	{"<3>[   90.372004] -(3)[242:kworker/4:1]mmc0: a", 90372004, 0, 3, "mmc0: a"},
	{"[   90.372004] [name:ufs_mediatek_mod&]ufs: a", 90372004, 0, -1, "ufs: a"},
	/* in brackets, and text */
	{"[  305.098242] [aml_sd_emmc_irq] sd: a", 305098242, 0, -1, "[aml_sd_emmc_irq] sd: a"},
	{"[drm] a", -1, 0, -1, "[drm] a"},
	{"[ 12.x] a", -1, 0, -1, "[ 12.x] a"},
	/* syslog and the journal */
	{"May 21 18:07:14 host kernel: [    8.010115] nvme nvme0: a", 8010115, 0, -1, "nvme nvme0: a"},
	{"May  1 18:07:14 host kernel: nvme nvme0: a", -1, 0, -1, "nvme nvme0: a"},
	{"May 21 18:07:14 host kernel: <3>[    8.010115] mmc0: a", 8010115, 0, 3, "mmc0: a"},
	{"May 21 18:07:14 host smartd[822]: mmc0: a", -1, 1, -1, "mmc0: a"},
	{"May 21 18:07:14 host kern.err kernel: [    8.010115] mmc0: a", 8010115, 0, 3, "mmc0: a"},
	{"Tue Dec  1 23:20:19 2026 kern.err kernel: [   12.345678] mmc0: a", 12345678, 0, 3, "mmc0: a"},
	{"2026-12-01T18:07:14.123456+00:00 host kernel: [    8.010115] mmc0: a", 8010115, 0, -1, "mmc0: a"},
	{"2026-12-01T18:07:14+0000 host kernel: mmc0: a", -1, 0, -1, "mmc0: a"},
	{"[    8.010115] host kernel: mmc0: a", 8010115, 0, -1, "mmc0: a"},
	/* Android, and who records a console */
	{"12-01 18:07:14.123     0     0 E mmc0    : Timeout a", -1, 0, 3, "mmc0: Timeout a"},
	{"12-01 18:07:14.123  root     0     0 W ufshcd-qcom 1d84000.ufshc: a: b", -1, 0, 4, "ufshcd-qcom 1d84000.ufshc: a: b"},
	{"12-01 18:07:14.123     0     0 I         : text alone", -1, 0, 6, "text alone"},
	{"12-01 18:07:14.123  1234  1250 E MyApp   : I/O error", -1, 1, 3, "MyApp: I/O error"},
	{"[2026-12-01 18:07:14.123] [   12.345678] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"2026-12-01 18:07:14.123 [   12.345678] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"18:07:14.123 <6>[   12.345678] mmc0: a", 12345678, 0, 6, "mmc0: a"},
	/* behind a prompt, and in what somebody says */
	{"board login: [  130.700000] mmc0: a", 130700000, 0, -1, "mmc0: a"},
	{"# [  130.700000] mmc0: a", 130700000, 0, -1, "mmc0: a"},
	{"root@board:~# [  130.700000][  T176] mmc0: a", 130700000, 0, -1, "mmc0: a"},
	{"myapp: user said [   12.345678] mmc0: a", -1, 0, -1, "myapp: user said [   12.345678] mmc0: a"},
	{"myapp[3]: a <3>[   12.345678] mmc0: a", -1, 0, -1, "myapp[3]: a <3>[   12.345678] mmc0: a"},
	{"he said: [ 130.7] mmc0: a", -1, 0, -1, "he said: [ 130.7] mmc0: a"},
	{"he said: [130.700000] mmc0: a", -1, 0, -1, "he said: [130.700000] mmc0: a"},
	/* what a console has printed, what a wire makes of it, and the clock of who records it */
	{"Starting kernel ...[    0.000000] Linux version 6", 0, 0, -1, "Linux version 6"},
	{"[  OK  ] Reached target a.[   12.345678][    T1] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"Starting a: <3>[   12.345678] mmc0: a", 12345678, 0, 3, "mmc0: a"},
	{"Starting a: <30>[   12.345678] systemd[1]: a", 12345678, 3, 6, "systemd[1]: a"},
	{" 10%\r 20%\r[   12.345678] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"\xff\xfe\x01~[   12.345678] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"\xef\xbb\xbf<6>[   12.345678] mmc0: a", 12345678, 0, 6, "mmc0: a"},
	{"\xff\x01May 21 18:07:14 host kernel: mmc0: a", -1, 0, -1, "mmc0: a"},
	{"\xff\x01May 21 18:07:14 host sh[8]: mmc0: a", -1, 1, -1, "mmc0: a"},
	{"\xff\x01<3>mmc0: a", -1, 0, 3, "mmc0: a"},
	{"\x1b[?2004l\r[   12.345678] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"\x1b]0;root@board\a\x1b(B\x1b[m\x1b[2J[   12.345678] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"\x1b]0;root@board\x1b\\[   12.345678] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"[1.234567 0.000123] [   12.345678] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"12.345 [   12.345678] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	{"[2026-12-01 18:07:14.123] Starting a: [   12.345678] mmc0: a", 12345678, 0, -1, "mmc0: a"},
	/* text of the kernel, and a stamp of another program */
	{"[   12.345678] mmc0: a[   12.345679] mmc0: b", 12345678, 0, -1, "mmc0: a[   12.345679] mmc0: b"},
	{"May 21 18:07:14 host kernel: a [   12.345678] b", -1, 0, -1, "a [   12.345678] b"},
	{"12-01 18:07:14.123     0     0 E mmc0    : a [   12.345678] b", -1, 0, 3, "mmc0: a [   12.345678] b"},
	{"a [    12.345] (II) b", -1, 0, -1, "a [    12.345] (II) b"},
	{"a [   12.345678 b", -1, 0, -1, "a [   12.345678 b"},
	{"\xff\x01mmc0: a", -1, 0, -1, "\xff mmc0: a"},
	{"# [drm] a", -1, 0, -1, "# [drm] a"},
	{"May 21 18:07:14 host sh[8]: # [  130.700000] mmc0: a", -1, 1, -1, "# [  130.700000] mmc0: a"},
	/* a record */
	{"4,8,2,-;mmc0: a", 2, 0, 4, "mmc0: a"},
};
/* clang-format on */

static void saved_lines(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		check_line(&lines[i]);
}

struct wall_line {
	const char *line;
	int64_t wall_us; /* -1: none */
	bool is_utc, has_year;
};

/* 2026-12-01T18:07:14Z, 2018-05-21T18:07:14Z, and May 21 of a year that is not told */
#define DECEMBER INT64_C(1796148434000000)
#define MAY_2018 INT64_C(1526926034000000)
#define MAY      INT64_C(75319634000000)

/* clang-format off */
static const struct wall_line wall_lines[] = {
	{"[Mon May 21 18:07:14 2018] mmc0: a", MAY_2018, false, true},
	{"[Mon May  1 18:07:14 2018] mmc0: a", MAY_2018 - 20 * INT64_C(86400000000), false, true},
	{"[May21 18:07] mmc0: a", MAY - 14000000, false, false},
	{"[  +0.000010] mmc0: a", -1, false, false},
	{"2026-12-01T18:07:14,123456+00:00 mmc0: a", DECEMBER + 123456, true, true},
	{"2026-12-01T18:07:14,123456-05:30 mmc0: a", DECEMBER + 123456 + 19800 * INT64_C(1000000), true, true},
	{"2026-12-01T18:07:14+0100 host kernel: mmc0: a", DECEMBER - 3600 * INT64_C(1000000), true, true},
	{"2026-12-01T18:07:14.1Z host kernel: mmc0: a", DECEMBER + 100000, true, true},
	{"2026-12-01T18:07:14.123456789 host kernel: mmc0: a", DECEMBER + 123456, false, true},
	{"May 21 18:07:14 host kernel: mmc0: a", MAY, false, false},
	{"May 21 18:07:14.123456 host kernel: mmc0: a", MAY + 123456, false, false},
	{"May 21 18:07:14 2018 host kern.err kernel: mmc0: a", MAY_2018, false, true},
	{"May 21 18:07:14 host kernel: [    8.010115] mmc0: a", MAY, false, false},
	{"Tue 2026-12-01 18:07:14 UTC host kernel: mmc0: a", DECEMBER, true, true},
	{"Tue 2026-12-01 18:07:14 CET host kernel: mmc0: a", DECEMBER, false, true},
	{"1796148434.000007 host kernel: mmc0: a", DECEMBER + 7, true, true},
	{"05-21 18:07:14.123     0     0 E mmc0    : a", MAY + 123000, false, false},
	{"[2026-12-01 18:07:14.123] [   12.345678] mmc0: a", DECEMBER + 123000, false, true},
	{"2026/12/01 18:07:14.123 [   12.345678] mmc0: a", DECEMBER + 123000, false, true},
	{"2026-12-01T18:07:14.123 [   12.345678] mmc0: a", DECEMBER + 123000, false, true},
	{"2026-12-01T18:07:14Z [   12.345678] mmc0: a", DECEMBER, true, true},
	{"May 21 18:07:14 [   12.345678] mmc0: a", MAY, false, false},
	{"Mon May 21 18:07:14 2018 [   12.345678] mmc0: a", MAY_2018, false, true},
	{"18:07:14.123 <6>[   12.345678] mmc0: a", -1, false, false},
	{"[   12.345678] mmc0: a", -1, false, false},
	/* no such day */
	{"[Mon Feb 30 18:07:14 2018] mmc0: a", -1, false, false},
	{"Feb 29 18:07:14 host kernel: mmc0: a", MAY - 82 * INT64_C(86400000000), false, false},
	{"2026-13-01T18:07:14,123456+00:00 mmc0: a", -1, false, false},
	{"2026-12-01T25:07:14,123456+00:00 mmc0: a", -1, false, false},
	{"1960-12-01T18:07:14,123456+00:00 mmc0: a", -1, false, false},
};
/* clang-format on */

static void wall_clocks(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(wall_lines); i++) {
		const struct wall_line *expected = &wall_lines[i];
		struct kernel_message m;

		assert_int_equal(kernel_message_line(slice_of(expected->line), &m), 0);
		if (strcmp(m.text, "mmc0: a") != 0 || m.wall_us != expected->wall_us ||
		    (m.wall_us >= 0 &&
		     (m.wall_is_utc != expected->is_utc || m.wall_has_year != expected->has_year)))
			fail_msg("%s: %lld %d %d '%s'", expected->line, (long long)m.wall_us,
				 m.wall_is_utc, m.wall_has_year, m.text);
	}
}

/* What stands alone may be anybody's, and what journalctl says is no kernel's. */
static void bare_lines(void **unused)
{
	struct kernel_message m;

	(void)unused;
	assert_int_equal(kernel_message_line(slice_of("mmc0: a"), &m), 0);
	assert_true(m.is_bare && m.facility == 0);
	assert_int_equal(kernel_message_line(slice_of("  mmc0: a"), &m), 0);
	assert_true(m.is_bare);
	assert_int_equal(kernel_message_line(slice_of("[    1.000000] mmc0: a"), &m), 0);
	assert_false(m.is_bare);
	assert_int_equal(kernel_message_line(slice_of("-- Boot 0123 --"), &m), 0);
	assert_int_equal(m.facility, 1);
}

static void blank_lines(void **unused)
{
	static const char *const table[] = {
		"", " ", "\t", "\r", "[   12.345678]", "[   12.345678] ", "4,8,2,-;"};
	struct kernel_message m;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (kernel_message_line(slice_of(table[i]), &m) != -ENODATA)
			fail_msg("taken: '%s' as '%s'", table[i], m.text);
}

/* clang-format off */
static const struct {
	const char *line;
	int64_t t_us, repeats;
	int facility;
	bool repeats_last;
	const char *text;
} repeats[] = {
	{"May 21 18:07:14 host kernel: message repeated 5 times: [ [    8.010115] mmc0: a]", 8010115, 5, 0, false, "mmc0: a"},
	{"May 21 18:07:14 host kernel: message repeated 5 times: [[    8.010115] mmc0: a]", 8010115, 5, 0, false, "mmc0: a"},
	{"May 21 18:07:14 host kernel: message repeated 2 times: [ mmc0: a]", -1, 2, 0, false, "mmc0: a"},
	{"May 21 18:07:14 host kernel: message repeated 2 times: [ mmc0: a [b]]", -1, 2, 0, false, "mmc0: a [b]"},
	{"2026-12-01T18:07:14.123456+00:00 host kernel: message repeated 2 times: [ mmc0: a", -1, 2, 0, false, "mmc0: a"},
	{"May 21 18:07:14 host kernel: message repeated 2 times: [ <30>mmc0: a]", -1, 2, 3, false, "mmc0: a"},
	{"May 21 18:07:14 host smartd[822]: message repeated 2 times: [ <3>a]", -1, 2, 1, false, "<3>a"},
	/* whose it was is not said */
	{"May 21 18:07:14 host last message repeated 3 times", -1, 3, 0, true, "last message repeated 3 times"},
	{"May 21 18:07:14 host last message repeated 1 time", -1, 1, 0, true, "last message repeated 1 time"},
	{"2026-12-01T18:07:14.123456+00:00 host last message repeated 3 times", -1, 3, 0, true, "last message repeated 3 times"},
	{"May 21 18:07:14 host kernel: last message repeated 3 times", -1, 3, 0, true, "last message repeated 3 times"},
	{"May 21 18:07:14 host kernel: Last message 'mmc0: it's a' repeated 4 times, suppressed by syslog-ng on host", -1, 4, 0, true,
	 "Last message 'mmc0: it's a' repeated 4 times, suppressed by syslog-ng on host"},
	/* no such number, and what only looks like it */
	{"May 21 18:07:14 host myapp[3]: last message repeated 3 times", -1, 0, 1, false, "last message repeated 3 times"},
	{"May 21 18:07:14 host kernel: message repeated 0 times: [ a]", -1, 0, 0, false, "message repeated 0 times: [ a]"},
	{"May 21 18:07:14 host kernel: message repeated 9999999999 times: [ a]", -1, 0, 0, false, "message repeated 9999999999 times: [ a]"},
	{"May 21 18:07:14 host kernel: message repeated -1 times: [ a]", -1, 0, 0, false, "message repeated -1 times: [ a]"},
	{"May 21 18:07:14 host kernel: last message repeated", -1, 0, 0, false, "last message repeated"},
	{"May 21 18:07:14 host kernel: Last message 'a", -1, 0, 0, false, "Last message 'a"},
};
/* clang-format on */

static void what_came_again(void **unused)
{
	struct kernel_message m;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(repeats); i++) {
		assert_int_equal(kernel_message_line(slice_of(repeats[i].line), &m), 0);
		if (m.t_us != repeats[i].t_us || m.repeats != repeats[i].repeats ||
		    m.facility != repeats[i].facility ||
		    m.repeats_last != repeats[i].repeats_last ||
		    strcmp(m.text, repeats[i].text) != 0)
			fail_msg("%s: %lld %lld %d %d '%s'", repeats[i].line, (long long)m.t_us,
				 (long long)m.repeats, m.facility, m.repeats_last, m.text);
	}
	assert_int_equal(
		kernel_message_line(slice_of("May 21 18:07:14 host kernel: message repeated "
					     "2 times: [ ]"),
				    &m),
		-ENODATA);
}

static void the_message_before(void **unused)
{
	static const char again[] = "May 21 18:07:14 host last message repeated 3 times";
	struct kernel_message m, last = {0};

	(void)unused;
	assert_int_equal(kernel_message_line(slice_of(again), &m), 0);
	kernel_message_follow(&last, &m);
	assert_int_equal(m.facility, 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kernel_message_record(slice_of("3,1,2,-;a\n DEVICE=b8:0"), &m), 0);
		kernel_message_follow(&last, &m);
		assert_int_equal(m.repeats, 0);
		assert_int_equal(kernel_message_line(slice_of(again), &m), 0);
		kernel_message_follow(&last, &m);
		assert_int_equal(m.facility, 0);
		assert_int_equal(m.level, 3);
		assert_int_equal(m.repeats, 3);
		assert_string_equal(m.text, "a");
		assert_string_equal(m.device, "b8:0");
	}
	assert_int_equal(kernel_message_line(slice_of("May 21 18:07:14 host sh[1]: b"), &m), 0);
	kernel_message_follow(&last, &m);
	assert_int_equal(kernel_message_line(slice_of(again), &m), 0);
	kernel_message_follow(&last, &m);
	assert_int_equal(m.facility, 1);
}

/* A stamp far from the front is text. */
static void junk_has_a_bound(void **unused)
{
	struct kernel_message m;
	char line[400];

	(void)unused;
	for (int n = 250; n < 260; n++) {
		snprintf(line, sizeof(line), "%0*d[   12.345678] a", n, 0);
		assert_int_equal(kernel_message_line(slice_of(line), &m), 0);
		assert_int_equal(m.t_us, n <= 256 ? 12345678 : KERNEL_TIME_NONE);
	}
}

static void a_long_line_is_cut(void **unused)
{
	char line[8192];
	struct kernel_message m;

	(void)unused;
	memset(line, 'x', sizeof(line));
	assert_int_equal(kernel_message_line((struct slice){line, sizeof(line)}, &m), 0);
	assert_true(m.is_cut);
	assert_int_equal(strlen(m.text), KERNEL_TEXT_MAX - 1);
	memset(line, '[', sizeof(line));
	assert_int_equal(kernel_message_line((struct slice){line, sizeof(line)}, &m), 0);
	memset(line, '\x1b', sizeof(line));
	assert_int_equal(kernel_message_line((struct slice){line, sizeof(line)}, &m), -ENODATA);
}

static void a_whole_log(void **unused)
{
	struct slice rest =
		slice_of("\n[    1.000000] a\n\n6,1,2,-;b\n SUBSYSTEM=block\n DEVICE=b8:0\n"
			 " FOREIGN_WORD=x\n[    3.000000] c\n DEVICE=none\n d");
	struct kernel_message m;

	(void)unused;
	assert_true(kernel_message_next(&rest, &m));
	assert_string_equal(m.text, "a");
	assert_true(kernel_message_next(&rest, &m));
	assert_string_equal(m.text, "b");
	assert_string_equal(m.subsystem, "block");
	assert_string_equal(m.device, "b8:0");
	assert_true(kernel_message_next(&rest, &m));
	assert_string_equal(m.text, "c");
	assert_true(kernel_message_next(&rest, &m));
	assert_string_equal(m.text, "DEVICE=none");
	assert_true(kernel_message_next(&rest, &m));
	assert_string_equal(m.text, "d");
	assert_false(kernel_message_next(&rest, &m));
}

/* A power cut left zeros in the file, and the next boot went on behind them. */
static void zeros_in_a_log(void **unused)
{
	static const char log[] = "[   15.000000] a\n\0\0\0[    0.000000] Linux version 6.1\n"
				  "6,1,2,-;b\0 SUBSYSTEM=block\n\0\n[    3.000000] c\0\0";
	static char zeros[5000] = "[    1.000000] d";
	struct slice rest = {log, sizeof(log) - 1};
	struct kernel_message m;

	(void)unused;
	assert_true(kernel_message_next(&rest, &m));
	assert_int_equal(m.t_us, 15000000);
	assert_true(kernel_message_next(&rest, &m));
	assert_string_equal(m.text, "Linux version 6.1");
	assert_int_equal(m.t_us, 0);
	assert_false(m.is_bare);
	assert_true(kernel_message_next(&rest, &m));
	assert_string_equal(m.text, "b");
	assert_string_equal(m.subsystem, "block");
	assert_true(kernel_message_next(&rest, &m));
	assert_string_equal(m.text, "c");
	assert_false(kernel_message_next(&rest, &m));

	memmove(zeros + sizeof(zeros) - 17, zeros, 17);
	memset(zeros, 0, sizeof(zeros) - 17);
	rest = (struct slice){zeros, sizeof(zeros)};
	assert_true(kernel_message_next(&rest, &m));
	assert_string_equal(m.text, "d");
	assert_false(kernel_message_next(&rest, &m));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeros_in_a_log),    cmocka_unit_test(what_came_again),
		cmocka_unit_test(junk_has_a_bound),  cmocka_unit_test(the_message_before),
		cmocka_unit_test(records),           cmocka_unit_test(escapes),
		cmocka_unit_test(what_is_no_record), cmocka_unit_test(saved_lines),
		cmocka_unit_test(wall_clocks),       cmocka_unit_test(bare_lines),
		cmocka_unit_test(blank_lines),       cmocka_unit_test(a_long_line_is_cut),
		cmocka_unit_test(a_whole_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
