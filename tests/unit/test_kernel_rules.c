/* The table of wordings: each of them has an example, and each example is taken by its own rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/kernel_index.h"
#include "analysis/kernel_rules.h"
#include "base/macros.h"
#include "base/parse.h"

static void message_of(struct slice text, struct kernel_message *ret)
{
	*ret = (struct kernel_message){.t_us = 0, .level = KERNEL_LEVEL_NONE};
	assert_int_equal(slice_copy(text, ret->text, sizeof(ret->text)), 0);
}

static struct finding classify(const char *text)
{
	struct kernel_message message;
	struct finding finding;

	message_of(slice_of(text), &message);
	kernel_classify(&message, &finding);
	return finding;
}

static bool is_part(struct slice part, const char *text)
{
	return slice_is(part, *text ? text : "-");
}

/* The index never leaves out a rule that would have matched. */
static void check_index(const char *text)
{
	struct kernel_pairs pairs;
	struct finding f;

	kernel_pairs_of_text(text, &pairs);
	for (size_t i = 0; i < n_kernel_rules; i++)
		if (kernel_pattern_match(kernel_rules[i].pattern, text, &f) &&
		    !kernel_index_may_match(i, &pairs))
			fail_msg("%s is left out: %s", kernel_rules[i].id, text);
}

static void check_example(struct slice line, bool *has_example)
{
	struct slice parts[5];
	struct kernel_message message;
	struct finding f;
	char sector[32] = "";

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!slice_until(&line, '\t', &parts[i]))
			fail_msg("too few columns: %.*s", (int)line.len, line.p);
	message_of(line, &message);
	kernel_classify(&message, &f);
	if (f.sector >= 0)
		snprintf(sector, sizeof(sector), "%lld", (long long)f.sector);
	if (!f.rule || !slice_is(parts[0], f.rule->id))
		fail_msg("taken by %s: %s", f.rule ? f.rule->id : "none", message.text);
	if (!slice_is(parts[1], kernel_cause_name(f.cause)) ||
	    !slice_is(parts[2], severity_name(f.severity)) || !is_part(parts[3], f.node) ||
	    !is_part(parts[4], sector))
		fail_msg("%s %s '%s' '%s': %s", kernel_cause_name(f.cause),
			 severity_name(f.severity), f.node, sector, message.text);
	assert_int_equal(f.byte, f.sector < 0 ? KERNEL_NUMBER_NONE : f.sector * 512);
	has_example[f.rule - kernel_rules] = true;
	check_index(message.text);
}

static void each_rule_takes_its_examples(void **unused)
{
	static char buf[256 * 1024];
	static bool has_example[1024];
	FILE *file = fopen(TEST_SOURCE_DIR "/unit/kernel_lines.list", "re");
	struct slice rest, line;

	(void)unused;
	assert_non_null(file);
	assert_true(n_kernel_rules <= ARRAY_SIZE(has_example));
	rest = (struct slice){buf, fread(buf, 1, sizeof(buf), file)};
	fclose(file);
	assert_true(rest.len < sizeof(buf));
	while (slice_line(&rest, &line))
		if (line.len && line.p[0] != '#')
			check_example(line, has_example);
	for (size_t i = 0; i < n_kernel_rules; i++)
		if (!has_example[i])
			fail_msg("%s has no example", kernel_rules[i].id);
}

static void ids_are_unique(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < n_kernel_rules; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(kernel_rules[i].id, kernel_rules[j].id);
}

/* One that begins like an earlier one is never tried. */
static void check_choice(const char *id, const char *choice, size_t len)
{
	struct slice rest = {choice, len}, part, later;

	assert_null(memchr(choice, '{', len) && memchr(choice, '}', len) ? id : NULL);
	while (slice_until(&rest, '|', &part)) {
		struct slice after = rest;

		while (after.len) {
			if (!slice_until(&after, '|', &later)) {
				later = after;
				after.len = 0;
			}
			if (!part.len ||
			    (later.len >= part.len && !memcmp(later.p, part.p, part.len)))
				fail_msg("%s: \"%.*s\" hides \"%.*s\"", id, (int)part.len, part.p,
					 (int)later.len, later.p);
		}
	}
}

