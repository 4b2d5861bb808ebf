/* Who is let in over HTTP: the token and its file, the Host header, what options say together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "daemon/access.h"

#define TOKEN "0123456789abcdef-._~+/="

static struct config *configured(const char *listen, const char *token_file, const char *everybody)
{
	struct config *config = NULL;

	assert_int_equal(config_new(NULL, 0, &config), 0);
	assert_int_equal(config_set(config, OPTION_LISTEN, listen, "test"), 0);
	assert_int_equal(config_set(config, OPTION_TOKEN_FILE, token_file, "test"), 0);
	assert_int_equal(config_set(config, OPTION_UNAUTHENTICATED, everybody, "test"), 0);
	return config;
}

static void test_options(void **state)
{
	static const struct {
		const char *listen, *token_file, *everybody;
		const char *why; /* NULL: they are good */
	} cases[] = {
		{"127.0.0.1:1 [::1]:1 unix:/a systemd", "none", "no", NULL},
		{"none", "none", "no", NULL},
		{"0.0.0.0:1", "none", "no",
		 "test: [http] listen: 0.0.0.0:1 can be reached from elsewhere"},
		{"127.0.0.1:1 [fe80::1]:1", "none", "no", "[fe80::1]:1 can be reached"},
		{"0.0.0.0:1", "/t", "no", NULL},
		{"0.0.0.0:1", "none", "yes", NULL},
		{"0.0.0.0:1", "/t", "yes",
		 "test: [http] token_file and allow_unauthenticated = yes exclude each other"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(config_freep)
		struct config *config =
			configured(cases[i].listen, cases[i].token_file, cases[i].everybody);
		char why[512];
		struct text text = TEXT_IN(why);

		assert_int_equal(access_check(config, &text), cases[i].why ? -EINVAL : 0);
		if (cases[i].why && !strstr(why, cases[i].why))
			fail_msg("case %zu: \"%s\"", i, why);
	}
}

static void write_file(const char *path, const char *content, mode_t mode)
{
	CLEANUP(fclosep) FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(content, 1, strlen(content), file), strlen(content));
	assert_int_equal(fchmod(fileno(file), mode), 0);
}

#define X_40 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void test_token_file(void **state)
{
	static const struct {
		const char *content;
		mode_t mode;
		int r;
		const char *why;
	} cases[] = {
		{TOKEN "\n", 0600, 0, ""},
		{TOKEN, 0400, 0, ""},
		{TOKEN "\r\nsecond line\n", 0600, 0, ""},
		{TOKEN "\n", 0640, 0, ""}, /* of this process's group */
		{TOKEN "\n", 0660, -EINVAL, "has mode 0660"},
		{TOKEN "\n", 0650, -EINVAL, "has mode 0650"},
		{TOKEN "\n", 0604, -EINVAL, "has mode 0604"},
		{"short\n", 0600, -EINVAL, "does not begin with a token"},
		{"", 0600, -EINVAL, "does not begin with a token"},
		{TOKEN " x\n", 0600, -EINVAL, "does not begin with a token"},
		{X_40 X_40 X_40 X_40 "\n", 0600, -EINVAL, "does not begin with a token"},
	};
	char path[] = "/tmp/test_access.XXXXXX";

	(void)state;
	closep(&(int){mkstemp(path)});
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(config_freep) struct config *config = configured("0.0.0.0:1", path, "no");
		struct access access;
		char why[512];
		struct text text = TEXT_IN(why);

		write_file(path, cases[i].content, cases[i].mode);
		assert_int_equal(access_open(&access, config, &text), cases[i].r);
		if (!strstr(why, cases[i].why) || (*why && strncmp(why, "test: [http]", 12) != 0))
			fail_msg("case %zu: \"%s\"", i, why);
		assert_int_equal(access_admits(&access, "Bearer " TOKEN), cases[i].r == 0);
		access_done(&access);
	}
	unlink(path);
}

/* Of another group it is read by nobody but its owner. */
static void test_token_group(void **state)
{
	char path[] = "/tmp/test_access.XXXXXX", why[512];
	struct text text = TEXT_IN(why);
	struct access access;

	(void)state;
	closep(&(int){mkstemp(path)});
	write_file(path, TOKEN "\n", 0640);

	CLEANUP(config_freep) struct config *config = configured("0.0.0.0:1", path, "no");

	assert_int_equal(access_open(&access, config, &text), 0);
	access.gid++;
	assert_int_equal(access_reload(&access, &text), -EINVAL);
	assert_non_null(strstr(why, "has mode 0640"));
	assert_true(access_admits(&access, "Bearer " TOKEN));
	access_done(&access);
	unlink(path);
}

