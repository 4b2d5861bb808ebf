/* Messages of the kernel: what is taken out of them, what is refused, and which ones matter. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sampling/uevent.h"

/* A message with the NUL at the end of the literal as its last byte. */
#define MESSAGE(text) text, sizeof(text)

/* In memory of its own size, so that a sanitizer sees a read beyond it. */
static int parse(const char *message, size_t len, struct uevent *ret, char **ret_copy)
{
	*ret_copy = malloc(len + !len);
	assert_non_null(*ret_copy);
	memcpy(*ret_copy, message, len);
	return uevent_parse(*ret_copy, len, ret);
}

static void good_messages_are_read(void **state)
{
	static const struct {
		const char *message;
		size_t len;
		const char *action, *device, *subsystem;
		bool concerns;
	} rows[] = {
		{MESSAGE("add@/devices/pci0000:00/0000:00:04.0/nvme/nvme0/nvme0n1\0ACTION=add\0"
			 "DEVPATH=/devices/pci0000:00/0000:00:04.0/nvme/nvme0/nvme0n1\0"
			 "SUBSYSTEM=block\0MAJOR=259\0DEVNAME=nvme0n1\0DEVTYPE=disk\0SEQNUM=1234"),
		 "add", "/devices/pci0000:00/0000:00:04.0/nvme/nvme0/nvme0n1", "block", true},
		{MESSAGE("remove@/d\0SUBSYSTEM=mmc"), "remove", "/d", "mmc", true},
		{MESSAGE("change@/d\0SUBSYSTEM=block"), "change", "/d", "block", true},
		{MESSAGE("change@/d\0SUBSYSTEM=thermal"), "change", "/d", "thermal", false},
		{MESSAGE("change@/d\0SUBSYSTEM=pci"), "change", "/d", "pci", false},
		{MESSAGE("bind@/d\0SUBSYSTEM=platform"), "bind", "/d", "platform", true},
		{MESSAGE("unbind@/d\0SUBSYSTEM=pci"), "unbind", "/d", "pci", true},
		{MESSAGE("add@/d\0SUBSYSTEM=platform"), "add", "/d", "platform", false},
		{MESSAGE("offline@/d\0SUBSYSTEM=cpu"), "offline", "/d", "cpu", true},
		{MESSAGE("add@/d\0SUBSYSTEM=nvme-subsystem"), "add", "/d", "nvme-subsystem", true},
		{MESSAGE("add@/d\0SUBSYSTEM=net"), "add", "/d", "net", false},
		{MESSAGE("add@/d\0SUBSYSTEM=blocks"), "add", "/d", "blocks", false},
		{MESSAGE("add@/d\0SUBSYSTEM=bloc"), "add", "/d", "bloc", false},
		{MESSAGE("polish@/d\0SUBSYSTEM=block"), "polish", "/d", "block", false},
		/* Of drivers: what looks like the kernel's own, no value, no '=', nothing at all */
		{MESSAGE("add@/d\0SUBSYSTEM=mmc\0SUBSYSTEM=net"), "add", "/d", "mmc", true},
		{MESSAGE("add@/d\0SUBSYSTEM=\0SUBSYSTEM=mmc\0X\0\0="), "add", "/d", "mmc", true},
		{MESSAGE("add@/d@e\0DEVPATH=/d@e\0SUBSYSTEM=scsi"), "add", "/d@e", "scsi", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct uevent event;
		char *copy;

		assert_int_equal(parse(rows[i].message, rows[i].len, &event, &copy), 0);
		assert_true(slice_is(event.action, rows[i].action));
		assert_true(slice_is(event.device, rows[i].device));
		assert_true(slice_is(event.subsystem, rows[i].subsystem));
		assert_int_equal(uevent_concerns(&event), rows[i].concerns);
		free(copy);
	}
}

static void others_are_refused(void **state)
{
	static const struct {
		const char *message;
		size_t len;
	} rows[] = {
		{"", 0},
		{MESSAGE("")},
		{MESSAGE("add")},
		{MESSAGE("@/d\0SUBSYSTEM=block")},
		{MESSAGE("add@\0SUBSYSTEM=block")},
		{MESSAGE("add@d\0SUBSYSTEM=block")},
		{MESSAGE("add@/d")},
		{MESSAGE("add@/d\0ACTION=add\0DEVPATH=/d")},         /* no subsystem */
		{MESSAGE("add@/d\0SUBSYSTEM=")},                     /* an empty one */
		{MESSAGE("add@/d\0subsystem=block")},                /* keys have a case */
		{MESSAGE("add@/d\0ACTION=remove\0SUBSYSTEM=block")}, /* contradiction */
		{MESSAGE("add@/d\0DEVPATH=/e\0SUBSYSTEM=block")},
		{MESSAGE("SUBSYSTEM=block\0add@/d")},
		/* cut in the header, in a key, in a value, before the last NUL */
		{"add@/d", 6},
		{"add@/d\0SUBSYS", 13},
		{"add@/d\0SUBSYSTEM=blo", 20},
		{"add@/d\0SUBSYSTEM=block", 22},
		/* udev's own, whose head is binary */
		{MESSAGE("libudev\0\xfe\xed\xca\xfe\x28\0\0\0\x28\0\0\0\x20\0\0\0ACTION=add\0"
			 "DEVPATH=/d\0SUBSYSTEM=block")},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct uevent event = {.action = {"kept", 4}};
		char *copy;

		assert_int_equal(parse(rows[i].message, rows[i].len, &event, &copy), -EBADMSG);
		assert_true(slice_is(event.action, "kept"));
		free(copy);
	}
}

/* Far more than the kernel sends. */
static void a_huge_message_is_read_once(void **state)
{
	size_t len = 1 << 20;
	char *message = calloc(len, 1);
	struct uevent event;

	(void)state;
	assert_non_null(message);
	memcpy(message, "add@/d", 6);
	memset(message + 7, 'x', len - 7 - 1 - sizeof("SUBSYSTEM=block"));
	memcpy(message + len - sizeof("SUBSYSTEM=block"), "SUBSYSTEM=block",
	       sizeof("SUBSYSTEM=block"));
	assert_int_equal(uevent_parse(message, len, &event), 0);
	assert_true(uevent_concerns(&event));
	/* Nothing but ends of entries */
	memset(message + 6, 0, len - 6);
	assert_int_equal(uevent_parse(message, len, &event), -EBADMSG);
	free(message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_messages_are_read),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(a_huge_message_is_read_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
