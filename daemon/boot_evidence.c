#include "daemon/boot_evidence.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "base/parse.h"

#define BOOTREASON    "androidboot.bootreason"
#define CONFIG_BYTES  (64 * 1024) /* XBC_DATA_MAX is half of it */
#define PLATFORMS_MAX 1024

static void read_watchdogs(struct hw *hw, struct boot_evidence *ret)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};

	if (hw_list(hw, &names, "watchdog", "sys/class/watchdog") < 0)
		return;
	for (size_t i = 0; i < names.n && ret->n_watchdogs < BOOT_WATCHDOGS_MAX; i++) {
		struct boot_watchdog *w = &ret->watchdogs[ret->n_watchdogs];
		int64_t status;

		if (hw_read_i64(hw, &status, "sys/class/watchdog/%s/bootstatus", names.v[i]) < 0)
			continue;
		snprintf(w->name, sizeof(w->name), "%s", names.v[i]);
		if (hw_read_line(hw, w->identity, sizeof(w->identity),
				 "sys/class/watchdog/%s/identity", names.v[i]) < 0)
			w->identity[0] = '\0';
		w->bootstatus = (unsigned)status;
		ret->n_watchdogs++;
	}
}

static void add_firmware(struct boot_evidence *ret, const char *from, struct slice text)
{
	struct boot_firmware *f = &ret->firmware[ret->n_firmware];

	if (ret->n_firmware == BOOT_FIRMWARE_MAX || !text.len ||
	    slice_copy(text, f->text, sizeof(f->text)) < 0)
		return;
	snprintf(f->from, sizeof(f->from), "%s", from);
	ret->n_firmware++;
}

/* KEY=VALUE of the command line, and KEY = "VALUE" of the boot config. */
static bool find_reason(const char *text, struct slice *ret)
{
	for (const char *p = text; (p = strstr(p, BOOTREASON));) {
		bool begins = p == text || isspace((unsigned char)p[-1]);

		p += strlen(BOOTREASON);
		p += strspn(p, " \t");
		if (!begins || *p != '=')
			continue;
		p += 1 + strspn(p + 1, " \t\"");
		*ret = (struct slice){p, strcspn(p, " \t\r\n\"")};
		return true;
	}
	return false;
}

static void read_bootreason(struct hw *hw, struct boot_evidence *ret)
{
	CLEANUP(freep) char *buf = malloc(CONFIG_BYTES);
	struct slice reason;

	if (!buf)
		return;
	if ((hw_read(hw, buf, CONFIG_BYTES, "proc/bootconfig") > 0 && find_reason(buf, &reason)) ||
	    (hw_read(hw, buf, CONFIG_BYTES, "proc/cmdline") > 0 && find_reason(buf, &reason)))
		add_firmware(ret, BOOTREASON, reason);
}

static void read_power_on_reasons(struct hw *hw, struct boot_evidence *ret)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};

	if (hw_list(hw, &names, "", "sys/bus/platform/devices") < 0)
		return;
	for (size_t i = 0; i < MIN(names.n, (size_t)PLATFORMS_MAX); i++) {
		char text[96];

		if (hw_exists(hw, "sys/bus/platform/devices/%s/power_on_reason", names.v[i]) &&
		    hw_read_line(hw, text, sizeof(text),
				 "sys/bus/platform/devices/%s/power_on_reason", names.v[i]) > 0)
			add_firmware(ret, "power_on_reason", slice_of(text));
	}
}

static bool find_rtc(struct hw *hw)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int64_t was_set;

	if (hw_list(hw, &names, "rtc", "sys/class/rtc") < 0)
		return false;
	for (size_t i = 0; i < names.n; i++)
		if (hw_read_i64(hw, &was_set, "sys/class/rtc/%s/hctosys", names.v[i]) == 0 &&
		    was_set == 1)
			return true;
	return false;
}

void boot_evidence_read(struct hw *hw, struct boot_evidence *ret)
{
	*ret = (struct boot_evidence){0};
	read_watchdogs(hw, ret);
	read_bootreason(hw, ret);
	read_power_on_reasons(hw, ret);
	ret->has_rtc = find_rtc(hw);
}
