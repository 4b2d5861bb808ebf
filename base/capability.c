#include "base/capability.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

bool capability_is_effective(unsigned capability)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	if (capability > CAP_LAST_CAP || syscall(SYS_capget, &header, data) < 0)
		return false;
	return data[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability);
}
