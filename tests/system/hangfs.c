/* A file system of one file that stops to answer: what a node behind a dead bus looks like.
 * Usage: hangfs MOUNT_POINT CONTROL_FILE
 *
 * It is mounted over one file, which then reads as 47312. While the control file exists, a read is
 * taken from the kernel and not answered, so the reader sleeps in the kernel and no signal reaches
 * it; once the control file is gone, it is answered. Stays in the foreground until it is
 * unmounted. */
#define FUSE_USE_VERSION 31

#include <errno.h>
#include <fuse3/fuse.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define POLL_US 20000

static const char *control;
static const char content[] = "47312\n";

static int hang_getattr(const char *path, struct stat *st, struct fuse_file_info *file)
{
	(void)file;
	if (strcmp(path, "/") != 0)
		return -ENOENT;
	memset(st, 0, sizeof(*st));
	st->st_mode = S_IFREG | 0444;
	st->st_nlink = 1;
	st->st_size = 4096;
	return 0;
}

static int hang_open(const char *path, struct fuse_file_info *file)
{
	/* As an attribute of sysfs: every read comes here. */
	(void)path;
	file->direct_io = 1;
	return 0;
}

static int hang_read(const char *path, char *buf, size_t size, off_t offset,
		     struct fuse_file_info *file)
{
	(void)path, (void)file;
	while (access(control, F_OK) == 0)
		usleep(POLL_US);
	if (offset < 0 || (size_t)offset >= sizeof(content) - 1)
		return 0;
	if (size > sizeof(content) - 1 - (size_t)offset)
		size = sizeof(content) - 1 - (size_t)offset;
	memcpy(buf, content + offset, size);
	return (int)size;
}

static const struct fuse_operations operations = {
	.getattr = hang_getattr,
	.open = hang_open,
	.read = hang_read,
};

int main(int argc, char **argv)
{
	char *fuse_argv[] = {argv[0], argv[1], (char[]){"-f"}, NULL};

	if (argc != 3)
		return 2;
	control = argv[2];
	return fuse_main(3, fuse_argv, &operations, NULL);
}
