#include "sampling/uevent.h"

#include <errno.h>
#include <string.h>

static bool same(struct slice a, struct slice b)
{
	return a.len == b.len && !memcmp(a.p, b.p, a.len);
}

/* The value when the entry is KEY=VALUE of this key. */
static bool value_of(struct slice entry, const char *key, struct slice *ret)
{
	size_t len = strlen(key);

	if (entry.len <= len || entry.p[len] != '=' || memcmp(entry.p, key, len) != 0)
		return false;
	*ret = (struct slice){entry.p + len + 1, entry.len - len - 1};
	return true;
}

/* Takes what stands before the next NUL. */
static bool take_entry(struct slice *rest, struct slice *ret)
{
	const char *end = memchr(rest->p, '\0', rest->len);

	if (!end)
		return false;
	*ret = (struct slice){rest->p, (size_t)(end - rest->p)};
	rest->p += ret->len + 1;
	rest->len -= ret->len + 1;
	return true;
}

static int take_header(struct slice *rest, struct uevent *event)
{
	struct slice entry;
	const char *at;

	if (!take_entry(rest, &entry))
		return -EBADMSG;
	at = memchr(entry.p, '@', entry.len);
	if (!at || at == entry.p || at[1] != '/')
		return -EBADMSG;
	event->action = (struct slice){entry.p, (size_t)(at - entry.p)};
	event->device = (struct slice){at + 1, entry.len - event->action.len - 1};
	return 0;
}

int uevent_parse(const char *message, size_t len, struct uevent *ret)
{
	struct slice rest = {message, len}, entry, value;
	struct uevent event = {0};
	int r = take_header(&rest, &event);

	if (r < 0)
		return r;
	while (rest.len) {
		if (!take_entry(&rest, &entry))
			return -EBADMSG;
		if (value_of(entry, "ACTION", &value) && !same(value, event.action))
			return -EBADMSG;
		if (value_of(entry, "DEVPATH", &value) && !same(value, event.device))
			return -EBADMSG;
		/* The kernel writes its own before those that a driver adds. */
		if (!event.subsystem.len && value_of(entry, "SUBSYSTEM", &value))
			event.subsystem = value;
	}
	if (!event.subsystem.len)
		return -EBADMSG;
	*ret = event;
	return 0;
}

enum { COMES = 1, BINDS = 2, CHANGES = 4 };

/* What brings or takes nodes. A "change" says mostly that a value did (thermal: a trip point was
 * passed; pci: an error is handled): only of disks it may be a medium, a size or a mapped table. Of
 * platform devices there are hundreds; those with a driver matter. CPU frequencies come and go with
 * their CPU, which goes "offline". */
static const struct {
	const char *subsystem;
	unsigned actions;
} concerns[] = {
	{"block", COMES | CHANGES}, {"scsi", COMES},        {"scsi_host", COMES},
	{"scsi_disk", COMES},       {"scsi_device", COMES}, {"mmc", COMES | BINDS},
	{"mmc_host", COMES},        {"nvme", COMES},        {"nvme-subsystem", COMES},
	{"pci", COMES | BINDS},     {"platform", BINDS},    {"ufs", COMES | BINDS},
	{"thermal", COMES},         {"hwmon", COMES},       {"cpu", COMES},
	{"devfreq", COMES},         {"regulator", COMES},   {"rtc", COMES},
};

static unsigned kind_of(struct slice action)
{
	static const struct {
		const char *action;
		unsigned kind;
	} kinds[] = {
		{"add", COMES},     {"remove", COMES}, {"move", COMES},   {"online", COMES},
		{"offline", COMES}, {"bind", BINDS},   {"unbind", BINDS}, {"change", CHANGES},
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (slice_is(action, kinds[i].action))
			return kinds[i].kind;
	return 0;
}

bool uevent_concerns(const struct uevent *event)
{
	unsigned kind = kind_of(event->action);

	for (size_t i = 0; i < ARRAY_SIZE(concerns); i++)
		if (slice_is(event->subsystem, concerns[i].subsystem))
			return concerns[i].actions & kind;
	return false;
}
