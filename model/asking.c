#include "model/asking.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"

#define UNCLEAR_MAX 5
#define SKIP_MAX    63
#define ERROR_MAX   4095 /* the kernel's MAX_ERRNO */

static bool is_one_of(int error, const int *errors, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (error == -errors[i])
			return true;
	return false;
}

static bool is_of_the_way(int error)
{
	static const int errors[] = {EACCES, EPERM,  ENODEV, ENOENT, ENXIO, EAGAIN,
				     EBUSY,  EMFILE, ENFILE, ENOMEM, ETIME};

	return is_one_of(error, errors, ARRAY_SIZE(errors));
}

static bool may_mean_never(int error)
{
	static const int errors[] = {EINVAL, ETIMEDOUT, EINTR};

	return is_one_of(error, errors, ARRAY_SIZE(errors));
}

static void fail(struct asked *asked, int error, int status)
{
	asked->error = error;
	asked->status = status;
	asked->failures++;
	asked->unclear = may_mean_never(error) ? asked->unclear + 1 : 0;
	asked->skip = asked->failures < 6 ? (1U << asked->failures) - 1 : SKIP_MAX;
	asked->is_never = error == -EOPNOTSUPP || asked->unclear >= UNCLEAR_MAX;
}

void asked_spare(struct asked *asked)
{
	if (!asked->is_open)
		return;
	asked->is_open = 0;
	asked->error = asked->before.error;
	asked->status = asked->before.status;
	asked->failures--;
	asked->unclear--;
	asked->skip = 0;
	asked->is_never = false;
}

int asked_turn(struct asked *asked)
{
	if (asked->is_never)
		return -EOPNOTSUPP;
	if (asked->skip) {
		asked->skip--;
		return asked->error;
	}
	asked->before.error = asked->error;
	asked->before.status = asked->status;
	fail(asked, -ETIMEDOUT, 0);
	asked->is_open = 1;
	return 0;
}

void asked_note(struct asked *asked, int error, int status)
{
	asked_spare(asked);
	if (!error)
		asked->failures = asked->unclear = asked->skip = 0;
	if (error && !is_of_the_way(error))
		fail(asked, error, status);
	asked->error = error;
	asked->status = status;
}

void asked_text(const struct asked *asked, const char *why, struct text *out)
{
	if (asked->error == -ETIME)
		why = "it has not answered, and is left alone";
	text_str(out, why ? why : strerror(-asked->error));
	if (asked->is_never)
		text_str(out, "; not asked again");
}

/* Devices, then the questions of each, then what each answered, all of it aligned alike. */
static size_t aligned(size_t bytes)
{
	const size_t step = _Alignof(max_align_t);

	return (bytes + step - 1) / step * step;
}

struct asked_device *asking_begin(struct hw *hw, const struct asking *asking)
{
	size_t devices_bytes = aligned(asking->n_devices * sizeof(struct asked_device));
	size_t asked_bytes = aligned(asking->n_questions * sizeof(struct asked));
	size_t each_bytes = asked_bytes + aligned(asking->known_bytes);
	char *block = hw_memory(hw, asking->key, devices_bytes + asking->n_devices * each_bytes);
	struct asked_device *devices = (void *)block;

	for (size_t i = 0; block && i < asking->n_devices; i++) {
		char *own = block + devices_bytes + i * each_bytes;

		devices[i].in_use = false;
		devices[i].name[NODE_NAME_MAX - 1] = '\0';
		devices[i].identity[NODE_IDENTITY_MAX - 1] = '\0';
		devices[i].asked = (void *)own;
		devices[i].known = own + asked_bytes;
	}
	return devices;
}

static void begin_anew(struct asked_device *device, const struct asking *asking, const char *name,
		       const char *identity)
{
	memset(device->asked, 0, asking->n_questions * sizeof(*device->asked));
	memset(device->known, 0, asking->known_bytes);
	snprintf(device->name, sizeof(device->name), "%s", name);
	snprintf(device->identity, sizeof(device->identity), "%s", identity);
}

static bool is_error(int error)
{
	return error <= 0 && error >= -ERROR_MAX;
}

/* What a process has left that was out of its mind is not gone by: see hw_memory_keep(). */
static bool makes_sense(const struct asked_device *device, const struct asking *asking)
{
	for (size_t i = 0; i < asking->n_questions; i++) {
		const struct asked *asked = &device->asked[i];
		unsigned char is_never;

		memcpy(&is_never, &asked->is_never, sizeof(is_never));
		if (!is_error(asked->error) || !is_error(asked->before.error) ||
		    asked->skip > SKIP_MAX || is_never > 1)
			return false;
	}
	return true;
}

struct asked_device *asking_find(struct asked_device *devices, const struct asking *asking,
				 const char *name, const char *identity)
{
	struct asked_device *found = NULL;

	for (size_t i = 0; i < asking->n_devices; i++) {
		if (!strcmp(devices[i].name, name)) {
			found = &devices[i];
			break;
		}
		if (!found && !devices[i].in_use)
			found = &devices[i];
	}
	if (!found)
		return NULL;
	if (strcmp(found->name, name) != 0 || !*identity ||
	    strcmp(found->identity, identity) != 0 || !makes_sense(found, asking))
		begin_anew(found, asking, name, identity);
	found->in_use = true;
	return found;
}
