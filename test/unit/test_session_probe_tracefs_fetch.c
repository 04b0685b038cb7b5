/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/probe: fetch programs in the words of tracefs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "session/probe/probe_arguments.h"
#include "session/probe/tracefs_fetch.h"

#define FIRST "X" /* the name of register 0, which depends on the CPU */

static struct fetch_program program;

static void begin(void)
{
	program = (struct fetch_program){ 0 };
}

static void step(uint8_t op, int64_t value, uint32_t size, uint8_t arg)
{
	program.step[program.count++] =
		(struct fetch_step){ .op = op, .arg = arg, .size = size, .value = value };
}

/* What becomes of it, with the register as %X. */
static const char *put(enum fetch_as as, int *ret_code)
{
	static char text[512];
	const struct fetch_output output = { .as = as };
	const struct probe_argument argument = { "a", "p->x" };
	struct buf out = { 0 };
	struct err err = { 0 };
	char *at;

	*ret_code = tracefs_fetch_put(&program, &output, &argument, &out, &err);
	text[0] = '\0';
	if (!*ret_code)
		(void)snprintf(text, sizeof(text), "%s", out.data);
	at = strchr(text, '%');
	if (at) {
		size_t len = strcspn(at + 1, ":)");

		memmove(at + 2, at + 1 + len, strlen(at + 1 + len) + 1);
		at[1] = *FIRST;
	}
	buf_done(&out);
	return text;
}

static void test_fetch__registers_and_memory(void **state)
{
	int code;

	(void)state;
	begin();
	step(FETCH_REGISTER, 0, 0, 0);
	step(FETCH_STORE, 0, 0, 0);
	assert_string_equal(put(FETCH_AS_SIGNED, &code), " a=%X:s64");
	assert_string_equal(put(FETCH_AS_HEX, &code), " a=%X:x64");
	begin();
	step(FETCH_REGISTER, 0, 0, 0);
	step(FETCH_BITS, 0, 32, 1);
	step(FETCH_STORE, 0, 0, 0);
	assert_string_equal(put(FETCH_AS_SIGNED, &code), " a=%X:s32");
	begin(); /* of a static probe */
	step(FETCH_CONSTANT, 5, 0, 0);
	step(FETCH_BITS, 0, 32, 1);
	step(FETCH_STORE, 0, 0, 0);
	assert_string_equal(put(FETCH_AS_SIGNED, &code), " a=\\5:s32");
	begin(); /* p->next->x */
	step(FETCH_REGISTER, 0, 0, 0);
	step(FETCH_ADD, 16, 0, 0);
	step(FETCH_READ, 0, 8, 0);
	step(FETCH_ADD, -4, 0, 0);
	step(FETCH_READ, 0, 2, 0);
	step(FETCH_BITS, 0, 16, 0);
	step(FETCH_STORE, 0, 0, 0);
	assert_string_equal(put(FETCH_AS_UNSIGNED, &code), " a=-4(+16(%X)):u16");
	begin();
	step(FETCH_REGISTER, 0, 0, 0);
	step(FETCH_ADD, 8, 0, 0);
	step(FETCH_STRING, 0, 0, 0);
	assert_string_equal(put(FETCH_AS_STRING, &code), " a=+8(%X):string");
}

static void test_fetch__bit_fields(void **state)
{
	int code;

	(void)state;
	begin();
	step(FETCH_REGISTER, 0, 0, 0);
	step(FETCH_READ, 0, 4, 0);
	step(FETCH_BITS, 3, 7, 0);
	step(FETCH_STORE, 0, 0, 0);
	assert_string_equal(put(FETCH_AS_UNSIGNED, &code), " a=+0(%X):b7@3/16");
	program.step[2].arg = 1; /* with a sign, which tracefs does not know */
	(void)put(FETCH_AS_SIGNED, &code);
	assert_int_equal(code, -ENOTSUP);
}

static void test_fetch__refuses_what_it_cannot(void **state)
{
	int code;

	(void)state;
	begin(); /* n + 1 */
	step(FETCH_REGISTER, 0, 0, 0);
	step(FETCH_ADD, 1, 0, 0);
	step(FETCH_STORE, 0, 0, 0);
	(void)put(FETCH_AS_SIGNED, &code);
	assert_int_equal(code, -ENOTSUP);
	begin();
	step(FETCH_SPECIAL, 0, 0, 0);
	step(FETCH_STORE, 0, 0, 0);
	(void)put(FETCH_AS_SIGNED, &code);
	assert_int_equal(code, -ENOTSUP);
	begin(); /* memory behind a part of a number */
	step(FETCH_REGISTER, 0, 0, 0);
	step(FETCH_BITS, 0, 32, 0);
	step(FETCH_READ, 0, 8, 0);
	step(FETCH_STORE, 0, 0, 0);
	(void)put(FETCH_AS_SIGNED, &code);
	assert_int_equal(code, -ENOTSUP);
	begin();
	step(FETCH_REGISTER, 1000, 0, 0);
	step(FETCH_STORE, 0, 0, 0);
	(void)put(FETCH_AS_SIGNED, &code);
	assert_int_equal(code, -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fetch__registers_and_memory),
		cmocka_unit_test(test_fetch__bit_fields),
		cmocka_unit_test(test_fetch__refuses_what_it_cannot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
