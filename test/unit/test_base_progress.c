/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/progress: silent without a terminal and in the first half second. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/progress.h"

/* Puts a terminal (or a pipe, if there is none) where stderr is; returns its other
 * side, and the old stderr in *ret_saved. */
static int replace_stderr(int *ret_saved, int terminal)
{
	int ends[2];

	if (terminal) {
		ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (ends[0] < 0 || grantpt(ends[0]) || unlockpt(ends[0]))
			return -1;
		ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (ends[1] < 0)
			return -1;
	} else {
		assert_int_equal(0, pipe2(ends, O_CLOEXEC));
	}
	*ret_saved = dup(STDERR_FILENO);
	assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
	assert_int_equal(0, close(ends[1]));
	return ends[0];
}

/* What progress shows over 0.8 s of work. */
static int show(int terminal, char *text, size_t size)
{
	const struct timespec nap = { .tv_nsec = 100000000 };
	struct progress progress;
	int saved = -1;
	int fd = replace_stderr(&saved, terminal);
	size_t len = 0;

	if (fd < 0)
		return -1;
	progress_start(&progress, "reading", 8);
	for (uint64_t i = 0; i < 8; i++) {
		(void)nanosleep(&nap, NULL);
		progress_update(&progress, i);
	}
	progress_finish(&progress);
	assert_int_equal(1, write(STDERR_FILENO, "|", 1)); /* so that there is something to read */
	for (*text = '\0'; !strchr(text, '|'); text[len] = '\0') {
		ssize_t n = read(fd, text + len, size - 1 - len);

		assert_true(n > 0);
		len += (size_t)n;
	}
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	(void)close(saved);
	(void)close(fd);
	return 0;
}

static void test_progress__nothing_without_a_terminal(void **state)
{
	char text[1000];

	(void)state;
	assert_int_equal(0, show(0, text, sizeof(text)));
	assert_string_equal("|", text);
}

static void test_progress__percentage_on_a_terminal(void **state)
{
	char text[1000];

	(void)state;
	if (show(1, text, sizeof(text)))
		skip(); /* no /dev/pts here */
	assert_non_null(strstr(text, "reading:  75 %"));
	assert_null(strstr(text, "reading:  12 %"));
	assert_non_null(strstr(text, "\r\033[K|"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_progress__nothing_without_a_terminal),
		cmocka_unit_test(test_progress__percentage_on_a_terminal),
	};

	return cmocka_run_group_tests_name("base/progress", tests, NULL, NULL);
}
