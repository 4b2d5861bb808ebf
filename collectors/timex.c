/* How good the clock is that people read: adjtimex(2), which is only asked, and /sys/class/rtc
 * Kernel: kernel/time/ntp.c, include/uapi/linux/timex.h, Documentation/ABI/testing/sysfs-class-rtc
 *
 * A time server's program tells the kernel how far the clock may be off. Nobody does while the
 * status has STA_UNSYNC: the clock is then as good as what it was set from, and on a board whose
 * RTC did not set it, it began at some year that the build chose. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/macros.h"
#include "base/text.h"
#include "model/collector.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/sysfs_nodes.h"

#define NODE     "system"
#define RTCS_MAX 16

/* Where the kernel stops to count up both errors. */
#define ERROR_MAX_US 16000000

enum { GROUP_TIMEX, GROUP_RTC };

enum { STATE, SYNCHRONIZED, OFFSET, FREQ, MAXERROR, ESTERROR, TICK, TAI, STATUS, FLAGS, N_FIELDS };

static const char *const states[] = {"TIME_OK",   "TIME_INS",   "TIME_DEL", "TIME_OOP",
				     "TIME_WAIT", "TIME_ERROR", NULL};

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[STATE]    = {"state", UNIT_NONE, KIND_STATE,
		      "State of the clock: INS, DEL, OOP and WAIT are a leap second, ERROR is not synchronized.",
		      .states = states},
	[SYNCHRONIZED] = {"synchronized", UNIT_NONE, KIND_GAUGE,
		      "1 while a time server or a reference clock disciplines it, else 0."},
	[OFFSET]   = {"offset", UNIT_NANOSECONDS, KIND_GAUGE,
		      "What is still to be corrected; chrony corrects by freq and tick alone and leaves it at 0."},
	[FREQ]     = {"freq", UNIT_NONE, KIND_GAUGE,
		      "Correction of the clock's speed in 2^-16 parts per million."},
	[MAXERROR] = {"maxerror", UNIT_MICROSECONDS, KIND_GAUGE,
		      "The clock is off by no more than this; it grows until a time server is heard again, up to 16 s."},
	[ESTERROR] = {"esterror", UNIT_MICROSECONDS, KIND_GAUGE,
		      "By how much it is likely to be off, as the time server's program said."},
	[TICK]     = {"tick", UNIT_MICROSECONDS, KIND_GAUGE,
		      "Length of a tick of USER_HZ; another one than 10000 is a coarse correction of the speed."},
	[TAI]      = {"tai", UNIT_SECONDS, KIND_GAUGE,
		      "TAI less UTC; 0 where nobody has told the kernel."},
	[STATUS]   = {"status", UNIT_NONE, KIND_GAUGE, "Flags STA_* as a number."},
	[FLAGS]    = {"flags", UNIT_NONE, KIND_INFO, "Names of these flags.",
		      .absence = "no flag is set"},
};

static const struct derived derived[] = {
	{"freq_ppm", UNIT_NONE, DERIVE_SCALE, "freq", NULL, 1, 65536,
	 "Correction of the clock's speed in parts per million."},
};

static const struct field rtc_fields[] = {
	{"hctosys", UNIT_NONE, KIND_GAUGE,
	 "1 when the kernel set its clock from this one, at boot or after a sleep, else 0.",
	 .attr = "hctosys"},
	{"name", UNIT_NONE, KIND_INFO, "Driver and device.", .attr = "name"},
};
/* clang-format on */

static const struct group groups[] = {
	[GROUP_TIMEX] =
		{
			.name = "timex",
			.help = "How good the wall clock is.",
			.cost = COST_F,
			.period_ms = 10000,
			.fields = fields,
			.n_fields = N_FIELDS,
			.derived = derived,
			.n_derived = ARRAY_SIZE(derived),
			.node = "the machine",
			.absence = "the recorded tree does not have it",
		},
	[GROUP_RTC] =
		{
			.name = "rtc",
			.help = "Clocks that run while the machine is off.",
			.cost = COST_F,
			.period_ms = 600000,
			.fields = rtc_fields,
			.n_fields = ARRAY_SIZE(rtc_fields),
			.node = "real-time clock, by its name",
			.absence = "the kernel does not show it (CONFIG_RTC_INTF_SYSFS)",
		},
};

