#include "model/own_writes.h"

struct own_writes *own_writes_of(struct hw *hw)
{
	return hw_memory(hw, "own_writes", sizeof(struct own_writes));
}
