/* The register EXT_CSD of an eMMC, taken apart: 512 bytes, numbers little-endian.
 * JEDEC JESD84-B51, Extended CSD register; include/linux/mmc/mmc.h
 *
 * A byte that is newer than the revision of the register is reserved there, whatever stands in it,
 * and is not looked at. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

#define EXT_CSD_BYTES 512

#define EXT_CSD_N_EXCEPTIONS 5

/* The longest text, with its NUL: 32 bytes in hexadecimal digits. */
#define EXT_CSD_TEXT_MAX 65

/* Numbers are MMC_MISSING where the revision or the card does not have them, and the register's own
 * code where it is one; codes that are reserved are left as they are. */
struct ext_csd {
	int64_t rev;                       /* 5 is eMMC 4.41, 6 is 4.5, 7 is 5.0, 8 is 5.1 */
	int64_t pre_eol_info;              /* 0: not defined */
	int64_t life_time_a, life_time_b;  /* 0: not defined */
	int64_t bkops_status;              /* of a card with background operations, 0 to 3 */
	int64_t bkops_manual, bkops_auto;  /* who starts them: 1 or 0 */
	int64_t exceptions;                /* EXCEPTION_EVENTS_STATUS, bits */
	int64_t cache_bytes;               /* 0: it has none */
	int64_t cache_on;                  /* 1 or 0; missing without a cache */
	int64_t sectors;                   /* of 512 bytes; missing up to 2 GiB, where it is 0 */
	int64_t cmdq_on, cmdq_depth;       /* of a card with command queueing */
	int64_t timing;                    /* low half of HS_TIMING */
	int64_t driver_strength;           /* high half */
	int64_t bus_width, bus_both_edges; /* data lines; 1 with two transfers a clock */
	int64_t power_off_notification;    /* last one that the host gave, 0 to 4 */
	int64_t sector_bytes;              /* DATA_SECTOR_SIZE in bytes */
	char firmware[EXT_CSD_TEXT_MAX];   /* as text where it is one, else "0x" and hexadecimal */
	char health[EXT_CSD_TEXT_MAX]; /* the vendor's own report in hexadecimal; "": all zeros */
};

/* 0, or -ENODATA for a register whose bytes are all alike: that is a bus without an answer, or a
 * card that did not understand, and says nothing. */
MUST_CHECK int ext_csd_decode(const uint8_t bytes[EXT_CSD_BYTES], struct ext_csd *ret);

/* Words for states of fields, by code; NULL at the end. */
extern const char *const ext_csd_bkops_states[];
extern const char *const ext_csd_timing_states[];
extern const char *const ext_csd_power_off_states[];

/* The names of the bits of exceptions. */
extern const char *const ext_csd_exceptions[EXT_CSD_N_EXCEPTIONS];
