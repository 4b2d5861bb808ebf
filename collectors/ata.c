/* Disks behind libata: their link, what the driver remembers of them, and their SCSI device's
 * counters of commands and errors
 * Kernel: Documentation/ABI/testing/sysfs-ata, drivers/ata/libata-transport.c,
 *         drivers/ata/libata-eh.c, drivers/scsi/scsi_sysfs.c
 *
 * All of it is free: each file prints variables of the drivers, takes no lock, and sends the disk
 * nothing, so a disk in standby sleeps on and one that hangs holds up nobody. id is the page of the
 * driver's last IDENTIFY DEVICE, and ering a ring of its last errors. iotmo_cnt is not what it
 * says: what fails goes to error handling by blk_abort_request(), which SCSI counts as a time-out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/ata_device.h"
#include "model/collector.h"
#include "model/node_file.h"
#include "model/node_word.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/scsi_device.h"
#include "model/scsi_disks.h"
#include "model/sysfs_nodes.h"

enum {
	IOREQUEST,
	IODONE,
	IOERR,
	IOTMO,
	QUEUE_DEPTH,
	DISK_STATE,
	SATA_SPD,
	SATA_SPD_LIMIT,
	HW_SATA_SPD_LIMIT,
	SPDN_CNT,
	ERING_ENTRIES,
	LAST_ERROR,
	ROTATION_RATE,
	CLASS,
	MODEL,
	SERIAL,
	FIRMWARE,
	PORT,
};

#define NO_IDENTIFY "the driver prints no page of IDENTIFY DEVICE, or the disk does not say"
#define NO_SATA     "no SATA link, or it is down"

/* clang-format off */
static const struct field fields[] = {
	[IOREQUEST]   = SCSI_FIELD_IOREQUEST("disk"),
	[IODONE]      = SCSI_FIELD_IODONE,
	[IOERR]       = SCSI_FIELD_IOERR,
	[IOTMO]       = SCSI_FIELD_IOTMO("SCSI commands that timed out or failed: libata hands both to error handling in one way."),
	[QUEUE_DEPTH] = SCSI_FIELD_QUEUE_DEPTH("disk"),
	[DISK_STATE]  = SCSI_FIELD_STATE("disk"),
	[SATA_SPD]    = {"sata_spd", UNIT_BITS_PER_SECOND, KIND_GAUGE, "Speed of the SATA link.",
			 .absence = NO_SATA},
	[SATA_SPD_LIMIT] = {"sata_spd_limit", UNIT_BITS_PER_SECOND, KIND_GAUGE,
			    "Greatest speed that the driver lets the link have; it falls after errors on the link.",
			    .absence = "no SATA link, or no limit"},
	[HW_SATA_SPD_LIMIT] = {"hw_sata_spd_limit", UNIT_BITS_PER_SECOND, KIND_GAUGE,
			       "Greatest speed that the port can have.", .absence = "no SATA link, or no limit"},
	[SPDN_CNT]    = {"spdn_cnt", UNIT_COUNT, KIND_COUNTER,
			 "Times the driver made the disk slower (link or transfer mode), since it was found."},
	[ERING_ENTRIES] = {"ering_entries", UNIT_COUNT, KIND_GAUGE,
			   "Errors in the driver's ring of its last 32 of this disk; one may be of the scan when it was found."},
	[LAST_ERROR]  = {"last_error", UNIT_NONE, KIND_INFO,
			 "Newest error in the ring: its time in ticks of the kernel, which do not begin at 0, and what it was.",
			 .absence = "there is none"},
	[ROTATION_RATE] = {"rotation_rate", UNIT_NONE, KIND_GAUGE,
			   "Rotations per minute; 1 for a disk that does not rotate.", .absence = NO_IDENTIFY},
	[CLASS]       = {"class", UNIT_NONE, KIND_INFO, "Class of the device: ata, or zac for a host-managed zoned one."},
	[MODEL]       = {"model", UNIT_NONE, KIND_INFO, "Model of the disk.", .absence = NO_IDENTIFY},
	[SERIAL]      = {"serial", UNIT_NONE, KIND_INFO, "Serial number of the disk.", .absence = NO_IDENTIFY},
	[FIRMWARE]    = {"firmware", UNIT_NONE, KIND_INFO, "Revision of the firmware.", .absence = NO_IDENTIFY},
	[PORT]        = {"port", UNIT_NONE, KIND_INFO, "Port that the disk hangs on, as the kernel log names it."},
};

