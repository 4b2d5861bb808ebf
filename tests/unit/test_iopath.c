/* The IO path from rows, without a machine. */
#include "tests/unit/collector_fixture.h"

#include "analysis/iopath.h"
#include "base/cleanup.h"
#include "export/iopath.h"
#include "export/tree.h"

struct world {
	struct facts facts;
	struct iopaths paths;
	char problem[IOPATH_PROBLEM_MAX];
};

static void set(struct world *w, const char *group, const char *node, const char *field,
		const char *text)
{
	const struct value value = {.type = VALUE_TEXT};
	const struct group *g;
	size_t index, row, number;

	assert_int_equal(catalog_find_group(registry(), group, &index), 0);
	g = catalog_group_at(registry(), index, NULL);
	assert_int_equal(group_find_field(g, field, &number), 0);
	assert_int_equal(facts_row(&w->facts, g, node, &row), 0);
	assert_int_equal(facts_set(&w->facts, row, number, &value, text), 0);
}

static void add_device(struct world *w, const char *name, const char *type, const char *on)
{
	set(w, "topology", name, "type", type);
	if (*on)
		set(w, "topology", name, "on", on);
}

static void add_mount(struct world *w, const char *point, const char *type, const char *device,
		      int id, int parent)
{
	char number[16];

	set(w, "mounts", point, "mount_point", point);
	set(w, "mounts", point, "fs_type", type);
	if (*device)
		set(w, "mounts", point, "device", device);
	snprintf(number, sizeof(number), "%d", id);
	set(w, "mounts", point, "mount_id", number);
	snprintf(number, sizeof(number), "%d", parent);
	set(w, "mounts", point, "parent_id", number);
}

static void end(struct world *w)
{
	iopaths_done(&w->paths);
	facts_done(&w->facts);
}

static void find(struct world *w, const char *of)
{
	iopaths_done(&w->paths);
	assert_int_equal(iopath_find(&w->facts, of, &w->paths, w->problem), 0);
}

/* Path i as its layers with their depths; a star marks what stood there before. */
static const char *drawing(const struct world *w, size_t i)
{
	static char buf[8192];
	struct text text = TEXT_IN(buf);
	const struct iopath *path = &w->paths.paths[i];

	assert_true(i < w->paths.n_paths);
	for (size_t k = 0; k < path->n_layers; k++) {
		const struct iopath_layer *layer = &w->paths.layers[path->first_layer + k];

		text_printf(&text, "%s%u:%s%s", k ? " " : "", layer->depth, layer->name,
			    layer->is_shared ? "*" : "");
		if (k)
			assert_true(layer->above < k);
	}
	return buf;
}

static const struct iopath_fact *fact_of(const struct world *w, const char *layer, const char *name)
{
	for (size_t i = 0; i < w->paths.n_layers; i++) {
		const struct iopath_layer *l = &w->paths.layers[i];

		for (size_t k = 0; k < l->n_facts && !strcmp(l->name, layer); k++)
			if (!strcmp(w->paths.facts[l->first_fact + k].name, name))
				return &w->paths.facts[l->first_fact + k];
	}
	fail_msg("%s has no %s", layer, name);
	return NULL;
}

