/* Units. A value is stored as the integer that the kernel gave, in the kernel's unit. People and
 * Prometheus get base units: base = value * factor * 10^-decimals, in exact decimal. */
#pragma once

#include <stdint.h>

#include "base/text.h"

/*	id                   name             symbol      base         factor decimals */
#define UNIT_LIST(X)                                                                               \
	X(UNIT_NONE, "none", "", "", 1, 0)                                                         \
	X(UNIT_COUNT, "count", "", "", 1, 0)                                                       \
	X(UNIT_BYTES, "bytes", "B", "bytes", 1, 0)                                                 \
	X(UNIT_KIBIBYTES, "kibibytes", "KiB", "bytes", 1024, 0)                                    \
	X(UNIT_BYTES_PER_SECOND, "bytes_per_second", "B/s", "bytes_per_second", 1, 0)              \
	X(UNIT_SECTORS, "sectors", "sectors", "bytes", 512, 0)                                     \
	X(UNIT_DATA_UNITS, "data_units", "x 512 kB", "bytes", 512000, 0)                           \
	X(UNIT_SECONDS, "seconds", "s", "seconds", 1, 0)                                           \
	X(UNIT_UNIX_SECONDS, "unix_seconds", "s since 1970", "seconds", 1, 0)                      \
	X(UNIT_MINUTES, "minutes", "min", "seconds", 60, 0)                                        \
	X(UNIT_HOURS, "hours", "h", "seconds", 3600, 0)                                            \
	X(UNIT_MILLISECONDS, "milliseconds", "ms", "seconds", 1, 3)                                \
	X(UNIT_CENTISECONDS, "centiseconds", "x 10 ms", "seconds", 1, 2)                           \
	X(UNIT_MICROSECONDS, "microseconds", "us", "seconds", 1, 6)                                \
	X(UNIT_NANOSECONDS, "nanoseconds", "ns", "seconds", 1, 9)                                  \
	X(UNIT_MILLICELSIUS, "millicelsius", "m degC", "celsius", 1, 3)                            \
	X(UNIT_MILLIVOLTS, "millivolts", "mV", "volts", 1, 3)                                      \
	X(UNIT_MILLIAMPERES, "milliamperes", "mA", "amperes", 1, 3)                                \
	X(UNIT_MICROVOLTS, "microvolts", "uV", "volts", 1, 6)                                      \
	X(UNIT_MICROAMPERES, "microamperes", "uA", "amperes", 1, 6)                                \
	X(UNIT_MICROWATTS, "microwatts", "uW", "watts", 1, 6)                                      \
	X(UNIT_MICROJOULES, "microjoules", "uJ", "joules", 1, 6)                                   \
	X(UNIT_RPM, "revolutions_per_minute", "RPM", "revolutions_per_minute", 1, 0)               \
	X(UNIT_HERTZ, "hertz", "Hz", "hertz", 1, 0)                                                \
	X(UNIT_KILOHERTZ, "kilohertz", "kHz", "hertz", 1000, 0)                                    \
	X(UNIT_MEGATRANSFERS, "megatransfers_per_second", "MT/s", "transfers_per_second", 1000000, \
	  0)                                                                                       \
	X(UNIT_BITS_PER_SECOND, "bits_per_second", "bit/s", "bits_per_second", 1, 0)               \
	X(UNIT_HUNDREDTHS, "hundredths", "1/100", "", 1, 2)                                        \
	X(UNIT_PERCENT, "percent", "%", "ratio", 1, 2)                                             \
	X(UNIT_PERCENT_X100, "percent_x100", "1/100 %", "ratio", 1, 4)                             \
	X(UNIT_RATIO, "ratio", "", "ratio", 1, 0)

enum unit {
#define X(id, name, symbol, base, factor, decimals) id,
	UNIT_LIST(X)
#undef X
};

/* The word for files and interfaces ("milliseconds"). */
const char *unit_name(enum unit unit);

/* What people read behind the number ("ms"); "" for plain counts. */
const char *unit_symbol(enum unit unit);

/* Suffix of a Prometheus name without the underscore ("seconds"); "" for none. */
const char *unit_base(enum unit unit);

/* The symbol of the base unit for people ("s", "B", "degC", "Hz"). */
const char *unit_base_symbol(enum unit unit);

/* base = value * factor * 10^-decimals */
int64_t unit_factor(enum unit unit);
unsigned unit_decimals(enum unit unit);

/* Writes value * 10^-decimals, given in unit, in the base unit. */
void unit_text_base(struct text *text, enum unit unit, int64_t value, unsigned decimals);
