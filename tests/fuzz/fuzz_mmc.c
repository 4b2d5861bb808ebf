/* What the kernel, or a vendor's, prints of cards and their hosts. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/mmc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_ios(struct slice text)
{
	struct mmc_ios ios;

	mmc_ios(text, &ios);
	if (ios.clock_hz < MMC_ODD || ios.actual_clock_hz < MMC_ODD || ios.bus_width < MMC_ODD ||
	    ios.timing < MMC_ODD || ios.timing >= MMC_N_TIMINGS || ios.power_mode < MMC_ODD ||
	    ios.power_mode > 2 || ios.voltage < MMC_ODD || ios.voltage > 2)
		abort();
	if (mmc_ios_bytes_per_second(&ios) < 0)
		abort();
}

static void check_errors(struct slice text)
{
	int64_t counts[MMC_N_ERRORS];
	size_t n = mmc_err_stats(text, counts);

	for (size_t i = 0; i < MMC_N_ERRORS; i++) {
		if (counts[i] < MMC_ODD || counts[i] > UINT32_MAX)
			abort();
		n -= counts[i] >= 0;
	}
	if (n)
		abort();
}

static void check_life(const char *text)
{
	struct mmc_used used;
	int64_t a, b;

	if (mmc_life_time(text, &a, &b) < 0)
		return;
	if (a < 0 || b < 0)
		abort();
	if (mmc_life_used(a, &used) && (used.low_percent > 100 || used.high_percent > 110))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct mmc_ssr ssr;

	if (!text)
		return 0;
	memcpy(text, data, size);
	check_ios((struct slice){text, size});
	check_errors((struct slice){text, size});
	text[size] = '\0';
	check_life(text);
	if (mmc_ssr(text, &ssr) == 0 && (ssr.speed_class > 10 || ssr.uhs_grade > 3))
		abort();
	free(text);
	return 0;
}
