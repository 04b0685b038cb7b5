/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/store: a mark is one line, findings go to files once they were sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store_samples.h"

#include "base/buf.h"
#include "base/fd.h"
#include "command/option/option.h"
#include "command/store/watch_mark.h"
#include "command/store/watch_tell.h"

static char folder[64], path[96];

static int set_up(void **state)
{
	(void)state;
	make_folder(folder);
	(void)snprintf(path, sizeof(path), "%s/file", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	remove_folder(folder);
	return 0;
}

static void check_file(const char *expected)
{
	struct buf text = { 0 };
	struct err err = { 0 };

	assert_int_equal(fd_read_file(path, &text, &err), 0);
	assert_string_equal(text.data, expected);
	buf_done(&text);
}

static void test_watch_mark__one_line_each(void **state)
{
	char first[] = "deploy", second[] = "of\n1.2", *argv[] = { first, second, NULL };
	const struct option_words words = { 2, argv }, none = { 0, argv };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(watch_mark_run(path, "@100", "service=a", &words, &err), 0);
	assert_int_equal(watch_mark_run(path, "@101", NULL, &words, &err), 0);
	check_file("@100 {service=a} deploy of?1.2\n@101 deploy of?1.2\n");
	assert_int_not_equal(watch_mark_run(path, NULL, NULL, &none, &err), 0);
	assert_int_not_equal(watch_mark_run(path, "x", NULL, &words, &err), 0);
	assert_int_not_equal(watch_mark_run(path, NULL, "service=", &words, &err), 0);
}

static void test_watch_tell__files(void **state)
{
	const struct watch_round none = { "# nothing\n", "", "" };
	const struct watch_round round = { "# one\n", "{}\n", "key 1\n" };
	const struct watch_tell where = { .append = path };
	const struct watch_tell both = { .append = "/proc/none/x", .state = path };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(watch_tell(&where, &none, &err), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(watch_tell(&where, &round, &err), 0);
	assert_int_equal(watch_tell(&where, &round, &err), 0);
	check_file("{}\n{}\n");
	assert_int_not_equal(watch_tell(&both, &round, &err), 0);
	check_file("{}\n{}\n"); /* the state is the last one */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_watch_mark__one_line_each, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_watch_tell__files, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
