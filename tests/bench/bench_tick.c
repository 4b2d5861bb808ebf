/* What a tick costs above the bare reads, on a tree like a phone's in memory: 90 thermal zones, 8
 * cpufreq policies, 2 UFS disks, 100 lines of diskstats. All collectors that find something there
 * are sampled, those of the lane too, and the same files are read at offset 0 through descriptors
 * of our own. The bound is 1 us of CPU for each value.
 *
 * Usage: bench_tick [ROUNDS] */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hw.h"
#include "base/macros.h"
#include "model/probe.h"
#include "sampling/registry.h"

#define N_FILES_MAX 8192
#define GROUPS_MAX  64
#define BOUND_NS    1000
#define UFS         "sys/devices/platform/soc/1d84000.ufshc/"
#define N_BATCHES   9

static char root[64];

static void put(const char *text, const char *path)
{
	char full[1024];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}

	FILE *file = fopen(full, "w");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
		perror(full);
		exit(1);
	}
}

PRINTF_LIKE(2, 3) static void putf(const char *text, const char *path_fmt, ...)
{
	char path[512];
	va_list args;

	va_start(args, path_fmt);
	vsnprintf(path, sizeof(path), path_fmt, args);
	va_end(args);
	put(text, path);
}

static void make_zones(void)
{
	for (int i = 0; i < 90; i++) {
		char type[32];

		snprintf(type, sizeof(type), "cpu-%d-thermal\n", i);
		putf(type, "sys/class/thermal/thermal_zone%d/type", i);
		putf("47312\n", "sys/class/thermal/thermal_zone%d/temp", i);
		putf("enabled\n", "sys/class/thermal/thermal_zone%d/mode", i);
		putf("passive\n", "sys/class/thermal/thermal_zone%d/trip_point_0_type", i);
		putf("95000\n", "sys/class/thermal/thermal_zone%d/trip_point_0_temp", i);
	}
}

static void make_policies(void)
{
	static const char *const files[][2] = {
		{"scaling_cur_freq", "1804800\n"}, {"scaling_min_freq", "364800\n"},
		{"scaling_max_freq", "3513600\n"}, {"cpuinfo_min_freq", "364800\n"},
		{"cpuinfo_max_freq", "4608000\n"}, {"stats/total_trans", "123456\n"},
		{"scaling_governor", "walt\n"},    {"scaling_driver", "scmi\n"},
		{"affected_cpus", "0\n"},          {"related_cpus", "0\n"},
	};

	for (int i = 0; i < 8; i++)
		for (size_t k = 0; k < ARRAY_SIZE(files); k++)
			putf(files[k][1], "sys/devices/system/cpu/cpufreq/policy%d/%s", i,
			     files[k][0]);
}

static void make_ufs(void)
{
	static const char *const host[][2] = {
		{"rpm_lvl", "3\n"},
		{"spm_lvl", "5\n"},
		{"power_info/gear", "HS_GEAR5\n"},
		{"power_info/mode", "FAST_MODE\n"},
		{"power_info/rate", "HS_RATE_B\n"},
		{"power_info/lane", "2\n"},
		{"power_info/link_state", "ACTIVE\n"},
		{"power_info/dev_pm", "ACTIVE\n"},
		{"wb_on", "1\n"},
		{"critical_health", "0\n"},
	};
	static const char *const unit[][2] = {
		{"iorequest_cnt", "0x8a34f1\n"}, {"iodone_cnt", "0x8a34f1\n"},
		{"ioerr_cnt", "0x2\n"},          {"iotmo_cnt", "0x0\n"},
		{"iocounterbits", "32\n"},       {"queue_depth", "63\n"},
		{"state", "running\n"},
	};
	char path[256], target[300];

	for (size_t i = 0; i < ARRAY_SIZE(host); i++)
		putf(host[i][1], UFS "%s", host[i][0]);
	put("ufshcd\n", UFS "host0/scsi_host/host0/proc_name");
	put("running\n", UFS "host0/scsi_host/host0/state");
	for (int lu = 0; lu < 2; lu++) {
		for (size_t i = 0; i < ARRAY_SIZE(unit); i++)
			putf(unit[i][1], UFS "host0/target0:0:0/0:0:0:%d/%s", lu, unit[i][0]);
		snprintf(path, sizeof(path), UFS "host0/target0:0:0/0:0:0:%d/block/sd%c", lu,
			 'a' + lu);
		putf("997883904\n", "%s/size", path);
		putf("none [mq-deadline] kyber bfq \n", "%s/queue/scheduler", path);
		putf("126\n", "%s/queue/nr_requests", path);
		putf("write back\n", "%s/queue/write_cache", path);
		for (int i = 0; i < 2; i++) {
			char link[256];

			putf("", "sys/%s/.keep", i ? "class/block" : "block");
			snprintf(link, sizeof(link), "%s/sys/%s/sd%c", root,
				 i ? "class/block" : "block", 'a' + lu);
			snprintf(target, sizeof(target), "%s/%s", i ? "../.." : "..", path + 4);
			if (symlink(target, link) < 0)
				perror(link);
		}
	}
}

