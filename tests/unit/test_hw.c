/* The door to the machine, on recorded trees. */
#include "tests/unit/collector_fixture.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/errno_name.h"

static void start(struct fixture *f)
{
	fixture_start(f);
	put(f, "proc/a", "one\ntwo\n");
	put(f, "sys/n", "-5 \n");
	put(f, "sys/empty", "");
}

static struct hw *open_tree(const struct fixture *f)
{
	struct hw *hw;

	assert_int_equal(hw_open(f->root, &hw), 0);
	return hw;
}

static void reading(void **unused)
{
	struct fixture f;
	char buf[9];
	int64_t value = 9;

	(void)unused;
	start(&f);

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	assert_false(hw_is_live(hw));
	assert_int_equal(hw_read(hw, buf, sizeof(buf), "proc/%s", "a"), 8);
	assert_string_equal(buf, "one\ntwo\n");
	assert_int_equal(hw_read(hw, buf, 8, "proc/a"), -E2BIG);
	assert_int_equal(hw_read(hw, buf, sizeof(buf), "proc/b"), -ENOENT);
	assert_int_equal(hw_read(hw, buf, sizeof(buf), "proc"), -EISDIR);
	assert_int_equal(hw_read_line(hw, buf, sizeof(buf), "sys/n"), 2);
	assert_string_equal(buf, "-5");
	assert_int_equal(hw_read_line(hw, buf, sizeof(buf), "sys/empty"), -ENODATA);
	assert_int_equal(hw_read_line(hw, buf, 2, "sys/n"), -E2BIG);
	assert_string_equal(buf, "");
	assert_int_equal(hw_read_i64(hw, &value, "sys/n"), 0);
	assert_int_equal(value, -5);
	assert_int_equal(hw_read_i64(hw, &value, "sys/empty"), -ENODATA);
	assert_int_equal(value, -5);
	assert_int_equal(hw_read_i64(hw, &value, "proc/a"), -EINVAL);
	assert_int_equal(hw_readable(hw, "sys/n"), 0);
	assert_int_equal(hw_readable(hw, "sys/m"), -ENOENT);
	assert_true(hw_exists(hw, "sys"));
	assert_false(hw_exists(hw, "sys/m"));
	fixture_end(&f);
}

static void a_nul_is_no_end(void **unused)
{
	struct fixture f;
	char path[512];
	int64_t value;

	(void)unused;
	start(&f);
	snprintf(path, sizeof(path), "%s/sys/nul", f.root);

	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fwrite("45\0"
	       "000\n",
	       1, 7, file);
	fclose(file);

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	assert_int_equal(hw_read_i64(hw, &value, "sys/nul"), -EINVAL);
	fixture_end(&f);
}

static void a_long_path_is_refused(void **unused)
{
	struct fixture f;
	char buf[16], name[HW_PATH_MAX + 8];

	(void)unused;
	start(&f);
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	assert_int_equal(hw_read(hw, buf, sizeof(buf), "%s", name), -ENAMETOOLONG);
	assert_false(hw_exists(hw, "%s", name));
	fixture_end(&f);
}

static void links_stay_inside(void **unused)
{
	struct fixture f;
	char buf[256];

	(void)unused;
	start(&f);
	put_link(&f, "sys/absolute", "/proc/a");
	put_link(&f, "sys/up", "../../../../../../proc/a");
	put_link(&f, "sys/out", "/etc/passwd");
	put_link(&f, "sys/ring", "ring");

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	assert_int_equal(hw_read(hw, buf, sizeof(buf), "sys/absolute"), 8);
	assert_int_equal(hw_read(hw, buf, sizeof(buf), "sys/up"), 8);
	assert_int_equal(hw_read(hw, buf, sizeof(buf), "sys/out"), -ENOENT);
	assert_int_equal(hw_read(hw, buf, sizeof(buf), "../../../../etc/passwd"), -ENOENT);
	assert_int_equal(hw_read(hw, buf, sizeof(buf), "sys/ring"), -ELOOP);
	assert_int_equal(hw_real_path(hw, buf, sizeof(buf), "sys/absolute"), 0);
	assert_string_equal(buf, "proc/a");
	assert_int_equal(hw_real_path(hw, buf, 3, "sys/absolute"), -ENAMETOOLONG);
	assert_int_equal(hw_real_path(hw, buf, sizeof(buf), "sys/out"), -ENOENT);
	fixture_end(&f);
}

