/* Collector nvme: states, identities, namespaces with and without multipath, a drive that goes. */
#include "tests/unit/collector_fixture.h"
#include "tests/unit/scarce_probe.h"

#define CLASS "sys/class/nvme/"
#define BLOCK "sys/class/block/"

static void put_controller(const struct fixture *f, const char *name, const char *state,
			   const char *serial)
{
	char path[128];
	const char *const files[][2] = {
		{"state", state},
		{"serial", serial},
		{"model", "QEMU NVMe Ctrl      \n"},
		{"transport", "pcie\n"},
		{"queue_count", "3\n"},
		{"sqsize", "1023\n"},
		{"cntlid", "0\n"},
		{"numa_node", "-1\n"},
		{"firmware_rev", "11.1.3  \n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), CLASS "%s/%s", name, files[i][0]);
		put(f, path, files[i][1]);
	}
}

static void words_of_the_state(void **unused)
{
	static const struct {
		const char *word;
		int64_t state;
		const char *unknown; /* NULL: the word is known */
	} cases[] = {
		{"new\n", 0, NULL},
		{"live\n", 1, NULL},
		{"resetting\n", 2, NULL},
		{"connecting\n", 3, NULL},
		{"deleting\n", 4, NULL},
		{"deleting (no IO)\n", 5, NULL},
		{"dead\n", 6, NULL},
		{"unknown state\n", 7, NULL},
		{"reconnecting\n", 8, "reconnecting"},
		{"other\n", 8, "other"},
	};
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_controller(&f, "nvme0", "live\n", "A\n");
	assert_int_equal(fixture_probe(&f, "nvme", false), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put(&f, CLASS "nvme0/state", cases[i].word);
		assert_int_equal(fixture_sample(&f, 0), 0);
		check_value(&f, "nvme0", "state", cases[i].state);
		if (cases[i].unknown)
			check_text(&f, "nvme0", "state_word", cases[i].unknown);
		else
			check_absent(&f, "nvme0", "state_word");
	}
	put(&f, CLASS "nvme0/state", "");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "nvme0", "state", ENODATA);
	check_value(&f, "nvme0", "queue_count", 3);
	check_value(&f, "nvme0", "sqsize", 1023);
	check_text(&f, "nvme0", "model", "QEMU NVMe Ctrl");
	check_text(&f, "nvme0", "firmware", "11.1.3");
	check_absent(&f, "nvme0", "numa_node");
	check_absent(&f, "nvme0", "address");
	check_absent(&f, "nvme0", "resets");
	fixture_end(&f);
}

static const char *identity_of(const struct fixture *f, const char *node)
{
	const struct row *row = row_of(f, node);

	assert_non_null(row);
	return row->identity;
}

