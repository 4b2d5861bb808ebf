#include "model/block.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/node_file.h"

static void replace(char *s, char from, char to)
{
	for (; *s; s++)
		if (*s == from)
			*s = to;
}

void block_name_of_kobject(char *name)
{
	replace(name, '!', '/');
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* 0, -ENOENT, or want of what it takes to look. */
static int look_below(struct hw *hw, const char *dir, const char *kobject, char *buf, size_t size)
{
	int len = snprintf(buf, size, "%s/%s", dir, kobject);
	int r = len > 0 && (size_t)len < size ? hw_look(hw, "%s", buf) : -ENOENT;

	return r == 0 || is_want(r) ? r : -ENOENT;
}

int block_dir(struct hw *hw, const char *name, char *buf, size_t size)
{
	char kobject[BLOCK_NAME_MAX];

	if (!*name || *name == '.' || slice_copy(slice_of(name), kobject, sizeof(kobject)) < 0)
		return -ENOENT;
	replace(kobject, '/', '!');

	int r = look_below(hw, "sys/class/block", kobject, buf, size);

	return r == 0 || is_want(r) ? r : look_below(hw, "sys/block", kobject, buf, size);
}

static int name_from_sysfs(struct hw *hw, int64_t major, int64_t minor, char name[BLOCK_NAME_MAX])
{
	char path[HW_PATH_MAX];
	int r = hw_real_path(hw, path, sizeof(path), "sys/dev/block/%lld:%lld", (long long)major,
			     (long long)minor);

	if (r < 0)
		return r;
	r = slice_copy(slice_of(last_component(path)), name, BLOCK_NAME_MAX);
	if (r < 0)
		return r;
	block_name_of_kobject(name);
	return 0;
}

static int name_from_line(struct slice line, int64_t major, int64_t minor,
			  char name[BLOCK_NAME_MAX])
{
	struct slice token;
	int64_t number;

	if (!slice_token(&line, &token) || parse_i64_slice(token, &number) < 0 || number != major)
		return -ENOENT;
	if (!slice_token(&line, &token) || parse_i64_slice(token, &number) < 0 || number != minor)
		return -ENOENT;
	if (!slice_token(&line, &token))
		return -ENOENT;
	return slice_copy(token, name, BLOCK_NAME_MAX);
}

static int name_from_diskstats(struct hw *hw, int64_t major, int64_t minor,
			       char name[BLOCK_NAME_MAX])
{
	static const size_t max_bytes = 256 * 1024;
	char *buf = malloc(max_bytes);
	int r = buf ? hw_read(hw, buf, max_bytes, "proc/diskstats") : -ENOMEM;
	struct slice rest = {buf, r > 0 ? (size_t)r : 0}, line;

	if (r >= 0)
		r = -ENOENT;
	while (r == -ENOENT && slice_line(&rest, &line))
		r = name_from_line(line, major, minor, name);
	free(buf);
	return r;
}

int block_name_of(struct hw *hw, int64_t major, int64_t minor, char name[BLOCK_NAME_MAX])
{
	if (major <= 0)
		return -ENOENT;
	if (name_from_sysfs(hw, major, minor, name) == 0)
		return 0;
	return name_from_diskstats(hw, major, minor, name) < 0 ? -ENOENT : 0;
}

bool block_is_partition_of(const char *name, const char *disk)
{
	size_t len = strlen(disk);

	if (!len || strncmp(name, disk, len) != 0)
		return false;

	const char *rest = name + len;

	if (isdigit((unsigned char)disk[len - 1])) {
		if (*rest != 'p')
			return false;
		rest++;
	}
	return *rest && strspn(rest, "0123456789") == strlen(rest);
}

/* By the form of the name alone. Only drivers that are known to number partitions so: "dm-0", "sr0"
 * and "md1" end in a digit and are disks. */
static void disk_by_name(const char *name, char disk[BLOCK_NAME_MAX])
{
	static const char *const lettered[] = {"sd", "hd", "vd", "xvd"};
	size_t len = strlen(name), digits = 0;

	snprintf(disk, BLOCK_NAME_MAX, "%s", name);
	while (digits < len && isdigit((unsigned char)name[len - 1 - digits]))
		digits++;
	if (!digits || digits + 1 >= len || len >= BLOCK_NAME_MAX)
		return;
	if (name[len - digits - 1] == 'p' && isdigit((unsigned char)name[len - digits - 2])) {
		disk[len - digits - 1] = '\0';
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(lettered); i++) {
		size_t prefix = strlen(lettered[i]);

		if (!strncmp(name, lettered[i], prefix) &&
		    strspn(name + prefix, "abcdefghijklmnopqrstuvwxyz") == len - prefix - digits)
			disk[len - digits] = '\0';
	}
}

/* The directory above the partition's own is that of its disk. */
static int disk_by_sysfs(struct hw *hw, const char *dir, char disk[BLOCK_NAME_MAX])
{
	char path[HW_PATH_MAX];
	int r = hw_real_path(hw, path, sizeof(path), "%s", dir);
	char *slash = r < 0 ? NULL : strrchr(path, '/');

	if (!slash)
		return r < 0 ? r : -ENOENT;
	*slash = '\0';
	r = slice_copy(slice_of(last_component(path)), disk, BLOCK_NAME_MAX);
	if (r < 0)
		return r;
	block_name_of_kobject(disk);
	return 0;
}

/* disk is set in any case; the error is want of what it takes to look. */
static int disk_of(struct hw *hw, const char *name, char disk[BLOCK_NAME_MAX])
{
	char dir[HW_PATH_MAX];
	int r = block_dir(hw, name, dir, sizeof(dir));

	if (r < 0) {
		disk_by_name(name, disk);
		return is_want(r) ? r : 0;
	}
	r = hw_look(hw, "%s/partition", dir);
	if (r == 0)
		r = disk_by_sysfs(hw, dir, disk);
	if (r < 0)
		snprintf(disk, BLOCK_NAME_MAX, "%s", name);
	return is_want(r) ? r : 0;
}

void block_disk_of(struct hw *hw, const char *name, char disk[BLOCK_NAME_MAX])
{
	if (disk_of(hw, name, disk) < 0)
		return; /* by the form of its name */
}

/* Hardware partitions of an eMMC (mmcblk0boot0) are disks that share the card's CID. */
static const char *mmc_part(const char *name)
{
	if (strncmp(name, "mmcblk", 6) != 0)
		return "";
	name += 6;
	return name + strspn(name, "0123456789");
}

/* Where the device is plugged in. Numbers of SCSI and MMC hosts and of NVMe controllers depend on
 * the order of probing, so what stands before them is taken, and of SCSI the address behind:
 * ".../1-1:1.0/0:0:0". An SD card draws another address each time. */
static void stable_path(const char *path, struct text *out)
{
	static const char top[] = "sys/devices/";
	const char *start = strncmp(path, top, sizeof(top) - 1) ? path : path + sizeof(top) - 1;
	const char *host = strstr(start, "/host"), *address = strchr(last_component(path), ':');
	const char *controller = strstr(start, "/nvme/nvme");

	if (!controller)
		controller = strstr(start, "/mmc_host/");
	if (controller) {
		text_mem(out, start, (size_t)(controller - start));
	} else if (host && isdigit((unsigned char)host[5]) && address) {
		text_mem(out, start, (size_t)(host - start));
		text_char(out, '/');
		text_str(out, address + 1);
	} else {
		text_str(out, start);
	}
}

bool block_nvme_name(const char *name, char disk[BLOCK_NAME_MAX])
{
	static const char prefix[] = "nvme", digits[] = "0123456789";
	const char *number = name + sizeof(prefix) - 1, *tail;
	size_t len;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 || strlen(name) >= BLOCK_NAME_MAX)
		return false;
	len = strspn(number, digits);
	tail = number + len;
	if (*tail == 'c') {
		size_t n = strspn(tail + 1, digits);

		tail += n ? n + 1 : 0;
	}
	if (!len || *tail != 'n' || !tail[1] || strspn(tail + 1, digits) != strlen(tail + 1))
		return false;
	snprintf(disk, BLOCK_NAME_MAX, "%.*s%s", (int)(number + len - name), name, tail);
	return true;
}

