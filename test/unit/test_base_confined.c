/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/confined: answers and errors come back, a child that dies is an error, nothing is left. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/confined.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/sandbox.h"

#define OPTIONS ((struct confined_options){ .name = "confined", .keep = -1 })

static void answer_text(void *context, int socket)
{
	struct buf bytes = { 0 };
	struct err err = { 0 };

	(void)buf_puts(&bytes, context);
	(void)confined_answer(socket, 0, &bytes, &err);
}

static void answer_error(void *context, int socket)
{
	struct buf bytes = { 0 };
	struct err err = { 0 };

	(void)confined_answer(socket, err_set(&err, -ENOENT, "%s", (const char *)context), &bytes,
			      &err);
}

static void die(void *context, int socket)
{
	(void)context;
	(void)socket;
	(void)raise(SIGKILL);
}

/* What it has open, but for the directory that it reads. */
static void list_open(void *context, int socket)
{
	struct buf bytes = { 0 };
	struct err err = { 0 };

	(void)context;
	for (int fd = 0; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			(void)buf_printf(&bytes, "%d ", fd);
	(void)confined_answer(socket, 0, &bytes, &err);
}

static int take(void (*run)(void *context, int socket), const char *text, struct buf *ret,
		struct err *err)
{
	struct confined child = CONFINED_NONE;
	int code = confined_start(&OPTIONS, run, (void *)(uintptr_t)text, &child, err);

	assert_int_equal(0, code);
	assert_true(confined_has(child.pid));
	code = confined_take(&child, ret, err);
	confined_end(&child);
	confined_end(&child);
	assert_int_equal(-1, waitpid(-1, NULL, WNOHANG));
	return code;
}

static void test_confined__answers(void **state)
{
	struct buf bytes = { 0 };
	struct err err = { 0 };
	uint32_t pid;

	(void)state;
	assert_int_equal(0, take(answer_text, "text", &bytes, &err));
	assert_string_equal("text", bytes.data);
	assert_int_equal(0, confined_list(&pid, 1));
	buf_done(&bytes);
	bytes.limit = 2; /* less than it sends */
	assert_int_equal(-ECHILD, take(answer_text, "text", &bytes, &err));
	buf_done(&bytes);
}

static void test_confined__errors_come_back_tidied(void **state)
{
	struct buf bytes = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(-ENOENT, take(answer_error, "no\033[31m file\n", &bytes, &err));
	assert_int_equal(-ENOENT, err.code);
	assert_string_equal("no?[31m file?", err.msg);
	assert_int_equal(-ECHILD, take(die, NULL, &bytes, &err));
	assert_int_equal(0, bytes.len);
}

static void test_confined__has_no_descriptors_of_ours(void **state)
{
	struct buf bytes = { 0 };
	struct err err = { 0 };
	int fd = open("/dev/null", O_RDONLY);

	(void)state;
	assert_int_equal(0, take(list_open, NULL, &bytes, &err));
	assert_string_equal("0 1 2 3 ", bytes.data);
	buf_done(&bytes);
	(void)close(fd);
}

static int is_privileged(void *context, struct buf *ret, struct err *err)
{
	(void)context;
	(void)err;
	return buf_puts(ret, sandbox_is_privileged() ? "privileged" : "confined");
}

static void test_confined__calls(void **state)
{
	struct buf bytes = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, confined_call("confined", is_privileged, NULL, &bytes, &err));
#ifndef __SANITIZE_ADDRESS__ /* no sandbox */
	assert_string_equal("confined", bytes.data);
#endif
	buf_done(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_confined__answers),
		cmocka_unit_test(test_confined__errors_come_back_tidied),
		cmocka_unit_test(test_confined__has_no_descriptors_of_ours),
		cmocka_unit_test(test_confined__calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
