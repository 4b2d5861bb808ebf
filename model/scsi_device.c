#include "model/scsi_device.h"

#include "model/sysfs_nodes.h"

const char *const scsi_device_states[] = {
	"created", STATE_OTHER,         "running", "cancel",          "deleted", "quiesce",
	"offline", "transport-offline", "blocked", "created-blocked", NULL,
};