static const struct group groups[] = {
	{
		.name = "ata",
		.help = "Link, commands and errors of disks behind libata.",
		.cost = COST_F,
		.period_ms = 1000,
		.fields = fields,
		.n_fields = ARRAY_SIZE(fields),
		.node = "disk, by its name",
		.absence = "the kernel does not have it",
	},
};
/* clang-format on */

/* Files whose text is no plain number. */
enum link_file { LINK_SPD, LINK_SPD_LIMIT, LINK_HW_SPD_LIMIT, N_LINK };

static const struct {
	const char *attr;
	size_t field;
} link_files[N_LINK] = {
	[LINK_SPD] = {"sata_spd", SATA_SPD},
	[LINK_SPD_LIMIT] = {"sata_spd_limit", SATA_SPD_LIMIT},
	[LINK_HW_SPD_LIMIT] = {"hw_sata_spd_limit", HW_SATA_SPD_LIMIT},
};

struct disk {
	struct node_file links[N_LINK], ering;
	struct node_word class, model, serial, firmware, port;
	int rotation_rate;
};

struct ata {
	struct sysfs_nodes nodes;
	struct disk *disks; /* one for each of nodes */
};

static void ata_close(void *state)
{
	struct ata *a = state;

	for (size_t i = 0; i < a->nodes.n; i++) {
		for (size_t k = 0; k < N_LINK; k++)
			node_file_close(&a->disks[i].links[k]);
		node_file_close(&a->disks[i].ering);
	}
	free(a->disks);
	sysfs_nodes_done(&a->nodes);
	free(a);
}

static void statep(struct ata **a)
{
	if (*a)
		ata_close(*a);
}

/* "6.0 Gbps"; "<unknown>" for a link that is down or has none. */
static int parse_speed(const char *line, int64_t *ret)
{
	struct slice rest = slice_of(line), number, unit;

	if (!strcmp(line, "<unknown>"))
		return -ENOENT;
	if (!slice_token(&rest, &number) || !slice_token(&rest, &unit) || !slice_is(unit, "Gbps"))
		return -EINVAL;
	return parse_fixed_slice(number, 9, ret);
}

static void sample_link(struct hw *hw, struct disk *disk, struct row *row)
{
	for (size_t i = 0; i < N_LINK; i++) {
		char line[32];
		int64_t speed = 0;
		int r = node_file_read_line(hw, &disk->links[i], line, sizeof(line));

		if (r >= 0)
			r = parse_speed(line, &speed);
		row_result(row, link_files[i].field, r, speed);
	}
}

/* A line for each error, the newest first: "[ 1234.567890]Timeout". Empty without one. */
static void sample_ering(struct hw *hw, struct disk *disk, struct sink *sink, struct row *row)
{
	char text[8192], last[128];
	int r = node_file_read(hw, &disk->ering, text, sizeof(text));
	struct slice rest = {text, r > 0 ? (size_t)r : 0}, line;
	int64_t n = 0;

	if (r < 0 && r != -ENODATA) {
		row_result(row, ERING_ENTRIES, r, 0);
		return;
	}
	while (slice_line(&rest, &line))
		if (++n == 1 && slice_copy(line, last, sizeof(last)) == 0)
			row_text(sink, row, LAST_ERROR, last);
	row_set(row, ERING_ENTRIES, n);
}

static void put_words(const struct disk *disk, struct sink *sink, struct row *row)
{
	node_word_put(&disk->class, sink, row, CLASS);
	node_word_put(&disk->model, sink, row, MODEL);
	node_word_put(&disk->serial, sink, row, SERIAL);
	node_word_put(&disk->firmware, sink, row, FIRMWARE);
	node_word_put(&disk->port, sink, row, PORT);
	if (disk->rotation_rate)
		row_set(row, ROTATION_RATE, disk->rotation_rate);
}

static int ata_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct ata *a = state;
	int r = sysfs_nodes_sample(hw, &a->nodes, sink);

	(void)group; /* there is only one */
	for (size_t i = 0; i < a->nodes.n && i < sink->n_rows; i++) {
		struct row *row = sink->rows[i];

		sample_link(hw, &a->disks[i], row);
		sample_ering(hw, &a->disks[i], sink, row);
		put_words(&a->disks[i], sink, row);
		row_flag_negative(row, ARRAY_SIZE(fields));
	}
	return r;
}

