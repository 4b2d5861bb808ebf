/* The collectors that are built in: collectors/collectors.list, by way of the generated
 * collectors.inc. */
#pragma once

#include "model/catalog.h"

const struct catalog *registry(void);