static void straight_and_named(void **unused)
{
	struct world w = {0};

	(void)unused;
	add_mount(&w, "/", "ext4", "sda2", 1, 0);
	add_mount(&w, "/data", "f2fs", "dm-47", 2, 1);
	add_mount(&w, "/data/user/0", "f2fs", "dm-47", 3, 2);
	add_mount(&w, "/tmp", "tmpfs", "", 4, 1);
	add_device(&w, "dm-47", "dm", "sda12");
	set(&w, "topology", "dm-47", "label", "userdata");
	add_device(&w, "sda2", "partition", "sda");
	add_device(&w, "sda12", "partition", "sda");
	add_device(&w, "sda13", "partition", "sda");
	add_device(&w, "sda", "disk", "1d84000.ufshc");
	add_device(&w, "sdb", "disk", "1d84000.ufshc");
	add_device(&w, "1d84000.ufshc", "controller", "");
	find(&w, "");
	assert_int_equal(w.paths.n_paths, 3);
	assert_string_equal(drawing(&w, 0), "0:/ 1:sda2 2:sda 3:1d84000.ufshc");
	assert_string_equal(drawing(&w, 1), "0:/data 1:dm-47 2:sda12 3:sda 4:1d84000.ufshc");
	assert_string_equal(drawing(&w, 2), "0:sdb 1:1d84000.ufshc");
	assert_int_equal(w.paths.paths[1].n_mounts, 2);
	assert_int_equal(w.paths.paths[2].n_mounts, 0);
	assert_int_equal(w.paths.n_diskless, 1);
	assert_string_equal(w.paths.diskless[0].point, "/tmp");

	static const struct {
		const char *of, *first;
		size_t n;
	} cases[] = {
		{"/data", "/data", 1},
		{"/data/user/0", "/data/user/0", 1},
		{"/data/app/x.apk", "/data", 1},
		{"/etc/passwd", "/", 1},
		{"/tmp/x", "/tmp", 1},
		{"sda", "/", 2},
		{"/dev/sda", "/", 2},
		{"sda12", "/data", 1},
		{"sda13", "sda13", 1},
		{"/dev/block/dm-47", "/data", 1},
		{"/dev/mapper/userdata", "/data", 1},
		{"userdata", "/data", 1},
		{"1d84000.ufshc", "/", 3},
		{"sdb", "sdb", 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		find(&w, cases[i].of);
		assert_int_equal(w.paths.n_paths, cases[i].n);
		assert_string_equal(w.paths.layers[0].name, cases[i].first);
	}
	end(&w);
}

static void problems(void **unused)
{
	static const char *const unknown[] = {"sdz", "/dev/sdz", "relative/path", ".", "data"};
	static const char *const known[] = {"/data", "/data/", "/data///", "sda1", "/dev/sda", ""};
	struct world w = {0};

	(void)unused;
	assert_int_equal(iopath_find(&w.facts, "", &w.paths, w.problem), -ENODATA);
	assert_int_not_equal(w.problem[0], '\0');
	/* A daemon's first second: the host is there, no disk so far. */
	set(&w, "ufs", "1d84000.ufs", "gear_word", "HS_GEAR4");
	assert_int_equal(iopath_find(&w.facts, "sda", &w.paths, w.problem), -ENODATA);
	assert_non_null(strstr(w.problem, "no block devices are known"));
	add_mount(&w, "/data", "f2fs", "sda1", 2, 1);
	add_device(&w, "sda1", "partition", "sda");
	add_device(&w, "sda", "disk", "");
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		assert_int_equal(iopath_find(&w.facts, unknown[i], &w.paths, w.problem), -ENOENT);
		assert_non_null(strstr(w.problem, unknown[i]));
		assert_non_null(strstr(w.problem, "/data"));
		assert_non_null(strstr(w.problem, "disks: sda"));
		assert_int_equal(w.paths.n_paths, 0);
	}
	assert_int_equal(iopath_find(&w.facts, "/elsewhere", &w.paths, w.problem), -ENOENT);
	find(&w, "/data/nosuch");
	assert_string_equal(w.paths.taken_from, "/data");
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		find(&w, known[i]);
		assert_null(w.paths.taken_from);
	}
	end(&w);
}

