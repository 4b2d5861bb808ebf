#include "base/sha256.h"

#include <string.h>

#include "base/macros.h"

static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

void sha256_init(struct sha256 *sha)
{
	static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	memcpy(sha->state, start, sizeof(start));
	sha->n_bytes = 0;
}

static uint32_t turn(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void take_block(struct sha256 *sha, const uint8_t *p)
{
	uint32_t w[64], s[8];

	for (size_t i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (size_t i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(s, sha->state, sizeof(s));
	for (size_t i = 0; i < 64; i++) {
		uint32_t a = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
			     ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
		uint32_t b = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
			     ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(&s[1], &s[0], 7 * sizeof(s[0]));
		s[4] += a;
		s[0] = a + b;
	}
	for (size_t i = 0; i < 8; i++)
		sha->state[i] += s[i];
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len) {
		size_t at = sha->n_bytes % sizeof(sha->block);
		size_t n = MIN(len, sizeof(sha->block) - at);

		memcpy(sha->block + at, p, n);
		sha->n_bytes += n;
		p += n;
		len -= n;
		if (at + n == sizeof(sha->block))
			take_block(sha, sha->block);
	}
}

void sha256_hex(struct sha256 *sha, char ret[SHA256_HEX_BYTES])
{
	static const uint8_t padding[64] = {0x80};
	static const char digits[] = "0123456789abcdef";
	uint64_t n_bits = sha->n_bytes * 8;
	size_t at = sha->n_bytes % 64;
	uint8_t length[8];

	for (size_t i = 0; i < 8; i++)
		length[i] = (uint8_t)(n_bits >> (56 - 8 * i));
	sha256_add(sha, padding, at < 56 ? 56 - at : 120 - at);
	sha256_add(sha, length, sizeof(length));
	for (size_t i = 0; i < 8; i++)
		for (size_t j = 0; j < 8; j++)
			ret[8 * i + j] = digits[sha->state[i] >> (28 - 4 * j) & 15];
	ret[64] = '\0';
}
