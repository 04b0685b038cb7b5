/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_value: constants, strings and structs as strace writes them. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "session/trace/trace_value.h"

static struct buf out;

static const char *flags(enum syscall_arg arg, uint64_t value)
{
	buf_clear(&out);
	trace_put_flags(syscall_flags(arg), value, &out);
	return out.data;
}

static const char *put(enum syscall_arg arg, const void *data, size_t len)
{
	buf_clear(&out);
	return trace_put_struct(arg, data, len, &out) ? out.data : NULL;
}

static void test_flags__are_fields_and_bits(void **state)
{
	(void)state;
	assert_string_equal(flags(ARG_OPEN, 0), "O_RDONLY");
	assert_string_equal(flags(ARG_OPEN, O_WRONLY | O_CREAT | O_CLOEXEC),
			    "O_WRONLY|O_CREAT|O_CLOEXEC");
	assert_string_equal(flags(ARG_OPEN, O_RDWR | O_SYNC), "O_RDWR|O_SYNC");
	assert_string_equal(flags(ARG_OPEN, 1u << 30), "O_RDONLY|0x40000000");
	assert_string_equal(flags(ARG_ACCESS, F_OK), "F_OK");
	assert_string_equal(flags(ARG_ACCESS, R_OK | X_OK), "R_OK|X_OK");
	assert_string_equal(flags(ARG_PROT, 0), "PROT_NONE");
	assert_string_equal(flags(ARG_MAP, MAP_PRIVATE | MAP_ANONYMOUS),
			    "MAP_PRIVATE|MAP_ANONYMOUS");
	assert_string_equal(flags(ARG_FUTEX, FUTEX_WAKE_PRIVATE), "FUTEX_WAKE_PRIVATE");
	assert_string_equal(flags(ARG_SEEK, 77), "0x4d");
	assert_string_equal(flags(ARG_AT, 0), "0");
	assert_string_equal(flags(ARG_CLONE, SIGCHLD), "SIGCHLD");
}

static void test_strings__are_escaped_and_cut(void **state)
{
	(void)state;
	buf_clear(&out);
	trace_put_string((const uint8_t *)"a\"\\\n\0001\033", 7, 32, false, &out);
	assert_string_equal(out.data, "\"a\\\"\\\\\\n\\0001\\33\"");
	buf_clear(&out);
	trace_put_string((const uint8_t *)"abcdef", 6, 3, false, &out);
	assert_string_equal(out.data, "\"abc\"...");
}

static void test_signals__have_names(void **state)
{
	(void)state;
	buf_clear(&out);
	trace_put_signal(SIGTERM, &out);
	trace_put_signal(0, &out);
	trace_put_signal(34, &out);
	assert_string_equal(out.data, "SIGTERM0SIGRT_2");
}

static void test_structs__that_were_not_copied_whole_are_addresses(void **state)
{
	const uint8_t bytes[8] = { 0 };

	(void)state;
	assert_null(put(ARG_TIMESPEC, bytes, sizeof(bytes)));
	assert_null(put(ARG_STAT, bytes, sizeof(bytes)));
	assert_null(put(ARG_SOCKADDR, bytes, 1));
	assert_null(put(ARG_FD_PAIR, bytes, 4));
	assert_null(put(ARG_WAIT_STATUS, bytes, 0));
	assert_null(put(ARG_RLIMIT, bytes, sizeof(bytes)));
	assert_null(put(ARG_EPOLL_EVENT, bytes, sizeof(bytes)));
	assert_null(put(ARG_INT, bytes, sizeof(bytes)));
}

static void test_structs__are_those_of_calls(void **state)
{
	const struct timespec time = { 1, 500 };
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(80) };
	const struct sockaddr_un local = { .sun_family = AF_UNIX, .sun_path = "/run/x" };
	const struct stat stat = { .st_mode = S_IFREG | 0644, .st_size = 42 };
	const struct pollfd poll = { 3, POLLIN, POLLIN | POLLHUP };
	const int exited = 3 << 8, killed = SIGKILL, pair[2] = { 3, 4 };

	(void)state;
	four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_string_equal(put(ARG_TIMESPEC, &time, sizeof(time)), "{tv_sec=1, tv_nsec=500}");
	assert_string_equal(put(ARG_SOCKADDR, &four, sizeof(four)),
			    "{sa_family=AF_INET, sin_port=htons(80), "
			    "sin_addr=inet_addr(\"127.0.0.1\")}");
	assert_string_equal(put(ARG_SOCKADDR, &local, 2 + 7),
			    "{sa_family=AF_UNIX, sun_path=\"/run/x\"}");
	assert_string_equal(put(ARG_STAT, &stat, sizeof(stat)),
			    "{st_mode=S_IFREG|0644, st_size=42, ...}");
	assert_string_equal(put(ARG_POLLFDS, &poll, sizeof(poll)),
			    "[{fd=3, events=POLLIN, revents=POLLIN|POLLHUP}]");
	assert_string_equal(put(ARG_WAIT_STATUS, &exited, sizeof(exited)),
			    "[{WIFEXITED(s) && WEXITSTATUS(s) == 3}]");
	assert_string_equal(put(ARG_WAIT_STATUS, &killed, sizeof(killed)),
			    "[{WIFSIGNALED(s) && WTERMSIG(s) == SIGKILL}]");
	assert_string_equal(put(ARG_FD_PAIR, pair, sizeof(pair)), "[3, 4]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flags__are_fields_and_bits),
		cmocka_unit_test(test_strings__are_escaped_and_cut),
		cmocka_unit_test(test_signals__have_names),
		cmocka_unit_test(test_structs__that_were_not_copied_whole_are_addresses),
		cmocka_unit_test(test_structs__are_those_of_calls),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	buf_done(&out);
	return failed;
}
