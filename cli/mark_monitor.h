/* The UFS monitor, for the span of a mark that asks for it. */
#pragma once

#include "cli/client.h"

/* Waits until the monitors are on that a mark has asked for, or 5 s; says on stderr why none is. */
void mark_await_monitor(const struct client_target *target);
