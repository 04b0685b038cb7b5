/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_filter: conditions on calls. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "base/err.h"
#include "session/trace/trace_call.h"
#include "session/trace/trace_filter.h"
#include "source/syscall/syscall_choice.h"

static struct {
	struct syscall_line line; /* first */
	char data[64];
} call;

static void make_call(uint32_t number, int64_t result)
{
	memset(&call, 0, sizeof(call));
	call.line.call = number;
	call.line.tid = 43;
	call.line.tgid = 42;
	call.line.result = result;
	memcpy(call.line.comm, "ls", 3);
	memset(call.line.copied, 0xff, sizeof(call.line.copied));
}

static bool accepts(const char *text)
{
	struct trace_filter *filter = NULL;
	struct trace_call read;
	struct err err = { 0 };
	bool accepted;

	assert_int_equal(trace_filter_parse(text, &filter, &err), 0);
	trace_call_read(&call.line, &read);
	accepted = trace_filter_accepts(filter, &read);
	trace_filter_free(filter);
	return accepted;
}

static void test_filter__compares_numbers(void **state)
{
	(void)state;
	make_call(SYS_read, 100);
	call.line.arg[0] = 3;
	call.line.arg[2] = 4097;
	assert_true(accepts("fd == 3"));
	assert_false(accepts("fd != 3"));
	assert_true(accepts("fd==3&&count>4096"));
	assert_false(accepts("fd == 3 && count > 0x1001"));
	assert_true(accepts("fd == 4 || count >= 4097"));
	assert_true(accepts("!(fd < 3) && (count <= 4097 || fd == 9)"));
	assert_true(accepts("ret == 100 && common_pid == 43 && pid == 42"));
	assert_true(accepts("comm ~ \"l*\" && comm != cat"));
	assert_false(accepts("nothing == 3"));
	call.line.arg[0] = (uint64_t)-1;
	assert_true(accepts("fd < 0"));
	call.line.arg[2] = (uint64_t)-1; /* a large one */
	assert_true(accepts("count > 4096"));
}

static void test_filter__knows_names_of_values(void **state)
{
	(void)state;
	make_call(SYS_openat, -ENOENT);
	call.line.arg[0] = (uint64_t)(int64_t)AT_FDCWD;
	call.line.arg[2] = O_WRONLY | O_CREAT | O_TRUNC;
	assert_true(accepts("flags & O_CREAT"));
	assert_false(accepts("flags & O_APPEND"));
	assert_true(accepts("flags == O_WRONLY|O_CREAT|O_TRUNC"));
	assert_true(accepts("dfd == AT_FDCWD"));
	assert_true(accepts("errno == ENOENT && ret < 0 && ret == -2"));
	assert_false(accepts("errno == EPERM"));
	make_call(SYS_kill, 0);
	call.line.arg[0] = 7;
	call.line.arg[1] = SIGTERM;
	assert_true(accepts("sig == SIGTERM && pid == 7"));
	assert_true(accepts("errno == 0"));
}

static void test_filter__compares_strings(void **state)
{
	(void)state;
	make_call(SYS_openat, 3);
	call.line.copied[1] = 10;
	memcpy(call.data, "/lib/a.so", 10);
	assert_true(accepts("filename ~ \"*.so*\""));
	assert_false(accepts("filename ~ '*.txt'"));
	assert_true(accepts("filename !~ *.txt"));
	assert_true(accepts("filename == \"/lib/a.so\""));
	assert_false(accepts("filename != \"/lib/a.so\""));
	call.line.copied[1] = SYSCALL_COPY_NONE; /* not readable */
	assert_false(accepts("filename ~ \"*\""));
}

static void refuse(const char *text, const char *why)
{
	static struct syscall_choice choice;
	struct trace_filter *filter = NULL;
	struct err err = { 0 };

	syscall_choice_all(&choice);
	if (trace_filter_parse(text, &filter, &err) == 0)
		assert_int_not_equal(trace_filter_check(filter, &choice, &err), 0);
	trace_filter_free(filter);
	assert_non_null(strstr(err.msg, why));
}

static void test_filter__refuses_what_it_does_not_know(void **state)
{
	char deep[300];

	(void)state;
	refuse("", "expected a name at column 1");
	refuse("fd 3", "expected a comparison");
	refuse("fd && 3", "expected a comparison");
	refuse("fd ==", "expected a value");
	refuse("fd == \"3", "string without end");
	refuse("(fd == 3", "expected ')'");
	refuse("fd == 3 fd == 4", "expected && or ||");
	refuse("filenam == 3", "no traced call has an argument 'filenam'");
	refuse("flags & O_NOTHING", "'O_NOTHING' is no value of 'flags'");
	refuse("errno == ENOTHING", "is no value of 'errno'");
	refuse("ret == ENOENT", "is no value of 'ret'");
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	refuse(deep, "too many parentheses");
	memset(deep, '!', sizeof(deep) - 1);
	refuse(deep, "too many parentheses");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter__compares_numbers),
		cmocka_unit_test(test_filter__knows_names_of_values),
		cmocka_unit_test(test_filter__compares_strings),
		cmocka_unit_test(test_filter__refuses_what_it_does_not_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
