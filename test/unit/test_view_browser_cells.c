/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/browser/cells: text is cut and padded by what it takes on the screen. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "view/browser/cells.h"

static void test_cells__cuts_and_pads(void **state)
{
	struct cells line = { 0 };

	(void)state;
	cells_clear(&line, 10);
	cells_put_in(&line, CELL_PLAIN, "hällo", 3);
	cells_put_in(&line, CELL_HOT, "x", 3);
	cells_put_right(&line, CELL_HOT, "7", 2);
	assert_string_equal(line.text.data, "hälx   7");
	assert_int_equal(line.used, 8);
	assert_int_equal(line.spans.count, 2);
	cells_put(&line, CELL_PLAIN, "abcdef");
	assert_string_equal(line.text.data, "hälx   7ab");
	cells_put(&line, CELL_PLAIN, "more");
	cells_pad_to(&line, 20);
	assert_int_equal(line.used, 10);
	cells_done(&line);
}

static void test_cells__counts_wide_characters(void **state)
{
	struct cells line = { 0 };

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	assert_int_equal(cells_width("関数", strlen("関数")), 4);
	assert_int_equal(cells_width("e\xcc\x81", 3), 1); /* with an accent that combines */
	cells_clear(&line, 3);
	cells_put(&line, CELL_PLAIN, "関数");
	assert_string_equal(line.text.data, "関");
	assert_int_equal(line.used, 2);
	cells_done(&line);
}

static void test_cells__tidies(void **state)
{
	struct cells line = { 0 };

	(void)state;
	cells_clear(&line, 80);
	cells_put(&line, CELL_PLAIN,
		  "a\033[2J\n\t\x80"
		  "b\xe2\x80\xae");
	assert_true(text_is_tidy(line.text.data, line.text.len));
	assert_null(strpbrk(line.text.data, "\n\t\033\x80"));
	cells_done(&line);
}

static void test_cells__marks(void **state)
{
	struct cells line = { 0 };

	(void)state;
	cells_clear(&line, 80);
	cells_put(&line, CELL_HOT, "one ");
	cells_put(&line, CELL_WARM, "two One");
	cells_mark(&line, "one");
	assert_int_equal(line.spans.count, 5);
	assert_int_equal(line.spans.item[0].style, CELL_MATCH);
	assert_int_equal(line.spans.item[1].style, CELL_HOT);
	assert_int_equal(line.spans.item[1].from, 3);
	assert_int_equal(line.spans.item[2].style, CELL_WARM);
	assert_int_equal(line.spans.item[3].style, CELL_MATCH);
	assert_int_equal(line.spans.item[3].from, 8);
	cells_mark(&line, "");
	assert_int_equal(line.spans.count, 5);
	cells_done(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells__cuts_and_pads),
		cmocka_unit_test(test_cells__counts_wide_characters),
		cmocka_unit_test(test_cells__tidies),
		cmocka_unit_test(test_cells__marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
