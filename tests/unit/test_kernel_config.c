/* Kernel options from configs as text and gzip'ed, whole, damaged and hostile. */
#include "tests/unit/collector_fixture.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/kernel_config.h"
#include "base/macros.h"

#ifdef HAVE_ZLIB
#include <zlib.h>

#include "base/inflate.h"

static const int damaged = -EBADMSG;
#else
static const int damaged = -EOPNOTSUPP;
#endif

static const char config[] = "#\n# Automatically generated file; DO NOT EDIT.\n#\n"
			     "CONFIG_PSI=y\n"
			     "CONFIG_PSI_DEFAULT_DISABLED=m\n"
			     "# CONFIG_IRQ is not set\n"
			     "CONFIG_HZ=250\n"
			     "CONFIG_LSM=\"a,b\"\n"
			     "CONFIG_LAST=m";

static int file_of(const void *data, size_t size)
{
	int fd = memfd_create("config", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int find(const void *data, size_t size, const char *option, char value[16])
{
	int fd = file_of(data, size);
	int r = kernel_config_find(fd, option, value, 16);

	close(fd);
	return r;
}

struct option_case {
	const char *option, *value;
};

static const struct option_case cases[] = {
	{"CONFIG_PSI", "y"},
	{"CONFIG_PSI_DEFAULT_DISABLED", "m"},
	{"CONFIG_IRQ", "n"},
	{"CONFIG_HZ", "250"},
	{"CONFIG_LSM", "\"a,b\""},
	{"CONFIG_LAST", "m"},
	{"CONFIG_PS", "n"},
	{"CONFIG_PSI_DEFAULT", "n"},
	{"IRQ", "n"},
};

static void plain_text(void **unused)
{
	char value[16];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(find(config, strlen(config), cases[i].option, value), 0);
		assert_string_equal(value, cases[i].value);
	}
	assert_int_equal(find("CONFIG_A=y\r\n", 12, "CONFIG_A", value), 0);
	assert_string_equal(value, "y");
	assert_int_equal(find("CONFIG_A=0123456789abcdef\n", 26, "CONFIG_A", value), -ENAMETOOLONG);
}

/* No config says nothing of an option; it must not pass for one that has it off. */
static void not_a_config(void **unused)
{
	static const char *const texts[] = {
		"",          "\n\n",
		"garbage\n", "CONFIG_PSI\n",

		"# CONFIG_", "XCONFIG_PSI=y\n",
		"=y\n",      " CONFIG_PSI=y\n",
	};
	char value[16];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		int r = find(texts[i], strlen(texts[i]), "CONFIG_PSI", value);

		if (r != -ENODATA)
			fail_msg("'%s': %d", texts[i], r);
	}
	assert_int_equal(find("\x1f\x8b", 2, "CONFIG_PSI", value), damaged);
}

static void lines_that_are_too_long(void **unused)
{
	const size_t size = 100000;
	CLEANUP(freep) char *text = malloc(size);
	char value[16];

	(void)unused;
	assert_non_null(text);
	memset(text, 'x', size);
	memcpy(text, "CONFIG_A=y", 10);
	memcpy(text + size - 30, "\nCONFIG_B=m\nCONFIG_C=y\n", 23);
	assert_int_equal(find(text, size, "CONFIG_B", value), 0);
	assert_string_equal(value, "m");
	assert_int_equal(find(text, size, "CONFIG_A", value), 0);
	assert_string_equal(value, "n");
}

/* Neither a text without end nor one of holes is read to its end. */
static void text_without_end(void **unused)
{
	int fd = memfd_create("config", MFD_CLOEXEC);
	char value[16];

	(void)unused;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 1LL << 40), 0);
	assert_int_equal(kernel_config_find(fd, "CONFIG_A", value, sizeof(value)), -E2BIG);
	close(fd);
	fd = open("/", O_RDONLY | O_DIRECTORY);
	assert_int_equal(kernel_config_find(fd, "CONFIG_A", value, sizeof(value)), -EISDIR);
	close(fd);
}

#ifdef HAVE_ZLIB

static size_t deflate_into(unsigned char *out, size_t size, const void *data, size_t len)
{
	z_stream stream = {0};

	assert_int_equal(
		deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_in = (unsigned char *)(uintptr_t)data;
	stream.avail_in = (unsigned)len;
	stream.next_out = out;
	stream.avail_out = (unsigned)size;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return stream.total_out;
}

static void gzip(void **unused)
{
	unsigned char packed[1024];
	size_t size = deflate_into(packed, sizeof(packed), config, strlen(config));
	char value[16];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(find(packed, size, cases[i].option, value), 0);
		assert_string_equal(value, cases[i].value);
	}
	size = deflate_into(packed, sizeof(packed), "", 0);
	assert_int_equal(find(packed, size, "CONFIG_A", value), -ENODATA);
}

/* Cut anywhere it says that it is damaged, or gives what stands before the cut: never "n". */
static void gzip_cut_off(void **unused)
{
	unsigned char packed[1024];
	size_t size = deflate_into(packed, sizeof(packed), config, strlen(config));
	char value[16];

	(void)unused;
	for (size_t cut = 2; cut < size; cut++) {
		assert_int_equal(find(packed, cut, "CONFIG_NONE", value), -EBADMSG);

		int r = find(packed, cut, "CONFIG_PSI", value);

		if (r != -EBADMSG) {
			assert_int_equal(r, 0);
			assert_string_equal(value, "y");
		}
	}
}