/* One of the hidden paths to a namespace, which has the identity of the namespace. */
static bool is_nvme_path(const char *name)
{
	char disk[BLOCK_NAME_MAX];

	return block_nvme_name(name, disk) && strcmp(name, disk) != 0;
}

bool block_is_path(struct hw *hw, const char *name, char disk[BLOCK_NAME_MAX])
{
	char dir[HW_PATH_MAX];
	int64_t hidden;

	if (!block_nvme_name(name, disk) || !strcmp(name, disk))
		return false;
	return block_dir(hw, name, dir, sizeof(dir)) < 0 ||
	       hw_read_i64(hw, &hidden, "%s/hidden", dir) < 0 || hidden;
}

/* These and those below return 0, or want of what it takes to look. */
static int path_identity(struct hw *hw, const char *name, const char *dir, struct text *out)
{
	char path[HW_PATH_MAX];
	int64_t namespace_id;
	int r = hw_real_path(hw, path, sizeof(path), "%s/device", dir);

	if (r < 0 && !is_want(r))
		r = hw_real_path(hw, path, sizeof(path), "%s", dir);
	if (r < 0)
		return is_want(r) ? r : 0;
	text_str(out, "path:");
	stable_path(path, out);
	text_str(out, mmc_part(name));
	r = hw_read_i64(hw, &namespace_id, "%s/nsid", dir);
	if (r == 0)
		text_printf(out, "/ns%lld", (long long)namespace_id);
	return is_want(r) ? r : 0;
}

