/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/fd: whole reads and writes, limits and maps, on real files and pipes. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"

static int make_file(char *path, const char *text, size_t len)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(0, fd_write_all(fd, text, len));
	assert_int_equal(0, lseek(fd, 0, SEEK_SET));
	return fd;
}

static void test_fd__reads_a_file_up_to_its_limit(void **state)
{
	char path[] = "/tmp/cupel-fd-XXXXXX";
	AUTO_CLOSE int fd = make_file(path, "0123456789", 10);
	struct buf whole = { 0 }, small = { .limit = 9 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(10, lseek(fd, 0, SEEK_END));
	assert_int_equal(0, fd_read_file(path, &whole, &err));
	assert_string_equal("0123456789", whole.data);
	assert_int_equal(-E2BIG, fd_read_file(path, &small, &err));
	assert_non_null(strstr(err.msg, "larger than the limit of 9 bytes"));
	assert_int_equal(0, unlink(path));
	assert_int_equal(-ENOENT, fd_read_file(path, &whole, &err));
	buf_done(&whole);
	buf_done(&small);
}

static void test_fd__reads_proc_files_of_unknown_size(void **state)
{
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, fd_read_file("/proc/self/status", &text, &err));
	assert_non_null(strstr(text.data, "VmRSS"));
	buf_done(&text);
}

static void test_fd__read_full_stops_at_the_end(void **state)
{
	int pipes[2];
	char data[8] = "";

	(void)state;
	assert_int_equal(0, pipe2(pipes, O_CLOEXEC));
	assert_int_equal(0, fd_write_all(pipes[1], "abc", 3));
	assert_int_equal(0, close(pipes[1]));
	assert_int_equal(3, fd_read_full(pipes[0], data, sizeof(data)));
	assert_int_equal(0, fd_read_full(pipes[0], data, sizeof(data)));
	assert_int_equal(0, close(pipes[0]));
	assert_int_equal(-EBADF, fd_read_full(pipes[0], data, sizeof(data)));
	assert_int_equal(-EBADF, fd_write_all(pipes[0], "x", 1));
}

static void test_fd__maps_regular_files_only(void **state)
{
	char path[] = "/tmp/cupel-fd-XXXXXX";
	AUTO_CLOSE int fd = make_file(path, "map me", 6);
	struct file_map map = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, file_map_open(path, &map, &err));
	assert_int_equal(6, map.len);
	assert_memory_equal("map me", map.data, 6);
	file_map_close(&map);
	assert_null(map.data);
	assert_int_equal(0, ftruncate(fd, 0));
	assert_int_equal(0, file_map_fd(fd, &map, &err));
	assert_null(map.data);
	file_map_close(&map);
	assert_int_equal(0, unlink(path));
	assert_int_equal(-ENOENT, file_map_open(path, &map, &err));
	assert_int_equal(-EINVAL, file_map_open("/", &map, &err));
}

static void test_fd__temporary_files_can_be_read_back(void **state)
{
	struct err err = { 0 };
	AUTO_CLOSE int fd = fd_temporary("test", &err);
	char c = 0;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, "x", 1), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(fd_read_full(fd, &c, 1), 1);
	assert_int_equal(c, 'x');
}

static void test_fd__take_leaves_nothing_behind(void **state)
{
	int fd = 7;
	void *p = &fd;

	(void)state;
	assert_int_equal(7, take_fd(&fd));
	assert_int_equal(-1, fd);
	assert_ptr_equal(&fd, take_pointer(&p));
	assert_null(p);
}

/* In a process of its own, which has few others; bits of what is wrong. */
static int close_others(void)
{
	int keep[] = { -1, 9, 5, 7 }, wrong = 0;
	const size_t count = sizeof(keep) / sizeof(*keep);

	for (int fd = 3; fd < 12; fd++)
		(void)dup2(0, fd);
	fd_sort(keep, count);
	wrong |= keep[0] != -1 || keep[1] != 5 || keep[3] != 9;
	fd_close_others(keep, count);
	for (int fd = 0; fd < 12; fd++)
		if ((fcntl(fd, F_GETFD) >= 0) != (fd == 5 || fd == 7 || fd == 9))
			wrong |= 2;
	return wrong;
}

static void test_fd__closes_all_but_some(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		_exit(close_others());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fd__reads_a_file_up_to_its_limit),
		cmocka_unit_test(test_fd__reads_proc_files_of_unknown_size),
		cmocka_unit_test(test_fd__read_full_stops_at_the_end),
		cmocka_unit_test(test_fd__maps_regular_files_only),
		cmocka_unit_test(test_fd__temporary_files_can_be_read_back),
		cmocka_unit_test(test_fd__take_leaves_nothing_behind),
		cmocka_unit_test(test_fd__closes_all_but_some),
	};

	return cmocka_run_group_tests_name("base/fd", tests, NULL, NULL);
}
