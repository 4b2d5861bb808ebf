/* What a recorded tree has as the answers of devices to commands: COMMANDS/DEVICE/NAME with the
 * bytes of a page, or with a number; or, with the suffix .status, a file with what was answered
 * instead: a status of the device as a number ("0x4002"), or the name of an errno ("ETIMEDOUT").
 *
 * A record that is none is -EBADMSG, with what is wrong with it in *ret_flaw (model/flaw.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

struct hw;

#define COMMAND_RECORD_MAX 4096

/* Whether there may be a record, of an answer or of a status, without a look into it: 0 or -ENOENT.
 * 0 on a live machine. */
int command_record_look(struct hw *hw, const char *device, const char *name);

/* Whether something else than an answer is recorded: 0 when not; 1 with the status of the device,
 * 1 to max, in *ret_status; the -errno that is named; -EBADMSG with a flaw in *ret_status; or the
 * error of the read. */
MUST_CHECK int command_record_status(struct hw *hw, const char *device, const char *name, int max,
				     int *ret_status);

/* A page of exactly size bytes, at most COMMAND_RECORD_MAX. 0, -ENOENT without a record, or why it
 * is none. */
MUST_CHECK int command_record_page(struct hw *hw, const char *device, const char *name,
				   uint8_t *page, size_t size, int *ret_flaw);

/* A number of 16 bits, likewise. */
MUST_CHECK int command_record_number(struct hw *hw, const char *device, const char *name,
				     uint16_t *ret, int *ret_flaw);
