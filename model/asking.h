/* Whom to ask again, and when. A question to a device costs a command: one that the device will
 * never answer is asked once, and one that failed is left out for 1, 3, 7 ... 63 samples. What is
 * known of a device's answers outlives the state of a probe, and goes with the device; in the
 * helper it outlives the process as well that asked (hw_memory_keep()). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/hw.h"
#include "base/text.h"
#include "model/sink.h"

/* What is known of the answers to one question. Zeroed, it was never asked. */
struct asked {
	int error; /* of the last time, 0 when it was answered */
	/* What the device said with that error, in its own code; what is wrong with its answer
	 * (model/flaw.h), negative; 0: nothing. */
	int status;
	unsigned failures; /* in a row */
	unsigned unclear;  /* of the last of these: in a row that may mean never */
	unsigned skip;     /* samples to leave out before the next time */
	/* 1: it was asked, and nothing has been noted since; then the last time was before. */
	unsigned is_open;
	struct {
		int error, status;
	} before;
	bool is_never; /* there will be no answer */
};

/* Whether to ask in this sample: 0; else the error that stands for the answer, which is
 * -EOPNOTSUPP once there will be none, and until then the last one. Counts the sample. With 0 it
 * counts as asked and failed with -ETIMEDOUT until asked_note() or asked_spare() comes: a process
 * that hangs or dies in the question cannot say so any more, and the next one must not ask as if
 * nothing had been. */
int asked_turn(struct asked *asked);

/* After asked_turn() has said 0: it was not asked after all, and nothing is known that was not. */
void asked_spare(struct asked *asked);

/* Takes what came of it: 0, or -errno with the status of the device. Permission, want of something
 * here (EMFILE, ENOMEM), a device that is busy or goes, a node that is not there, and one that is
 * avoided (hw_avoid()) say nothing about what it answers and are asked again next time. -EOPNOTSUPP
 * is never asked again, and neither are -EINVAL, -ETIMEDOUT and -EINTR when the last five failures
 * were of these: drivers say them for what the device does not know as well as for what went wrong.
 * So ask a device only while it is awake.
 */
void asked_note(struct asked *asked, int error, int status);

/* Appends why there was no answer: the words of the caller, who knows the device (NULL: those of
 * the errno), and that it is not asked again if so. Of what is avoided it says that. */
void asked_text(const struct asked *asked, const char *why, struct text *out);

/* A device, by name and identity. */
struct asked_device {
	bool in_use; /* by the last probe */
	char name[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];
	struct asked *asked; /* one for each question */
	/* What it answered for good; zeroed when it is another device. Another process may have
	 * left it, so each of its bytes may be anything, and a bool is none of its members. */
	void *known;
};

struct asking {
	const char *key; /* of hw_memory(); a collector's name */
	size_t n_devices, n_questions;
	size_t known_bytes; /* for each device */
};

/* What is kept, n_devices of them, all not in use; owned by hw. NULL without memory. For the begin
 * of a probe. */
struct asked_device *asking_begin(struct hw *hw, const struct asking *asking);

/* The device with this name, now in use: as it was left when it has the same identity, else begun
 * anew, since without an identity nobody knows whether it is the same. NULL when all are in use. */
struct asked_device *asking_find(struct asked_device *devices, const struct asking *asking,
				 const char *name, const char *identity);