static void patterns_are_well_formed(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < n_kernel_rules; i++) {
		const struct kernel_rule *rule = &kernel_rules[i];
		const char *hole_end = NULL;

		assert_true(*rule->id && *rule->what);
		for (const char *p = rule->pattern; *p; p++) {
			const char *end;

			if (*p == '<' && strchr(p, '>')) {
				end = strchr(p, '>');
				check_choice(rule->id, p + 1, (size_t)(end - p) - 1);
				/* A hole before it would end at once. */
				if (p == hole_end && end[-1] == '|')
					fail_msg("%s: a hole before an empty choice", rule->id);
				p = end;
			} else if (*p == '{') {
				if (p == hole_end)
					fail_msg("%s: two holes without a text", rule->id);
				p = strchr(p, '}');
				assert_non_null(p);
				hole_end = p + 1;
			}
		}
	}
}

/* What a kind of line may not do, whoever adds it. */
static void severity_goes_with_cause(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < n_kernel_rules; i++) {
		const struct kernel_rule *rule = &kernel_rules[i];

		if (rule->cause != CAUSE_OF_ERRNO && !kernel_cause_is_event(rule->cause) &&
		    rule->severity != SEVERITY_INFO)
			fail_msg("%s: no event, and not info", rule->id);
		if (rule->cause == CAUSE_UNSUPPORTED && rule->severity != SEVERITY_INFO)
			fail_msg("%s: an unknown command is no fault", rule->id);
		if (rule->cause == CAUSE_NONE)
			fail_msg("%s: no cause", rule->id);
	}
}

static void causes_have_names(void **unused)
{
	(void)unused;
	for (int i = 0; i < N_CAUSES; i++)
		assert_non_null(kernel_cause_name((enum kernel_cause)i));
	assert_string_equal(kernel_cause_name(N_CAUSES), "none");
}

/* Words of an error, in lines that are none. */
static void other_lines_are_none(void **unused)
{
	static const char *const lines[] = {
		"",
		" ",
		" nvme0n1: p1 p2",
		"nvme nvme0: 8/0/0 default/read/poll queues",
		"nvme 0004:41:00.0: enabling device (0000 -> 0002)",
		"aml_sd_emmc_data_thread 2211 sd: cmd:13",
		"[aml_sd_emmc_irq] sd: response ecc,vstat:0xa400,virqc:3fff",
		"systemd[1]: I/O error, dev sda, sector 0",
		"EXT4-fs (sda1): mounted filesystem with ordered data mode. Opts: (null)",
		"EXT4-fs (sda1): recovery complete",
		"EXT4-fs (mmcblk0p2): re-mounted. Opts: errors=remount-ro",
		"F2FS-fs (dm-8): Mounted with checkpoint version = 5d2e0b1c",
		"mmc0: new HS400 MMC card at address 0001",
		"mmc0: SDHCI controller on fe330000.mmc [fe330000.mmc] using ADMA 64-bi",
		"sd 0:0:0:0: [sda] 61071360 512-byte logical blocks: (31.3 GB/29.1 GiB)",
		"ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)",
		"I/O error, dev , sector 1",
		"I/O error, dev sda, sector ",
		"I/O error, dev sda, sector -1",
		"net_ratelimit: 12 callbacks suppressed",
		"audit_log: 3 callbacks suppressed",
		"thermal_sys: Registered thermal governor 'step_wise'",
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct finding f = classify(lines[i]);

		if (f.rule && strcmp(f.rule->id, "mmc-host-name") != 0)
			fail_msg("taken by %s: %s", f.rule->id, lines[i]);
	}
}

static void only_the_kernel_counts(void **unused)
{
	struct kernel_message message;
	struct finding f;

	(void)unused;
	message_of(slice_of("I/O error, dev sda, sector 8"), &message);
	message.facility = 1;
	kernel_classify(&message, &f);
	assert_null(f.rule);
	assert_int_equal(f.cause, CAUSE_NONE);
	assert_string_equal(f.node, "");
	assert_int_equal(f.sector, KERNEL_NUMBER_NONE);
}

