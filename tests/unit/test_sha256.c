/* SHA-256 against the examples of FIPS 180-4 and sums that sha256sum made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/sha256.h"

static const struct {
	const char *text, *sum;
} examples[] = {
	{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static void test_examples(void **state)
{
	char sum[SHA256_HEX_BYTES];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		struct sha256 sha;

		sha256_init(&sha);
		sha256_add(&sha, examples[i].text, strlen(examples[i].text));
		sha256_hex(&sha, sum);
		assert_string_equal(sum, examples[i].sum);
	}
}

/* A million of the letter a, in pieces of every length up to 200. */
static void test_pieces(void **state)
{
	char sum[SHA256_HEX_BYTES], letters[200];
	struct sha256 sha;

	(void)state;
	memset(letters, 'a', sizeof(letters));
	sha256_init(&sha);
	for (size_t left = 1000000, n = 1; left; n = n % sizeof(letters) + 1) {
		sha256_add(&sha, letters, MIN(n, left));
		left -= MIN(n, left);
	}
	sha256_hex(&sha, sum);
	assert_string_equal(sum,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
