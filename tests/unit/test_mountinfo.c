/* Lines of mountinfo: what is one, and what its parts are. */
#include "tests/unit/collector_fixture.h"

#include "model/mountinfo.h"

static struct mount parse(const char *line)
{
	struct mount mount;

	if (mountinfo_parse(slice_of(line), &mount) < 0)
		fail_msg("refused: %s", line);
	return mount;
}

static void check_slice(struct slice slice, const char *expected)
{
	if (!slice_is(slice, expected))
		fail_msg("'%.*s', expected '%s'", (int)slice.len, slice.p, expected);
}

static void parts(void **unused)
{
	struct mount m = parse("289 45 0:173 / /a\\040b rw,relatime shared:232 master:1 - overlay "
			       "overlayfs rw,lowerdir=/x Larian Studios/y,z");

	(void)unused;
	assert_int_equal(m.id, 289);
	assert_int_equal(m.parent_id, 45);
	assert_int_equal(m.major, 0);
	assert_int_equal(m.minor, 173);
	check_slice(m.root, "/");
	check_slice(m.mount_point, "/a\\040b");
	check_slice(m.options, "rw,relatime");
	check_slice(m.tags, "shared:232 master:1");
	check_slice(m.fs_type, "overlay");
	check_slice(m.source, "overlayfs");
	check_slice(m.super_options, "rw,lowerdir=/x Larian Studios/y,z");
}

static void the_separator_is_the_first_dash(void **unused)
{
	struct mount m = parse("1 2 0:3 / /dev/shm rw - tmpfs - rw");

	(void)unused;
	check_slice(m.tags, "");
	check_slice(m.fs_type, "tmpfs");
	check_slice(m.source, "-");
	check_slice(m.super_options, "rw");
	m = parse("1 2 0:3 / /mnt/a rw shared:284 - tmpfs - rw,inode64");
	check_slice(m.tags, "shared:284");
	check_slice(m.source, "-");
	check_slice(m.super_options, "rw,inode64");
	m = parse("1 2 0:3 / /mnt/a rw - tmpfs  rw");
	check_slice(m.source, "");
	check_slice(m.super_options, "rw");
}

static void odd_lines_are_refused(void **unused)
{
	static const char *const lines[] = {
		"",
		"garbage",
		"21 20",
		"22 20 8:1 / /nosep rw ext4 /dev/sda1 rw",
		"23 20 8:1 / /short rw -",
		"24 20 8:1 / /nosource rw - ext4",
		"25 20 eight:one / /x rw - ext4 /dev/sda1 rw",
		"26 20 99999999999:1 / /x rw - ext4 /dev/sda1 rw",
		"27 20 -8:1 / /x rw - ext4 /dev/sda1 rw",
		"28 20 8 / /x rw - ext4 /dev/sda1 rw",
		"29 20 8:3 / relative rw - ext4 /dev/sda3 rw",
		"30 20 8:1 /  /two  spaces rw - ext4 /dev/sda1 rw",
		"99999999999999999999 20 8:1 / /x rw - ext4 /dev/sda1 rw",
	};
	struct mount m;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (mountinfo_parse(slice_of(lines[i]), &m) == 0)
			fail_msg("taken: %s", lines[i]);
}

static void escapes(void **unused)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"Baldurs\\040Gate\\0403", "Baldurs Gate 3"},
		{"a\\011b\\012c\\134d\\043", "a\tb\nc\\d#"},
		{"\\04", "\\04"},
		{"\\999", "\\999"},
		{"\\", "\\"},
		{"x\\000", "x\\000"},
		{"\\377", "\xff"},
		{"\\400", "\\400"},
	};
	char buf[64];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(mountinfo_unescape(slice_of(cases[i].text), buf, sizeof(buf)));
		assert_string_equal(buf, cases[i].expected);
	}
	assert_false(mountinfo_unescape(slice_of("abcd"), buf, 4));
	assert_string_equal(buf, "abc");
	assert_true(mountinfo_unescape((struct slice){"a\0b", 3}, buf, sizeof(buf)));
	assert_string_equal(buf, "a?b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts),
		cmocka_unit_test(the_separator_is_the_first_dash),
		cmocka_unit_test(odd_lines_are_refused),
		cmocka_unit_test(escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
