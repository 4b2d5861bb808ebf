/* Attributes that stay open: a node that goes while one of them is not read, and the want of
 * descriptors, which passes. */
#include "tests/unit/collector_fixture.h"
#include "tests/unit/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "base/macros.h"
#include "model/sysfs_nodes.h"

static const struct field fields[] = {
	{"a", UNIT_COUNT, KIND_GAUGE, "A.", .attr = "a"},
	{"b", UNIT_COUNT, KIND_GAUGE, "B.", .attr = "b"},
	{"c", UNIT_COUNT, KIND_GAUGE, "C.", .attr = "c"},
};

static const struct group group = {
	.name = "nodes", .help = "Nodes.", .fields = fields, .n_fields = ARRAY_SIZE(fields)};

static void begin(struct fixture *f, struct sysfs_nodes *nodes)
{
	*nodes = (struct sysfs_nodes){.group = &group};
	f->group = &group;
	assert_int_equal(hw_open(f->root, &f->hw), 0);
	assert_int_equal(sink_init(&f->sink), 0);
}

static void finish(struct fixture *f, struct sysfs_nodes *nodes)
{
	sysfs_nodes_done(nodes);
	sink_done(&f->sink);
	hw_close(f->hw);
	f->hw = NULL;
}

static int sample(struct fixture *f, struct sysfs_nodes *nodes)
{
	sink_reset(&f->sink, &group);
	return sysfs_nodes_sample(f->hw, nodes, &f->sink);
}

static void gone(void **unused)
{
	static const struct {
		const char *a, *b, *c; /* how they fail, NULL when they are read */
		int r;
	} cases[] = {
		{"ENODEV", "ENODEV", "ENODEV", -ENODEV},
		{"ENODEV", "EOPNOTSUPP", "ENODEV", -ENODEV},
		{"EACCES", "ENODEV", "ENODEV", -ENODEV},
		{"EPERM", "EOPNOTSUPP", "ENODEV", -ENODEV},
		{"ENODEV", "EIO", "ENODEV", -ENODEV},
		{"ENODEV", "ENODEV", NULL, 0},
		{NULL, "ENODEV", "EOPNOTSUPP", 0},
		{"ENODEV", "EBUSY", "ENODEV", 0},
		{"ENODEV", "EAGAIN", "ENODEV", 0},
		{"EOPNOTSUPP", "EACCES", "EIO", 0},
		{NULL, NULL, NULL, 0},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *const errors[] = {cases[i].a, cases[i].b, cases[i].c};
		struct sysfs_nodes nodes;
		char text[256] = "";
		struct fixture f;

		fixture_start(&f);
		for (size_t k = 0; k < ARRAY_SIZE(errors); k++) {
			char path[16];

			snprintf(path, sizeof(path), "sys/n/%s", fields[k].name);
			put(&f, path, "1\n");
			if (errors[k])
				snprintf(text + strlen(text), sizeof(text) - strlen(text),
					 "%s\tread\t%s\n", path, errors[k]);
		}
		put(&f, "ERRORS", text);
		begin(&f, &nodes);
		assert_int_equal(sysfs_nodes_add(f.hw, &nodes, "sys/n", "n", ""), 0);
		/* What backs off is read at some of them only. */
		for (int n = 0; n < 8; n++)
			if (sample(&f, &nodes) != cases[i].r)
				fail_msg("case %zu, sample %d", i, n);
		finish(&f, &nodes);
		fixture_end(&f);
	}
}

static void want_of_descriptors_passes(void **unused)
{
	struct sysfs_nodes nodes;
	struct rlimit limit;
	struct fixture f;
	int fds[64];
	size_t n;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/n/a", "7\n");
	put(&f, "sys/n/b", "8\n");
	begin(&f, &nodes);
	n = take_descriptors(fds, &limit);
	assert_int_equal(sysfs_nodes_add(f.hw, &nodes, "sys/n", "n", ""), 0);
	assert_int_equal(sample(&f, &nodes), 0);
	check_fault(&f, "n", "a", EMFILE);
	check_fault(&f, "n", "b", EMFILE);
	give_back(fds, n, &limit);
	/* It backs off for one sample. */
	assert_int_equal(sample(&f, &nodes), 0);
	check_fault(&f, "n", "a", EMFILE);
	assert_int_equal(sample(&f, &nodes), 0);
	check_value(&f, "n", "a", 7);
	check_value(&f, "n", "b", 8);
	check_absent(&f, "n", "c");
	assert_int_equal(sample(&f, &nodes), 0);
	check_value(&f, "n", "a", 7);
	check_absent(&f, "n", "c");
	finish(&f, &nodes);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gone),
		cmocka_unit_test(want_of_descriptors_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
