/* What a record of the kernel's log costs: taken apart, matched with all rules and folded into an
 * incident. Three kinds of log: boot messages, which are in no rule and are matched with each of
 * them; a mix in which one line of ten is known; and the flood of a dying device. The figure is
 * also given in units of a plain pass over the same bytes, which does not depend on the machine.
 *
 * Usage: bench_kernel_log [ROUNDS] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/incidents.h"
#include "base/macros.h"

#define N_BATCHES 9
#define BOUND_NS  20000

static const char *const boot_lines[] = {
	"Linux version 6.1.0 (builder@host) (gcc 12.2.0, GNU ld 2.40) #1 SMP PREEMPT_DYNAMIC",
	"usb 1-4.1: new high-speed USB device number 7 using xhci_hcd",
	"systemd[1]: Started systemd-journald.service - Journal Service.",
	"pci 0000:00:1d.0: PCI bridge to [bus 03-3a]",
	"ACPI: _SB_.PCI0.LPCB: PNP0C09 device activated, gpe 0x50, status 0x0000000000000000",
	"audit: type=1400 audit(1700000000.123:42): apparmor=\"STATUS\" operation=\"profile_load\"",
	"nvme nvme0: 8/0/0 default/read/poll queues",
	"EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode. Quota mode: none.",
	"sd 0:0:0:0: [sda] Attached SCSI removable disk",
	"mmc0: new HS400 MMC card at address 0001",
	"wlan0: authenticate with 00:11:22:33:44:55",
};

static const char known_line[] =
	"I/O error, dev nvme0n1, sector 16384 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2";

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* One line of known_in is known, 0: none. */
static const char *line_at(size_t i, size_t known_in)
{
	return known_in && i % known_in == 0 ? known_line : boot_lines[i % ARRAY_SIZE(boot_lines)];
}

struct records {
	size_t n, *lens;
	char (*texts)[256];
};

static void make_records(struct records *records, size_t known_in)
{
	for (size_t i = 0; i < records->n; i++)
		records->lens[i] = (size_t)snprintf(records->texts[i], sizeof(records->texts[i]),
						    "3,%zu,%zu,-;%s\n", i, 1000000 + i * 10,
						    line_at(i, known_in));
}

static int64_t take_all(const struct records *records)
{
	static struct kernel_message message;
	struct incidents_taken taken;
	struct incidents *table;
	int64_t begin;

	if (incidents_new(NULL, NULL, &table) < 0)
		exit(1);
	begin = cpu_ns();
	for (size_t i = 0; i < records->n; i++) {
		struct slice record = {records->texts[i], records->lens[i]};

		if (kernel_message_record(record, &message) < 0)
			exit(1);
		incidents_take(table, &message, &taken);
	}
	begin = cpu_ns() - begin;
	incidents_free(table);
	return begin;
}

static int64_t pass_over_all(const struct records *records)
{
	int64_t begin = cpu_ns();

	for (size_t i = 0; i < records->n; i++)
		for (size_t k = 0; k < records->lens[i]; k++)
			(void)*(volatile char *)&records->texts[i][k];
	return cpu_ns() - begin;
}

static bool bench(const char *name, struct records *records, size_t known_in)
{
	int64_t best = INT64_MAX, pass = INT64_MAX;

	make_records(records, known_in);
	for (int i = 0; i < N_BATCHES; i++) {
		best = MIN(best, take_all(records));
		pass = MIN(pass, pass_over_all(records));
	}
	best /= (int64_t)records->n;
	pass = MAX(pass / (int64_t)records->n, INT64_C(1));
	printf("kernel log, %s: %" PRId64 " ns a record, %" PRId64
	       " passes over its bytes; bound %d ns: %s\n",
	       name, best, best / pass, BOUND_NS, best <= BOUND_NS ? "ok" : "ABOVE");
	return best <= BOUND_NS;
}

int main(int argc, char **argv)
{
	struct records records = {.n = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000};
	bool ok;

	if (!records.n)
		return 2;
	records.texts = calloc(records.n, sizeof(*records.texts));
	records.lens = calloc(records.n, sizeof(*records.lens));
	if (!records.texts || !records.lens)
		return 1;
	ok = bench("nothing known", &records, 0);
	ok = bench("one line of ten known", &records, 10) && ok;
	ok = bench("only errors", &records, 1) && ok;
	free(records.texts);
	free(records.lens);
	return !ok;
}