static void numbers_of_a_line(void **unused)
{
	struct finding f = classify("I/O error, dev sda, sector 18014398509481983");

	(void)unused;
	assert_int_equal(f.sector, INT64_C(18014398509481983));
	assert_int_equal(f.byte, f.sector * 512);
	f = classify("I/O error, dev sda, sector 9223372036854775807");
	assert_int_equal(f.sector, INT64_MAX);
	assert_int_equal(f.byte, KERNEL_NUMBER_NONE);
	/* Of no sector the kernel prints the highest number, and what happened did happen. */
	f = classify("I/O error, dev sda, sector 18446744073709551615 op 0x2:(FLUSH) flags 0x0");
	assert_string_equal(f.rule->id, "block-io-flush");
	assert_int_equal(f.sector, KERNEL_NUMBER_NONE);
	assert_int_equal(f.byte, KERNEL_NUMBER_NONE);
	f = classify(
		"Buffer I/O error on dev sda, logical block 99999999999999999999, async page read");
	assert_string_equal(f.node, "sda");
	assert_int_equal(f.block, KERNEL_NUMBER_NONE);
	f = classify("mmc0: cache flush error -110");
	assert_int_equal(f.error, 110);
	/* A code of the UniPro layer is no errno. */
	f = classify(
		"ufshcd-qcom 1d84000.ufshc: ufshcd_uic_hibern8_exit: hibern8 exit failed. ret = 5");
	assert_int_equal(f.error, 0);
	f = classify("Buffer I/O error on dev sdb1, logical block 573442, lost async page write");
	assert_int_equal(f.block, 573442);
	assert_int_equal(f.byte, KERNEL_NUMBER_NONE);
	f = classify("blk_print_req_error: 137 callbacks suppressed");
	assert_int_equal(f.suppressed, 137);
	f = classify("blk_print_req_error: 99999999999999999999 callbacks suppressed");
	assert_int_equal(f.suppressed, INT64_MAX);
	f = classify("nvme nvme0: pci function 0004:41:00.0");
	assert_string_equal(f.alias, "0004:41:00.0");
}

static void pattern_language(void **unused)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} table[] = {
		{"", "", true},
		{"", "anything", true},
		{"$", "", true},
		{"$", "a", false},
		{"a b", "a   b", true},
		{"a b", "ab", false},
		{"<ab|a|>c", "abc", true},
		{"<ab|a|>c", "ac", true},
		{"<ab|a|>c", "c", true},
		{"<ab|a>c", "c", false},
		{"{node}: x", "sd: y: x", false},
		{"{node}: x", "sd:y: x", true},
		{"{node}: x", ": x", false},
		{"{any}x", "x", true},
		{"{any}x", "y", false},
		{"{num}x", "-12x", true},
		{"{num}x", "1-2x", false},
		{"{hex}", "0xffffffff", true},
		{"{node=mmc}:", "mmc0:", true},
		{"{node=mmc}:", "mmc:", false},
		{"{node=mmc}:", "xmmc0:", false},
		{"{word} b$", "a b", true},
		{"{word} b$", "a bc", false},
		{"{rpmb},", "mmcblk0rpmb,", true},
		{"{rpmb},", "mmcblk0,", false},
		{"{rpmb},", "mmcblkrpmb,", false},
		{"{rpmb},", "mmcblk0p1rpmb,", false},
		{"{floppy},", "fd0,", true},
		{"{floppy},", "fdx,", false},
		{"{nothing}", "a", false},
		{"{unfinished", "a", false},
		{"<unfinished", "a", false},
	};
	struct finding f;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (kernel_pattern_match(table[i].pattern, table[i].text, &f) != table[i].matches)
			fail_msg("%s on %s", table[i].pattern, table[i].text);
}

static void names_of_journals(void **unused)
{
	static const char *const table[][2] = {
		{"sda1-8.", "sda1"},   {"dm-0-8.", "dm-0"},
		{"dm-0.", "dm-0"},     {"mmcblk0p3-8.", "mmcblk0p3"},
		{"sdb1.", "sdb1"},     {"-8.", "-8"},
		{"md127-8.", "md127"}, {"nvme0n1p2-8.", "nvme0n1p2"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct finding f;

		assert_true(kernel_pattern_match("{journal}.", table[i][0], &f));
		assert_string_equal(f.node, table[i][1]);
	}
}

/* A name that is longer than any of the kernel makes no finding, and no half name either. */
static void a_long_name_is_none(void **unused)
{
	char text[KERNEL_TEXT_MAX];
	struct finding f;

	(void)unused;
	memset(text, 'a', sizeof(text));
	snprintf(text + 600, sizeof(text) - 600, ": cache flush error -5");
	memcpy(text, "mmc", 3);
	f = classify(text);
	assert_null(f.rule);
	assert_string_equal(f.node, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule_takes_its_examples),
		cmocka_unit_test(ids_are_unique),
		cmocka_unit_test(patterns_are_well_formed),
		cmocka_unit_test(severity_goes_with_cause),
		cmocka_unit_test(causes_have_names),
		cmocka_unit_test(other_lines_are_none),
		cmocka_unit_test(only_the_kernel_counts),
		cmocka_unit_test(numbers_of_a_line),
		cmocka_unit_test(pattern_language),
		cmocka_unit_test(names_of_journals),
		cmocka_unit_test(a_long_name_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
