#include "model/nvme_controller.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "model/node_file.h"
#include "model/pci.h"

#define LINE_MAX_BYTES 256

/* 1, 0 when there is no such line, or want of what it takes to look. */
static int read_line(struct hw *hw, const char *name, const char *attr, char line[LINE_MAX_BYTES])
{
	int r = hw_read_line(hw, line, LINE_MAX_BYTES, NVME_CLASS_DIR "/%s/%s", name, attr);

	return is_want(r) ? r : r >= 0;
}

static int identify(struct hw *hw, const char *name, struct text *out)
{
	char line[LINE_MAX_BYTES];
	int64_t cntlid;
	int r = read_line(hw, name, "serial", line);

	if (r <= 0)
		return r;
	text_printf(out, "serial:%s", line);
	r = read_line(hw, name, "model", line);
	if (r > 0)
		text_printf(out, "/%s", line);
	if (r >= 0)
		r = read_line(hw, name, "transport", line);
	if (r <= 0 || strcmp(line, "pcie") != 0)
		return r;
	r = hw_read_i64(hw, &cntlid, NVME_CLASS_DIR "/%s/cntlid", name);
	if (r == 0)
		text_printf(out, "/cntlid%lld", (long long)cntlid);
	return is_want(r) ? r : 0;
}

int nvme_controller_identity(struct hw *hw, const char *name, char *buf, size_t size)
{
	struct text out = text_in(buf, size);
	int r = identify(hw, name, &out);

	if (r >= 0)
		return 0;
	text_rewind(&out, 0);
	return r;
}

bool nvme_is_controller(const char *name)
{
	static const char prefix[] = "nvme";
	size_t len = sizeof(prefix) - 1;

	if (strncmp(name, prefix, len) != 0 || !name[len])
		return false;
	for (name += len; *name; name++)
		if (!isdigit((unsigned char)*name))
			return false;
	return true;
}

void nvme_controllers_done(struct nvme_controllers *controllers)
{
	free(controllers->v);
	*controllers = (struct nvme_controllers){0};
}

static int add(struct hw *hw, struct nvme_controllers *all, const char *name)
{
	struct nvme_name *new = &all->v[all->n];
	int r = nvme_controller_identity(hw, name, new->identity, sizeof(new->identity));

	if (r < 0)
		return r;
	snprintf(new->name, sizeof(new->name), "%s", name);
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->v[i].identity, new->identity))
			new->identity[0] = '\0';
	all->n++;
	return 0;
}

int nvme_controllers_find(struct hw *hw, struct nvme_controllers *ret)
{
	CLEANUP(nvme_controllers_done) struct nvme_controllers all = {0};
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = hw_list(hw, &names, "nvme", NVME_CLASS_DIR);

	if (r < 0)
		return r;
	all.v = calloc(names.n + 1, sizeof(*all.v));
	if (!all.v)
		return -ENOMEM;
	for (size_t i = 0; i < names.n && r >= 0; i++)
		if (nvme_is_controller(names.v[i]))
			r = add(hw, &all, names.v[i]);
	if (r < 0)
		return r;
	*ret = all;
	all = (struct nvme_controllers){0};
	return 0;
}

static const char *read_word(struct hw *hw, const char *name, const char *attr, char *buf)
{
	int r = hw_read_line(hw, buf, LINE_MAX_BYTES, NVME_CLASS_DIR "/%s/device/%s", name, attr);

	return r < 0 ? NULL : buf;
}

/* drivers/nvme/host/sysfs.c; one that is being deleted may have "(no IO)" behind it. */
static bool is_ending(const char *state)
{
	static const char deleting[] = "deleting";

	return !strcmp(state, "dead") || !strncmp(state, deleting, sizeof(deleting) - 1);
}

/* What nobody knows to be awake is let sleep. */
static int check_power(struct hw *hw, const char *name, char why[NVME_WHY_MAX])
{
	char power[LINE_MAX_BYTES], runtime[LINE_MAX_BYTES];
	const char *status = read_word(hw, name, "power/runtime_status", runtime);

	if (status && !strcmp(status, "error")) {
		snprintf(why, NVME_WHY_MAX, "the power management of the device is in an error");
		return -EIO;
	}
	if (pci_is_awake(read_word(hw, name, "power_state", power), status) == 1)
		return 0;
	snprintf(why, NVME_WHY_MAX, "asleep");
	return -EHOSTDOWN;
}

int nvme_controller_ready(struct hw *hw, const char *name, char ret_why[NVME_WHY_MAX])
{
	char state[LINE_MAX_BYTES];
	int r = hw_read_line(hw, state, sizeof(state), NVME_CLASS_DIR "/%s/state", name);

	ret_why[0] = '\0';
	/* Its files go with a controller. */
	if (r < 0) {
		snprintf(ret_why, NVME_WHY_MAX, "the state of the controller cannot be read");
		return r == -ENOENT ? -ENODEV : r;
	}
	if (!strcmp(state, "live"))
		return check_power(hw, name, ret_why);
	snprintf(ret_why, NVME_WHY_MAX, "the controller is not live, its state is %.64s", state);
	return is_ending(state) ? -ESHUTDOWN : -EAGAIN;
}
