#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "config/config.h"
#include "config/listen.h"

static const struct option_spec more[] = {
	{"collector load", "enabled", OPTION_BOOL, "yes", 0, 0, NULL, "On."},
	{"collector load", "period.load", OPTION_DURATION, "1s", 100, 86400000, NULL, "Period."},
};

enum { LOAD_ENABLED = N_OPTIONS, LOAD_PERIOD };

static struct config *new_config(void)
{
	struct config *config = NULL;

	assert_int_equal(config_new(more, ARRAY_SIZE(more), &config), 0);
	return config;
}

static int read_text(struct config *config, const char *text, size_t len)
{
	CLEANUP(fclosep) FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	rewind(file);
	return config_read(config, file, "f.conf");
}

static void test_defaults(void **state)
{
	(void)state;
	CLEANUP(config_freep) struct config *config = new_config();

	assert_string_equal(config_text(config, OPTION_LISTEN), "127.0.0.1:9750");
	assert_int_equal(config_number(config, OPTION_COMMIT_INTERVAL), 60000);
	assert_int_equal(config_number(config, OPTION_SIZE_MAX), 128 << 20);
	assert_int_equal(config_number(config, LOAD_PERIOD), 1000);
	assert_true(config_bool(config, LOAD_ENABLED));
	assert_false(config_is_set(config, LOAD_PERIOD));
	assert_null(config_error(config, 0));
}

static void test_values(void **state)
{
	static const char text[] = "# comment\n"
				   "[daemon]\n"
				   "  user = nobody ; here\n"
				   "database=/a b/c#d.db\r\n"
				   "log_level = debug\n"
				   "\n"
				   "[http]\n"
				   "listen = [::1]:0\n"
				   "[store]\n"
				   "size_max: 4MiB\n"
				   "[collector load]\n"
				   "enabled = off\n"
				   "period.load = 250ms";

	(void)state;
	CLEANUP(config_freep) struct config *config = new_config();

	assert_int_equal(read_text(config, text, sizeof(text) - 1), 0);
	assert_string_equal(config_text(config, OPTION_LISTEN), "[::1]:0");
	assert_string_equal(config_text(config, OPTION_DATABASE), "/a b/c#d.db");
	assert_int_equal(config_number(config, OPTION_LOG_LEVEL), 3);
	assert_int_equal(config_number(config, OPTION_SIZE_MAX), 4 << 20);
	assert_false(config_bool(config, LOAD_ENABLED));
	assert_int_equal(config_number(config, LOAD_PERIOD), 250);
	assert_true(config_is_set(config, LOAD_PERIOD));
}

