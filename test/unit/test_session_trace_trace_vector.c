/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_vector: parts of data as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "base/buf.h"
#include "session/trace/trace_call.h"
#include "session/trace/trace_vector.h"

static struct {
	struct syscall_line line; /* first */
	struct syscall_vector vector;
} from;

static const char *text_of(uint32_t number, uint64_t parts, int64_t result)
{
	static struct buf out;
	struct trace_call call;

	memset(from.line.copied, 0xff, sizeof(from.line.copied));
	from.line.call = number;
	from.line.arg[1] = 0x1000;
	from.line.arg[2] = parts;
	from.line.result = result;
	from.line.copied[1] = sizeof(from.vector);
	trace_call_read(&from.line, &call);
	buf_done(&out);
	return trace_put_vector(&call.arg[1], &out) ? out.data : "";
}

static void test_vector__shows_what_was_moved(void **state)
{
	const char *many;

	(void)state;
	from.vector.part[0] = (struct syscall_part){ 0x2000, 3 };
	from.vector.part[1] = (struct syscall_part){ 0x3000, 100 };
	memcpy(from.vector.data[0], "one", 3);
	memset(from.vector.data[1], 'x', SYSCALL_PART_BYTES);
	assert_string_equal(text_of(SYS_writev, 1, -5), "[{iov_base=\"one\", iov_len=3}]");
	assert_string_equal(text_of(SYS_readv, 2, 5),
			    "[{iov_base=\"one\", iov_len=3}, {iov_base=\"xx\", iov_len=100}]");
	assert_string_equal(text_of(SYS_readv, 2, 103),
			    "[{iov_base=\"one\", iov_len=3}, {iov_base=\""
			    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"..., iov_len=100}]");
	many = text_of(SYS_writev, 9, 0);
	assert_string_equal(many + strlen(many) - 6, ", ...]");
	assert_string_equal(text_of(SYS_read, 1, 3), "");
}

static void test_vector__of_a_message(void **state)
{
	(void)state;
	memset(&from, 0, sizeof(from));
	from.vector.part[0] = (struct syscall_part){ 0x2000, 2 };
	memcpy(from.vector.data[0], "hi", 2);
	from.vector.message =
		(struct syscall_message){ .part_count = 1, .control = 0x4000, .control_len = 24 };
	assert_string_equal(
		text_of(SYS_sendmsg, 0, 2),
		"{msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"hi\", iov_len=2}], "
		"msg_iovlen=1, msg_control=0x4000, msg_controllen=24, msg_flags=0}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vector__shows_what_was_moved),
		cmocka_unit_test(test_vector__of_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
