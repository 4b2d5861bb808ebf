/* How worn an eMMC says that it is, as fields of a row: the same words for what the kernel has kept
 * since it found the card and for what the card answers now. JESD84-B51, EXT_CSD:
 * DEVICE_LIFE_TIME_EST_TYP_A and _B, PRE_EOL_INFO; nothing of it before revision 7. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/sink.h"

#define MMC_LIFE_REV 7 /* eMMC 5.0 */

/* Words of PRE_EOL_INFO, for the states of a field. */
extern const char *const mmc_pre_eol_states[];

/* Indices of fields. used_...: the low end of a range in percent; the high end is the next field.
 */
struct mmc_life_fields {
	size_t life_time_a, life_time_b, pre_eol_info;
	size_t used_a, used_b, used;
	enum flag flag; /* on each value */
};

/* Sets the two codes, the ranges that they stand for, and that of the worse memory: either kind
 * ends the life of the card. 0 is "not defined", and leaves all of its fields absent; a code that
 * is reserved has no range and is flagged implausible, and since it may be the worse one the range
 * of both has no high end. */
void mmc_life_set(struct row *row, const struct mmc_life_fields *fields, int64_t a, int64_t b);

/* Likewise the state of the spare blocks. */
void mmc_pre_eol_set(struct row *row, const struct mmc_life_fields *fields, int64_t code);