/* The names are the kernel's, and no other driver gives them. */
static bool is_virtio(const char *name)
{
	const char *letters = name + 2;

	return !strncmp(name, "vd", 2) && *letters &&
	       strspn(letters, "abcdefghijklmnopqrstuvwxyz") == strlen(letters);
}

/* The serial of a virtio disk is asked of the device, which answers when it likes or not at all; so
 * a device is asked once in its life. Others have none there. */
static int read_serial(struct hw *hw, const char *name, const char *dir, char *buf, size_t size)
{
	char key[BLOCK_NAME_MAX + 32];
	int64_t sequence;
	int r;

	if (!is_virtio(name))
		return -ENOENT;
	/* Since 5.15: the number of this device among all that there were. */
	r = hw_read_i64(hw, &sequence, "%s/diskseq", dir);
	if (is_want(r))
		return r;
	if (r < 0)
		return hw_read_line(hw, buf, size, "%s/serial", dir);
	snprintf(key, sizeof(key), "serial of %s", name);
	return hw_read_line_once(hw, key, sequence, buf, size, "%s/serial", dir);
}

/* Cards without a number of their own. */
static bool is_all_zero(const char *value)
{
	return strspn(value, "0") == strlen(value);
}

static int disk_identity(struct hw *hw, const char *name, const char *dir, struct text *out)
{
	/* In the order of trust: what the standard makes unique first. The parent of an eMMC's
	 * hardware partition is the main disk, and the card's is one further up. */
	static const struct {
		const char *attr, *kind;
	} attrs[] = {
		{"wwid", "wwid"},
		{"device/wwid", "wwid"},
		{"device/cid", "cid"},
		{"device/device/cid", "cid"},
		{"dm/uuid", "dm"},
		{"dm/name", "dm-name"},
		{"serial", "serial"},
		{"md/uuid", "md"},
		{"loop/backing_file", "loop"},
		{"device/serial", "serial"},
	};
	char value[256];

	for (size_t i = 0; i < ARRAY_SIZE(attrs); i++) {
		int r = strcmp(attrs[i].attr, "serial")
				? hw_read_line(hw, value, sizeof(value), "%s/%s", dir,
					       attrs[i].attr)
				: read_serial(hw, name, dir, value, sizeof(value));

		if (is_want(r))
			return r;
		if (r < 0 || (!strcmp(attrs[i].kind, "cid") && is_all_zero(value)))
			continue;
		text_printf(out, "%s:%s%s", attrs[i].kind, value, mmc_part(name));
		return 0;
	}
	return path_identity(hw, name, dir, out);
}

