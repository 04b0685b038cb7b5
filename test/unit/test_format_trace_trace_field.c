/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/trace/trace_field: numbers and strings of payloads, and payloads that are too short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/trace/trace_field.h"

static const uint8_t bytes[] = { 0xfe, 0xff, 'a', 'b', 0, 'x', 2, 0, 3, 0 };
static const struct trace_payload payload = { bytes, sizeof(bytes) };

static void test_numbers(void **state)
{
	struct trace_field field = { .offset = 0, .size = 2, .is_signed = true };
	int64_t value;

	(void)state;
	assert_true(trace_field_number(&field, payload, &value));
	assert_int_equal(value, -2);
	field.is_signed = false;
	assert_true(trace_field_number(&field, payload, &value));
	assert_int_equal(value, 0xfffe);
	field.swapped = true;
	assert_true(trace_field_number(&field, payload, &value));
	assert_int_equal(value, 0xfeff);
	field = (struct trace_field){ .offset = 6, .size = 4, .is_signed = true };
	assert_true(trace_field_number(&field, payload, &value));
	assert_int_equal(value, 0x30002);
	field.swapped = true;
	assert_true(trace_field_number(&field, payload, &value));
	assert_int_equal(value, 0x2000300);
	field = (struct trace_field){ .offset = 7, .size = 4 };
	assert_false(trace_field_number(&field, payload, &value));
	field = (struct trace_field){ .offset = 1, .size = 8 };
	assert_true(trace_field_number(&field, payload, &value));
	assert_int_equal(value, 0x03000278006261ff);
	field.size = 0;
	assert_false(trace_field_number(&field, payload, &value));
	field = (struct trace_field){ .offset = 9, .size = 2 };
	assert_false(trace_field_number(&field, payload, &value));
	field = (struct trace_field){ .offset = UINT32_MAX, .size = 8 };
	assert_false(trace_field_number(&field, payload, &value));
	assert_int_equal(value, 0);
}

static void test_text(void **state)
{
	struct trace_field field = { .offset = 2, .size = 4 };
	const char *text;
	size_t len;

	(void)state;
	assert_true(trace_field_text(&field, payload, &text, &len));
	assert_int_equal(len, 2);
	assert_memory_equal(text, "ab", 2);
	field = (struct trace_field){ .offset = 6, .size = 4, .located = true };
	assert_true(trace_field_text(&field, payload, &text, &len)); /* offset 2, 3 bytes */
	assert_int_equal(len, 2);
	assert_memory_equal(text, "ab", 2);
	field.offset = 4; /* length 2 at offset 0x7800 */
	assert_false(trace_field_text(&field, payload, &text, &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
