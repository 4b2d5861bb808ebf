#include "daemon/given_bytes.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"

int given_open(struct hw *hw, struct hw_file *ret)
{
	return hw_file_open(hw, ret, "proc/thread-self/io");
}

int64_t given_bytes(struct hw *hw, struct hw_file *account)
{
	static const char key[] = "\nwrite_bytes:";
	char buf[512];
	const char *line;
	struct slice rest, value, token;
	int64_t bytes;

	if (!account->path || hw_file_read(hw, account, buf, sizeof(buf)) < 0)
		return -1;
	line = strstr(buf, key);
	if (!line)
		return -1;
	rest = slice_of(line + sizeof(key) - 1);
	return slice_line(&rest, &value) && slice_token(&value, &token) &&
			       parse_i64_slice(token, &bytes) >= 0
		       ? bytes
		       : -1;
}

int64_t given_bytes_now(void)
{
	CLEANUP(hw_closep) struct hw *hw = NULL;
	struct hw_file account = {0};
	int64_t bytes = -1;

	if (hw_open("/", &hw) < 0)
		return -1;
	if (given_open(hw, &account) >= 0)
		bytes = given_bytes(hw, &account);
	hw_file_close(&account);
	return bytes;
}
