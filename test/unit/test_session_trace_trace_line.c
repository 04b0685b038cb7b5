/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_line: lines of calls, from what the kernel part sends. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "base/buf.h"
#include "session/trace/trace_line.h"

struct call {
	struct syscall_line line; /* first */
	char data[64];
};

static struct call new_call(uint32_t number, int64_t result)
{
	struct call call = { .line = { .start_ns = 5000000,
				       .ns = 4000,
				       .call = number,
				       .tid = 43,
				       .tgid = 0x7fffffff,
				       .result = result,
				       .comm = "ls" } };

	memset(call.line.copied, 0xff, sizeof(call.line.copied));
	return call;
}

static const char *line_of(struct trace_lines *lines, const struct call *call)
{
	struct call next = *call;
	static struct buf out;

	/* One behind the other, but for tests of times. */
	if (lines->no_times)
		next.line.start_ns += lines->files.returned_ns;
	buf_done(&out);
	trace_lines_put(lines, &next.line, &out);
	return out.data;
}

static void test_lines__follow_a_file(void **state)
{
	struct trace_lines lines;
	struct call call = new_call(SYS_openat, 3);

	(void)state;
	trace_lines_init(&lines, true);
	call.line.arg[0] = (uint64_t)(int64_t)AT_FDCWD;
	call.line.arg[2] = O_RDONLY | O_CLOEXEC;
	call.line.arg[3] = 077;
	call.line.copied[1] = 7;
	memcpy(call.data, "/etc/x", 7);
	assert_string_equal(line_of(&lines, &call),
			    "     0.000 ( 0.004 ms): ls/43 openat(AT_FDCWD, \"/etc/x\", "
			    "O_RDONLY|O_CLOEXEC) = 3</etc/x>\n");
	call = new_call(SYS_read, 2);
	call.line.start_ns += 1000000;
	call.line.arg[0] = 3;
	call.line.arg[2] = 100;
	call.line.copied[1] = 2;
	memcpy(call.data, "a\n", 2);
	assert_string_equal(line_of(&lines, &call),
			    "     1.000 ( 0.004 ms): ls/43 read(3</etc/x>, \"a\\n\", 100) = 2\n");
	lines.no_times = lines.no_comm = true;
	call = new_call(SYS_close, 0);
	call.line.arg[0] = 3;
	assert_string_equal(line_of(&lines, &call), "43 close(3</etc/x>) = 0\n");
	call.line.result = -EBADF;
	assert_string_equal(line_of(&lines, &call),
			    "43 close(3) = -1 EBADF (Bad file descriptor)\n");
	trace_lines_done(&lines);
}

static void test_lines__forget_files_that_a_new_program_does_not_have(void **state)
{
	struct trace_lines lines;
	struct call call = new_call(SYS_openat, 3);
	const int pair[2] = { 3, 4 };

	(void)state;
	trace_lines_init(&lines, true);
	lines.no_times = lines.no_comm = true;
	call.line.copied[1] = 7;
	memcpy(call.data, "/etc/x", 7);
	(void)line_of(&lines, &call);
	call = new_call(SYS_pipe2, 0);
	call.line.copied[0] = sizeof(pair);
	memcpy(call.data, pair, sizeof(pair));
	assert_string_equal(line_of(&lines, &call), "43 pipe2([3, 4], 0) = 0\n");
	call = new_call(SYS_fsync, 0);
	call.line.arg[0] = 3;
	assert_string_equal(line_of(&lines, &call), "43 fsync(3<pipe>) = 0\n");
	call = new_call(SYS_openat, 3);
	call.line.copied[1] = 7;
	memcpy(call.data, "/etc/x", 7);
	(void)line_of(&lines, &call);
	call = new_call(SYS_execve, 0);
	(void)line_of(&lines, &call);
	call = new_call(SYS_fsync, 0);
	call.line.arg[0] = 3;
	assert_string_equal(line_of(&lines, &call), "43 fsync(3) = 0\n");
	trace_lines_done(&lines);
}

