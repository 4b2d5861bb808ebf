#include "sampling/registry.h"

#include "base/macros.h"

#define COLLECTOR(name) extern const struct collector collector_##name;
#include "collectors.inc"
#undef COLLECTOR

static const struct collector *const collectors[] = {
#define COLLECTOR(name) &collector_##name,
#include "collectors.inc"
#undef COLLECTOR
};

static const struct catalog catalog = {collectors, ARRAY_SIZE(collectors)};

const struct catalog *registry(void)
{
	return &catalog;
}
