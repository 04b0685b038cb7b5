/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/packing: what was put is taken; what is cut is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/packing.h"

static const uint32_t numbers[] = { 7, 8, 9 };

static void put(struct buf *ret)
{
	pack_put(ret, &numbers[0], sizeof(numbers[0]));
	pack_put_string(ret, "a\nb");
	pack_put_string(ret, NULL);
	pack_put_array(ret, numbers, 3, sizeof(numbers[0]));
	pack_put_array(ret, NULL, 0, sizeof(numbers[0]));
}

/* Whether all was there. */
static bool take(const struct buf *bytes, size_t len)
{
	struct unpack from = { .data = (const uint8_t *)bytes->data, .len = len };
	struct arena arena = { 0 };
	const char *text, *none;
	uint32_t number, *array, *empty;
	size_t count, nothing;
	bool ret;

	unpack_take(&from, &number, sizeof(number));
	text = unpack_string(&from, true, &arena);
	none = unpack_string(&from, false, &arena);
	array = unpack_array(&from, sizeof(*array), &count);
	empty = unpack_array(&from, sizeof(*empty), &nothing);
	ret = unpack_end(&from);
	if (ret) {
		assert_int_equal(7, number);
		assert_string_equal("a?b", text);
		assert_string_equal("", none);
		assert_int_equal(3, count);
		assert_memory_equal(numbers, array, sizeof(numbers));
		assert_null(empty);
	}
	free(array);
	free(empty);
	arena_done(&arena);
	return ret;
}

static void test_packing__takes_what_was_put(void **state)
{
	struct buf bytes = { 0 };

	(void)state;
	put(&bytes);
	assert_true(take(&bytes, bytes.len));
	for (size_t len = 0; len < bytes.len; len++)
		assert_false(take(&bytes, len));
	(void)buf_putc(&bytes, 'x');
	assert_false(take(&bytes, bytes.len)); /* more than was put */
	buf_done(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packing__takes_what_was_put),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
