/* The reference stream: 24 hours of a phone-like machine, 156 values a second, always the same.
 * Six block devices (a main one, a mapping on it, an eMMC-like second, three that are nearly idle),
 * twenty thermal zones of three resolutions, eight CPU frequencies, a UFS monitor, and pressure
 * for three resources. People use the machine from 7 to 23 o'clock. Integers only, so that every
 * machine makes the same values; tests/unit/test_stream.c holds their checksum. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/macros.h"
#include "model/catalog.h"
#include "store/store.h"

#define STREAM_VALUES    156
#define STREAM_SECONDS   86400
#define STREAM_NODES_MAX 20
#define STREAM_START_MS  INT64_C(1000000) /* on the boot clock */

enum { STREAM_DISK, STREAM_THERMAL, STREAM_CPU, STREAM_UFS, STREAM_PSI, STREAM_GROUPS };

#define STREAM_C(name)                                                                             \
	{                                                                                          \
		name, UNIT_COUNT, KIND_COUNTER, "A counter.", NULL, 0, NULL                        \
	}
#define STREAM_G(name)                                                                             \
	{                                                                                          \
		name, UNIT_COUNT, KIND_GAUGE, "A gauge.", NULL, 0, NULL                            \
	}

static const struct field stream_disk[] = {
	STREAM_C("reads"),           STREAM_C("reads_merged"),    STREAM_C("read_sectors"),
	STREAM_C("read_time"),       STREAM_C("writes"),          STREAM_C("writes_merged"),
	STREAM_C("write_sectors"),   STREAM_C("write_time"),      STREAM_G("in_flight"),
	STREAM_C("io_time"),         STREAM_C("weighted_time"),   STREAM_C("discards"),
	STREAM_C("discards_merged"), STREAM_C("discard_sectors"), STREAM_C("discard_time"),
	STREAM_C("flushes"),         STREAM_C("flush_time"),
};
static const struct field stream_thermal[] = {STREAM_G("temp")};
static const struct field stream_cpu[] = {STREAM_G("cur_freq")};
static const struct field stream_ufs[] = {
	STREAM_C("read_nr"),    STREAM_C("read_sectors"), STREAM_C("read_busy"),
	STREAM_G("read_avg"),   STREAM_G("read_max"),     STREAM_G("read_min"),
	STREAM_C("read_sum"),   STREAM_C("write_nr"),     STREAM_C("write_sectors"),
	STREAM_C("write_busy"), STREAM_G("write_avg"),    STREAM_G("write_max"),
	STREAM_G("write_min"),  STREAM_C("write_sum"),
};
static const struct field stream_psi[] = {STREAM_G("some_avg10"), STREAM_C("some_total"),
					  STREAM_G("full_avg10"), STREAM_C("full_total")};

#define STREAM_GROUP(n, f)                                                                         \
	{                                                                                          \
		.name = n, .help = "Of the reference stream.", .period_ms = 1000, .fields = f,     \
		.n_fields = ARRAY_SIZE(f)                                                          \
	}

static const struct group stream_groups[STREAM_GROUPS] = {
	[STREAM_DISK] = STREAM_GROUP("diskstats", stream_disk),
	[STREAM_THERMAL] = STREAM_GROUP("thermal", stream_thermal),
	[STREAM_CPU] = STREAM_GROUP("cpufreq", stream_cpu),
	[STREAM_UFS] = STREAM_GROUP("ufs", stream_ufs),
	[STREAM_PSI] = STREAM_GROUP("psi", stream_psi),
};
static const struct collector stream_collector = {.name = "stream",
						  .help = "The reference stream.",
						  .groups = stream_groups,
						  .n_groups = STREAM_GROUPS};
static const struct collector *const stream_collectors[] = {&stream_collector};
static const struct catalog stream_catalog __attribute__((unused)) = {stream_collectors, 1};
static const size_t stream_nodes[STREAM_GROUPS] __attribute__((unused)) = {6, 20, 8, 1, 3};

struct stream {
	uint64_t seed;
	int64_t v[STREAM_VALUES];
	int64_t base_m[20], zone_m[20]; /* millidegrees x 1000 */
	int64_t heat_m;
	int64_t pressure_m[3][2]; /* averages x 1000 */
	int level[8];
	int activity; /* 0 asleep, 1 light, 2 heavy */
};

static inline uint64_t stream_random(struct stream *s)
{
	s->seed ^= s->seed >> 12;
	s->seed ^= s->seed << 25;
	s->seed ^= s->seed >> 27;
	return s->seed * 2685821657736338717U;
}

/* 0..n-1 */
static inline int64_t stream_below(struct stream *s, int64_t n)
{
	return (int64_t)((stream_random(s) >> 33) * (uint64_t)n >> 31);
}

static inline bool stream_chance(struct stream *s, int64_t in_a_million)
{
	return stream_below(s, 1000000) < in_a_million;
}

