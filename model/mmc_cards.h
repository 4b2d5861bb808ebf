/* The MMC and SD cards of a machine: where they are in sysfs, and who they are. */
#pragma once

#include <stddef.h>

#include "base/hw.h"
#include "model/block.h"
#include "model/sink.h"

#define MMC_CARDS_MAX 256
#define MMC_TYPE_MAX  16
#define MMC_CID_MAX   64

struct mmc_card {
	char name[NODE_NAME_MAX];  /* its disk (mmcblk0), or its slot (mmc0:0001) without one */
	char disk[BLOCK_NAME_MAX]; /* "" when no block driver has taken it */
	char dir[HW_PATH_MAX];     /* of its attributes */
	char real[HW_PATH_MAX];    /* the same, with all links resolved; "" when that fails */
	char type[MMC_TYPE_MAX];   /* MMC, SD, SDIO, SDcombo; "" when it cannot be read */
	char cid[MMC_CID_MAX];     /* "" when it cannot be read */
	char identity[NODE_IDENTITY_MAX]; /* as block_identity(), "" when there is none */
};

struct mmc_cards {
	struct mmc_card *v; /* those with a disk by its number, then the rest by host */
	size_t n;
	size_t n_hosts; /* in /sys/class/mmc_host */
	int error;      /* of listing both places, 0 when one can be listed */
};

/* 0 also when there is none; -EMFILE, -ENFILE and -ENOMEM when nobody knows. Cards with the same
 * CID, a copied one, are told apart by where they are plugged in. The caller releases with
 * mmc_cards_done(). */
int mmc_cards_find(struct hw *hw, struct mmc_cards *ret);
void mmc_cards_done(struct mmc_cards *cards);
