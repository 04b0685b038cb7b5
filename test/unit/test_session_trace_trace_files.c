/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_files: names of descriptors follow the calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "session/trace/trace_files.h"

#define NO_PROCESS 0x7fffffffu

static const char *name_of(struct trace_files *files, uint32_t pid, int fd)
{
	static struct buf out;

	buf_done(&out);
	trace_files_put(files, pid, fd, &out);
	return out.data ? out.data : "";
}

static void test_files__follow_calls(void **state)
{
	struct trace_files files;

	(void)state;
	trace_files_init(&files, true);
	assert_string_equal(name_of(&files, NO_PROCESS, 3), "");
	trace_files_open(&files, NO_PROCESS, 3, "/etc/a\033b");
	trace_files_copy(&files, NO_PROCESS, 3, 7);
	trace_files_close(&files, NO_PROCESS, 3);
	assert_string_equal(name_of(&files, NO_PROCESS, 3), "");
	assert_string_equal(name_of(&files, NO_PROCESS, 7), "</etc/a\\33b>");
	assert_string_equal(name_of(&files, NO_PROCESS - 1, 7), "");
	trace_files_open(&files, NO_PROCESS, 7, NULL);
	assert_string_equal(name_of(&files, NO_PROCESS, 7), "");
	trace_files_open(&files, NO_PROCESS, 8, "/etc/b");
	trace_files_open(&files, NO_PROCESS - 1, 8, "/etc/c");
	trace_files_forget(&files, NO_PROCESS, 0);
	assert_string_equal(name_of(&files, NO_PROCESS, 8), "");
	assert_string_equal(name_of(&files, NO_PROCESS - 1, 8), "</etc/c>");
	trace_files_done(&files);
}

static void test_files__of_children(void **state)
{
	const uint32_t child = NO_PROCESS - 1;
	struct trace_files files;

	(void)state;
	trace_files_init(&files, true);
	trace_files_make(&files, NO_PROCESS, 3, "pipe");
	trace_files_make(&files, NO_PROCESS, 4, "anon_inode:[io_uring]");
	trace_files_open(&files, NO_PROCESS, 5, "/etc/\xff");
	trace_files_close(&files, child, 5); /* its line came first */
	trace_files_fork(&files, NO_PROCESS, child);
	trace_files_close(&files, NO_PROCESS, 3);
	assert_string_equal(name_of(&files, NO_PROCESS, 5), "</etc/\\377>");
	assert_string_equal(name_of(&files, NO_PROCESS, 3), "");
	assert_string_equal(name_of(&files, child, 3), "<pipe>");
	assert_string_equal(name_of(&files, child, 4), "<anon_inode:[io_uring]>");
	assert_string_equal(name_of(&files, child, 5), "");
	trace_files_done(&files);
}

static void test_files__are_those_when_the_call_began(void **state)
{
	struct trace_files files;

	(void)state;
	trace_files_init(&files, true);
	files.returned_ns = 10;
	trace_files_open(&files, NO_PROCESS, 2, "/etc/a");
	files.begun_ns = 9; /* it went on with the file before */
	assert_string_equal(name_of(&files, NO_PROCESS, 2), "");
	files.begun_ns = 10;
	assert_string_equal(name_of(&files, NO_PROCESS, 2), "</etc/a>");
	trace_files_forget(&files, NO_PROCESS, 3);
	assert_string_equal(name_of(&files, NO_PROCESS, 2), "</etc/a>");
	trace_files_done(&files);
}

static void test_files__from_before_tracing(void **state)
{
	uint32_t self = (uint32_t)getpid();
	struct trace_files files;
	int fd[2], last;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	last = dup(fd[0]);
	trace_files_init(&files, true);
	assert_string_equal(name_of(&files, self, fd[0]), ""); /* no look into /proc */
	trace_files_meet(&files, self);
	assert_int_equal(close(last), 0);
	trace_files_prove(&files, self);
	assert_memory_equal(name_of(&files, self, fd[0]), "<pipe:[", 7);
	assert_string_equal(name_of(&files, self, last), "");
	trace_files_done(&files);
	(void)close(fd[0]);
	(void)close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files__follow_calls),
		cmocka_unit_test(test_files__of_children),
		cmocka_unit_test(test_files__are_those_when_the_call_began),
		cmocka_unit_test(test_files__from_before_tracing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
