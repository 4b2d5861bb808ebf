/* Which disk is of which UFS controller, by the lines of a log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/log_links.h"

#define HOST "[    1.0] scsi host0: ufshcd\n"
#define UFS  "[    1.1] ufshcd-qcom 1d84000.ufshc: ufshcd_print_pwr_info:[RX, TX]: gear=[4, 4]\n"
#define DISK "[    1.2] sd 0:0:0:0: [sda] Attached SCSI disk\n"

static const struct {
	const char *log, *name, *device; /* NULL: not known */
} cases[] = {
	{HOST UFS DISK, "sda", "1d84000.ufshc"},
	{DISK UFS HOST, "sda17", "1d84000.ufshc"},
	{HOST UFS DISK, "sdb", NULL},
	{HOST UFS DISK, "mmcblk0", NULL},
	{HOST UFS DISK, "1d84000.ufshc", NULL},
	{HOST UFS, "sda", NULL},
	{HOST DISK, "sda", NULL},
	{UFS DISK, "sda", NULL},
	{"scsi host0: ufshcd\nufshcd 0000:00:03.0: link up\nsd 0:0:0:0: [sda] Attached SCSI disk\n",
	 "sda", "0000:00:03.0"},
	/* A stick beside it. */
	{HOST UFS DISK
	 "scsi host1: usb-storage 1-1:1.0\nsd 1:0:0:0: [sdb] Attached SCSI removable disk\n",
	 "sdb", NULL},
	{HOST UFS DISK "scsi host1: uas\nsd 1:0:0:0: [sda] Attached SCSI disk\n", "sda", NULL},
	/* Which of two it is, nobody says. */
	{HOST UFS DISK "scsi host1: ufshcd\n", "sda", NULL},
	{HOST UFS DISK "ufshcd-qcom 1da4000.ufshc: link up\n", "sda", NULL},
	/* Another boot, with another order. */
	{HOST UFS DISK "scsi host0: ahci\n", "sda", NULL},
	/* What another program wrote, and what is none of these lines. */
	{"<14>[    1.0] scsi host0: ufshcd\n" UFS DISK, "sda", NULL},
	{"scsi host: ufshcd\n" UFS DISK, "sda", NULL},
	{"scsi host-1: ufshcd\n" UFS DISK, "sda", NULL},
	{"scsi host0x: ufshcd\n" UFS DISK, "sda", NULL},
	{HOST UFS "sd 0:0:0:0: [] Attached SCSI disk\nsd 0:0:0:0: [sda Attached SCSI disk\nsd 0 "
		  "[sda] Attached\n",
	 "sda", NULL},
	{HOST UFS "sd 0:0:0:0: [sda] 1024 4096-byte logical blocks\n", "sda", NULL},
	{HOST "ufshcd\nufshcd :\nufshcd-qcom probe failed\n" DISK, "sda", NULL},
};

#define STICK                                                                                      \
	"usb 1-1: new high-speed USB device number 2 using xhci_hcd\n"                             \
	"scsi host6: usb-storage 1-1:1.0\nsd 6:0:0:0: [sdb] Attached SCSI removable disk\n"
#define UAS                                                                                        \
	"usb 2-4: new SuperSpeed USB device number 3 using xhci_hcd\nscsi host7: uas\n"            \
	"sd 7:0:0:0: [sdc] Attached SCSI disk\n"

/* What else a disk is called. */
static const struct {
	const char *log, *name, *device;
} others[] = {
	{HOST UFS DISK, "0:0:0:0", "1d84000.ufshc"},
	{HOST UFS DISK, "0:0:0:49488", "1d84000.ufshc"},
	{HOST UFS DISK, "0000:00:1c.0", NULL},
	{HOST UFS DISK, "0:0", NULL},
	{STICK UAS, "1-1", "sdb"},
	{STICK UAS, "2-4", "sdc"},
	{STICK UAS, "2-4.1", NULL},
	{STICK UAS, "2", NULL},
	{STICK UAS, "host7", "sdc"},
	{STICK UAS, "6:0:0:0", "sdb"},
	{STICK UAS, "sdb1", "sdb"},
	{STICK UAS, "host8", NULL},
	/* Plugged in again, and found as another one. */
	{STICK "scsi host8: usb-storage 1-1:1.0\nsd 8:0:0:0: [sdd] Attached SCSI removable disk\n",
	 "1-1", "sdd"},
	{HOST UFS DISK STICK, "1-1", "sdb"},
	{"scsi host7: uas\nsd 7:0:0:0: [sdc] Attached SCSI disk\n", "2-4", NULL},
};

static void other_names(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct log_links found = {0};
		struct slice rest = slice_of(others[i].log);
		struct kernel_message message;
		char device[NODE_NAME_MAX] = "";
		bool known;

		while (kernel_message_next(&rest, &message))
			log_links_take(&found, &message);
		known = log_links_find(&found, others[i].name, device);
		if (known != (others[i].device != NULL) ||
		    (known && strcmp(device, others[i].device) != 0))
			fail_msg("%s: \"%s\" of\n%s", others[i].name, device, others[i].log);
	}
}

static void links(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct log_links found = {0};
		struct slice rest = slice_of(cases[i].log);
		struct kernel_message message;
		char device[NODE_NAME_MAX] = "";
		bool known;

		while (kernel_message_next(&rest, &message))
			log_links_take(&found, &message);
		known = log_links_find(&found, cases[i].name, device);
		if (known != (cases[i].device != NULL) ||
		    (known && strcmp(device, cases[i].device) != 0))
			fail_msg("%s: \"%s\" of\n%s", cases[i].name, device, cases[i].log);
	}
}

/* More disks than are kept. */
static void many(void **unused)
{
	struct log_links found = {0};
	struct kernel_message message = {0};

	(void)unused;
	for (int i = 0; i < 2000; i++) {
		snprintf(message.text, sizeof(message.text), "sd 0:0:0:%d: [sd%c%c] Attached", i,
			 'a' + i / 26 % 26, 'a' + i % 26);
		log_links_take(&found, &message);
		snprintf(message.text, sizeof(message.text), "scsi host%d: usb-storage 1-%d:1.0", i,
			 i);
		log_links_take(&found, &message);
	}
	assert_int_equal(found.n_usb, LOG_LINKS_USB_MAX);
	assert_int_equal(found.n_disks, LOG_LINKS_DISKS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(links), cmocka_unit_test(other_names),
					   cmocka_unit_test(many)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
