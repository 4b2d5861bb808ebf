#include "model/unit.h"

#include <string.h>

struct unit_entry {
	const char *name, *symbol, *base;
	int64_t factor;
	unsigned decimals;
};

static const struct unit_entry units[] = {
#define X(id, name, symbol, base, factor, decimals) [id] = {name, symbol, base, factor, decimals},
	UNIT_LIST(X)
#undef X
};

const char *unit_name(enum unit unit)
{
	return units[unit].name;
}

const char *unit_symbol(enum unit unit)
{
	return units[unit].symbol;
}

const char *unit_base(enum unit unit)
{
	return units[unit].base;
}

const char *unit_base_symbol(enum unit unit)
{
	static const char *const symbols[][2] = {
		{"bytes", "B"},
		{"seconds", "s"},
		{"celsius", "degC"},
		{"hertz", "Hz"},
		{"transfers_per_second", "T/s"},
		{"volts", "V"},
		{"amperes", "A"},
		{"watts", "W"},
		{"joules", "J"},
		{"revolutions_per_minute", "RPM"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++)
		if (!strcmp(units[unit].base, symbols[i][0]))
			return symbols[i][1];
	return "";
}

int64_t unit_factor(enum unit unit)
{
	return units[unit].factor;
}

unsigned unit_decimals(enum unit unit)
{
	return units[unit].decimals;
}

void unit_text_base(struct text *text, enum unit unit, int64_t value, unsigned decimals)
{
	const struct unit_entry *u = &units[unit];
	int64_t scaled;

	/* A value that overflows when scaled is no measurement; keep it readable all the same. */
	if (__builtin_mul_overflow(value, u->factor, &scaled))
		scaled = value < 0 ? INT64_MIN : INT64_MAX;
	text_fixed(text, scaled, u->decimals + decimals);
}