/* RAID over two disks; two legs on one disk. */
static void branches(void **unused)
{
	struct world w = {0};

	(void)unused;
	add_mount(&w, "/", "ext4", "md0", 1, 0);
	add_device(&w, "md0", "md", "sda1 sdb1 sda2");
	add_device(&w, "sda1", "partition", "sda");
	add_device(&w, "sda2", "partition", "sda");
	add_device(&w, "sdb1", "partition", "sdb");
	add_device(&w, "sda", "disk", "ata1");
	add_device(&w, "sdb", "disk", "ata2");
	add_device(&w, "ata1", "controller", "0000:00:17.0");
	add_device(&w, "ata2", "controller", "0000:00:17.0");
	add_device(&w, "0000:00:17.0", "pci", "");
	find(&w, "");
	assert_string_equal(drawing(&w, 0),
			    "0:/ 1:md0 2:sda1 3:sda 4:ata1 5:0000:00:17.0 2:sdb1 3:sdb 4:ata2 "
			    "5:0000:00:17.0* 2:sda2 3:sda*");
	find(&w, "sdb");
	assert_int_equal(w.paths.n_paths, 1);
	end(&w);
}

static void loop_devices_and_overlays(void **unused)
{
	struct world w = {0};

	(void)unused;
	add_mount(&w, "/", "ext4", "sda1", 1, 0);
	add_mount(&w, "/snap/x", "squashfs", "loop0", 2, 1);
	add_mount(&w, "/merged", "overlay", "", 3, 1);
	set(&w, "mounts", "/merged", "super_options",
	    "rw,lowerdir=/l,upperdir=/var/diff,workdir=/w");
	add_mount(&w, "/bare", "overlay", "", 4, 1);
	set(&w, "mounts", "/bare", "super_options", "ro,lowerdir=/l");
	/* A file system on a file that it holds itself. */
	add_mount(&w, "/own", "ext4", "loop1", 5, 1);
	add_device(&w, "loop0", "loop", "");
	set(&w, "topology", "loop0", "label", "/var/x.snap");
	add_device(&w, "loop1", "loop", "");
	set(&w, "topology", "loop1", "label", "/own/image");
	add_device(&w, "sda1", "partition", "sda");
	add_device(&w, "sda", "disk", "");
	find(&w, "/snap/x");
	assert_string_equal(drawing(&w, 0), "0:/snap/x 1:loop0 2:/var/x.snap 3:/ 4:sda1 5:sda");
	find(&w, "/merged");
	assert_string_equal(drawing(&w, 0), "0:/merged 1:/var/diff 2:/ 3:sda1 4:sda");
	find(&w, "/own");
	assert_string_equal(drawing(&w, 0), "0:/own 1:loop1 2:/own/image 3:/own*");
	find(&w, "/bare");
	assert_null(fact_of(&w, "/bare", "on")->value);
	find(&w, "");
	assert_int_equal(w.paths.n_diskless, 1);
	end(&w);
}

static void rings_and_deep_stacks(void **unused)
{
	char name[16], below[512];
	struct world w = {0};

	(void)unused;
	add_mount(&w, "/ring", "ext4", "dm-0", 1, 0);
	add_mount(&w, "/self", "ext4", "dm-2", 2, 0);
	add_mount(&w, "/deep", "ext4", "dm-100", 3, 0);
	add_mount(&w, "/lost", "ext4", "dm-300", 4, 0);
	add_device(&w, "dm-0", "dm", "dm-1");
	add_device(&w, "dm-1", "dm", "dm-0");
	add_device(&w, "dm-2", "dm", "dm-2");
	for (int i = 100; i < 200; i++) {
		snprintf(name, sizeof(name), "dm-%d", i);
		snprintf(below, sizeof(below), "dm-%d", i + 1);
		add_device(&w, name, "dm", below);
	}
	find(&w, "/ring");
	assert_string_equal(drawing(&w, 0), "0:/ring 1:dm-0 2:dm-1 3:dm-0*");
	find(&w, "/self");
	assert_string_equal(drawing(&w, 0), "0:/self 1:dm-2 2:dm-2*");
	find(&w, "dm-1");
	assert_int_equal(w.paths.n_paths, 1);
	find(&w, "/deep");
	assert_int_equal(w.paths.n_layers, IOPATH_DEPTH_MAX);
	assert_non_null(fact_of(&w, "dm-122", "on")->why);
	find(&w, "/lost");
	assert_string_equal(drawing(&w, 0), "0:/lost 1:dm-300");
	assert_string_equal(w.paths.layers[1].kind, "device");
	assert_non_null(fact_of(&w, "dm-300", "type")->why);
	end(&w);
}