static void test_lines__say_what_is_missing(void **state)
{
	struct trace_lines lines;
	struct call call = new_call(SYS_getpid, 43);

	(void)state;
	trace_lines_init(&lines, true);
	lines.no_times = true;
	call.line.missing = 12;
	assert_string_equal(line_of(&lines, &call),
			    "[12 calls of thread 43 are missing here: the reader was too slow]\n"
			    "ls/43 getpid() = 43\n");
	trace_lines_done(&lines);
}

static void test_lines__show_what_arguments_point_to(void **state)
{
	const struct sockaddr_in address = { .sin_family = AF_INET,
					     .sin_port = htons(80),
					     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int len = sizeof(address), one = 1;
	struct trace_lines lines;
	struct call call = new_call(SYS_execve, 0);

	(void)state;
	trace_lines_init(&lines, true);
	lines.no_times = lines.no_comm = true;
	call.line.copied[0] = 5;
	call.line.copied[1] = 8;
	memcpy(call.data, "/b/a\0a\0-x \"y", 13);
	assert_string_equal(line_of(&lines, &call),
			    "43 execve(\"/b/a\", [\"a\", \"-x \\\"y\"], NULL) = 0\n");
	call = new_call(SYS_getsockname, 0);
	call.line.arg[0] = (uint64_t)-1;
	call.line.copied[1] = sizeof(address);
	call.line.copied[2] = sizeof(len);
	memcpy(call.data, &address, sizeof(address));
	memcpy(call.data + sizeof(address), &len, sizeof(len));
	assert_string_equal(line_of(&lines, &call),
			    "43 getsockname(-1, {sa_family=AF_INET, sin_port=htons(80), "
			    "sin_addr=inet_addr(\"127.0.0.1\")}, [16]) = 0\n");
	call = new_call(SYS_setsockopt, 0);
	call.line.arg[0] = (uint64_t)-1;
	call.line.arg[1] = SOL_SOCKET;
	call.line.arg[2] = SO_REUSEADDR;
	call.line.arg[4] = 4;
	call.line.copied[3] = sizeof(one);
	memcpy(call.data, &one, sizeof(one));
	assert_string_equal(line_of(&lines, &call),
			    "43 setsockopt(-1, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0\n");
	call = new_call(SYS_prctl, 0);
	call.line.arg[0] = PR_SET_NAME;
	call.line.copied[1] = 3;
	memcpy(call.data, "io", 3);
	assert_string_equal(line_of(&lines, &call), "43 prctl(PR_SET_NAME, \"io\") = 0\n");
	trace_lines_done(&lines);
}

static void test_lines__have_only_arguments(void **state)
{
	struct trace_lines lines;
	struct call call = new_call(SYS_setitimer, 0);

	(void)state;
	trace_lines_init(&lines, true);
	lines.no_times = lines.no_comm = true;
	assert_string_equal(line_of(&lines, &call), "43 setitimer(ITIMER_REAL, NULL, NULL) = 0\n");
	call = new_call(SYS_restart_syscall, -EINTR);
	assert_string_equal(line_of(&lines, &call),
			    "43 restart_syscall() = -1 EINTR (Interrupted system call)\n");
	trace_lines_done(&lines);
}

static void test_lines__of_unusual_results(void **state)
{
	struct trace_lines lines;
	struct call call = new_call(SYS_exit_group, 0);

	(void)state;
	trace_lines_init(&lines, true);
	lines.no_times = lines.no_comm = true;
	call.line.returns_never = 1;
	assert_string_equal(line_of(&lines, &call), "43 exit_group(0) = ?\n");
	call = new_call(SYS_nanosleep, -516);
	call.line.arg[0] = 0x1000; /* was not readable */
	assert_string_equal(line_of(&lines, &call),
			    "43 nanosleep(0x1000, NULL) = ? ERESTART_RESTARTBLOCK "
			    "(Interrupted by signal)\n");
	call = new_call(999, -ENOSYS);
	assert_string_equal(line_of(&lines, &call),
			    "43 syscall_999(0, 0, 0, 0, 0, 0) = -1 ENOSYS (Function not "
			    "implemented)\n");
	trace_lines_done(&lines);
}

static void test_lines__of_calls_that_have_not_returned(void **state)
{
	struct call call = new_call(SYS_read, 0);
	struct trace_lines lines;

	(void)state;
	trace_lines_init(&lines, true);
	call.line.arg[1] = 0x1000;
	call.line.arg[2] = 10;
	call.line.open = 1;
	call.line.ns = 1234567000;
	assert_string_equal(
		line_of(&lines, &call),
		"     0.000 (1234.567 ms): ls/43 read(0, 0x1000, 10 <unfinished ...>\n");
	call.line.old = 1;
	assert_string_equal(
		line_of(&lines, &call),
		"     0.000 (>1234.567 ms): ls/43 read(0, 0x1000, 10 <unfinished ...>\n");
	call.line.ns = 0;
	assert_string_equal(line_of(&lines, &call),
			    "     0.000 (         ): ls/43 read(0, 0x1000, 10 <unfinished ...>\n");
	lines.no_times = lines.no_comm = lines.json = true;
	assert_non_null(
		strstr(line_of(&lines, &call), "},\"result\":null,\"open\":true,\"old\":true}"));
	lines.json = false;
	call = new_call(SYS_close, 0); /* still open */
	trace_files_open(&lines.files, 0x7fffffff, 0, "/x");
	call.line.open = 1;
	assert_string_equal(line_of(&lines, &call), "43 close(0</x> <unfinished ...>\n");
	assert_string_equal(line_of(&lines, &call), "43 close(0</x> <unfinished ...>\n");
	trace_lines_done(&lines);
}

static void test_lines__follow_calls_that_are_not_shown(void **state)
{
	struct trace_lines lines;
	struct call call = new_call(SYS_openat, 3);

	(void)state;
	trace_lines_init(&lines, true);
	lines.no_times = lines.no_comm = true;
	call.line.unshown = 1;
	call.line.copied[1] = 7;
	memcpy(call.data, "/etc/x", 7);
	assert_null(line_of(&lines, &call));
	call = new_call(SYS_fsync, 0);
	call.line.arg[0] = 3;
	assert_string_equal(line_of(&lines, &call), "43 fsync(3</etc/x>) = 0\n");
	call.line.not_followed = 1; /* perhaps it was closed */
	assert_string_equal(line_of(&lines, &call), "43 fsync(3) = 0\n");
	trace_lines_done(&lines);
}

static void test_lines__of_stopped_threads(void **state)
{
	struct call call = new_call(SYS_pause, 0);
	struct trace_lines lines;

	(void)state;
	trace_lines_init(&lines, true);
	lines.no_times = true;
	call.line.open = call.line.old = 1;
	call.line.stopped = SYSCALL_STOPPED;
	assert_string_equal(line_of(&lines, &call), "ls/43 pause( <unfinished ...>\n"
						    "ls/43 --- stopped by a signal ---\n");
	call.line.call = SYSCALL_NONE;
	call.line.stopped = SYSCALL_STOPPED_TRACED;
	assert_string_equal(line_of(&lines, &call), "ls/43 --- stopped by its tracer ---\n");
	lines.json = true;
	assert_non_null(strstr(line_of(&lines, &call), "\"comm\":\"ls\",\"state\":\"traced\"}\n"));
	trace_lines_done(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines__follow_a_file),
		cmocka_unit_test(test_lines__forget_files_that_a_new_program_does_not_have),
		cmocka_unit_test(test_lines__say_what_is_missing),
		cmocka_unit_test(test_lines__show_what_arguments_point_to),
		cmocka_unit_test(test_lines__have_only_arguments),
		cmocka_unit_test(test_lines__of_unusual_results),
		cmocka_unit_test(test_lines__of_calls_that_have_not_returned),
		cmocka_unit_test(test_lines__follow_calls_that_are_not_shown),
		cmocka_unit_test(test_lines__of_stopped_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