static void test_admits(void **state)
{
	char path[] = "/tmp/test_access.XXXXXX", why[512];
	struct text text = TEXT_IN(why);
	struct access access;

	(void)state;
	closep(&(int){mkstemp(path)});
	write_file(path, TOKEN "\n", 0600);

	CLEANUP(config_freep) struct config *config = configured("0.0.0.0:1", path, "no");

	assert_int_equal(access_open(&access, config, &text), 0);
	assert_true(access_admits(&access, "bearer  " TOKEN));
	assert_false(access_admits(&access, ""));
	assert_false(access_admits(&access, "Bearer"));
	assert_false(access_admits(&access, "Bearer "));
	assert_false(access_admits(&access, TOKEN));
	assert_false(access_admits(&access, "Basic " TOKEN));
	assert_false(access_admits(&access, "Bearer " TOKEN "="));
	assert_false(access_admits(&access, "Bearer 0123456789abcdef-._~+/"));
	assert_false(access_admits(&access, "Bearer 0123456789abcdef-._~+/X"));
	assert_false(access_admits(&access, "Bearer " X_40 X_40 X_40 X_40 X_40));

	/* A file that went wrong leaves the token as it was; one that is right replaces it. */
	write_file(path, X_40 "\n", 0644);
	assert_int_equal(access_reload(&access, &text), -EINVAL);
	assert_non_null(strstr(why, path));
	assert_true(access_admits(&access, "Bearer " TOKEN));
	write_file(path, X_40 "\n", 0600);
	assert_int_equal(access_reload(&access, &text), 0);
	assert_true(access_admits(&access, "Bearer " X_40));
	assert_false(access_admits(&access, "Bearer " TOKEN));
	access_done(&access);
	unlink(path);
}

/* Without a token that was read nobody from elsewhere is let in. */
static void test_nobody(void **state)
{
	CLEANUP(config_freep) struct config *config = configured("0.0.0.0:1", "/nowhere", "no");
	char why[512];
	struct text text = TEXT_IN(why);
	struct access access;
	char zeros[] = "Bearer \0\0\0";

	(void)state;
	assert_int_equal(access_open(&access, config, &text), -ENOENT);
	assert_non_null(strstr(why, "/nowhere cannot be opened: No such file"));
	assert_false(access_admits(&access, zeros));
	assert_false(access_admits(&access, "Bearer " TOKEN));
}

static void test_hosts(void **state)
{
	static const struct {
		const char *host;
		bool here, elsewhere;
	} cases[] = {
		{"localhost", true, true},
		{"LOCALHOST:9750", true, true},
		{"127.0.0.1", true, true},
		{"127.0.0.1:9750", true, true},
		{"[::1]:9750", true, true},
		{"192.168.1.5:9750", false, true},
		{"[fe80::1]", false, true},
		{"[fe80::1]x", false, false},
		{"", false, false},
		{"[]", false, false},
		{"localhost:x", false, false},
		{"localhost.evil.example", false, false},
		{"evil.example:9750", false, false},
		{"192.168.1.5.evil.example", false, false},
	};
	char own[300], name[256] = "";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (access_host_is_ours(cases[i].host, false) != cases[i].here ||
		    access_host_is_ours(cases[i].host, true) != cases[i].elsewhere)
			fail_msg("%s", cases[i].host);
	}
	assert_int_equal(gethostname(name, sizeof(name) - 1), 0);
	if (!*name)
		return;
	snprintf(own, sizeof(own), "%s.local:80", name);
	assert_true(access_host_is_ours(name, true));
	assert_true(access_host_is_ours(own, true));
	snprintf(own, sizeof(own), "%s.evil.example", name);
	assert_false(access_host_is_ours(own, true));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),     cmocka_unit_test(test_token_file),
		cmocka_unit_test(test_token_group), cmocka_unit_test(test_admits),
		cmocka_unit_test(test_nobody),      cmocka_unit_test(test_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
