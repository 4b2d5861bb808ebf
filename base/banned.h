/* Functions that have a better substitute. Included before every source file by the build;
 * a use does not compile. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* With _FORTIFY_SOURCE these are macros for clang, and what is a macro cannot be poisoned. */
#ifdef sprintf
#undef sprintf
#endif
#ifdef vsprintf
#undef vsprintf
#endif

#pragma GCC poison gets strcpy strcat strncpy strncat sprintf vsprintf strtok
#pragma GCC poison atoi atol atoll atof localtime gmtime ctime asctime
