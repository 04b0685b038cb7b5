/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_json: objects of calls. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "base/buf.h"
#include "session/trace/trace_argument.h"
#include "session/trace/trace_call.h"
#include "session/trace/trace_files.h"
#include "session/trace/trace_follow.h"
#include "session/trace/trace_json.h"

struct call {
	struct syscall_line line; /* first */
	char data[64];
};

static const char *object_of(struct trace_files *files, const struct call *from)
{
	static struct buf out;
	struct trace_call call;
	bool launched = false;

	buf_done(&out);
	trace_call_read(&from->line, &call);
	trace_json_begin(files, &call, NULL, &out);
	trace_follow(files, &call, &launched);
	trace_json_end(files, &call, &out);
	trace_follow_close(files, &call);
	return out.data;
}

static void test_json__has_values_and_their_text(void **state)
{
	struct call call = { .line = { .start_ns = 5,
				       .ns = 6,
				       .call = SYS_openat,
				       .tid = 43,
				       .tgid = 0x7fffffff,
				       .result = 3,
				       .comm = "l\"s" } };
	struct trace_files files;

	(void)state;
	trace_files_init(&files, true);
	memset(call.line.copied, 0xff, sizeof(call.line.copied));
	call.line.arg[0] = (uint64_t)(int64_t)AT_FDCWD;
	call.line.arg[1] = 4096;
	call.line.arg[2] = O_RDONLY | O_CLOEXEC;
	call.line.copied[1] = 4;
	memcpy(call.data, "a\nb", 4);
	assert_string_equal(
		object_of(&files, &call),
		"{\"time_ns\":5,\"duration_ns\":6,\"pid\":2147483647,\"tid\":43,"
		"\"comm\":\"l\\\"s\",\"call\":\"openat\",\"args\":{"
		"\"dfd\":{\"raw\":-100,\"text\":\"AT_FDCWD\"},"
		"\"filename\":{\"raw\":4096,\"text\":\"\\\"a\\\\nb\\\"\",\"string\":\"a\\u000ab\"},"
		"\"flags\":{\"raw\":524288,\"text\":\"O_RDONLY|O_CLOEXEC\"}},"
		"\"result\":3,\"result_text\":\"3<a\\\\nb>\"}");
	call.line.result = -ENOENT;
	assert_non_null(
		strstr(object_of(&files, &call),
		       "\"result\":-1,\"errno\":\"ENOENT\",\"error\":2,\"result_text\":\"-1 "
		       "ENOENT (No such file or directory)\"}"));
	call.line.call = SYS_exit_group;
	call.line.result = 0;
	call.line.returns_never = 1;
	assert_non_null(strstr(object_of(&files, &call), "\"result\":null,"));
	call.line.call = 999;
	assert_non_null(strstr(object_of(&files, &call), "\"syscall_999\",\"args\":{\"arg1\":{"));
	trace_files_done(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json__has_values_and_their_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
