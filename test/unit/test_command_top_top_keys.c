/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys of a terminal, and the selection that they move. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "command/top/top_keys.h"

static void check_key(const char *bytes, int key, size_t length)
{
	size_t used = 0;

	assert_int_equal(key, top_key_read(bytes, strlen(bytes), &used));
	assert_int_equal(length, used);
}

static void test_top_keys__are_read(void **state)
{
	(void)state;
	check_key("q?", 'q', 1);
	check_key("\033[Aq", TOP_KEY_UP, 3);
	check_key("\033OB", TOP_KEY_DOWN, 3);
	check_key("\033[5~x", TOP_KEY_PAGE_UP, 4);
	check_key("\033[1;5C", TOP_KEY_NONE, 6); /* unknown; no letters of it remain */
	check_key("\033", TOP_KEY_ESCAPE, 1);
	check_key("\033x", TOP_KEY_ESCAPE, 1);
	check_key("\033[", TOP_KEY_NONE, 2);
	check_key("\r", TOP_KEY_ENTER, 1);
	check_key("\177", TOP_KEY_BACKSPACE, 1);
	check_key("\303\274", 0xc3, 1);
}

static void move(struct top_cursor *cursor, int key, uint32_t selected, uint32_t first)
{
	top_cursor_move(cursor, key, 10, 4);
	assert_int_equal(selected, cursor->selected);
	assert_int_equal(first, cursor->first);
}

static void test_top_keys__move_the_selection(void **state)
{
	struct top_cursor cursor = { 0 };

	(void)state;
	move(&cursor, TOP_KEY_DOWN, 1, 0);
	move(&cursor, TOP_KEY_UP, 1, 0);
	move(&cursor, TOP_KEY_PAGE_DOWN, 4, 0);
	move(&cursor, TOP_KEY_DOWN, 5, 1);
	move(&cursor, TOP_KEY_END, 10, 6);
	move(&cursor, TOP_KEY_DOWN, 10, 6);
	move(&cursor, 'x', 10, 6);
	move(&cursor, TOP_KEY_PAGE_UP, 7, 6);
	move(&cursor, TOP_KEY_HOME, 1, 0);
	top_cursor_move(&cursor, TOP_KEY_DOWN, 0, 4);
	assert_int_equal(0, cursor.selected);
}

static void test_top_help__has_pages(void **state)
{
	struct buf help = { 0 };

	(void)state;
	assert_false(top_help_put(80, 24, 0, &help));
	assert_non_null(strstr(help.data, "up, down    select a line"));
	assert_non_null(strstr(help.data, "q           quit\nany key: back to the table"));
	buf_clear(&help);
	assert_true(top_help_put(40, 8, 0, &help));
	assert_string_equal(help.data, "up, down    select a line, and scroll;\n"
				       "            also page up, page down,\n"
				       "            home, end\n"
				       "enter       only the selected function,\n"
				       "            with its callers\n"
				       "/           filter: only functions with\n"
				       "            this text\n"
				       "any key: more, q: back");
	for (uint32_t page = 1; top_help_put(40, 8, page, &help); page++)
		assert_in_range(page, 1, 9);
	assert_non_null(strstr(help.data, "q           quit\nany key: back to the table"));
	buf_done(&help);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top_keys__are_read),
		cmocka_unit_test(test_top_keys__move_the_selection),
		cmocka_unit_test(test_top_help__has_pages),
	};

	return cmocka_run_group_tests_name("command/top/top_keys", tests, NULL, NULL);
}