static void gzip_damaged(void **unused)
{
	unsigned char packed[1024];
	size_t size = deflate_into(packed, sizeof(packed), config, strlen(config));
	char value[16];

	(void)unused;
	/* The sum, the length, the method. */
	packed[size - 8] ^= 1;
	assert_int_equal(find(packed, size, "CONFIG_NONE", value), -EBADMSG);
	packed[size - 8] ^= 1;
	packed[size - 1] ^= 1;
	assert_int_equal(find(packed, size, "CONFIG_NONE", value), -EBADMSG);
	packed[size - 1] ^= 1;
	packed[2] = 9;
	assert_int_equal(find(packed, size, "CONFIG_PSI", value), -EBADMSG);
}

static size_t n_taken;

static int take(void *arg, const char *piece, size_t len)
{
	(void)arg;
	(void)piece;
	n_taken += len;
	return 0;
}

/* 64 MiB in 64 KB. */
static void bomb(void **unused)
{
	const size_t len = 64UL * 1024 * 1024, size = 128 * 1024;
	CLEANUP(freep) unsigned char *packed = malloc(size), *zeros = calloc(len, 1);
	char value[16];

	(void)unused;
	assert_non_null(packed);
	assert_non_null(zeros);

	size_t packed_len = deflate_into(packed, size, zeros, len);
	CLEANUP(closep) int fd = file_of(packed, packed_len);

	assert_int_equal(inflate_fd(fd, 100000, take, NULL), -E2BIG);
	assert_true(n_taken <= 100000);
	assert_int_equal(find(packed, packed_len, "CONFIG_A", value), -E2BIG);
}

static void put_packed(const struct fixture *f, const char *path, const char *text)
{
	unsigned char packed[1024];
	size_t size = deflate_into(packed, sizeof(packed), text, strlen(text));
	char full[1024];

	put(f, path, "");
	snprintf(full, sizeof(full), "%s/%s", f->root, path);

	FILE *file = fopen(full, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(packed, 1, size, file), size);
	fclose(file);
}

#endif

static void check_option(const struct fixture *f, const char *option, int expected,
			 const char *value)
{
	char buf[16] = "";
	struct hw *hw;

	assert_int_equal(hw_open(f->root, &hw), 0);

	int r = hw_kernel_option(hw, option, buf, sizeof(buf));

	hw_close(hw);
	if (r != expected || strcmp(buf, value) != 0)
		fail_msg("%s: %d '%s', expected %d '%s'", option, r, buf, expected, value);
}

/* From the last place to the first; each is preferred to those before. */
static void places(void **unused)
{
	static const char *const paths[] = {
		"lib/modules/6.1-x/build/.config",
		"usr/lib/kernel/config-6.1-x",
		"usr/lib/modules/6.1-x/config",
		"lib/modules/6.1-x/config",
		"boot/config-6.1-x",
	};
	struct fixture f;
	char text[64], value[16];

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/uptime", "1.0 1.0\n");
	check_option(&f, "CONFIG_A", -ENOENT, "");
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		snprintf(value, sizeof(value), "%zu", i);
		snprintf(text, sizeof(text), "CONFIG_A=%zu\n", i);
		put(&f, paths[i], text);
		/* Without the release there is no telling whose they are. */
		take_away(&f, "proc/sys/kernel/osrelease");
		check_option(&f, "CONFIG_A", -ENOENT, "");
		put(&f, "proc/sys/kernel/osrelease", "6.1-x\n");
		check_option(&f, "CONFIG_A", 0, value);
	}
	/* One that is none is passed over. */
	put(&f, "boot/config-6.1-x", "");
	check_option(&f, "CONFIG_A", 0, "3");
	put(&f, "proc/config.gz", "CONFIG_A=y\n");
	check_option(&f, "CONFIG_A", 0, "y");
	put(&f, "ERRORS", "proc/config.gz\tread\tEIO\n");
	check_option(&f, "CONFIG_A", 0, "3");
	take_away(&f, "lib");
	take_away(&f, "usr");
	check_option(&f, "CONFIG_A", -EIO, "");
	take_away(&f, "boot");
	put(&f, "ERRORS", "proc/config.gz\tread\tEMPTY\n");
	check_option(&f, "CONFIG_A", -ENODATA, "");
	fixture_end(&f);
}

#ifdef HAVE_ZLIB
static void config_of_the_running_kernel(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_packed(&f, "proc/config.gz", config);
	check_option(&f, "CONFIG_PSI", 0, "y");
	check_option(&f, "CONFIG_IRQ", 0, "n");
	put(&f, "proc/sys/kernel/osrelease", "6.1-x\n");
	put(&f, "boot/config-6.1-x", "CONFIG_IRQ=y\n");
	check_option(&f, "CONFIG_IRQ", 0, "n");
	put(&f, "proc/config.gz", "\x1f\x8b\x08");
	check_option(&f, "CONFIG_IRQ", 0, "y");
	fixture_end(&f);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text),
		cmocka_unit_test(not_a_config),
		cmocka_unit_test(lines_that_are_too_long),
		cmocka_unit_test(text_without_end),
#ifdef HAVE_ZLIB
		cmocka_unit_test(gzip),
		cmocka_unit_test(gzip_cut_off),
		cmocka_unit_test(gzip_damaged),
		cmocka_unit_test(bomb),
		cmocka_unit_test(config_of_the_running_kernel),
#endif
		cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
