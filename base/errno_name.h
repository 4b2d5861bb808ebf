/* Names of error numbers ("EINVAL"): the form in which errors are stored and shown. */
#pragma once

/* The name of a positive or negative errno; "EUNKNOWN" for one that the table lacks. */
const char *errno_name(int error);

/* The positive errno of a name, 0 if it is none. */
int errno_value(const char *name);
