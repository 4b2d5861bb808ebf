/* Files of a node that are missing, refused, or find no descriptor. */
#include "model/node_file.h"
#include "tests/unit/collector_fixture.h"
#include "tests/unit/descriptors.h"

static void there_missing_and_refused(void **unused)
{
	static const struct {
		const char *path;
		int error;
		bool exists;
	} cases[] = {
		{"sys/n/a", 0, true},
		{"sys/n/none", -ENOENT, false},
		{"sys/n/refused", -EACCES, true},
	};
	struct fixture f;
	char line[16];

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/n/a", "7\n");
	put(&f, "sys/n/refused", "");
	put(&f, "ERRORS", "sys/n/refused\topen\tEACCES\n");
	assert_int_equal(hw_open(f.root, &f.hw), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct node_file file;
		int64_t value = 0;

		node_file_open(f.hw, &file, "%s", cases[i].path);
		assert_int_equal(node_file_read_i64(f.hw, &file, &value), cases[i].error);
		assert_int_equal(value, cases[i].error ? 0 : 7);
		assert_int_equal(node_file_read_line(f.hw, &file, line, sizeof(line)),
				 cases[i].error ? cases[i].error : 1);
		assert_int_equal(node_file_read(f.hw, &file, line, sizeof(line)),
				 cases[i].error ? cases[i].error : 2);
		assert_int_equal(node_file_exists(&file), cases[i].exists);
		node_file_close(&file);
	}
	fixture_unprobe(&f);
	fixture_end(&f);
}

static void want_of_descriptors_passes(void **unused)
{
	struct node_file there, missing, none = node_file_none, zero = {0};
	struct rlimit limit;
	struct fixture f;
	int64_t value;
	int fds[64];
	size_t n;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/n/a", "7\n");
	assert_int_equal(hw_open(f.root, &f.hw), 0);
	n = take_descriptors(fds, &limit);
	node_file_open(f.hw, &there, "sys/n/%s", "a");
	node_file_open(f.hw, &missing, "sys/n/%s", "b");
	assert_int_equal(node_file_read_i64(f.hw, &there, &value), -EMFILE);
	assert_int_equal(node_file_read_i64(f.hw, &missing, &value), -EMFILE);
	give_back(fds, n, &limit);
	assert_int_equal(node_file_read_i64(f.hw, &there, &value), 0);
	assert_int_equal(value, 7);
	assert_int_equal(node_file_read_i64(f.hw, &missing, &value), -ENOENT);
	assert_int_equal(node_file_read_i64(f.hw, &none, &value), -ENOENT);
	node_file_close(&there);
	node_file_close(&missing);
	node_file_close(&none);
	node_file_close(&zero);
	fixture_unprobe(&f);
	fixture_end(&f);
}

static void a_long_path_is_refused(void **unused)
{
	struct node_file file;
	struct fixture f;
	int64_t value;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(hw_open(f.root, &f.hw), 0);
	node_file_open(f.hw, &file, "%*s", HW_PATH_MAX, "a");
	assert_int_equal(node_file_read_i64(f.hw, &file, &value), -ENAMETOOLONG);
	node_file_close(&file);
	fixture_unprobe(&f);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_missing_and_refused),
		cmocka_unit_test(want_of_descriptors_passes),
		cmocka_unit_test(a_long_path_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
