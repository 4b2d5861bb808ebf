#include "base/capability.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAPABILITIES_MAX 64 /* bits of a set, in the kernel as here */

bool capability_is_effective(unsigned capability)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	if (capability > CAP_LAST_CAP || syscall(SYS_capget, &header, data) < 0)
		return false;
	return data[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability);
}

static bool is_known(unsigned capability)
{
	return capability <= CAP_LAST_CAP || prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0;
}

void capability_bound(uint64_t capabilities)
{
	/* A kernel that is newer than the build may have more of them. */
	for (unsigned i = 0; i < CAPABILITIES_MAX && is_known(i); i++)
		if (!(capabilities & CAPABILITY(i)))
			prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

int capability_keep(uint64_t capabilities)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	capability_bound(capabilities);
	if (syscall(SYS_capget, &header, data) < 0)
		return -errno;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].permitted &= (uint32_t)(capabilities >> (32 * i));
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}