struct clocks {
	bool has_timex;
	struct sysfs_nodes rtcs;
};

static void timex_close(void *state)
{
	struct clocks *c = state;

	sysfs_nodes_done(&c->rtcs);
	free(c);
}

static void put_flags(struct sink *sink, struct row *row, int64_t status)
{
	static const struct {
		unsigned bit;
		const char *name;
	} names[] = {
		{STA_PLL, "PLL"},
		{STA_PPSFREQ, "PPSFREQ"},
		{STA_PPSTIME, "PPSTIME"},
		{STA_FLL, "FLL"},
		{STA_INS, "INS"},
		{STA_DEL, "DEL"},
		{STA_UNSYNC, "UNSYNC"},
		{STA_FREQHOLD, "FREQHOLD"},
		{STA_PPSSIGNAL, "PPSSIGNAL"},
		{STA_PPSJITTER, "PPSJITTER"},
		{STA_PPSWANDER, "PPSWANDER"},
		{STA_PPSERROR, "PPSERROR"},
		{STA_CLOCKERR, "CLOCKERR"},
		{STA_NANO, "NANO"},
		{STA_MODE, "MODE"},
		{STA_CLK, "CLK"},
	};
	char buf[INFO_TEXT_MAX];
	struct text text = TEXT_IN(buf);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (status & names[i].bit)
			text_printf(&text, "%s%s", text.len ? ", " : "", names[i].name);
	if (text.len)
		row_text(sink, row, FLAGS, buf);
}

/* Without the status nobody knows in which unit the offset is. */
static void put_offset(struct row *row, const struct hw_timex *timex)
{
	int64_t offset = timex->v[HW_TIMEX_OFFSET];

	if (!timex->has[HW_TIMEX_OFFSET] || !timex->has[HW_TIMEX_STATUS])
		return;
	if (!(timex->v[HW_TIMEX_STATUS] & STA_NANO) &&
	    __builtin_mul_overflow(offset, 1000, &offset))
		row_fault(row, OFFSET, ERANGE);
	else
		row_set(row, OFFSET, offset);
}

static void put_status(struct sink *sink, struct row *row, int64_t status)
{
	row_set(row, STATUS, status);
	row_set(row, SYNCHRONIZED, !(status & STA_UNSYNC));
	put_flags(sink, row, status);
}

static void put_state(struct row *row, int64_t state)
{
	bool is_known = state >= 0 && state < (int64_t)ARRAY_SIZE(states) - 1;

	row_result(row, STATE, is_known ? 0 : -EINVAL, state);
}

/* Neither can be negative, and at its end an error is as much or more. */
static void put_error(struct row *row, size_t field, int64_t us)
{
	row_set(row, field, us);
	if (us < 0)
		row_flag(row, field, FLAG_IMPLAUSIBLE);
	else if (us >= ERROR_MAX_US)
		row_flag(row, field, FLAG_SATURATED);
}

static void put_timex(struct sink *sink, struct row *row, const struct hw_timex *timex)
{
	const int64_t *v = timex->v;

	if (timex->has[HW_TIMEX_STATE])
		put_state(row, v[HW_TIMEX_STATE]);
	if (timex->has[HW_TIMEX_STATUS])
		put_status(sink, row, v[HW_TIMEX_STATUS]);
	put_offset(row, timex);
	if (timex->has[HW_TIMEX_FREQ])
		row_set(row, FREQ, v[HW_TIMEX_FREQ]);
	if (timex->has[HW_TIMEX_MAXERROR])
		put_error(row, MAXERROR, v[HW_TIMEX_MAXERROR]);
	if (timex->has[HW_TIMEX_ESTERROR])
		put_error(row, ESTERROR, v[HW_TIMEX_ESTERROR]);
	if (timex->has[HW_TIMEX_TICK])
		row_set(row, TICK, v[HW_TIMEX_TICK]);
	if (timex->has[HW_TIMEX_TAI])
		row_set(row, TAI, v[HW_TIMEX_TAI]);
}

static int timex_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct clocks *c = state;
	struct hw_timex timex;
	struct row *row;
	int r;

	if (group == GROUP_RTC)
		return sysfs_nodes_sample(hw, &c->rtcs, sink);
	if (!c->has_timex)
		return 0;
	row = sink_row(sink, NODE, "");
	r = hw_timex(hw, &timex);
	if (r < 0)
		row_fault(row, STATE, r);
	else
		put_timex(sink, row, &timex);
	return 0;
}

