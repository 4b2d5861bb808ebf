/* The configuration is read again by a thread of its own: whoever asks for it waits for no file. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

#include "daemon/arguments.h"
#include "daemon/reload.h"
#include "sampling/registry.h"

static char folder[64], file[96], token[96];
static int gate[2] = {-1, -1}; /* a disk that hangs: it answers when a byte is there */
static struct settings settings;
static struct access access_;
static struct reload *reload;
static struct reload_options options;
static char program[] = "flashscoped", option[] = "--config";
static char *argv[] = {program, option, file, NULL};

static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(chmod(path, 0600), 0);
}

static int slow_read(int argc, char **args, struct settings *ret)
{
	char byte;

	if (read(gate[0], &byte, 1) != 1)
		return -EIO;
	return arguments_read_again(argc, args, ret);
}

static int set_up(void **state)
{
	char why[512];
	struct text text = TEXT_IN(why);

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test_reload.XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/conf", folder);
	snprintf(token, sizeof(token), "%s/token", folder);
	write_file(file, "[daemon]\nlog_level = warning\n");
	write_file(token, "0123456789abcdef");
	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	assert_int_equal(settings_init(&settings, registry()), 0);
	assert_int_equal(arguments_read_again(3, argv, &settings), 0);
	assert_int_equal(config_set(settings.config, OPTION_TOKEN_FILE, token, "test"), 0);
	assert_int_equal(access_open(&access_, settings.config, &text), 0);
	options = (struct reload_options){.argc = 3,
					  .argv = argv,
					  .settings = &settings,
					  .access = &access_,
					  .read = slow_read};
	return reload_new(&options, &reload);
}

static int tear_down(void **state)
{
	char command[96];

	(void)state;
	reload_free(reload);
	/* A thread that is left over finds its disk gone; nobody waits for one, so its end stays
	 * open. */
	close(gate[1]);
	usleep(20000);
	access_done(&access_);
	settings_done(&settings);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static bool is_there(int timeout_ms)
{
	struct pollfd poll_fd = {.fd = reload_fd(reload), .events = POLLIN};

	return poll_fd.fd >= 0 && poll(&poll_fd, 1, timeout_ms) == 1;
}

static void answer(void)
{
	assert_int_equal(write(gate[1], "x", 1), 1);
}

static int64_t log_level(void)
{
	return config_number(settings.config, OPTION_LOG_LEVEL);
}

/* Nothing waits while the file does not answer, and then it is taken over, with the token. */
static void slow_file(void **state)
{
	int64_t before = log_level();

	(void)state;
	assert_int_equal(reload_fd(reload), -1);
	write_file(file, "[daemon]\nlog_level = error\n");
	write_file(token, "fedcba9876543210");
	assert_true(reload_begin(reload));
	assert_false(is_there(50));
	assert_int_equal(log_level(), before);
	assert_true(access_admits(&access_, "Bearer 0123456789abcdef"));
	answer();
	assert_true(is_there(10000));
	assert_int_equal(log_level(), before);
	assert_true(reload_finish(reload));
	assert_int_not_equal(log_level(), before);
	assert_true(access_admits(&access_, "Bearer fedcba9876543210"));
	assert_false(access_admits(&access_, "Bearer 0123456789abcdef"));
	assert_int_equal(reload_fd(reload), -1);
}

/* Asked for again meanwhile, it is read again: what was written since may not have been seen. */
static void asked_again(void **state)
{
	int64_t before = log_level();

	(void)state;
	assert_true(reload_begin(reload));
	assert_true(reload_begin(reload));
	assert_true(reload_begin(reload));
	answer();
	assert_true(is_there(10000));
	write_file(file, "[daemon]\nlog_level = error\n");
	assert_false(reload_finish(reload));
	assert_false(is_there(50));
	assert_int_equal(log_level(), before);
	answer();
	assert_true(is_there(10000));
	assert_true(reload_finish(reload));
	assert_int_not_equal(log_level(), before);
}

/* What is wrong changes nothing, and what is no file is not waited for. */
static void errors(void **state)
{
	int64_t before = log_level();

	(void)state;
	write_file(file, "[daemon]\nlog_level = loud\n");
	assert_true(reload_begin(reload));
	answer();
	assert_true(is_there(10000));
	assert_true(reload_finish(reload));
	assert_int_equal(log_level(), before);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkfifo(file, 0600), 0);
	assert_true(reload_begin(reload));
	answer();
	assert_true(is_there(10000));
	assert_true(reload_finish(reload));
	assert_int_equal(log_level(), before);
}

/* The end of the program waits for no disk either. */
static void left_alone(void **state)
{
	(void)state;
	assert_true(reload_begin(reload));
	reload_free(reload);
	reload = NULL;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(slow_file),
		TEST(asked_again),
		TEST(errors),
		TEST(left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
