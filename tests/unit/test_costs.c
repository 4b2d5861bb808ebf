/* What is read, and by whom: tests/unit/node_costs.list has the class of each node, and no
 * collector reads one that costs more than its group says. The fast lane reads class F alone. Nodes
 * that send a command to a device (Q), or are dangerous (X), are never opened, not even by a probe.
 *
 * A path that the list does not know fails the test: whoever adds a node says what it costs. */
#include "tests/unit/collector_fixture.h"

#include <fnmatch.h>

#include "base/macros.h"

#define PATTERNS_MAX 256

static struct pattern {
	char class, glob[200];
} patterns[PATTERNS_MAX];
static size_t n_patterns;

static void load_patterns(void)
{
	char line[256];
	FILE *file = fopen(TEST_SOURCE_DIR "/unit/node_costs.list", "r");

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		struct pattern *p = &patterns[n_patterns];

		if (line[0] == '#' || line[0] == '\n')
			continue;
		assert_true(n_patterns < PATTERNS_MAX);
		assert_int_equal(sscanf(line, "%c %199s", &p->class, p->glob), 2);
		assert_non_null(strchr("FLHQX", p->class));
		n_patterns++;
	}
	fclose(file);
	assert_true(n_patterns > 50);
}

/* Of the first pattern that fits; '?' when none does. */
static char class_of(const char *path)
{
	for (size_t i = 0; i < n_patterns; i++)
		if (fnmatch(patterns[i].glob, path, 0) == 0)
			return patterns[i].class;
	return '?';
}

/* What may be read now, and what was. */
struct watch {
	const char *collector, *group; /* group NULL: the probe */
	const char *allowed;
	size_t n_read[128]; /* by class */
	size_t n_bad;
};

static void touched(void *arg, const char *path, bool contents)
{
	struct watch *w = arg;
	char class = class_of(path);

	if (!contents)
		return;
	w->n_read[(size_t) class]++;
	if (strchr(w->allowed, class))
		return;
	w->n_bad++;
	print_error("%s, %s: reads class %c: %s\n", w->collector, w->group ? w->group : "probe",
		    class, path);
}

static const char *allowed_for(enum cost cost)
{
	switch (cost) {
	case COST_F:
		return "F";
	case COST_L:
		return "FL";
	case COST_H:
		return "FLH";
	case COST_Q:
		return "FQ";
	}
	return "";
}

static void watch_collector(struct fixture *f, const char *name, struct watch *w)
{
	fixture_unprobe(f);
	assert_int_equal(hw_open(f->root, &f->hw), 0);
	f->collector = catalog_find_collector(registry(), name);
	assert_int_equal(probe_init(&f->probe), 0);
	assert_int_equal(sink_init(&f->sink), 0);
	w->collector = name;
	w->group = NULL;
	w->allowed = "FLH?";
	hw_trace(f->hw, touched, w);
	f->probe.want_all = true;
	if (f->collector->probe(f->hw, &f->probe, &f->state) < 0)
		return;
	for (size_t g = 0; g < f->collector->n_groups; g++) {
		w->group = f->collector->groups[g].name;
		w->allowed = allowed_for(f->collector->groups[g].cost);
		/* The second is a steady one. */
		fixture_sample(f, g);
		fixture_sample(f, g);
	}
}

static void no_more_than_is_said(void **unused)
{
	static const char *const boards[] = {"iq9075", "imx8mp", "sm8850", "androidtv", "x86"};
	struct watch w = {0};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(boards); i++) {
		struct fixture f;
		char root[256];

		snprintf(root, sizeof(root), TEST_SOURCE_DIR "/fixtures/%s/root", boards[i]);
		fixture_start_at(&f, root);
		for (size_t c = 0; c < registry()->n_collectors; c++)
			watch_collector(&f, registry()->collectors[c]->name, &w);
		fixture_unprobe(&f);
	}
	printf("read: %zu F, %zu L, %zu H, %zu Q\n", w.n_read['F'], w.n_read['L'], w.n_read['H'],
	       w.n_read['Q']);
	/* That anything was watched. */
	assert_true(w.n_read['F'] > 1000 && w.n_read['L'] > 100 && w.n_read['H'] > 100 &&
		    w.n_read['Q'] > 1);
	assert_int_equal(w.n_bad, 0);
}

/* That the list tells the classes apart where names are alike. */
static void classes(void **unused)
{
	static const struct {
		const char *path;
		char class;
	} cases[] = {
		{"proc/diskstats", 'F'},
		{"proc/self/mountinfo", 'L'},
		{"sys/fs/ext4/sda2/errors_count", 'F'},
		{"sys/fs/ext4/sda2/delayed_allocation_blocks", 'L'},
		{"sys/fs/ext4/sda2/trigger_fs_error", 'X'},
		{"sys/fs/f2fs/dm-47/stat/cp_status", 'F'},
		{"sys/fs/f2fs/dm-47/avg_vblocks", 'L'},
		{"proc/fs/f2fs/dm-47/segment_info", 'X'},
		{"sys/class/thermal/thermal_zone3/temp", 'H'},
		{"sys/devices/platform/soc/1d84000.ufshc/power_info/gear", 'F'},
		{"sys/devices/platform/soc/1d84000.ufshc/auto_hibern8", 'H'},
		{"sys/devices/platform/soc/1d84000.ufshc/health_descriptor/eol_info", 'Q'},
		{"sys/devices/platform/soc/1d84000.ufshc/power_descriptor/active_icc_levels_vcc",
		 'Q'},
		{"sys/devices/platform/soc/1d84000.ufshc/attributes/wb_avail_buf", 'Q'},
		{"sys/devices/platform/coretemp.0/hwmon/hwmon0/temp1_input", 'H'},
		{"sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/hwmon/hwmon1/"
		 "temp1_input",
		 'Q'},
		{"sys/class/nvme/nvme0/hwmon1/temp1_input", 'Q'},
		{"sys/kernel/debug/mmc0/mmc0:0001/ext_csd", 'Q'},
		{"sys/kernel/debug/f2fs/status", 'X'},
		{"sys/devices/pci0000:00/0000:00:17.0/ata1/link1/dev1.0/ata_device/dev1.0/id", 'F'},
		{"sys/devices/pci0000:00/0000:00:14.0/usb2/2-3/speed", 'F'},
		{"sys/devices/pci0000:00/0000:00:14.0/usb2/2-3/serial", 'L'},
		{"sys/no/such/node", '?'},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (class_of(cases[i].path) != cases[i].class)
			fail_msg("%s: %c", cases[i].path, class_of(cases[i].path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes),
		cmocka_unit_test(no_more_than_is_said),
	};

	load_patterns();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