static void report_timex(struct hw *hw, struct probe *probe, struct clocks *c)
{
	struct hw_timex timex;
	int r = hw_timex(hw, &timex);

	c->has_timex = r != -ENOENT && r != -EPERM && r != -ENOSYS;
	if (r == -ENOENT)
		probe_node(probe, NODE, OUTCOME_NO_NODE,
			   "on the board itself: flashscope sample timex; in the tree: a file "
			   "TIMEX (tests/fixtures/README.md)",
			   "the tree has no record of adjtimex");
	else if (r == -EPERM || r == -ENOSYS)
		probe_node(probe, NODE, OUTCOME_DENIED,
			   "let the service call adjtimex and clock_adjtime (systemd: "
			   "SystemCallFilter=, without ProtectClock=)",
			   "adjtimex, only asked, is refused (%s): by a seccomp filter",
			   r == -EPERM ? "EPERM" : "ENOSYS");
	else if (r < 0)
		reason_error(hw, probe, NODE, r, "adjtimex");
	else if (timex.has[HW_TIMEX_STATUS] && (timex.v[HW_TIMEX_STATUS] & STA_UNSYNC))
		probe_node(probe, NODE, OUTCOME_OK,
			   "for true times of day: chrony, ntpd or systemd-timesyncd",
			   "the clock is not synchronized (STA_UNSYNC)");
	else
		probe_node(probe, NODE, OUTCOME_OK, "", "adjtimex");
}

static int add_rtc(struct hw *hw, struct clocks *c, struct probe *probe, const char *name)
{
	char dir[HW_PATH_MAX], identity[NODE_IDENTITY_MAX] = "", driver[64] = "";
	struct text path = TEXT_IN(dir), out = TEXT_IN(identity);
	int64_t hctosys = -1;
	int r;

	text_printf(&path, "sys/class/rtc/%s", name);
	if (hw_read_line(hw, driver, sizeof(driver), "%s/name", dir) > 0)
		text_printf(&out, "name:%s", driver);
	r = sysfs_nodes_add(hw, &c->rtcs, dir, name, identity);
	if (r < 0)
		return r;
	r = hw_read_i64(hw, &hctosys, "%s/hctosys", dir);
	if (r < 0)
		reason_error(hw, probe, name, r, "/%s/hctosys", dir);
	else
		probe_node(probe, name, OUTCOME_OK, "", "%s: the kernel %s its clock from it",
			   driver[0] ? driver : "no name", hctosys == 1 ? "set" : "did not set");
	return 0;
}

static int add_rtcs(struct hw *hw, struct clocks *c, struct probe *probe)
{
	static const struct need rtc = {"CONFIG_RTC_CLASS", NULL, OUTCOME_NO_HARDWARE,
					"enable the driver of the RTC (device tree, and its bus)"};
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = hw_list(hw, &names, "rtc", "sys/class/rtc");

	if (r == -ENOMEM)
		return r;
	if (r < 0 && r != -ENOENT)
		reason_error(hw, probe, "rtc", r, "/sys/class/rtc");
	else if (!names.n && !reason_no_sysfs(hw, probe, "rtc"))
		reason_option(hw, probe, "rtc", &rtc,
			      "no RTC in /sys/class/rtc, so the clock begins anew at each boot");
	for (size_t i = 0; i < MIN(names.n, RTCS_MAX); i++) {
		r = add_rtc(hw, c, probe, names.v[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

static void statep(struct clocks **c)
{
	if (*c)
		timex_close(*c);
}

static int timex_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct clocks *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return -ENOMEM;
	c->rtcs.group = &groups[GROUP_RTC];
	report_timex(hw, probe, c);
	r = add_rtcs(hw, c, probe);
	if (r < 0)
		return r;
	if (!c->has_timex && !c->rtcs.n) {
		probe_judge(probe);
		return -ENOENT;
	}
	*ret_state = c;
	c = NULL;
	return 0;
}

const struct collector collector_timex = {
	.name = "timex",
	.help = "How good the wall clock is, and what it was set from.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = timex_probe,
	.sample = timex_sample,
	.close = timex_close,
};