/* Exponential with the mean given in thousandths: the logarithm is exact in its whole part and
 * linear between. */
static inline int64_t stream_exp(struct stream *s, int64_t mean_milli)
{
	uint32_t u = (uint32_t)(stream_random(s) >> 32) | 1;
	int zeros = __builtin_clz(u);
	uint64_t fraction = zeros == 31 ? 0 : (uint32_t)(u << (zeros + 1));
	uint64_t log2_16 = ((uint64_t)(zeros + 1) << 16) - (fraction >> 16);

	return (int64_t)((uint64_t)mean_milli * log2_16 / 1000 * 45426 >> 32);
}

static inline void stream_start(struct stream *s)
{
	memset(s, 0, sizeof(*s));
	s->seed = 88172645463325252U;
	for (int i = 0; i < 102; i++)
		s->v[i] =
			i % 17 == 8 ? 0 : (200000 + stream_below(s, 3000000)) / (i < 51 ? 1 : 100);
	for (int z = 0; z < 20; z++)
		s->base_m[z] = s->zone_m[z] = (28000 + stream_below(s, 9000)) * 1000;
	for (int i = 130; i < 144; i++)
		s->v[i] = stream_below(s, 10000000);
	s->v[134] = 900000;
	s->v[141] = 2500000;
	s->v[135] = 42;
	s->v[142] = 60;
	for (int i = 144; i < 156; i++)
		s->v[i] = i & 1 ? stream_below(s, 4000000000) : 0;
}

static inline void stream_activity(struct stream *s, int64_t t)
{
	int64_t hour = t / 3600 % 24;
	int64_t wake = hour >= 7 && hour < 23 ? 2917 : 417;

	if (s->activity == 0)
		s->activity = stream_chance(s, wake);
	else if (s->activity == 2)
		s->activity = stream_chance(s, 11111) ? 1 : 2;
	else if (stream_chance(s, 4167))
		s->activity = 0;
	else if (stream_chance(s, 5000))
		s->activity = 2;
}

/* Increases of a busy disk; k in thousandths of heavy use. */
static inline void stream_load(struct stream *s, int64_t d[17], int64_t k)
{
	d[0] = stream_exp(s, 180 * k);
	d[1] = stream_exp(s, 20 * k);
	d[2] = 8 * d[0] + 8 * stream_exp(s, 900 * k);
	d[3] = d[0] * (300 + stream_below(s, 400)) / 1000;
	d[4] = stream_exp(s, 90 * k);
	d[5] = stream_exp(s, 60 * k);
	d[6] = 8 * d[4] + 8 * stream_exp(s, 700 * k);
	d[7] = d[4] * (600 + stream_below(s, 1000)) / 1000;
	d[9] = MIN(4 * stream_exp(s, 120 * k), 1000);
	d[15] = stream_exp(s, 4 * k);
	d[16] = d[15] * (500 + stream_below(s, 1000)) / 1000;
	if (stream_chance(s, 20 * k)) {
		d[11] = 1 + stream_exp(s, 20000);
		d[13] = 64 * d[11] + 8 * stream_exp(s, 4000000);
		d[14] = stream_exp(s, 10000);
	}
	d[10] = d[3] + d[7] + d[14] + d[16];
}

/* Returns the increases of the main disk. */
static inline void stream_disks(struct stream *s, int64_t main_disk[17])
{
	static const int64_t load[] = {0, 60, 1000};
	int state = s->activity ? s->activity : stream_chance(s, 350000);
	int second = s->activity ? stream_chance(s, 100000) : stream_chance(s, 10000);

	memset(main_disk, 0, 17 * sizeof(*main_disk));
	for (int disk = 0; disk < 6; disk++) {
		int64_t d[17] = {0}, *v = s->v + 17 * disk;

		if (disk == 1) {
			memcpy(d, main_disk, sizeof(d));
			d[0] += d[1];
			d[4] += d[5];
			d[1] = d[5] = 0;
		} else if (disk < 3 && load[disk ? second : state]) {
			stream_load(s, d, load[disk ? second : state]);
		} else if (disk >= 3 && stream_chance(s, 500)) {
			d[0] = 1 + stream_exp(s, 2000);
			d[2] = 8 * d[0];
			d[3] = d[10] = stream_exp(s, 2000);
			d[9] = stream_exp(s, 4000);
		}
		if (!disk)
			memcpy(main_disk, d, sizeof(d));
		for (int c = 0; c < 17; c++)
			v[c] += c == 8 ? 0 : d[c];
		v[8] = d[0] + d[4] > 40 && stream_chance(s, 400000) ? 1 + stream_exp(s, 3000) : 0;
	}
}