static void test_errors(void **state)
{
#define LONG_40 "0123456789012345678901234567890123456789"
	static const struct {
		const char *text;
		const char *error;
	} cases[] = {
		{"[daemon]\nroot\n", "f.conf:2: neither [section], key = value nor a comment"},
		{"[daemon\n", "f.conf:1: neither"},
		{"root = /\n", "f.conf:1: root stands before any [section]"},
		{"[nonsense]\n", "f.conf:1: unknown section [nonsense]; allowed: [daemon], "
				 "[http], [helper], [ufs], [store], "
				 "[sampling], [collector load]"},
		{"[nonsense]\na = 1\nb = 2\n", "f.conf:1: unknown section"},
		{"\n[daemon]\nrood = /\n",
		 "f.conf:3: unknown key rood in [daemon]; allowed: root,"},
		{"[daemon]\nRoot = /\n", "f.conf:2: unknown key Root"},
		{"[daemon]\nroot = /\nuser = same\nroot = /\n",
		 "f.conf:4: [daemon] root was already set in line 2"},
		{"[daemon]\nroot = /\n more\n", "f.conf:3: neither"},
		{"[daemon]\nroot =\n", "f.conf:2: [daemon] root =  is empty"},
		{"[http]\nlisten = 9750\n",
		 "cannot be read: 9750 has no port, as 127.0.0.1:9750 has; "
		 "allowed: ADDR:PORT, unix:/PATH and"},
		{"[http]\nlisten = 127.0.0.1:1 ::1\n",
		 "cannot be read: ::1 has no port and no brackets"},
		{"[http]\nlisten = [::1]\n", "[::1] has no port"},
		{"[http]\nlisten = ::1:x\n", "::1:x has a port that is no number"},
		{"[http]\nlisten = 1:2:3\n", "1:2:3 has an IPv6 address without brackets"},
		{"[http]\nlisten = 127.0.0.1:65536\n",
		 "127.0.0.1:65536 has a port that is no number from 0"},
		{"[http]\nlisten = 127.0.0.1:\n", "127.0.0.1: has a port that is no number"},
		{"[http]\nlisten = example.org:80\n",
		 "example.org:80 has no address in numbers before the port"},
		{"[http]\nlisten = 127.0.0.1:1,127.0.0.1:2\n",
		 "127.0.0.1:1,127.0.0.1:2 has a comma"},
		{"[http]\nlisten = 127.0.0.1:1 none\n", "has none beside other words"},
		{"[http]\ntoken_file = token\n",
		 ":2: [http] token_file = token does not begin with /"},
		{"[http]\nlisten = 127.0.0.1:1 localhost:1\n", "has localhost:1 twice"},
		{"[http]\nlisten = unix:/a 127.0.0.1:1 unix:/a\n", "has unix:/a twice"},
		{"[http]\nlisten = systemd systemd\n", "has systemd twice"},
		{"[http]\nlisten = 127.0.0.1:1 0.0.0.0:1\n", "has 0.0.0.0:1 and another"},
		{"[http]\nlisten = [::]:1 [::1]:1\n", "has [::1]:1 and another"},
		{"[http]\nlisten = unix:a\n", "has a path that does not begin with /"},
		{"[http]\nlisten = unix:/" LONG_40 LONG_40 LONG_40 "\n", "more than 107 bytes"},
		{"[http]\nlisten = 127.0.0.1:1 127.0.0.1:2 127.0.0.1:3 127.0.0.1:4 127.0.0.1:5 "
		 "127.0.0.1:6 127.0.0.1:7 127.0.0.1:8 127.0.0.1:9\n",
		 "has more than 8 addresses"},
		{"[http]\nallow_unauthenticated = perhaps\n", "allowed: yes or no"},
		{"[daemon]\nlog_level = loud\n", "allowed: error, warning, info or debug"},
		{"[store]\ncommit_interval = 10ms\n", "is out of range; allowed: 1s to 1h"},
		{"[store]\ncommit_interval = 2h\n", "is out of range; allowed: 1s to 1h"},
		{"[store]\ncommit_interval = -5s\n", "allowed: 1s to 1h"},
		{"[store]\ncommit_interval = soon\n", "cannot be read; allowed: 1s to 1h"},
		{"[store]\nsize_max = 1MB\n", "is out of range; allowed: 4MiB to 64GiB"},
		{"[store]\nsize_max = 99999999999999999999\n", "allowed: 4MiB to 64GiB"},
		{"[collector load]\nenabled = maybe\n", "allowed: yes or no"},
		{"[collector load]\nperiod.load = 99ms\n", "allowed: 100ms to 1d"},
		{"[daemon]\nroot = /" LONG_40 LONG_40 LONG_40 LONG_40 LONG_40 "\nuser = no\n",
		 "f.conf:2: longer than 196 bytes"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(config_freep) struct config *config = new_config();
		const char *error;

		assert_int_equal(read_text(config, cases[i].text, strlen(cases[i].text)), -EINVAL);
		error = config_error(config, 0);
		if (!error || !strstr(error, cases[i].error))
			fail_msg("case %zu: \"%s\" lacks \"%s\"", i, error ? error : "",
				 cases[i].error);
	}
}

static void test_all_errors_are_said(void **state)
{
	static const char text[] = "[store]\nsize_max = 1\n[x]\na=1\n[daemon]\nb = 1\n";

	(void)state;
	CLEANUP(config_freep) struct config *config = new_config();

	assert_int_equal(read_text(config, text, sizeof(text) - 1), -EINVAL);
	assert_non_null(strstr(config_error(config, 0), "f.conf:2:"));
	assert_non_null(strstr(config_error(config, 1), "f.conf:3:"));
	assert_non_null(strstr(config_error(config, 2), "f.conf:6:"));
	assert_null(config_error(config, 3));
	/* What was wrong changed nothing. */
	assert_int_equal(config_number(config, OPTION_SIZE_MAX), 128 << 20);
}

static void test_nul_byte(void **state)
{
	static const char text[] = "[daemon]\nroot = /a\0b\n";

	(void)state;
	CLEANUP(config_freep) struct config *config = new_config();

	assert_int_equal(read_text(config, text, sizeof(text) - 1), -EINVAL);
	assert_non_null(strstr(config_error(config, 0), "f.conf:2: not a text"));
}

static void test_order(void **state)
{
	static const char first[] = "[daemon]\nroot = /first\n[http]\nlisten = none\n";
	static const char second[] = "[daemon]\nroot = /second\n";

	(void)state;
	CLEANUP(config_freep) struct config *config = new_config();

	assert_int_equal(read_text(config, first, sizeof(first) - 1), 0);
	assert_int_equal(read_text(config, second, sizeof(second) - 1), 0);
	assert_string_equal(config_text(config, OPTION_ROOT), "/second");
	assert_string_equal(config_text(config, OPTION_LISTEN), "none");
	assert_int_equal(config_set(config, OPTION_ROOT, "/third", "--root"), 0);
	assert_string_equal(config_text(config, OPTION_ROOT), "/third");
	assert_int_equal(config_set(config, OPTION_LISTEN, "10.0.0.1", "--listen"), -EINVAL);
	assert_non_null(strstr(config_error(config, 0), "--listen: [http] listen"));
	assert_int_equal(config_set(config, OPTION_ROOT, "/a ;b", "--root"), -EINVAL);
	assert_int_equal(config_set(config, OPTION_ROOT, "/a\nb", "--root"), -EINVAL);
}

static char *dump(const struct config *config)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	config_dump(config, out);
	fclose(out);
	return text;
}

