/* flashscoped: samples this machine, stores it, serves it. */
#include <stdio.h>

int main(void)
{
	puts("flashscoped " FLASHSCOPE_VERSION);
	return 0;
}
