#include "model/node_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

const struct node_file node_file_none = {.error = -ENOENT};

bool is_want_of_descriptors(int error)
{
	return error == -EMFILE || error == -ENFILE;
}

bool is_want(int error)
{
	return is_want_of_descriptors(error) || error == -ENOMEM;
}

int search_error(int error)
{
	switch (error) {
	case -ENOENT:
	case -ENOTDIR:
	case -ENODEV:
	case -ELOOP:
	case -ENAMETOOLONG:
	case -EACCES:
	case -EPERM:
	case -ETIMEDOUT:
	case -ETIME:
		return 0;
	default:
		return error < 0 ? error : 0;
	}
}

void node_file_open(struct hw *hw, struct node_file *ret, const char *path_fmt, ...)
{
	char path[HW_PATH_MAX];
	va_list args;

	va_start(args, path_fmt);
	int len = vsnprintf(path, sizeof(path), path_fmt, args);
	va_end(args);
	*ret = (struct node_file){0};
	if (len < 0 || (size_t)len >= sizeof(path)) {
		ret->error = -ENAMETOOLONG;
		return;
	}
	ret->error = hw_file_open(hw, &ret->file, "%s", path);
	if (is_want_of_descriptors(ret->error))
		ret->error = hw_file_later(&ret->file, "%s", path);
}

void node_file_close(struct node_file *file)
{
	hw_file_close(&file->file);
}

int node_file_read(struct hw *hw, struct node_file *file, char *buf, size_t size)
{
	return file->error < 0 ? file->error : hw_file_read(hw, &file->file, buf, size);
}

int node_file_read_line(struct hw *hw, struct node_file *file, char *buf, size_t size)
{
	return file->error < 0 ? file->error : hw_file_read_line(hw, &file->file, buf, size);
}

int node_file_read_i64(struct hw *hw, struct node_file *file, int64_t *ret)
{
	return file->error < 0 ? file->error : hw_file_read_i64(hw, &file->file, ret);
}

bool node_file_exists(const struct node_file *file)
{
	return file->error != -ENOENT;
}

bool node_file_is_denied(const struct node_file *file)
{
	int error = file->error ? file->error : file->file.planned_error;

	return error == -EACCES || error == -EPERM;
}
