#include "model/command_record.h"

#include <errno.h>
#include <string.h>

#include "base/errno_name.h"
#include "base/hw_command.h"
#include "base/parse.h"
#include "model/flaw.h"

#define WORD_MAX_BYTES 64

static int fail(int flaw, int *ret_flaw)
{
	*ret_flaw = flaw;
	return -EBADMSG;
}

/* The one word of a file, without the blanks behind it; "" for one that is too long, or has a NUL.
 */
static int read_word(struct hw *hw, const char *device, const char *name, const char *suffix,
		     char word[WORD_MAX_BYTES], int *ret_flaw)
{
	int r = hw_command_record(hw, word, WORD_MAX_BYTES, "COMMANDS/%s/%s%s", device, name,
				  suffix);

	if (r == -EBADFD)
		return fail(FLAW_NO_FILE, ret_flaw);
	if (r < 0)
		return r;
	if (r == WORD_MAX_BYTES)
		r = 0;
	while (r > 0 && strchr(" \t\r\n", word[r - 1]))
		r--;
	word[r] = '\0';
	return 0;
}

int command_record_look(struct hw *hw, const char *device, const char *name)
{
	if (hw_is_live(hw) || hw_look(hw, "COMMANDS/%s/%s", device, name) != -ENOENT)
		return 0;
	return hw_look(hw, "COMMANDS/%s/%s.status", device, name) == -ENOENT ? -ENOENT : 0;
}

int command_record_status(struct hw *hw, const char *device, const char *name, int max,
			  int *ret_status)
{
	char word[WORD_MAX_BYTES];
	int64_t status;
	int r = read_word(hw, device, name, ".status", word, ret_status);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (errno_value(word))
		return -errno_value(word);
	if (parse_i64(word, &status) < 0 || status < 0 || status > max)
		return fail(FLAW_NO_STATUS, ret_status);
	if (!status)
		return fail(FLAW_NO_FAILURE, ret_status);
	*ret_status = (int)status;
	return 1;
}

int command_record_page(struct hw *hw, const char *device, const char *name, uint8_t *page,
			size_t size, int *ret_flaw)
{
	uint8_t buf[COMMAND_RECORD_MAX + 1];
	int r = size > COMMAND_RECORD_MAX
			? -EINVAL
			: hw_command_record(hw, buf, size + 1, "COMMANDS/%s/%s", device, name);

	if (r == -EBADFD)
		return fail(FLAW_NO_FILE, ret_flaw);
	if (r < 0)
		return r;
	if ((size_t)r != size)
		return fail(FLAW_LENGTH(r), ret_flaw);
	memcpy(page, buf, size);
	return 0;
}

int command_record_number(struct hw *hw, const char *device, const char *name, uint16_t *ret,
			  int *ret_flaw)
{
	char word[WORD_MAX_BYTES];
	int64_t number;
	int r = read_word(hw, device, name, "", word, ret_flaw);

	if (r < 0)
		return r;
	if (parse_i64(word, &number) < 0 || number < 0 || number > UINT16_MAX)
		return fail(FLAW_NO_NUMBER, ret_flaw);
	*ret = (uint16_t)number;
	return 0;
}
