/* What the SCSI midlayer knows of each of its devices: counters of commands and errors, queue depth
 * and state. Files of the device's directory ("sys/.../0:0:0:0"), the same for a UFS logical unit,
 * a SATA disk and a USB stick.
 * Kernel: drivers/scsi/scsi_sysfs.c, drivers/scsi/scsi_lib.c, drivers/scsi/scsi_error.c
 *
 * All of them print variables: no command, no lock, no wake-up, and none of them can wait. The
 * counters are 32 bits wide, printed in hex (iocounterbits). */
#pragma once

#include "model/collector.h"

/* Names of the states of a device, for field.states; has STATE_OTHER. */
extern const char *const scsi_device_states[];

/* The table's entries, for designated initialisers. what: the device for people ("unit"). What a
 * device has counted by the end of its probing (unit attentions, retries) is no fault: only an
 * increase is, and rates begin with the first sample. */
/* clang-format off */
#define SCSI_FIELD_IOREQUEST(what)                                                                 \
	{"iorequest_cnt", UNIT_COUNT, KIND_COUNTER, "SCSI commands sent to the " what ".",         \
	 .attr = "iorequest_cnt", .bits = 32}
#define SCSI_FIELD_IODONE                                                                          \
	{"iodone_cnt", UNIT_COUNT, KIND_COUNTER, "SCSI commands completed.",                       \
	 .attr = "iodone_cnt", .bits = 32}
#define SCSI_FIELD_IOERR                                                                           \
	{"ioerr_cnt", UNIT_COUNT, KIND_COUNTER,                                                    \
	 "SCSI commands that ended with an error; a few come from probing, an increase counts.",   \
	 .attr = "ioerr_cnt", .bits = 32}
#define SCSI_FIELD_IOTMO(help)                                                                     \
	{"iotmo_cnt", UNIT_COUNT, KIND_COUNTER, help,                                              \
	 .attr = "iotmo_cnt", .bits = 32, .since = "6.1",                                          \
	 .absence = "the kernel does not count time-outs"}
#define SCSI_FIELD_QUEUE_DEPTH(what)                                                               \
	{"queue_depth", UNIT_COUNT, KIND_GAUGE, "Commands that the " what " takes at once.",       \
	 .attr = "queue_depth"}
#define SCSI_FIELD_STATE(what)                                                                     \
	{"state", UNIT_NONE, KIND_STATE,                                                           \
	 "State of the " what "; offline after error handling gave it up.",                        \
	 .attr = "state", .states = scsi_device_states}
/* clang-format on */