static inline void stream_monitor(struct stream *s, const int64_t d[17])
{
	int64_t *u = s->v + 130;

	for (int w = 0; w < 2; w++, u += 7, d += 4) {
		u[0] += d[0];
		u[1] += d[2];
		u[2] += d[3] * (w ? 900 : 850);
		u[6] += d[3] * 1000 + (d[0] ? stream_exp(s, 100000) : 0);
		u[3] = u[0] ? u[6] / u[0] : 0;
		if (d[0] && stream_chance(s, 500))
			u[4] += stream_exp(s, w ? 90000000 : 50000000);
	}
}

static inline void stream_zones(struct stream *s)
{
	static const int64_t target[] = {0, 5000, 14000};

	s->heat_m +=
		(target[s->activity] * 1000 - s->heat_m) / 120 + stream_below(s, 60000) - 30000;
	for (int z = 0; z < 20; z++) {
		int64_t share = z < 8 ? 10 : z < 16 ? 6 : 3, noise = z < 8 ? 220000 : 60000;
		int64_t grain = z < 8 ? 1 : z < 16 ? 100 : 1000;

		s->zone_m[z] +=
			(s->base_m[z] + s->heat_m * share / 10 - s->zone_m[z]) / (20 + 4 * z) +
			stream_below(s, noise) - noise / 2;
		s->v[102 + z] = (s->zone_m[z] / 1000 + grain / 2) / grain * grain;
	}
}

static inline void stream_cpus(struct stream *s)
{
	static const int64_t freq[] = {300000,  480000,  614400,  768000,  902400,  1056000,
				       1228800, 1401600, 1555200, 1804800, 2016000, 2400000};
	static const int most[] = {3, 9, 12};

	for (int p = 0; p < 8; p++) {
		if (stream_chance(s, s->activity ? 450000 : 80000)) {
			int64_t q = stream_below(s, 1000);

			s->level[p] = (int)(q * q * most[s->activity] / 1000000);
		}
		if (!s->activity && stream_chance(s, 300000))
			s->level[p] = 0;
		s->v[122 + p] = freq[s->level[p]];
	}
}

static inline void stream_pressure(struct stream *s)
{
	static const int64_t use[] = {4, 120, 1000}, share[] = {1000, 50, 600};

	for (int r = 0; r < 3; r++) {
		int64_t *v = s->v + 144 + 4 * r;
		int64_t k = use[s->activity] * share[r] / 1000;
		int64_t some =
			k > 500 || stream_chance(s, 3000 * k) ? stream_exp(s, 150000 * k) : 0;
		int64_t full = 0;

		some = MIN(some, 1000000);
		if (r)
			full = some * stream_below(s, 700) / 1000;
		v[1] += some;
		v[3] += full;
		s->pressure_m[r][0] += (some / 10 * 1000 / 1000 - s->pressure_m[r][0]) / 10;
		s->pressure_m[r][1] += (full / 10 * 1000 / 1000 - s->pressure_m[r][1]) / 10;
		v[0] = s->pressure_m[r][0] / 10;
		v[2] = s->pressure_m[r][1] / 10;
	}
}

/* Moves on to second t: 0, 1, 2.. */
static inline void stream_tick(struct stream *s, int64_t t)
{
	int64_t main_disk[17];

	stream_activity(s, t);
	stream_disks(s, main_disk);
	stream_monitor(s, main_disk);
	stream_zones(s);
	stream_cpus(s);
	stream_pressure(s);
}

static inline uint64_t stream_checksum(uint64_t sum, const struct stream *s)
{
	for (int i = 0; i < STREAM_VALUES; i++)
		sum = (sum ^ (uint64_t)s->v[i]) * 1099511628211U;
	return sum;
}

/* Gives second t to a function as the rows of each group. */
static inline void
stream_rows(const struct stream *s, struct sink *sink,
	    void (*rows)(const struct group *group, const struct sink *sink, void *arg), void *arg)
{
	static const char *const prefix[] = {"sd", "thermal_zone", "policy", "ufshcd", "psi"};
	static char names[STREAM_GROUPS][STREAM_NODES_MAX][40];
	const int64_t *v = s->v;

	for (size_t g = 0; g < STREAM_GROUPS; g++) {
		sink_reset(sink, &stream_groups[g]);
		for (size_t i = 0; i < stream_nodes[g]; i++) {
			char *name = names[g][i];

			if (!*name)
				snprintf(name, sizeof(names[g][i]), "%s%zu", prefix[g], i);

			struct row *row = sink_row(sink, name, "");

			for (size_t f = 0; f < stream_groups[g].n_fields; f++)
				row_set(row, f, *v++);
		}
		rows(&stream_groups[g], sink, arg);
	}
}

/* The store that the benches write it to. */
static inline struct store_options stream_store_options(const char *path, int64_t commit_ms)
{
	return (struct store_options){
		.path = path,
		.boot_id = "reference",
		.kernel = "6.1",
		.wall_offset_ms = INT64_C(1790000000000) - STREAM_START_MS,
		.size_max_bytes = 128 << 20,
		.tail_max_bytes = 4 << 20,
		.commit_ms = commit_ms,
	};
}