/* What the driver remembers of the disk; else what SCSI does, which has room for less. */
static void read_words(struct hw *hw, const struct scsi_disk *disk, const struct ata_device *device,
		       struct disk *ret)
{
	struct ata_identify identify;

	node_word_set(&ret->port, disk->controller.name);
	node_word_read(hw, &ret->class, "%s/class", device->device_dir);
	if (ata_device_identify(hw, device, &identify) == 0) {
		node_word_set(&ret->model, identify.model);
		node_word_set(&ret->serial, identify.serial);
		node_word_set(&ret->firmware, identify.firmware);
		ret->rotation_rate = identify.rotation_rate;
		return;
	}
	node_word_read(hw, &ret->model, "%s/model", disk->dir);
	node_word_read(hw, &ret->firmware, "%s/rev", disk->dir);
	ret->serial.error = -ENOENT;
}

static void open_files(struct hw *hw, struct ata *a, const struct ata_device *device,
		       struct disk *ret)
{
	char buf[HW_PATH_MAX];
	struct text path = TEXT_IN(buf);

	for (size_t i = 0; i < N_LINK; i++)
		node_file_open(hw, &ret->links[i], "%s/%s", device->link_dir, link_files[i].attr);
	node_file_open(hw, &ret->ering, "%s/ering", device->device_dir);
	text_printf(&path, "%s/spdn_cnt", device->device_dir);
	if (!path.truncated)
		sysfs_nodes_add_attr(hw, &a->nodes, SPDN_CNT, buf);
}

static void report_disk(struct probe *probe, const struct scsi_disk *disk, const struct disk *words)
{
	probe_node(probe, disk->name, OUTCOME_OK, "", "%s%s%s on %s",
		   words->model.error ? "unknown model" : words->model.text,
		   words->serial.error ? "" : ", serial ",
		   words->serial.error ? "" : words->serial.text, disk->controller.name);
}

static void report_no_device(struct probe *probe, const struct scsi_disk *disk,
			     const struct ata_device *device)
{
	char part[NODE_NAME_MAX];

	probe_part(part, disk->name, "link");
	probe_node(probe, part, OUTCOME_NO_NODE, "see what libata says of it in the kernel log",
		   "no /%s: neither link nor errors of the disk are known", device->device_dir);
}

static int add_disk(struct hw *hw, struct ata *a, struct probe *probe, const struct scsi_disk *disk)
{
	struct disk *grown = realloc(a->disks, (a->nodes.n + 1) * sizeof(*grown));
	struct disk added = {0};
	struct ata_device device;
	int r, found;

	if (!grown)
		return -ENOMEM;
	a->disks = grown;
	found = ata_device_find(hw, disk, &device);
	if (is_want(found))
		return found;
	r = sysfs_nodes_add(hw, &a->nodes, disk->dir, disk->name, disk->identity);
	if (r < 0)
		return r;
	read_words(hw, disk, &device, &added);
	open_files(hw, a, &device, &added);
	grown[a->nodes.n - 1] = added;
	report_disk(probe, disk, &added);
	if (found < 0)
		report_no_device(probe, disk, &device);
	sysfs_node_report_denied(probe, &a->nodes, a->nodes.n - 1);
	return 0;
}

static int ata_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	static const struct need driver = {"CONFIG_ATA", "libata", OUTCOME_NO_HARDWARE,
					   "if there is one: does the port see it (dmesg)?"};
	CLEANUP(statep) struct ata *a = calloc(1, sizeof(*a));
	CLEANUP(scsi_disks_done) struct scsi_disks disks = {0};
	int r = a ? scsi_disks_find(hw, "ata", &disks) : -ENOMEM;

	if (r < 0) {
		reason_error(hw, probe, "", r, "/sys/class/block");
		return r;
	}
	if (!disks.n) {
		reason_option(hw, probe, "", &driver, "no disk behind libata in /sys/class/block");
		return -ENOENT;
	}
	a->nodes.group = &groups[0];
	for (size_t i = 0; i < disks.n && r >= 0; i++)
		r = add_disk(hw, a, probe, &disks.v[i]);
	if (r < 0)
		return r;
	*ret_state = a;
	a = NULL;
	return 0;
}

const struct collector collector_ata = {
	.name = "ata",
	.help = "Disks behind libata (SATA).",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = ata_probe,
	.sample = ata_sample,
	.close = ata_close,
};