static void a_fifo_does_not_hold(void **unused)
{
	struct fixture f;
	char path[512], buf[16];

	(void)unused;
	start(&f);
	snprintf(path, sizeof(path), "%s/sys/fifo", f.root);
	assert_int_equal(mkfifo(path, 0600), 0);

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	assert_int_equal(hw_read_line(hw, buf, sizeof(buf), "sys/fifo"), -ESPIPE);
	fixture_end(&f);
}

/* Also not while the tree is opened. */
static void strange_files_of_the_tree_are_refused(void **unused)
{
	struct fixture f;
	char path[512];
	struct hw *hw;

	(void)unused;
	start(&f);
	snprintf(path, sizeof(path), "%s/ERRORS", f.root);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(hw_open(f.root, &hw), -EINVAL);
	assert_int_equal(unlink(path), 0);
	put(&f, "STATVFS", "/ 1 1 1 1 1 1\n");
	snprintf(path, sizeof(path), "%s/STATVFS", f.root);
	assert_int_equal(truncate(path, 1LL << 40), 0);
	assert_int_equal(hw_open(f.root, &hw), -EFBIG);
	fixture_end(&f);
}

/* strerror() knows all of the kernel's. */
static void every_error_has_a_name(void **unused)
{
	(void)unused;
	for (int error = 1; error <= EHWPOISON; error++)
		if (strncmp(strerror(error), "Unknown", 7) != 0)
			assert_int_equal(errno_value(errno_name(-error)), error);
	assert_string_equal(errno_name(4000), "EUNKNOWN");
	assert_int_equal(errno_value("EUNKNOWN"), 0);
}

static void planned_errors(void **unused)
{
	struct fixture f;
	struct hw_file file = {0};
	char buf[16];
	int64_t value;

	(void)unused;
	start(&f);
	put(&f, "ERRORS",
	    "# path\toperation\terrno\n\nproc/a\tread\tEIO\nsys/n\tread\tno data (unknown)\n"
	    "sys/new\topen\tEACCES\n");
	put(&f, "sys/new", "1\n");

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	assert_int_equal(hw_read(hw, buf, sizeof(buf), "proc/a"), -EIO);
	assert_int_equal(hw_read(hw, buf, sizeof(buf), "sys/n"), 0);
	assert_int_equal(hw_read_line(hw, buf, sizeof(buf), "sys/n"), -ENODATA);
	assert_int_equal(hw_readable(hw, "sys/new"), -EACCES);
	assert_true(hw_exists(hw, "sys/new"));
	assert_int_equal(hw_file_open(hw, &file, "sys/n"), 0);
	assert_int_equal(hw_file_read_i64(hw, &file, &value), -ENODATA);
	hw_file_close(&file);
	assert_int_equal(hw_file_open(hw, &file, "proc/a"), 0);
	assert_int_equal(hw_file_read(hw, &file, buf, sizeof(buf)), -EIO);
	hw_file_close(&file);
	assert_int_equal(hw_file_read(hw, &file, buf, sizeof(buf)), -ENOENT);
	fixture_end(&f);
}

static void malformed_errors_are_refused(void **unused)
{
	static const char *const cases[] = {"proc/a EIO\n", "proc/a\tread EIO\n"};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;
		struct hw *hw;

		fixture_start(&f);
		put(&f, "ERRORS", cases[i]);
		assert_int_equal(hw_open(f.root, &hw), -EINVAL);
		fixture_end(&f);
	}
}

static void space(void **unused)
{
	struct fixture f;
	struct hw_space s;

	(void)unused;
	start(&f);
	put(&f, "STATVFS",
	    "/a\\040b\t4096\t10\t9\t8\t7\t6\n/short 4096 1 1 1 1\n/minus 4096 1 1 1 1 -1\n"
	    "/word x 1 1 1 1 1\n/long 1 1 1 1 1 1 1\n");

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	assert_int_equal(hw_space(hw, "/a b", &s), 0);
	assert_true(s.fragment_bytes == 4096 && s.blocks == 10 && s.free_blocks == 9 &&
		    s.available_blocks == 8 && s.inodes == 7 && s.free_inodes == 6);
	assert_int_equal(hw_space(hw, "/short", &s), -ENODATA);
	assert_int_equal(hw_space(hw, "/minus", &s), -ENODATA);
	assert_int_equal(hw_space(hw, "/word", &s), -ENODATA);
	assert_int_equal(hw_space(hw, "/long", &s), -ENODATA);
	assert_int_equal(hw_space(hw, "/", &s), -ENODATA); /* never of the machine that tests */
	fixture_end(&f);
}

