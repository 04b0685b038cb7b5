/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_struct: structs and sets as text. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include "base/buf.h"
#include "session/trace/trace_struct.h"

static const char *text_of(enum syscall_arg kind, const void *data, size_t len)
{
	static struct buf out;

	buf_done(&out);
	return trace_put_fields(kind, data, len, &out) ? out.data : "";
}

static void test_structs__are_text(void **state)
{
	const struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_END, .l_start = -3 };
	const int64_t times[] = { 1, 2, 3, -4 };
	const uint64_t action[] = { 1, SA_RESTART, 0, 1 << (SIGINT - 1) };
	struct utsname name = { .sysname = "Linux", .nodename = "a\"b" };

	(void)state;
	assert_string_equal(text_of(ARG_FLOCK, &lock, sizeof(lock)),
			    "{l_type=F_WRLCK, l_whence=SEEK_END, l_start=-3, l_len=0}");
	assert_string_equal(text_of(ARG_FLOCK, &lock, sizeof(lock) - 1), "");
	assert_string_equal(text_of(ARG_TIMESPEC_PAIR, times, sizeof(times)),
			    "[{tv_sec=1, tv_nsec=2}, {tv_sec=3, tv_nsec=-4}]");
	assert_string_equal(text_of(ARG_SIGACTION, action, sizeof(action)),
			    "{sa_handler=SIG_IGN, sa_mask=[INT], sa_flags=SA_RESTART}");
	assert_string_equal(text_of(ARG_UTSNAME, &name, sizeof(name)),
			    "{sysname=\"Linux\", nodename=\"a\\\"b\", ...}");
	assert_string_equal(text_of(ARG_INT, times, sizeof(times)), "");
}

static void test_sets__are_lists(void **state)
{
	const uint64_t some = 1ull << (SIGHUP - 1) | 1ull << 31 | 1ull << 33, all = ~0ull;
	const uint8_t files[] = { 0x09, 0x80 };
	struct buf out = { 0 };

	(void)state;
	assert_string_equal(text_of(ARG_SIGSET, &some, sizeof(some)), "[HUP RTMIN RT_2]");
	assert_string_equal(text_of(ARG_SIGSET, &all, sizeof(all)), "~[]");
	trace_put_numbers(files, sizeof(files), 16, &out);
	trace_put_numbers(files, sizeof(files), 3, &out);
	assert_string_equal(out.data, "[0 3 15][0]");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_structs__are_text),
		cmocka_unit_test(test_sets__are_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