static void test_dump_gives_the_same(void **state)
{
	static const char text[] = "[daemon]\nroot = /x;y\n[http]\nlisten = none\n"
				   "[collector load]\nperiod.load = 90s\n";

	(void)state;
	CLEANUP(config_freep) struct config *config = new_config(), *again = new_config();

	assert_int_equal(read_text(config, text, sizeof(text) - 1), 0);

	CLEANUP(freep) char *first = dump(config);

	assert_int_equal(read_text(again, first, strlen(first)), 0);

	CLEANUP(freep) char *second = dump(again);

	assert_string_equal(first, second);
	assert_non_null(strstr(first, "root = /x;y\n"));
	assert_non_null(strstr(first, "; Allowed: 100ms to 1d. Default: 1s.\nperiod.load = 90s\n"));
}

static void test_address(void **state)
{
	static const struct {
		const char *text;
		int r;
		bool loopback;
		unsigned port;
	} cases[] = {
		{"127.0.0.1:9750", 0, true, 9750},
		{"127.1.2.3:0", 0, true, 0},
		{"localhost:80", 0, true, 80},
		{"[::1]:9750", 0, true, 9750},
		{"[::]:1", 0, false, 1},
		{"0.0.0.0:65535", 0, false, 65535},
		{"127.0.0.1", -EINVAL, 0, 0},
		{":80", -EINVAL, 0, 0},
		{"::1:80", -EINVAL, 0, 0},
		{"[]:80", -EINVAL, 0, 0},
		{"[::1]", -EINVAL, 0, 0},
		{"127.0.0.1:+80", -EINVAL, 0, 0},
		{"127.0.0.1:0x50", -EINVAL, 0, 0},
		{"127.0.0.1: 80", -EINVAL, 0, 0},
		{"", -EINVAL, 0, 0},
		{":", -EINVAL, 0, 0},
		{"127.1:80", -EINVAL, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct address address = {0};

		assert_int_equal(address_parse(cases[i].text, &address), cases[i].r);
		assert_int_equal(address.loopback, cases[i].loopback);
		assert_int_equal(address_port(&address.sockaddr), cases[i].port);
	}
}

static void test_listen(void **state)
{
	struct listen_list list;
	char why[128];
	struct text text = TEXT_IN(why);

	(void)state;
	assert_int_equal(listen_parse("none", &list, &text), 0);
	assert_int_equal(list.n, 0);
	assert_int_equal(
		listen_parse(" 127.0.0.1:1  [::]:2\tunix:/a/b systemd 0.0.0.0:3", &list, &text), 0);
	assert_int_equal(list.n, 5);
	assert_int_equal(list.items[0].kind, LISTEN_IP);
	assert_false(listen_is_open(&list.items[0]));
	assert_true(listen_is_open(&list.items[1]));
	assert_int_equal(list.items[2].kind, LISTEN_UNIX);
	assert_string_equal(list.items[2].path, "/a/b");
	assert_false(listen_is_open(&list.items[2]));
	assert_int_equal(list.items[3].kind, LISTEN_PASSED);
	assert_true(listen_is_open(&list.items[4]));
	assert_int_equal(why[0], '\0');
	assert_int_equal(listen_parse("127.0.0.1:0 127.0.0.1:0 127.0.0.1:1 [::1]:1", &list, &text),
			 0);
	assert_int_equal(
		listen_parse("0.0.0.0:0 127.0.0.1:0 0.0.0.0:1 [::]:1 127.0.0.1:2", &list, &text),
		0);
	assert_int_equal(listen_parse(" ", &list, &text), -EINVAL);
	assert_int_equal(listen_parse("127.0.0.1:1,127.0.0.1:2", &list, &text), -EINVAL);
	assert_int_equal(listen_parse("127.0.0.1:1 " LONG_40 LONG_40 LONG_40 LONG_40, &list, &text),
			 -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_all_errors_are_said),
		cmocka_unit_test(test_nul_byte),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_dump_gives_the_same),
		cmocka_unit_test(test_address),
		cmocka_unit_test(test_listen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
