/* Texts and registers of MMC and SD cards and of their hosts, as sysfs and debugfs print them.
 * Kernel: drivers/mmc/core/mmc.c, sd.c and debugfs.c; JEDEC JESD84-B51 (EXT_CSD), SD Physical Layer
 * Specification (SD Status) */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parse.h"

/* A value that is not there, and one that is there but not understood. */
#define MMC_MISSING (-1)
#define MMC_ODD     (-2)

/* A hexadecimal number; some kernels leave the 0x out. 0, or -EINVAL. */
int mmc_hex(struct slice text, int64_t *ret);

/* The attribute life_time: two hexadecimal numbers and nothing else. 0, or -EINVAL. */
int mmc_life_time(const char *text, int64_t *ret_a, int64_t *ret_b);

#define MMC_LIFE_EXCEEDED 0x0b

/* What a code of life_time stands for, in percent of the life that is used: 1 is 0 to 10, 10 is 90
 * to 100, 11 is above 100, without an upper bound. false for 0, which is "not defined", and for
 * what is beyond 11. */
struct mmc_used {
	int64_t low_percent, high_percent;
	bool has_high;
};

bool mmc_life_used(int64_t code, struct mmc_used *ret);

/* What the SD Status (attribute ssr) says of a card's speed. MMC_ODD for a code that is reserved.
 */
struct mmc_ssr {
	int64_t speed_class; /* MB/s in sequential writing: 0, 2, 4, 6, 10 */
	int64_t uhs_grade;   /* 1 and 3: tens of MB/s; 0: no UHS-I card, or it does not say */
	int64_t video_class; /* MB/s: 0, 6, 10, 30, 60, 90 */
	int64_t app_class;   /* 0, 1 (A1), 2 (A2) */
};

/* 0; -EINVAL when it is not 128 hexadecimal digits; -ENODATA when all are zero: the kernel could
 * not read it, or the card is not one that fills it. */
int mmc_ssr(const char *text, struct mmc_ssr *ret);

/* The timings of a bus, by the words of debugfs; the numbers are ours, since those of the kernel
 * have changed. */
enum mmc_timing {
	MMC_TIMING_LEGACY,
	MMC_TIMING_MMC_HS,
	MMC_TIMING_SD_HS,
	MMC_TIMING_SDR12,
	MMC_TIMING_SDR25,
	MMC_TIMING_SDR50,
	MMC_TIMING_SDR104,
	MMC_TIMING_DDR50,
	MMC_TIMING_DDR52,
	MMC_TIMING_HS200,
	MMC_TIMING_HS400,
	MMC_TIMING_HS400_ES,
	MMC_TIMING_OTHER, /* a word of a later kernel */
	MMC_N_TIMINGS
};

/* NULL at the end; also names for the states of a field. */
extern const char *const mmc_timing_words[MMC_N_TIMINGS + 1];
extern const char *const mmc_power_words[];   /* off, up, on */
extern const char *const mmc_voltage_words[]; /* 3.30 V, 1.80 V, 1.20 V */

/* The values of the file ios. */
struct mmc_ios {
	int64_t clock_hz, actual_clock_hz;
	int64_t bus_width;               /* data lines */
	int power_mode, timing, voltage; /* indices into the words */
};

void mmc_ios(struct slice text, struct mmc_ios *ret);

/* When the kernel took a card, by the boot clock; -1 when it is not known. From what runtime power
 * management has counted of it in both states, the boot clock and how long the machine has slept.
 * Once it slept there is no telling: nobody counts on the way into sleep and out of it, and the
 * card may have come later. */
int64_t mmc_init_ms(int64_t now_ms, int64_t asleep_ms, int64_t active_ms, int64_t suspended_ms);

/* Bytes that the bus can carry in a second; 0 when it is off, gated or not known. */
int64_t mmc_ios_bytes_per_second(const struct mmc_ios *ios);

/* The counters of the file err_stats, in the order of the kernel. */
enum mmc_error {
	MMC_ERROR_CMD_TIMEOUT,
	MMC_ERROR_CMD_CRC,
	MMC_ERROR_DATA_TIMEOUT,
	MMC_ERROR_DATA_CRC,
	MMC_ERROR_AUTO_CMD,
	MMC_ERROR_ADMA,
	MMC_ERROR_TUNING,
	MMC_ERROR_CMDQ_RED,
	MMC_ERROR_CMDQ_GCE,
	MMC_ERROR_CMDQ_ICCE,
	MMC_ERROR_REQUEST_TIMEOUT,
	MMC_ERROR_CMDQ_REQUEST_TIMEOUT,
	MMC_ERROR_ICE_CONFIG,
	MMC_ERROR_CONTROLLER_TIMEOUT,
	MMC_ERROR_UNEXPECTED_IRQ,
	MMC_N_ERRORS
};

/* Counters of 32 bits, or MMC_MISSING or MMC_ODD; the kernel prints those from 2^31 on as negative
 * numbers. Returns how many have a value. */
size_t mmc_err_stats(struct slice text, int64_t ret[MMC_N_ERRORS]);