/* Serial and model name it, whatever its number; the two ports of a drive differ by their own. */
static void identities(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_controller(&f, "nvme0", "live\n", "A   \n");
	put_controller(&f, "nvme1", "live\n", "B\n");
	put_controller(&f, "nvme2", "live\n", "B\n");
	put(&f, CLASS "nvme2/cntlid", "1\n");
	put_controller(&f, "nvme3", "live\n", "B\n");
	put_controller(&f, "nvme10", "live\n", "\n");
	put_controller(&f, "nvme11", "live\n", "N\n");
	put(&f, CLASS "nvme11/transport", "tcp\n");
	put(&f, "sys/class/nvme-fabrics/ctl", "");
	assert_int_equal(fixture_probe(&f, "nvme", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 6);
	assert_string_equal(identity_of(&f, "nvme0"), "serial:A/QEMU NVMe Ctrl/cntlid0");
	assert_string_equal(identity_of(&f, "nvme1"), "serial:B/QEMU NVMe Ctrl/cntlid0");
	assert_string_equal(identity_of(&f, "nvme2"), "serial:B/QEMU NVMe Ctrl/cntlid1");
	assert_string_equal(identity_of(&f, "nvme3"), "");
	assert_string_equal(identity_of(&f, "nvme10"), "");
	assert_string_equal(identity_of(&f, "nvme11"), "serial:N/QEMU NVMe Ctrl");
	fixture_end(&f);
}

/* Two ports of a drive in subsystem 0, and a plain one. The number in nvme0n1 is the subsystem's.
 */
static void put_multipath(const struct fixture *f)
{
	put_controller(f, "nvme1", "live\n", "A\n");
	put_controller(f, "nvme2", "live\n", "A\n");
	put(f, CLASS "nvme2/cntlid", "1\n");
	put(f, CLASS "nvme1/nvme0c1n1/nsid", "1\n");
	put(f, CLASS "nvme2/nvme0c2n1/nsid", "1\n");
	put(f, CLASS "nvme1/ng0n1/dev", "1:1\n");
	put(f, CLASS "nvme1/nvme0c1n1/hidden", "1\n");
	put(f, BLOCK "nvme0n1/nsid", "1\n");
	put(f, BLOCK "nvme0n1/size", "500118192\n");
	put(f, BLOCK "nvme0n1/wwid", "uuid.6fd1a1b2-0000-4000-8000-000000000001\n");
	put(f, BLOCK "nvme0n1/nguid", "e8238fa6-bf53-0001-001b-448b4e1a0c55\n");
	put_controller(f, "nvme3", "live\n", "B\n");
	put(f, CLASS "nvme3/nvme3n2/nsid", "2\n");
	put(f, CLASS "nvme3/nvme3n2/diag/command_retries_count", "5\n");
	put(f, CLASS "nvme3/nvme3n2/diag/command_error_count", "4\n");
	put_link(f, BLOCK "nvme3n2", "../nvme/nvme3/nvme3n2");
	put(f, CLASS "nvme3/nvme3n2/wwid", "eui.0025\n");
	put(f, CLASS "nvme3/nvme3n2/eui", "00 25\n");
}

static void namespaces(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_multipath(&f);
	/* Reading these sends a command, or complains in the kernel's log. */
	put(&f, "ERRORS",
	    BLOCK "nvme0n1/nuse\topen\tEIO\n" BLOCK "nvme0n1/uuid\topen\tEIO\n" CLASS
		  "nvme3/nvme3n2/nuse\topen\tEIO\n");
	put(&f, BLOCK "nvme0n1/nuse", "1\n");
	put(&f, BLOCK "nvme0n1/uuid", "1\n");
	assert_int_equal(fixture_probe(&f, "nvme", false), 0);
	assert_int_equal(fixture_sample(&f, 1), 0);
	assert_int_equal(f.sink.n_rows, 2);
	assert_string_equal(identity_of(&f, "nvme0n1"),
			    "wwid:uuid.6fd1a1b2-0000-4000-8000-000000000001");
	check_value(&f, "nvme0n1", "paths", 2);
	check_text(&f, "nvme0n1", "controllers", "nvme1 (nvme0c1n1), nvme2 (nvme0c2n1)");
	check_value(&f, "nvme0n1", "size", 500118192);
	check_text(&f, "nvme0n1", "uuid", "6fd1a1b2-0000-4000-8000-000000000001");
	check_text(&f, "nvme0n1", "nguid", "e8238fa6-bf53-0001-001b-448b4e1a0c55");
	check_absent(&f, "nvme0n1", "eui");
	check_absent(&f, "nvme0n1", "command_retries");
	assert_string_equal(identity_of(&f, "nvme3n2"), "wwid:eui.0025");
	check_value(&f, "nvme3n2", "nsid", 2);
	check_value(&f, "nvme3n2", "paths", 1);
	check_value(&f, "nvme3n2", "command_retries", 5);
	check_value(&f, "nvme3n2", "command_errors", 4);
	check_text(&f, "nvme3n2", "controllers", "nvme3");
	check_absent(&f, "nvme3n2", "uuid");
	check_outcome(&f, "nvme0n1", OUTCOME_OK);
	fixture_end(&f);
}

/* The same disks have the same identity in both collectors. */
static void identities_agree_with_diskstats(void **unused)
{
	static const char *const disks[] = {"nvme0n1", "nvme3n2"};
	struct fixture nvme, disk;

	(void)unused;
	fixture_start(&nvme);
	put_multipath(&nvme);
	put(&nvme, "proc/diskstats",
	    "259 0 nvme0c1n1 1 1 1 1 1 1 1 1 0 1 1\n"
	    "259 1 nvme0n1 1 1 1 1 1 1 1 1 0 1 1\n"
	    "259 2 nvme3n2 1 1 1 1 1 1 1 1 0 1 1\n");
	fixture_start_at(&disk, nvme.root);
	for (int twins = 0; twins < 2; twins++) {
		assert_int_equal(fixture_probe(&nvme, "nvme", false), 0);
		assert_int_equal(fixture_sample(&nvme, 1), 0);
		assert_int_equal(fixture_probe(&disk, "diskstats", false), 0);
		assert_int_equal(fixture_sample(&disk, 0), 0);
		assert_int_equal(disk.sink.n_rows, 2);
		for (size_t i = 0; i < ARRAY_SIZE(disks); i++)
			assert_string_equal(identity_of(&nvme, disks[i]),
					    identity_of(&disk, disks[i]));
		/* And now both claim to be the same. */
		put(&nvme, BLOCK "nvme0n1/wwid", "eui.0025\n");
	}
	assert_string_not_equal(identity_of(&nvme, "nvme0n1"), identity_of(&nvme, "nvme3n2"));
	/* Nor does where they are plugged in tell them apart: the second has none. */
	take_away(&nvme, BLOCK "nvme0n1");
	put_link(&nvme, BLOCK "nvme0n1", "../nvme/nvme3/nvme3n2");
	assert_int_equal(fixture_probe(&nvme, "nvme", false), 0);
	assert_int_equal(fixture_sample(&nvme, 1), 0);
	assert_int_equal(fixture_probe(&disk, "diskstats", false), 0);
	assert_int_equal(fixture_sample(&disk, 0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++)
		assert_string_equal(identity_of(&nvme, disks[i]), identity_of(&disk, disks[i]));
	assert_string_not_equal(identity_of(&nvme, "nvme0n1"), identity_of(&nvme, "nvme3n2"));
	fixture_end(&disk);
	fixture_end(&nvme);
}

static void outcomes_without_a_drive(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(fixture_probe(&f, "nvme", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	put(&f, "sys/bus/pci/devices/0000:01:00.0/class", "0x010802\n");
	assert_int_equal(fixture_probe(&f, "nvme", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_DISABLED);
	assert_non_null(strstr(item_of(&f, "")->reason, "0000:01:00.0"));
	put(&f, "proc/sys/kernel/osrelease", "6.12.0\n");
	put(&f, "boot/config-6.12.0", "# CONFIG_BLK_DEV_NVME is not set\n");
	assert_int_equal(fixture_probe(&f, "nvme", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_OPTION);
	assert_non_null(strstr(item_of(&f, "")->reason, "CONFIG_BLK_DEV_NVME"));
	put(&f, CLASS "nvme0/model", "M\n");
	assert_int_equal(fixture_probe(&f, "nvme", false), 0);
	check_outcome(&f, "nvme0", OUTCOME_NO_NODE);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_absent(&f, "nvme0", "state");
	put(&f, CLASS "nvme0/state", "live\n");
	put(&f, "ERRORS", CLASS "nvme0/state\topen\tEACCES\n");
	assert_int_equal(fixture_probe(&f, "nvme", false), 0);
	check_outcome(&f, "nvme0", OUTCOME_DENIED);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "nvme0", "state", EACCES);
	fixture_end(&f);
}

static void multipath_that_is_not_built(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_controller(&f, "nvme0", "live\n", "A\n");
	put(&f, CLASS "nvme0/nvme0n1/nsid", "1\n");
	put(&f, "proc/sys/kernel/osrelease", "6.12.0\n");
	put(&f, "boot/config-6.12.0", "CONFIG_BLK_DEV_NVME=y\n");
	assert_int_equal(fixture_probe(&f, "nvme", false), 0);
	assert_non_null(strstr(item_of(&f, "nvme0n1")->reason, "CONFIG_NVME_MULTIPATH"));
	put(&f, "boot/config-6.12.0", "CONFIG_NVME_MULTIPATH=y\n");
	assert_int_equal(fixture_probe(&f, "nvme", false), 0);
	assert_null(strstr(item_of(&f, "nvme0n1")->reason, "CONFIG_NVME_MULTIPATH"));
	/* Where the driver shows that it has it, nobody looks into a config. */
	put(&f, "sys/module/nvme_core/parameters/multipath", "N\n");
	assert_int_equal(fixture_probe(&f, "nvme", false), 0);
	assert_int_equal(f.n_config_looks, 0);
	fixture_end(&f);
}

static void a_drive_that_goes(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_controller(&f, "nvme0", "live\n", "A\n");
	put(&f, CLASS "nvme0/nvme0n1/nsid", "1\n");
	put(&f, "ERRORS",
	    CLASS "nvme0/state\tread\tENODEV\n" CLASS "nvme0/nvme0n1/nsid\tread\tENODEV\n");
	assert_int_equal(fixture_probe(&f, "nvme", false), 0);
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	assert_int_equal(fixture_sample(&f, 1), -ENODEV);
	fixture_end(&f);
}

static void want_of_descriptors_hides_nothing(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_multipath(&f);
	check_scarce_probes(&f, "nvme");
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_the_state),
		cmocka_unit_test(identities),
		cmocka_unit_test(namespaces),
		cmocka_unit_test(identities_agree_with_diskstats),
		cmocka_unit_test(outcomes_without_a_drive),
		cmocka_unit_test(multipath_that_is_not_built),
		cmocka_unit_test(a_drive_that_goes),
		cmocka_unit_test(want_of_descriptors_hides_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
