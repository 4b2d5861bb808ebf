/* SHA-256 (FIPS 180-4), of bytes that come in pieces. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES     32
#define SHA256_HEX_BYTES 65 /* with its NUL */

struct sha256 {
	uint32_t state[8];
	uint64_t n_bytes;
	uint8_t block[64]; /* what is not taken yet */
};

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *p, size_t len);

/* The sum of all that was added, in lower case; sha is used up. */
void sha256_hex(struct sha256 *sha, char ret[SHA256_HEX_BYTES]);