static void files_stay_open(void **unused)
{
	struct fixture f;
	struct hw_file file = {0};
	char buf[16];
	int64_t value;

	(void)unused;
	start(&f);

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	assert_int_equal(hw_file_open(hw, &file, "sys/m"), -ENOENT);
	assert_null(file.path);
	assert_int_equal(hw_file_open(hw, &file, "sys/n"), 0);
	assert_int_equal(hw_file_read_i64(hw, &file, &value), 0);
	put(&f, "sys/n", "77\n");
	assert_int_equal(hw_file_read_i64(hw, &file, &value), 0);
	assert_int_equal(value, 77);
	assert_int_equal(hw_file_read(hw, &file, buf, 3), -E2BIG);
	assert_int_equal(hw_file_read_line(hw, &file, buf, 4), 2);
	put(&f, "sys/n", "\n");
	assert_int_equal(hw_file_read_line(hw, &file, buf, sizeof(buf)), -ENODATA);
	hw_file_close(&file);
	hw_file_close(&file);
	fixture_end(&f);
}

/* The file is changed under it, so that a second read would show. */
static void some_is_asked_once(void **unused)
{
	struct fixture f;
	char buf[16];

	(void)unused;
	start(&f);
	put(&f, "sys/long",
	    "a line that is longer than what is remembered, and so is read again\n");

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	assert_int_equal(hw_read_line_once(hw, "n", 1, buf, sizeof(buf), "sys/%s", "n"), 2);
	assert_int_equal(hw_read_line_once(hw, "e", 0, buf, sizeof(buf), "sys/empty"), -ENODATA);
	put(&f, "sys/n", "77777\n");
	put(&f, "sys/empty", "full\n");
	assert_int_equal(hw_read_line_once(hw, "n", 1, buf, sizeof(buf), "sys/%s", "n"), 2);
	assert_string_equal(buf, "-5");
	assert_int_equal(hw_read_line_once(hw, "n", 1, buf, 2, "sys/%s", "n"), -ENAMETOOLONG);
	assert_int_equal(hw_read_line_once(hw, "e", 0, buf, sizeof(buf), "sys/empty"), -ENODATA);
	assert_int_equal(hw_read_line_once(hw, "n", 2, buf, sizeof(buf), "sys/%s", "n"), 5);
	assert_string_equal(buf, "77777");

	char text[128];

	assert_true(hw_read_line_once(hw, "l", 0, text, sizeof(text), "sys/long") > 64);
	put(&f, "sys/long", "short\n");
	assert_int_equal(hw_read_line_once(hw, "l", 0, text, sizeof(text), "sys/long"), 5);
	fixture_end(&f);
}

/* What comes and goes takes the room of what went, and in the end that of the oldest. */
static void what_is_remembered_is_not_full(void **unused)
{
	struct fixture f;
	char buf[16], key[32];

	(void)unused;
	start(&f);

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	assert_int_equal(hw_read_line_once(hw, "first", 0, buf, sizeof(buf), "sys/n"), 2);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(hw_read_line_once(hw, "again", i, buf, sizeof(buf), "sys/n"), 2);
	put(&f, "sys/n", "77777\n");
	assert_int_equal(hw_read_line_once(hw, "first", 0, buf, sizeof(buf), "sys/n"), 2);
	assert_int_equal(hw_read_line_once(hw, "again", 999, buf, sizeof(buf), "sys/n"), 2);
	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "other %d", i);
		put(&f, "sys/n", "-5\n");
		assert_int_equal(hw_read_line_once(hw, key, 0, buf, sizeof(buf), "sys/n"), 2);
		put(&f, "sys/n", "77777\n");
		assert_int_equal(hw_read_line_once(hw, key, 0, buf, sizeof(buf), "sys/n"), 2);
	}
	assert_int_equal(hw_read_line_once(hw, "first", 0, buf, sizeof(buf), "sys/n"), 5);
	fixture_end(&f);
}

static void lists_by_number(void **unused)
{
	struct fixture f;
	CLEANUP(hw_names_done) struct hw_names names = {0};

	(void)unused;
	start(&f);
	put(&f, "sys/class/zone10", "");
	put(&f, "sys/class/zone9", "");
	put(&f, "sys/class/zone0", "");
	put(&f, "sys/class/.hidden", "");
	put(&f, "sys/class/other", "");

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	assert_int_equal(hw_list(hw, &names, "zone", "sys/%s", "class"), 0);
	assert_int_equal(names.n, 3);
	assert_string_equal(names.v[1], "zone9");
	assert_string_equal(names.v[2], "zone10");
	hw_names_done(&names);
	assert_int_equal(hw_list(hw, &names, "", "sys/none"), -ENOENT);
	assert_int_equal(hw_list(hw, &names, "", "sys/n"), -ENOTDIR);
	fixture_end(&f);
}

