#include "base/errno_name.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/macros.h"

#define NAME(e)                                                                                    \
	{                                                                                          \
		e, #e                                                                              \
	}

static const struct {
	int value;
	const char *name;
} names[] = {
	NAME(EPERM),       NAME(ENOENT),     NAME(EINTR),         NAME(EIO),
	NAME(ENXIO),       NAME(E2BIG),      NAME(EBADF),         NAME(EAGAIN),
	NAME(ENOMEM),      NAME(EACCES),     NAME(EFAULT),        NAME(EBUSY),
	NAME(EEXIST),      NAME(ENODEV),     NAME(ENOTDIR),       NAME(EISDIR),
	NAME(EINVAL),      NAME(ENFILE),     NAME(EMFILE),        NAME(ENOTTY),
	NAME(EFBIG),       NAME(ENOSPC),     NAME(ESPIPE),        NAME(EROFS),
	NAME(EPIPE),       NAME(EDOM),       NAME(ERANGE),        NAME(EDEADLK),
	NAME(ENOSYS),      NAME(ELOOP),      NAME(ENODATA),       NAME(ETIME),
	NAME(ENOLINK),     NAME(EPROTO),     NAME(EBADMSG),       NAME(EOVERFLOW),
	NAME(EILSEQ),      NAME(EMSGSIZE),   NAME(EOPNOTSUPP),    NAME(ETIMEDOUT),
	NAME(EALREADY),    NAME(ESTALE),     NAME(EREMOTEIO),     NAME(ENOMEDIUM),
	NAME(EMEDIUMTYPE), NAME(ECANCELED),  NAME(ENAMETOOLONG),  NAME(ECONNREFUSED),
	NAME(ECONNRESET),  NAME(ENOTCONN),   NAME(ESHUTDOWN),     NAME(EHOSTDOWN),
	NAME(EUCLEAN),     NAME(EADDRINUSE), NAME(EADDRNOTAVAIL),
};

const char *errno_name(int error)
{
	if (error < 0)
		error = -error;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].value == error)
			return names[i].name;
	return "EUNKNOWN";
}

int errno_value(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].name, name))
			return names[i].value;
	return 0;
}
