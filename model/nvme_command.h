/* Commands of administration to an NVMe controller: its SMART page and what it says of itself.
 * Kernel: include/uapi/linux/nvme_ioctl.h; NVM Express Base Specification, Get Log Page and
 * Identify.
 *
 * They need CAP_SYS_ADMIN, pull the drive out of its power-saving states, wait for a controller
 * that is being reset, and go to a controller that is not suspended only.
 *
 * In a recorded tree the answers are files, COMMANDS/nvme0/log-02 and COMMANDS/nvme0/identify-01
 * with the bytes of the page; or, with the suffix .status, a file with the status that the
 * controller answered instead ("0x4002"), or an errno (model/command_record.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

struct hw;

#define NVME_SMART_BYTES    512
#define NVME_IDENTIFY_BYTES 4096

/* Whether this process has the capability; a recorded tree asks for none. */
bool nvme_may_command(struct hw *hw);

/* -ENOENT when a recorded tree has no answer of a controller; else 0. */
int nvme_may_answer(struct hw *hw, const char *controller);

/* Log page 02h of the whole controller, or Identify Controller. 0; -errno of the ioctl (-EACCES
 * without the capability, -ENODEV when it is gone); or of the status that the controller answered,
 * which is then in *ret_status (else 0): -EOPNOTSUPP for what it will never answer, -EINVAL for an
 * invalid field, -EIO for all others. -ENOENT without a record, -EBADMSG for one that is none, with
 * a flaw in *ret_status. */
MUST_CHECK int nvme_read_smart(struct hw *hw, const char *controller,
			       uint8_t page[NVME_SMART_BYTES], int *ret_status);
MUST_CHECK int nvme_read_identify(struct hw *hw, const char *controller,
				  uint8_t page[NVME_IDENTIFY_BYTES], int *ret_status);

/* The specification's words for a status (its type and code; the bits above do not count):
 * "Invalid Field in Command"; "unknown status" for one that is not in the table. */
const char *nvme_status_text(int status);
