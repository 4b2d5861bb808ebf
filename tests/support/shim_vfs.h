/* A VFS of SQLite that passes everything on to the system's and tells an observer first what is
 * changed: the tests make power cuts of that, the benches count. It does as the interface of
 * https://www.sqlite.org/c3ref/io_methods.html wants, without memory mapping of the database.
 * Everything is static so that each program stands alone; one observer at a time. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Each may be NULL. path is as SQLite names the file, absolute. */
struct shim_observer {
	void (*open)(const char *path, bool created, void *arg);
	void (*write)(const char *path, const void *data, int len, int64_t at, void *arg);
	void (*truncate)(const char *path, int64_t size, void *arg);
	void (*sync)(const char *path, void *arg);
	void (*delete)(const char *path, bool durable, void *arg);
	void *arg;
	bool lazy; /* flushes are told and not passed on */
};

struct shim_file {
	sqlite3_file base;
	const char *path; /* lives as long as the file is open */
	sqlite3_file *below;
};

static struct shim_observer shim_observer;
static sqlite3_vfs *shim_below;

static inline sqlite3_file *below(sqlite3_file *file)
{
	return ((struct shim_file *)file)->below;
}

static inline const char *path_of(sqlite3_file *file)
{
	return ((struct shim_file *)file)->path;
}

static int shim_close(sqlite3_file *file)
{
	return below(file)->pMethods->xClose(below(file));
}

static int shim_read(sqlite3_file *file, void *data, int len, sqlite3_int64 at)
{
	return below(file)->pMethods->xRead(below(file), data, len, at);
}

static int shim_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 at)
{
	if (shim_observer.write && path_of(file))
		shim_observer.write(path_of(file), data, len, at, shim_observer.arg);
	return below(file)->pMethods->xWrite(below(file), data, len, at);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	if (shim_observer.truncate && path_of(file))
		shim_observer.truncate(path_of(file), size, shim_observer.arg);
	return below(file)->pMethods->xTruncate(below(file), size);
}

static int shim_sync(sqlite3_file *file, int flags)
{
	int r = shim_observer.lazy ? SQLITE_OK : below(file)->pMethods->xSync(below(file), flags);

	if (shim_observer.sync && path_of(file) && r == SQLITE_OK)
		shim_observer.sync(path_of(file), shim_observer.arg);
	return r;
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *ret)
{
	return below(file)->pMethods->xFileSize(below(file), ret);
}

static int shim_lock(sqlite3_file *file, int level)
{
	return below(file)->pMethods->xLock(below(file), level);
}

static int shim_unlock(sqlite3_file *file, int level)
{
	return below(file)->pMethods->xUnlock(below(file), level);
}

static int shim_reserved(sqlite3_file *file, int *ret)
{
	return below(file)->pMethods->xCheckReservedLock(below(file), ret);
}

static int shim_control(sqlite3_file *file, int op, void *arg)
{
	return below(file)->pMethods->xFileControl(below(file), op, arg);
}

static int shim_sector(sqlite3_file *file)
{
	return below(file)->pMethods->xSectorSize(below(file));
}

static int shim_device(sqlite3_file *file)
{
	return below(file)->pMethods->xDeviceCharacteristics(below(file));
}

static int shim_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **ret)
{
	return below(file)->pMethods->xShmMap(below(file), page, size, extend, ret);
}

static int shim_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
	return below(file)->pMethods->xShmLock(below(file), offset, n, flags);
}

static void shim_shm_barrier(sqlite3_file *file)
{
	below(file)->pMethods->xShmBarrier(below(file));
}

static int shim_shm_unmap(sqlite3_file *file, int delete_it)
{
	return below(file)->pMethods->xShmUnmap(below(file), delete_it);
}

static const sqlite3_io_methods shim_methods = {
	.iVersion = 2,
	.xClose = shim_close,
	.xRead = shim_read,
	.xWrite = shim_write,
	.xTruncate = shim_truncate,
	.xSync = shim_sync,
	.xFileSize = shim_size,
	.xLock = shim_lock,
	.xUnlock = shim_unlock,
	.xCheckReservedLock = shim_reserved,
	.xFileControl = shim_control,
	.xSectorSize = shim_sector,
	.xDeviceCharacteristics = shim_device,
	.xShmMap = shim_shm_map,
	.xShmLock = shim_shm_lock,
	.xShmBarrier = shim_shm_barrier,
	.xShmUnmap = shim_shm_unmap,
};

static int shim_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
		     int *ret_flags)
{
	struct shim_file *shim = (struct shim_file *)file;
	int there = 0, r;

	(void)vfs;
	if (path)
		shim_below->xAccess(shim_below, path, SQLITE_ACCESS_EXISTS, &there);
	shim->path = path;
	shim->below = (sqlite3_file *)(shim + 1);
	r = shim_below->xOpen(shim_below, path, shim->below, flags, ret_flags);
	/* Without methods nobody closes it. */
	shim->base.pMethods = shim->below->pMethods ? &shim_methods : NULL;
	if (r == SQLITE_OK && path && shim_observer.open)
		shim_observer.open(path, !there, shim_observer.arg);
	return r;
}

static int shim_delete(sqlite3_vfs *vfs, const char *path, int durable)
{
	(void)vfs;
	int r = shim_below->xDelete(shim_below, path, durable);

	if (r == SQLITE_OK && shim_observer.delete)
		shim_observer.delete(path, durable, shim_observer.arg);
	return r;
}

/* Every database that is opened from now on goes through the shim; observer may be zero. */
static inline int shim_install(const struct shim_observer *observer)
{
	static sqlite3_vfs vfs;

	shim_observer = *observer;
	if (shim_below)
		return SQLITE_OK;
	shim_below = sqlite3_vfs_find(NULL);
	if (!shim_below)
		return SQLITE_NOTFOUND;
	vfs = *shim_below;
	vfs.zName = "shim";
	vfs.pNext = NULL;
	vfs.szOsFile = (int)sizeof(struct shim_file) + shim_below->szOsFile;
	vfs.xOpen = shim_open;
	vfs.xDelete = shim_delete;
	return sqlite3_vfs_register(&vfs, 1);
}