static void identity_of_the_machine(void **unused)
{
	struct fixture f;
	char buf[HW_BOOT_ID_MAX], option[16];
	int64_t ms;

	(void)unused;
	start(&f);

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	assert_int_equal(hw_boot_id(hw, buf), -ENOENT);
	assert_int_equal(hw_boot_ms(hw, &ms), -ENOENT);
	assert_int_equal(hw_asleep_ms(hw, &ms), -ENOENT);
	put(&f, "proc/sys/kernel/random/boot_id", "a-b\n");
	put(&f, "proc/uptime", "123.45 99.00\n");
	put(&f, "proc/sys/kernel/osrelease", "6.1-x\n");
	put(&f, "boot/config-6.1-x",
	    "CONFIG_PSI_DEFAULT_DISABLED=y\nCONFIG_PSI=m\n# CONFIG_IRQ is not set\n");
	assert_int_equal(hw_boot_id(hw, buf), 0);
	assert_string_equal(buf, "a-b");
	assert_int_equal(hw_boot_ms(hw, &ms), 0);
	assert_int_equal(ms, 123450);
	assert_int_equal(hw_kernel_option(hw, "CONFIG_PSI", option, sizeof(option)), 0);
	assert_string_equal(option, "m");
	assert_int_equal(hw_kernel_option(hw, "CONFIG_IRQ", option, sizeof(option)), 0);
	assert_string_equal(option, "n");
	put(&f, "boot/config-6.1-x", "CONFIG_PSI=y\n");
	assert_int_equal(hw_kernel_option(hw, "CONFIG_PSI", option, sizeof(option)), 0);
	assert_string_equal(option, "m");
	fixture_end(&f);
}

/* There is one search for all options, since each looks at many places, and maybe at a disk. */
static void no_config_is_looked_for_once(void **unused)
{
	struct fixture f;
	char option[16];
	size_t n_looks = 0, n_first;

	(void)unused;
	start(&f);
	put(&f, "proc/sys/kernel/osrelease", "6.1-x\n");

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	hw_trace(hw, count_config_look, &n_looks);
	assert_int_equal(hw_kernel_option(hw, "CONFIG_PSI", option, sizeof(option)), -ENOENT);
	n_first = n_looks;
	assert_true(n_first > 0);
	assert_int_equal(hw_kernel_option(hw, "CONFIG_PSI", option, sizeof(option)), -ENOENT);
	assert_int_equal(hw_kernel_option(hw, "CONFIG_IRQ", option, sizeof(option)), -ENOENT);
	assert_int_equal(n_looks, n_first);
	fixture_end(&f);
}

static void roots(void **unused)
{
	struct hw *hw;

	(void)unused;
	assert_int_equal(hw_open("/does/not/exist", &hw), -ENOENT);
	assert_int_equal(hw_open("/etc/passwd", &hw), -ENOTDIR);
	assert_int_equal(hw_open("/", &hw), 0);
	assert_true(hw_is_live(hw));
	hw_close(hw);
	assert_int_equal(hw_open("/etc/..", &hw), 0);
	assert_true(hw_is_live(hw));
	hw_close(hw);
	hw_close(NULL);
}

