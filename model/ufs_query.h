/* Queries to a UFS device: files below the directory of its host, each read of which is one. It
 * wakes the device and may block for seconds, so only groups of class Q ask, and only a device that
 * is there and awake.
 * The kernel answers EINVAL for whatever went wrong with one.
 * Kernel: Documentation/ABI/testing/sysfs-driver-ufs, drivers/ufs/core/ufs-sysfs.c; JESD220 (UFS):
 * Device, Geometry and Device Health Descriptor, Attributes, Flags */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hw.h"
#include "base/text.h"
#include "model/asking.h"
#include "model/node_file.h"
#include "model/ufs_host.h"

/* Those that have one answer for the life of the device come first. */
enum ufs_question {
	UFS_ASK_VERSION,
	UFS_ASK_MANUFACTURER_ID,
	UFS_ASK_DATE,
	UFS_ASK_MANUFACTURER_NAME,
	UFS_ASK_PRODUCT_NAME,
	UFS_ASK_PRODUCT_REVISION,
	UFS_ASK_SERIAL_NUMBER,
	UFS_ASK_OEM_ID,
	UFS_ASK_QUEUE_DEPTH,
	UFS_ASK_LUNS,
	UFS_ASK_HIGH_PRIORITY_LUN,
	UFS_ASK_SEGMENT_SIZE,
	UFS_ASK_ALLOCATION_UNIT,
	UFS_ASK_CAPACITY,
	UFS_ASK_FEATURES,
	UFS_ASK_WB_TYPE,
	UFS_ASK_WB_SHARED_UNITS,
	UFS_N_CONSTANTS,
	UFS_ASK_PRE_EOL = UFS_N_CONSTANTS,
	UFS_ASK_LIFE_A,
	UFS_ASK_LIFE_B,
	UFS_ASK_DUMP,
	UFS_ASK_BKOPS,
	UFS_ASK_EXCEPTIONS,
	UFS_ASK_WB_AVAIL,
	UFS_ASK_WB_CUR,
	UFS_ASK_WB_LIFE,
	UFS_ASK_WB_FLUSH,
	UFS_ASK_BKOPS_ENABLE,
	UFS_ASK_LIFE_SPAN,
	UFS_ASK_PERMANENT_WPE,
	UFS_ASK_POWER_ON_WPE,
	UFS_ASK_DISABLE_FW_UPDATE,
	UFS_ASK_WB_ENABLE,
	UFS_ASK_WB_FLUSH_EN,
	UFS_ASK_WB_FLUSH_H8,
	UFS_N_QUESTIONS
};

/* A string descriptor has at most 126 characters. */
#define UFS_ANSWER_MAX 160

struct ufs_device {
	char name[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];
	char dir[HW_PATH_MAX];
	char disk[HW_PATH_MAX]; /* the directory of one of its disks; "" without one */
	char dump[HW_PATH_MAX]; /* of a vendor's kernel; "": it has health_descriptor */
	struct node_file unit_status, controller_status;
	bool has_unit;   /* the W-LUN that is the device itself */
	bool has_health; /* health_descriptor */
	bool is_partial; /* a recorded tree that has nothing of the SCSI host */
	struct asked_device *kept;
};

/* What is kept of the answers, for asking_begin(). */
extern const struct asking ufs_asking;

/* Finds what a device is asked by; number: of the host, counted from 0. Asks nothing. -ENOENT when
 * its kernel has no such files, -ENOMEM, -EMFILE and others when something may be hidden by it. The
 * caller releases it, after an error too. */
int ufs_device_open(struct hw *hw, struct ufs_device *device, const struct ufs_host *host,
		    size_t number, struct asked_device *devices);
void ufs_device_close(struct ufs_device *device);

/* Whether the scan of its host has found it: not before that may it be asked, drivers crash on it.
 * hw NULL: as far as the probe saw. */
bool ufs_device_is_scanned(struct hw *hw, const struct ufs_device *device);

/* Whether the device is awake, by files that ask it nothing: as ufs_query_begin(). */
int ufs_device_awake(struct hw *hw, struct ufs_device *device);

/* One sample of a device. */
struct ufs_query {
	struct hw *hw;
	struct ufs_device *device;
	int stopped;     /* why nothing more is asked, 0: see ufs_query_begin() */
	bool is_gone;    /* its files went */
	uint64_t asked;  /* questions that had their turn, by number */
	uint64_t failed; /* those of them without an answer */
};

/* Returns 0 when the device is awake; -EHOSTDOWN when it sleeps, or is on its way into sleep or out
 * of it; -EIO when its power management is in an error; or why that cannot be read. Then nothing is
 * asked. */
int ufs_query_begin(struct ufs_query *query, struct hw *hw, struct ufs_device *device);

/* Asks. What never changes is asked once for each device, and each question once in a sample; when
 * it is its turn stands in model/asking.h. Just before each read the state of the device is looked
 * at; when it is not awake any more the sample stops (query->stopped). 0; -ENOENT when the kernel
 * has no such file; -ENODATA for a number or flag that is empty. */
int ufs_ask(struct ufs_query *query, enum ufs_question question, char buf[UFS_ANSWER_MAX]);

/* The same for a number. -EINVAL and -ERANGE when the answer is none that is not negative. */
int ufs_ask_number(struct ufs_query *query, enum ufs_question question, int64_t *ret);

/* The whole dump of a vendor's kernel: its length, or an error as above. */
int ufs_ask_dump(struct ufs_query *query, char *buf, size_t size);

/* Version of the specification as 0x310, 0 when it is not known. Returns why it is not. */
int ufs_ask_version(struct ufs_query *query, int64_t *ret);

/* Whether there is a WriteBooster buffer; older devices fail when they are asked about it. */
bool ufs_has_write_booster(struct ufs_query *query, int64_t version);

/* Bytes of a segment, and of an allocation unit. -ERANGE when they are no number of bytes. */
int ufs_ask_segment_size(struct ufs_query *query, int64_t *ret);
int ufs_ask_unit_size(struct ufs_query *query, int64_t *ret);

/* Appends what was not answered, and why; nothing when all was. */
void ufs_query_problem(const struct ufs_query *query, struct text *out);

/* A string descriptor as text, without blanks before it; "" for none, of which the kernel prints a
 * pointer to nothing, and for what is no text. */
const char *ufs_string_text(const char *answer);

/* wManufactureDate of the Device Descriptor (JESD220) for people: 0x0623 is June 2023; what is no
 * month stays as it is. */
void ufs_date_text(struct text *text, unsigned date);
