/* How often drives lost their power without a word, before a boot ended and after: unsafe_shutdowns
 * of the group nvme_smart (NVM Express Base Specification, SMART / Health Information). */
#pragma once

#include "daemon/last_boot_facts.h"
#include "store/reader.h"
#include "store/store.h"

/* The last counts that the file has of the boot; facts has the boot and its end. */
void last_boot_drives_before(struct reader *reader, struct last_boot_facts *facts);
/* Takes the counts of this boot as far as they are known. Whether all are. */
bool last_boot_drives_known(struct last_boot_facts *facts, struct store *store);
