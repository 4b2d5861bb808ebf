/* The mount of a file, by its id in a table, and what takes the writes of an overlay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "daemon/own_mount.h"

static const char table[] =
	"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
	"no line of a table\n"
	"46 27 0:40 /@data /data rw,noatime - btrfs /dev/sda2 rw,subvol=/@data\n"
	"47 27 0:41 / /over rw - overlay overlay "
	"rw,lowerdir=/l\\040o,upperdir=/data/u\\040p,workdir=/w\n"
	"48 27 0:42 / /bare rw - overlay overlay ro,lowerdir=/upperdir=x\n"
	"49 27 0:43 / /odd rw - btrfs /dev/sdb rw,upperdir=/u";

static int find(int64_t id, struct own_mount *ret)
{
	CLEANUP(fclosep)
	FILE *file = fmemopen((void *)(uintptr_t)table, sizeof(table) - 1, "r");

	assert_non_null(file);
	return own_mount_read(file, id, ret);
}

static void test_by_id(void **state)
{
	struct own_mount mount;

	(void)state;
	assert_int_equal(find(46, &mount), 0);
	assert_true(slice_is(mount.mount.fs_type, "btrfs"));
	assert_true(slice_is(mount.mount.source, "/dev/sda2"));
	own_mount_done(&mount);
	assert_int_equal(find(50, &mount), -ENOENT);
	assert_null(mount.line);
}

static void check_upper(int64_t id, const char *want)
{
	struct own_mount mount;
	char path[PATH_MAX] = "";

	assert_int_equal(find(id, &mount), 0);
	assert_int_equal(own_mount_upper(&mount.mount, path), want != NULL);
	if (want)
		assert_string_equal(path, want);
	own_mount_done(&mount);
}

static void test_upper(void **state)
{
	(void)state;
	check_upper(47, "/data/u p");
	check_upper(27, NULL);
	check_upper(48, NULL);
	check_upper(49, NULL);
}

/* What is not there yet lies where the nearest folder above it does. */
static void test_of_this_process(void **state)
{
	struct own_mount proc, missing;

	(void)state;
	if (own_mount_find("/proc/self/stat", &proc) < 0)
		skip();
	assert_true(slice_is(proc.mount.fs_type, "proc"));
	assert_int_equal(own_mount_find("/proc/sys/nothing/here/x", &missing), 0);
	assert_int_equal(missing.mount.id, proc.mount.id);
	own_mount_done(&missing);
	own_mount_done(&proc);

	CLEANUP(closep) int fd = own_mount_open("nothing/here");
	struct stat here, found;

	assert_true(fd >= 0);
	assert_int_equal(stat(".", &here), 0);
	assert_int_equal(fstat(fd, &found), 0);
	assert_true(here.st_ino == found.st_ino && here.st_dev == found.st_dev);
	assert_int_equal(own_mount_open("/proc/self/stat/x"), -ENOTDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_id),
		cmocka_unit_test(test_upper),
		cmocka_unit_test(test_of_this_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