/* Each layer on two of the next: 2^12 ways down, and a volume over more disks than a path holds. */
static void wide_stacks(void **unused)
{
	char name[16], below[512];
	struct text list = TEXT_IN(below);
	struct world w = {0};

	(void)unused;
	add_mount(&w, "/", "ext4", "a0", 1, 0);
	add_mount(&w, "/wide", "ext4", "md9", 2, 1);
	for (int i = 0; i < 12; i++) {
		snprintf(below, sizeof(below), "a%d b%d", i + 1, i + 1);
		snprintf(name, sizeof(name), "a%d", i);
		add_device(&w, name, "dm", below);
		snprintf(name, sizeof(name), "b%d", i);
		add_device(&w, name, "dm", below);
	}
	text_reset(&list);
	for (int i = 0; i < 100; i++)
		text_printf(&list, "d%d ", i);
	add_device(&w, "md9", "md", below);
	find(&w, "/");
	assert_int_equal(w.paths.n_layers, 2 + 2 * 12 + 2 * 11);
	assert_false(w.paths.truncated);
	find(&w, "/wide");
	assert_int_equal(w.paths.n_layers, IOPATH_LAYERS_MAX);
	assert_true(w.paths.truncated);
	end(&w);
}

static void what_is_known_and_what_not(void **unused)
{
	const struct value fault = {.type = VALUE_FAULT, .i = EIO};
	size_t row, field = 0;
	struct world w = {0};

	(void)unused;
	add_mount(&w, "/data", "f2fs", "dm-0", 1, 0);
	set(&w, "mounts", "/data", "super_options", "rw,inlinecrypt,x");
	add_device(&w, "dm-0", "dm", "sda");
	set(&w, "topology", "dm-0", "label", "userdata");
	set(&w, "topology", "dm-0", "likely_target", "default-key");
	add_device(&w, "sda", "disk", "");
	set(&w, "topology", "sda", "transport", "ufs");
	set(&w, "topology", "sda", "size", "0x10");
	const struct group *group = facts_find(&w.facts, "topology", "sda")->group;

	assert_int_equal(group_find_field(group, "model", &field), 0);
	assert_int_equal(facts_row(&w.facts, group, "sda", &row), 0);
	assert_int_equal(facts_set(&w.facts, row, field, &fault, NULL), 0);
	find(&w, "/data");
	assert_string_equal(fact_of(&w, "/data", "inline_encryption")->value, "asked for");
	assert_non_null(strstr(fact_of(&w, "dm-0", "target")->why, "dmsetup table userdata"));
	assert_null(fact_of(&w, "dm-0", "target")->value);
	assert_string_equal(fact_of(&w, "dm-0", "likely_target")->value, "default-key");
	assert_string_equal(fact_of(&w, "sda", "size")->value, "16");
	assert_true(fact_of(&w, "sda", "size")->is_number);
	assert_non_null(strstr(fact_of(&w, "sda", "model")->why, "EIO"));
	assert_non_null(fact_of(&w, "sda", "specification")->why);
	/* Its queue is sampled once a minute only. */
	assert_non_null(strstr(fact_of(&w, "sda", "scheduler")->why, "no sample of it so far"));
	set(&w, "blockqueue", "sda", "scheduler", "none");
	find(&w, "sda");
	assert_string_equal(fact_of(&w, "sda", "scheduler")->value, "none");
	set(&w, "topology", "dm-0", "target", "crypt");
	set(&w, "topology", "sda", "size", "1]}");
	find(&w, "/data");
	assert_string_equal(fact_of(&w, "dm-0", "target")->value, "crypt");
	assert_false(fact_of(&w, "sda", "size")->is_number);
	end(&w);
}

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t cost_of_row(struct facts *facts, const struct group *group, const char *node,
			   size_t expected)
{
	int64_t begin_ns = cpu_ns();

	for (int i = 0; i < 2000; i++) {
		size_t row;

		assert_int_equal(facts_row(facts, group, node, &row), 0);
		assert_int_equal(row, expected);
	}
	return cpu_ns() - begin_ns;
}

