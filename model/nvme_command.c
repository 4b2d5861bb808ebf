#include "model/nvme_command.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/capability.h"
#include "base/hw.h"
#include "base/hw_command.h"
#include "model/command_record.h"
#include "model/flaw.h"

enum {
	OPCODE_GET_LOG_PAGE = 0x02,
	OPCODE_IDENTIFY = 0x06,
	LOG_SMART = 0x02,
	IDENTIFY_CONTROLLER = 0x01,
	STATUS_MASK = 0x7ff, /* type and code, without More and Do Not Retry */
	STATUS_TYPE_MASK = 0x700,
	STATUS_TYPE_VENDOR = 0x700,
	STATUS_INVALID_OPCODE = 0x001,
	STATUS_INVALID_FIELD = 0x002,
	STATUS_INVALID_LOG_PAGE = 0x109,
};

#define RECORD_SMART    "log-02"
#define RECORD_IDENTIFY "identify-01"

#define ALL_NAMESPACES 0xffffffffU

/* NVM Express Base Specification 2.0, figures of status codes: type * 100h + code. */
static const struct {
	int status;
	const char *text;
} statuses[] = {
	{0x000, "Successful Completion"},
	{0x001, "Invalid Command Opcode"},
	{0x002, "Invalid Field in Command"},
	{0x003, "Command ID Conflict"},
	{0x004, "Data Transfer Error"},
	{0x005, "Commands Aborted due to Power Loss Notification"},
	{0x006, "Internal Error"},
	{0x007, "Command Abort Requested"},
	{0x008, "Command Aborted due to SQ Deletion"},
	{0x00b, "Invalid Namespace or Format"},
	{0x00c, "Command Sequence Error"},
	{0x013, "PRP Offset Invalid"},
	{0x01c, "Sanitize Failed"},
	{0x01d, "Sanitize In Progress"},
	{0x021, "Command Interrupted"},
	{0x022, "Transient Transport Error"},
	{0x023, "Command Prohibited by Command and Feature Lockdown"},
	{0x024, "Admin Command Media Not Ready"},
	{0x080, "LBA Out of Range"},
	{0x081, "Capacity Exceeded"},
	{0x082, "Namespace Not Ready"},
	{0x083, "Reservation Conflict"},
	{0x084, "Format In Progress"},
	{0x109, "Invalid Log Page"},
	{0x10b, "Firmware Activation Requires Conventional Reset"},
	{0x280, "Write Fault"},
	{0x281, "Unrecovered Read Error"},
	{0x286, "Access Denied"},
	{0x300, "Internal Path Error"},
	{0x301, "Asymmetric Access Persistent Loss"},
	{0x302, "Asymmetric Access Inaccessible"},
	{0x303, "Asymmetric Access Transition"},
	{0x360, "Controller Pathing Error"},
	{0x370, "Host Pathing Error"},
	{0x371, "Command Aborted By Host"},
};

const char *nvme_status_text(int status)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].status == (status & STATUS_MASK))
			return statuses[i].text;
	return (status & STATUS_TYPE_MASK) == STATUS_TYPE_VENDOR ? "vendor specific status"
								 : "unknown status";
}

static int error_of(int status)
{
	switch (status & STATUS_MASK) {
	case 0:
		return 0;
	case STATUS_INVALID_OPCODE:
	case STATUS_INVALID_LOG_PAGE:
		return -EOPNOTSUPP;
	case STATUS_INVALID_FIELD:
		return -EINVAL;
	default:
		return -EIO;
	}
}

bool nvme_may_command(struct hw *hw)
{
	return !hw_is_live(hw) || capability_is_effective(CAP_SYS_ADMIN);
}

int nvme_may_answer(struct hw *hw, const char *controller)
{
	int r = command_record_look(hw, controller, RECORD_SMART);

	return r < 0 ? command_record_look(hw, controller, RECORD_IDENTIFY) : r;
}

struct answer {
	const char *controller, *record; /* record: name of the file in a recorded tree */
	uint8_t *page;
	size_t size;
	int status;
};

static int read_record(struct hw *hw, struct answer *answer)
{
	int r = command_record_status(hw, answer->controller, answer->record, INT16_MAX,
				      &answer->status);

	if (r < 0)
		return r;
	if (r == 0)
		return command_record_page(hw, answer->controller, answer->record, answer->page,
					   answer->size, &answer->status);
	r = error_of(answer->status);
	if (r == 0)
		answer->status = FLAW_NO_FAILURE;
	return r < 0 ? r : -EBADMSG;
}

static int send_admin(struct hw *hw, struct nvme_admin_cmd *admin, struct answer *answer)
{
	char dir[HW_PATH_MAX];
	struct hw_command command = {
		.node = answer->controller,
		.dir = dir,
		.request = NVME_IOCTL_ADMIN_CMD,
		.data = admin,
	};
	int r;

	snprintf(dir, sizeof(dir), "sys/class/nvme/%s", answer->controller);
	admin->addr = (uint64_t)(uintptr_t)answer->page;
	admin->data_len = (uint32_t)answer->size;
	memset(answer->page, 0, answer->size);
	r = hw_command(hw, &command);
	if (r == -EOPNOTSUPP && !hw_is_live(hw))
		return read_record(hw, answer);
	if (r <= 0)
		return r;
	answer->status = r;
	return error_of(r) ? error_of(r) : -EIO;
}

int nvme_read_smart(struct hw *hw, const char *controller, uint8_t page[NVME_SMART_BYTES],
		    int *ret_status)
{
	struct answer answer = {controller, RECORD_SMART, page, NVME_SMART_BYTES, 0};
	struct nvme_admin_cmd admin = {
		.opcode = OPCODE_GET_LOG_PAGE,
		.nsid = ALL_NAMESPACES,
		.cdw10 = LOG_SMART | (NVME_SMART_BYTES / 4 - 1) << 16,
	};
	int r = send_admin(hw, &admin, &answer);

	*ret_status = answer.status;
	return r;
}

int nvme_read_identify(struct hw *hw, const char *controller, uint8_t page[NVME_IDENTIFY_BYTES],
		       int *ret_status)
{
	struct answer answer = {controller, RECORD_IDENTIFY, page, NVME_IDENTIFY_BYTES, 0};
	struct nvme_admin_cmd admin = {.opcode = OPCODE_IDENTIFY, .cdw10 = IDENTIFY_CONTROLLER};
	int r = send_admin(hw, &admin, &answer);

	*ret_status = answer.status;
	return r;
}