static int partuuid(struct hw *hw, const char *dir, struct text *out)
{
	char buf[1024];
	struct slice rest, line;
	int r = hw_read(hw, buf, sizeof(buf), "%s/uevent", dir);

	rest = (struct slice){buf, r > 0 ? (size_t)r : 0};
	while (slice_line(&rest, &line)) {
		if (line.len <= 9 || memcmp(line.p, "PARTUUID=", 9) != 0)
			continue;
		text_str(out, "partuuid:");
		text_mem(out, line.p + 9, line.len - 9);
		break;
	}
	return is_want(r) ? r : 0;
}

static int identify_disk(struct hw *hw, const char *name, bool by_path, const char *dir,
			 struct text *out)
{
	return by_path || is_nvme_path(name) ? path_identity(hw, name, dir, out)
					     : disk_identity(hw, name, dir, out);
}

static int identify_partition(struct hw *hw, const char *name, bool by_path, int64_t number,
			      struct text *out)
{
	char dir[HW_PATH_MAX], disk[BLOCK_NAME_MAX];
	int r = block_dir(hw, name, dir, sizeof(dir));

	if (r == 0 && !by_path)
		r = partuuid(hw, dir, out);
	if (r < 0 || out->len)
		return r;
	r = disk_of(hw, name, disk);
	if (r == 0)
		r = block_dir(hw, disk, dir, sizeof(dir));
	if (r == 0)
		r = identify_disk(hw, disk, by_path, dir, out);
	if (r == 0 && out->len)
		text_printf(out, "-part%lld", (long long)number);
	return r;
}

int block_identity(struct hw *hw, const char *name, bool by_path, char *buf, size_t size)
{
	char dir[HW_PATH_MAX];
	struct text out = text_in(buf, size);
	int64_t number;
	int r = block_dir(hw, name, dir, sizeof(dir));

	if (r < 0)
		return is_want(r) ? r : 0;
	r = hw_read_i64(hw, &number, "%s/partition", dir);
	if (is_want(r))
		return r;
	if (r < 0 || number < 1)
		r = identify_disk(hw, name, by_path, dir, &out);
	else
		r = identify_partition(hw, name, by_path, number, &out);
	if (!is_want(r))
		return 0;
	text_rewind(&out, 0);
	return r;
}

static bool is_numbered(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return !strncmp(name, prefix, len) && isdigit((unsigned char)name[len]);
}

bool block_is_pseudo(const char *name)
{
	static const char *const prefixes[] = {"ram", "loop", "zram", "nbd"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (is_numbered(name, prefixes[i]))
			return true;
	return false;
}

static bool same_identity(const char *a, const char *b)
{
	return a[0] && !strcmp(a, b);
}

/* Tells the device at i apart from those behind it. */
static int tell_one_apart(struct hw *hw, const char *const *names, char *const *identities,
			  size_t i, size_t n, size_t size)
{
	bool twice = false;
	int r = 0;

	for (size_t k = i + 1; k < n && r == 0; k++) {
		if (!same_identity(identities[i], identities[k]))
			continue;
		r = block_identity(hw, names[k], true, identities[k], size);
		twice = true;
	}
	if (twice && r == 0)
		r = block_identity(hw, names[i], true, identities[i], size);
	for (size_t k = i + 1; k < n; k++)
		if (same_identity(identities[i], identities[k]))
			identities[k][0] = '\0';
	return r;
}

int block_tell_apart(struct hw *hw, const char *const *names, char *const *identities, size_t n,
		     size_t size)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = tell_one_apart(hw, names, identities, i, n, size);
	return r;
}

int block_identities(struct hw *hw, const char *const *names, char *const *identities, size_t n,
		     size_t size)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = block_identity(hw, names[i], false, identities[i], size);
	return r < 0 ? r : block_tell_apart(hw, names, identities, n, size);
}