/* They are added under a lock that the loop of the daemon needs. */
static void the_last_row_costs_what_the_first_does(void **unused)
{
	struct facts facts = {0};
	const struct group *group;
	char node[NODE_NAME_MAX];
	size_t index, row;

	(void)unused;
	assert_int_equal(catalog_find_group(registry(), "topology", &index), 0);
	group = catalog_group_at(registry(), index, NULL);
	for (size_t i = 0; i < FACTS_ROWS_MAX; i++) {
		snprintf(node, sizeof(node), "dm-%zu", i);
		assert_int_equal(facts_row(&facts, group, node, &row), 0);
		assert_int_equal(row, i);
	}
	assert_int_equal(facts_row(&facts, group, "one more", &row), -ENOSPC);
	assert_null(facts_find(&facts, "topology", "one more"));
	assert_null(facts_find(&facts, "mounts", "dm-0"));

	int64_t first_ns = cost_of_row(&facts, group, "dm-0", 0);
	int64_t last_ns = cost_of_row(&facts, group, node, FACTS_ROWS_MAX - 1);

	if (last_ns > 20 * first_ns + 2000000)
		fail_msg("the first %lld ns, the last %lld ns", (long long)first_ns,
			 (long long)last_ns);
	facts_done(&facts);
}

/* A collector that renames a field takes it out of the path otherwise, without a word. */
static void metrics_exist(void **unused)
{
	const char *name, *field;
	size_t n_found = 0, index;

	(void)unused;
	for (size_t i = 0; iopath_metric(i, &name, &field); i++) {
		if (catalog_find_group(registry(), name, &index) < 0)
			continue;
		if (group_find_field(catalog_group_at(registry(), index, NULL), field, &index) < 0)
			fail_msg("%s has no field %s", name, field);
		n_found++;
	}
	assert_true(n_found > 20);
}

/* Names of a file from elsewhere do not spoil the document. */
static void document(void **unused)
{
	CLEANUP(tree_freep) struct tree *tree = NULL;
	CLEANUP(doc_done) struct doc doc;
	struct world w = {0};

	(void)unused;
	add_mount(&w, "/a\"b\n\xff", "ext\\4", "sd\ta", 1, 0);
	add_device(&w, "sd\ta", "dis\"k", "");
	find(&w, "");
	doc_init(&doc, IOPATH_DOC_MAX_BYTES);
	iopath_document(&doc, "", &w.paths);
	assert_int_equal(doc_error(&doc), 0);
	assert_int_equal(tree_parse(doc.p, doc.len, &tree), 0);
	assert_int_equal(tree_n(tree_get(tree, "paths")), 1);
	assert_string_equal(
		tree_text(tree_at(tree_get(tree_at(tree_get(tree, "paths"), 0), "layers"), 1),
			  "kind"),
		"dis\"k");
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(straight_and_named),
		cmocka_unit_test(problems),
		cmocka_unit_test(branches),
		cmocka_unit_test(loop_devices_and_overlays),
		cmocka_unit_test(rings_and_deep_stacks),
		cmocka_unit_test(wide_stacks),
		cmocka_unit_test(what_is_known_and_what_not),
		cmocka_unit_test(metrics_exist),
		cmocka_unit_test(the_last_row_costs_what_the_first_does),
		cmocka_unit_test(document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
