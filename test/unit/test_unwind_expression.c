/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind/expression: the operations give DWARF's results; bad code, deep stacks and endless loops
 * end as unsupported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/expression.h"

#define STACK_ADDR 0x7000

static enum stack_stop run(const void *code, size_t len, uint64_t *ret)
{
	static const uint64_t words[] = { 0x1111, 0x2222, 0xfedcba9876543210 };
	struct unwind_registers registers = { .known = 1u << 7 | 1u << 6 };
	struct unwind_memory memory = { (const uint8_t *)words, STACK_ADDR, sizeof(words) };
	struct expression_context context = { &registers, &memory, 0x100000 };
	struct cfi_cursor cursor = { .at = code, .end = (const uint8_t *)code + len };

	registers.value[7] = STACK_ADDR;
	registers.value[6] = 0x6000;
	return expression_evaluate(cursor, NULL, &context, ret);
}

#define GIVES(expected, code)                                                           \
	do {                                                                            \
		uint64_t value = 0;                                                     \
		assert_int_equal(STACK_STOP_NONE, run(code, sizeof(code) - 1, &value)); \
		assert_true(value == (uint64_t)(expected));                             \
	} while (0)
#define STOPS(reason, code)                                                                 \
	do {                                                                                \
		uint64_t value;                                                             \
		assert_int_equal(STACK_STOP_##reason, run(code, sizeof(code) - 1, &value)); \
	} while (0)

static void test_expression__constants(void **state)
{
	(void)state;
	GIVES(5, "\x35");
	GIVES(31, "\x4f");
	GIVES(0xff, "\x08\xff");
	GIVES(-1, "\x09\xff");
	GIVES(0xfffe, "\x0a\xfe\xff");
	GIVES(-2, "\x0b\xfe\xff");
	GIVES(0xfffffffe, "\x0c\xfe\xff\xff\xff");
	GIVES(-2, "\x0d\xfe\xff\xff\xff");
	GIVES(0x0807060504030201, "\x0e\1\2\3\4\5\6\7\x08");
	GIVES(0x0807060504030201, "\x0f\1\2\3\4\5\6\7\x08");
	GIVES(300, "\x10\xac\x02");
	GIVES(-300, "\x11\xd4\x7d");
	GIVES(0x100010, "\x03\x10\0\0\0\0\0\0\0"); /* an address moves with its module */
}

static void test_expression__registers_and_memory(void **state)
{
	(void)state;
	GIVES(0x7008, "\x77\x08");
	GIVES(0x5ff8, "\x76\x78");
	GIVES(0x7008, "\x92\x07\x08");
	GIVES(0x2222, "\x77\x08\x06");
	GIVES(0x10, "\x77\x10\x94\x01");
	GIVES(0x3210, "\x77\x10\x94\x02");
	STOPS(READ_FAULT, "\x77\x18\x06");
	STOPS(READ_FAULT, "\x77\x11\x06"); /* its last byte is outside */
	STOPS(READ_FAULT, "\x76\x00\x06");
	STOPS(UNSUPPORTED, "\x70\x00"); /* a register that is not known */
	STOPS(UNSUPPORTED, "\x92\x40\x00");
	STOPS(UNSUPPORTED, "\x77\x00\x94\x09");
}

static void test_expression__arithmetic(void **state)
{
	(void)state;
	GIVES(5, "\x3a\x35\x1c");
	GIVES(12, "\x34\x38\x22");
	GIVES(32, "\x34\x38\x1e");
	GIVES(3, "\x3a\x33\x1b");
	GIVES(-3, "\x3a\x1f\x33\x1b"); /* division is signed */
	GIVES(1, "\x3a\x33\x1d");
	GIVES(2, "\x3a\x36\x1a");
	GIVES(14, "\x3a\x36\x21");
	GIVES(12, "\x3a\x36\x27");
	GIVES(40, "\x3a\x32\x24");
	GIVES(2, "\x3a\x32\x25");
	GIVES(-3, "\x3a\x1f\x32\x26");
	GIVES(10, "\x3a\x1f\x19");
	GIVES(~10ull, "\x3a\x20");
	GIVES(310, "\x3a\x23\xac\x02");
	GIVES(0, "\x31\x08\x40\x24");
	STOPS(UNSUPPORTED, "\x3a\x30\x1b"); /* by zero */
	STOPS(UNSUPPORTED, "\x3a\x30\x1d");
	GIVES(0x8000000000000000, "\x31\x08\x3f\x24\x11\x7f\x1b"); /* INT64_MIN / -1 */
}

static void test_expression__comparisons_are_signed(void **state)
{
	(void)state;
	GIVES(1, "\x3a\x1f\x33\x2d");
	GIVES(0, "\x3a\x1f\x33\x2b");
	GIVES(1, "\x33\x33\x2a");
	GIVES(1, "\x33\x33\x2c");
	GIVES(1, "\x33\x33\x29");
	GIVES(1, "\x33\x34\x2e");
}

static void test_expression__stack_operations(void **state)
{
	(void)state;
	GIVES(8, "\x34\x12\x22");
	GIVES(4, "\x34\x35\x13");
	GIVES(4, "\x34\x35\x14");
	GIVES(3, "\x33\x34\x35\x15\x02");
	GIVES(1, "\x34\x35\x16\x1c");
	/* 1 2 3 rot: 3 1 2 */
	GIVES(2, "\x31\x32\x33\x17");
	GIVES(1, "\x31\x32\x33\x17\x13");
	GIVES(3, "\x31\x32\x33\x17\x13\x13");
	STOPS(UNSUPPORTED, "\x13");
	STOPS(UNSUPPORTED, "\x31\x15\x01");
	STOPS(UNSUPPORTED, "");
}

static void test_expression__branches(void **state)
{
	(void)state;
	GIVES(1, "\x31\x2f\x01\x00\x32");
	GIVES(7, "\x37\x31\x28\x01\x00\x32");
	GIVES(2, "\x37\x30\x28\x01\x00\x32");
	STOPS(UNSUPPORTED, "\x2f\xfd\xff"); /* to itself for ever */
	STOPS(UNSUPPORTED, "\x31\x2f\x10\x00");
	STOPS(UNSUPPORTED, "\x31\x2f\x00\x80");
}

static void test_expression__bounds(void **state)
{
	char deep[64];
	uint64_t ignored;

	(void)state;
	memset(deep, 0x31, sizeof(deep));
	assert_int_equal(STACK_STOP_UNSUPPORTED, run(deep, sizeof(deep), &ignored));
	STOPS(UNSUPPORTED, "\x0e\1\2\3");
	STOPS(UNSUPPORTED, "\x31\xe0"); /* thread-local and unknown operations */
	STOPS(UNSUPPORTED, "\x10\xff\xff\xff");
}

static void test_expression__knows_the_simple_forms(void **state)
{
	struct expression_simple simple;
	struct cfi_cursor code;

	(void)state;
#define SIMPLE(text)                                                                      \
	(code = (struct cfi_cursor){ (const uint8_t *)(text),                             \
				     (const uint8_t *)(text) + sizeof(text) - 1, false }, \
	 expression_simple(code, &simple))
	assert_true(SIMPLE("\x77\xa0\x01"));
	assert_int_equal(7, simple.reg);
	assert_int_equal(160, simple.offset);
	assert_false(simple.deref);
	assert_true(SIMPLE("\x76\x78\x06"));
	assert_true(simple.deref);
	assert_int_equal(-8, simple.offset);
	assert_true(SIMPLE("\x77\x30\x06\x23\x08"));
	assert_int_equal(8, simple.addend);
	assert_false(SIMPLE("\x77\x30\x23\x08"));
	assert_false(SIMPLE("\x77\x30\x06\x06"));
	assert_false(SIMPLE("\x31"));
	assert_false(SIMPLE("\x77"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expression__constants),
		cmocka_unit_test(test_expression__registers_and_memory),
		cmocka_unit_test(test_expression__arithmetic),
		cmocka_unit_test(test_expression__comparisons_are_signed),
		cmocka_unit_test(test_expression__stack_operations),
		cmocka_unit_test(test_expression__branches),
		cmocka_unit_test(test_expression__bounds),
		cmocka_unit_test(test_expression__knows_the_simple_forms),
	};

	return cmocka_run_group_tests_name("unwind/expression", tests, NULL, NULL);
}
