/* Strict conversion of kernel text to numbers: the whole text or nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of somebody else's buffer; not NUL-terminated. */
struct slice {
	const char *p;
	size_t len;
};

struct slice slice_of(const char *text);
bool slice_is(struct slice slice, const char *text);

/* Copies with a terminating NUL; -ENAMETOOLONG, and nothing written, when it does not fit. */
int slice_copy(struct slice slice, char *buf, size_t size);

/* Takes the next token, separated by blanks and tabs, off the front of *rest. false: none left. */
bool slice_token(struct slice *rest, struct slice *ret_token);

/* Takes the next line, without its newline, off the front of *rest. false: none left. */
bool slice_line(struct slice *rest, struct slice *ret_line);

/* Takes what stands before the first c, and c itself, off the front of *rest. false: no c in it. */
bool slice_until(struct slice *rest, char c, struct slice *ret_part);

/* A decimal or 0x-prefixed integer with an optional sign, nothing before it and nothing behind.
 * Returns 0, -EINVAL (no number, or text around it) or -ERANGE (does not fit int64). */
int parse_i64_slice(struct slice slice, int64_t *ret);

/* The same for a C string; one trailing newline and blanks at the end are allowed, as the kernel
 * prints them. -ENODATA when there is nothing but blanks: an empty read means unavailable. */
int parse_i64(const char *text, int64_t *ret);

/* "2.65" with decimals=2 gives 265, "3" gives 300. Further digits are cut off. Errors as above. */
int parse_fixed_slice(struct slice slice, unsigned decimals, int64_t *ret);

/* "90s", "10min", "1h", "250ms", "2d"; a bare number is taken in seconds. Returns 0, -EINVAL or
 * -ERANGE. */
int parse_duration_ms(const char *text, int64_t *ret_ms);

/* "128MiB", "64KiB", "1GiB", "512" (bytes), "10MB" (10^6). Returns 0, -EINVAL or -ERANGE. */
int parse_size_bytes(const char *text, int64_t *ret_bytes);
