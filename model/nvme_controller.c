#include "model/nvme_controller.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "model/pci.h"

#define LINE_MAX_BYTES 256

void nvme_controller_identity(struct hw *hw, const char *name, char *buf, size_t size)
{
	char line[LINE_MAX_BYTES];
	struct text out = text_in(buf, size);
	int64_t cntlid;

	if (hw_read_line(hw, line, sizeof(line), NVME_CLASS_DIR "/%s/serial", name) < 0)
		return;
	text_printf(&out, "serial:%s", line);
	if (hw_read_line(hw, line, sizeof(line), NVME_CLASS_DIR "/%s/model", name) >= 0)
		text_printf(&out, "/%s", line);
	if (hw_read_line(hw, line, sizeof(line), NVME_CLASS_DIR "/%s/transport", name) >= 0 &&
	    !strcmp(line, "pcie") &&
	    hw_read_i64(hw, &cntlid, NVME_CLASS_DIR "/%s/cntlid", name) == 0)
		text_printf(&out, "/cntlid%lld", (long long)cntlid);
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

static const char *read_word(struct hw *hw, const char *name, const char *attr, char *buf)
{
	int r = hw_read_line(hw, buf, LINE_MAX_BYTES, NVME_CLASS_DIR "/%s/device/%s", name, attr);

	return r < 0 ? NULL : buf;
}

/* What nobody knows to be awake is let sleep. */
int nvme_controller_ready(struct hw *hw, const char *name)
{
	char state[LINE_MAX_BYTES], power[LINE_MAX_BYTES], runtime[LINE_MAX_BYTES];
	int r = hw_read_line(hw, state, sizeof(state), NVME_CLASS_DIR "/%s/state", name);

	/* Its files go with a controller. */
	if (r < 0)
		return r == -ENOENT ? -ENODEV : r;
	if (strcmp(state, "live") != 0)
		return -EAGAIN;
	return pci_is_awake(read_word(hw, name, "power_state", power),
			    read_word(hw, name, "power/runtime_status", runtime)) == 1
		       ? 0
		       : -EHOSTDOWN;
}