/* From here on openat2 fails with this error in this process. */
static void refuse_openat2(int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ARRAY_SIZE(code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(77);
}

/* 0 when a tree is refused with a reason and this machine is read all the same. */
static int open_without_openat2(const char *root, int error)
{
	struct hw *hw;

	refuse_openat2(error);
	if (hw_open(root, &hw) != -ENOSYS || !strstr(hw_open_problem(-ENOSYS), "openat2"))
		return 1;
	return hw_open("/", &hw) == 0 && hw_exists(hw, "proc/self") ? 0 : 2;
}

static void a_kernel_without_openat2_is_told(void **unused)
{
	static const int errors[] = {ENOSYS, EPERM};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct fixture f;
		int status;

		start(&f);

		pid_t pid = fork();

		if (pid == 0)
			_exit(open_without_openat2(f.root, errors[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		fixture_end(&f);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
			print_message("skipped: no seccomp here\n");
			skip();
		}
		assert_int_equal(status, 0);
	}
}

/* A rename anywhere makes the kernel unsure of every ".." that is walked at that moment. */
static void renames_elsewhere_do_no_harm(void **unused)
{
	struct fixture f;
	char one[300], two[300], buf[16];
	unsigned n_failed = 0;

	(void)unused;
	start(&f);
	put_link(&f, "sys/class/x", "../../proc");
	snprintf(one, sizeof(one), "%s/one", f.root);
	snprintf(two, sizeof(two), "%s/two", f.root);
	put(&f, "one", "");

	pid_t child = fork();

	assert_true(child >= 0);
	if (!child)
		for (;;)
			if (rename(one, two) < 0 || rename(two, one) < 0)
				_exit(1);

	CLEANUP(hw_closep) struct hw *hw = open_tree(&f);

	for (int i = 0; i < 20000; i++)
		n_failed += hw_read(hw, buf, sizeof(buf), "sys/class/x/a") != 8;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(n_failed, 0);
	fixture_end(&f);
}

static void what_outlives_a_state_is_kept_by_its_key(void **unused)
{
	char *first, *other, key[32];
	struct fixture f;
	struct hw *hw;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(hw_open(f.root, &hw), 0);
	first = hw_memory(hw, "a", 16);
	assert_non_null(first);
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(first[i], 0);
	memset(first, 'x', 16);
	other = hw_memory(hw, "b", 16);
	assert_non_null(other);
	assert_int_equal(other[15], 0);
	assert_ptr_equal(hw_memory(hw, "a", 16), first);
	/* What has another form by now is another one. */
	assert_ptr_not_equal(hw_memory(hw, "a", 17), first);
	for (int i = 3; i < 64; i++) {
		snprintf(key, sizeof(key), "%d", i);
		assert_non_null(hw_memory(hw, key, 1));
	}
	assert_null(hw_memory(hw, "64", 1));
	assert_ptr_equal(hw_memory(hw, "a", 16), first);
	hw_close(hw);
	fixture_end(&f);
}

struct kept_head {
	size_t n;
	struct {
		char key[32];
		size_t size;
	} v[16];
};

static void what_a_process_left_is_kept_if_it_makes_sense(void **unused)
{
	static _Alignas(max_align_t) char memory[2048];
	struct kept_head *head = (void *)memory;
	const struct {
		size_t n, size;
	} mad[] = {{17, 16}, {SIZE_MAX, 16}, {1, SIZE_MAX}, {1, SIZE_MAX - 7}, {1, 2048}};
	struct fixture f;
	char *block;
	struct hw *hw;

	(void)unused;
	fixture_start(&f);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(hw_open(f.root, &hw), 0);
		hw_memory_keep(hw, memory, sizeof(memory));
		block = hw_memory(hw, "a", 100);
		assert_true(block > memory && block + 100 <= memory + sizeof(memory));
		assert_int_equal(block[99], i ? 'x' : 0);
		memset(block, 'x', 100);
		block = hw_memory(hw, "b", 7);
		assert_int_equal(block[0], i ? 'y' : 0);
		memset(block, 'y', 7);
		/* No room, and a key that is too long. */
		block = hw_memory(hw, "c", 2000);
		assert_true(block < memory || block >= memory + sizeof(memory));
		block = hw_memory(hw, "01234567890123456789012345678901", 1);
		assert_true(block < memory || block >= memory + sizeof(memory));
		hw_close(hw);
	}
	for (size_t i = 0; i < ARRAY_SIZE(mad); i++) {
		memset(memory, 'z', sizeof(memory));
		head->n = mad[i].n;
		head->v[0].size = mad[i].size;
		assert_int_equal(hw_open(f.root, &hw), 0);
		hw_memory_keep(hw, memory, sizeof(memory));
		block = hw_memory(hw, "a", 100);
		assert_non_null(block);
		assert_int_equal(block[0], 0);
		assert_int_equal(head->n, 1);
		hw_close(hw);
	}
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading),
		cmocka_unit_test(a_nul_is_no_end),
		cmocka_unit_test(a_long_path_is_refused),
		cmocka_unit_test(links_stay_inside),
		cmocka_unit_test(renames_elsewhere_do_no_harm),
		cmocka_unit_test(a_fifo_does_not_hold),
		cmocka_unit_test(strange_files_of_the_tree_are_refused),
		cmocka_unit_test(every_error_has_a_name),
		cmocka_unit_test(planned_errors),
		cmocka_unit_test(malformed_errors_are_refused),
		cmocka_unit_test(space),
		cmocka_unit_test(files_stay_open),
		cmocka_unit_test(some_is_asked_once),
		cmocka_unit_test(what_is_remembered_is_not_full),
		cmocka_unit_test(what_outlives_a_state_is_kept_by_its_key),
		cmocka_unit_test(what_a_process_left_is_kept_if_it_makes_sense),
		cmocka_unit_test(lists_by_number),
		cmocka_unit_test(identity_of_the_machine),
		cmocka_unit_test(roots),
		cmocka_unit_test(no_config_is_looked_for_once),
		cmocka_unit_test(a_kernel_without_openat2_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
