#include "daemon/boot_evidence.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "base/parse.h"
#include "base/text.h"

#define BOOTREASON    "androidboot.bootreason"
#define CONFIG_BYTES  (64 * 1024) /* XBC_DATA_MAX is half of it */
#define PLATFORMS_MAX 1024

/* The second one is a link to the first, and on old kernels a folder of its own. */
static const char *const trees[] = {"sys/firmware/devicetree/base", "proc/device-tree"};

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

/* A property of /chosen, with its bytes. Returns their number, or -errno. */
static int read_chosen(struct hw *hw, char *buf, size_t size, const char *property)
{
	int r = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(trees) && r == -ENOENT; i++)
		r = hw_read(hw, buf, size, "%s/chosen/%s", trees[i], property);
	return r;
}

/* A cell of the tree: four bytes, the first one is the greatest. */
static bool read_cell(struct hw *hw, const char *property, uint32_t *ret)
{
	char buf[8];
	uint32_t value = 0;

	if (read_chosen(hw, buf, sizeof(buf), property) != 4)
		return false;
	for (size_t i = 0; i < 4; i++)
		value = value << 8 | (unsigned char)buf[i];
	*ret = value;
	return true;
}

static void read_reset_source(struct hw *hw, struct boot_evidence *ret)
{
	char buf[64], word[96];
	struct text text = TEXT_IN(word);
	uint32_t instance;

	if (read_chosen(hw, buf, sizeof(buf), "reset-source") <= 0)
		return;
	text_str(&text, buf);
	if (text.len && read_cell(hw, "reset-source-instance", &instance))
		text_printf(&text, " (instance %u)", instance);
	add_firmware(ret, "/chosen/reset-source", slice_of(word));
}

/* 0: it did no reset. The PMIC may keep its word over restarts, so what is told is no more than
 * what it says. */
static void read_power_reset(struct hw *hw, struct boot_evidence *ret)
{
	static const char *const bits[] = {"over-voltage", "under-voltage", "over-temperature",
					   "enable signal", "watchdog"};
	char words[96];
	struct text text = TEXT_IN(words);
	uint32_t value;

	if (!read_cell(hw, "power/power_reset", &value) || !value)
		return;
	text_str(&text, "PMIC:");
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if (value >> i & 1)
			text_printf(&text, " %s", bits[i]);
	if (value >> ARRAY_SIZE(bits))
		text_printf(&text, " 0x%x", value);
	add_firmware(ret, "/chosen/power/power_reset", slice_of(words));
}

void boot_evidence_read(struct hw *hw, struct boot_evidence *ret)
{
	*ret = (struct boot_evidence){0};
	read_watchdogs(hw, ret);
	read_bootreason(hw, ret);
	read_power_on_reasons(hw, ret);
	ret->has_rtc = find_rtc(hw);
	read_reset_source(hw, ret);
	read_power_reset(hw, ret);
}