static void make_tree(void)
{
	static char diskstats[32 * 1024];
	size_t len = 0;

	snprintf(root, sizeof(root), "/dev/shm/flashscope-tick-XXXXXX");
	if (!mkdtemp(root)) {
		snprintf(root, sizeof(root), "/tmp/flashscope-tick-XXXXXX");
		if (!mkdtemp(root))
			exit(1);
	}
	for (int i = 0; i < 100; i++)
		len += (size_t)snprintf(diskstats + len, sizeof(diskstats) - len,
					" %3d %7d %s%d 183456 2345 8345678 123456 84567 3456 "
					"7345678 234567 0 345678 458023 1234 0 345678 234 567 89\n",
					i < 2 ? 8 : 259, i, i < 2 ? "sd" : "dm-", i);
	/* The two disks by their names. */
	memcpy(strstr(diskstats, "sd0"), "sda", 3);
	memcpy(strstr(diskstats, "sd1"), "sdb", 3);
	put(diskstats, "proc/diskstats");
	put("0.10 0.20 0.30 1/999 1234\n", "proc/loadavg");
	put("1000.00 900.00\n", "proc/uptime");
	for (int i = 0; i < 3; i++)
		putf("some avg10=0.00 avg60=0.12 avg300=0.20 total=123456789\n"
		     "full avg10=0.00 avg60=0.10 avg300=0.15 total=23456789\n",
		     "proc/pressure/%s", (const char *const[]){"cpu", "io", "memory"}[i]);
	make_zones();
	make_policies();
	make_ufs();
}

static char *paths[N_FILES_MAX];
static size_t n_paths;

static void collect(void *arg, const char *path, bool contents)
{
	(void)arg;
	if (contents && n_paths < N_FILES_MAX)
		paths[n_paths++] = strdup(path);
}

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct place {
	const struct collector *collector;
	void *state;
	size_t group;
};

static struct place places[GROUPS_MAX];
static size_t n_places;

static void probe_all(struct hw *hw)
{
	for (size_t i = 0; i < registry()->n_collectors; i++) {
		const struct collector *c = registry()->collectors[i];
		struct probe probe;
		void *state = NULL;

		/* It looks at its own process, which is no matter of the tree. */
		if (!strcmp(c->name, "self") || probe_init(&probe) < 0)
			continue;
		if (c->probe(hw, &probe, &state) == 0)
			for (size_t g = 0; g < c->n_groups && n_places < GROUPS_MAX; g++)
				places[n_places++] = (struct place){c, state, g};
		probe_done(&probe);
	}
}

/* One tick of all groups. Returns how many values it gave. */
static size_t tick(struct hw *hw, struct sink *sink)
{
	size_t n = 0;

	for (size_t i = 0; i < n_places; i++) {
		const struct group *group = &places[i].collector->groups[places[i].group];

		sink_reset(sink, group);
		places[i].collector->sample(places[i].state, hw, places[i].group, sink);
		for (size_t r = 0; r < sink->n_rows; r++)
			for (size_t f = 0; f < group->n_fields; f++)
				n += sink->rows[r]->values[f].type != VALUE_ABSENT;
	}
	return n;
}

/* The same files, read as the tick reads them: small ones once, tables until their end. */
static void bare(const int *fds)
{
	static char buf[64 * 1024];

	for (size_t i = 0; i < n_paths; i++) {
		ssize_t n = pread(fds[i], buf, sizeof(buf), 0);

		if (n > 0 && !strncmp(paths[i], "proc/diskstats", 14))
			n = pread(fds[i], buf + n, sizeof(buf) - (size_t)n, (off_t)n);
	}
}

static int open_bare(int *fds)
{
	for (size_t i = 0; i < n_paths; i++) {
		char full[2048];

		snprintf(full, sizeof(full), "%s/%s", root, paths[i]);
		fds[i] = open(full, O_RDONLY | O_CLOEXEC);
		if (fds[i] < 0)
			return -errno;
	}
	return 0;
}

/* The least of several batches, taken in turns: others that work on the machine only add. */
static void measure(struct hw *hw, struct sink *sink, const int *fds, int64_t rounds,
		    int64_t *ret_tick_ns, int64_t *ret_bare_ns)
{
	*ret_tick_ns = *ret_bare_ns = INT64_MAX;
	for (int b = 0; b < N_BATCHES; b++) {
		int64_t start = cpu_ns(), middle;

		for (int64_t i = 0; i < rounds; i++)
			tick(hw, sink);
		middle = cpu_ns();
		for (int64_t i = 0; i < rounds; i++)
			bare(fds);
		*ret_tick_ns = MIN(*ret_tick_ns, (middle - start) / rounds);
		*ret_bare_ns = MIN(*ret_bare_ns, (cpu_ns() - middle) / rounds);
	}
}

static void remove_tree(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (system(command) != 0)
		perror(root);
}

int main(int argc, char **argv)
{
	static int fds[N_FILES_MAX];
	int64_t rounds = argc > 1 ? strtoll(argv[1], NULL, 10) : 200;
	int64_t tick_ns, bare_ns;
	struct sink sink;
	struct hw *hw;

	make_tree();
	atexit(remove_tree);
	if (rounds < 1 || hw_open(root, &hw) < 0 || sink_init(&sink) < 0)
		return 1;
	probe_all(hw);
	tick(hw, &sink);
	hw_trace(hw, collect, NULL);

	size_t n_values = tick(hw, &sink);

	hw_trace(hw, NULL, NULL);
	if (!n_values || open_bare(fds) < 0)
		return 1;
	measure(hw, &sink, fds, rounds, &tick_ns, &bare_ns);

	int64_t above_ns = (tick_ns - bare_ns) / (int64_t)n_values;

	printf("tick: %zu values of %zu files, %" PRId64 " us, bare reads %" PRId64 " us\n",
	       n_values, n_paths, tick_ns / 1000, bare_ns / 1000);
	printf("tick: %" PRId64 " ns a value and %" PRId64
	       " ns a file above the reads, bound %d ns a "
	       "value: %s\n",
	       above_ns, (tick_ns - bare_ns) / (int64_t)n_paths, BOUND_NS,
	       above_ns <= BOUND_NS ? "ok" : "ABOVE");
	return 0;
}
