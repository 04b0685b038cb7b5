// SPDX-License-Identifier: GPL-2.0-or-later
/* proc: operands of static probes as compilers print them. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proc/usdt_argument.h"

struct expected {
	uint16_t machine;
	const char *text;
	struct usdt_argument is;
};

#define NONE USDT_NO_REGISTER

static const struct expected table[] = {
	{ EM_X86_64, "-4@%eax", { 4, true, false, false, 0, 0, NONE, 0, 0, NULL, 0 } },
	{ EM_X86_64, "8@%r12", { 8, false, false, false, 12, 0, NONE, 0, 0, NULL, 0 } },
	{ EM_X86_64, "1@%ah", { 1, false, false, false, 0, 8, NONE, 0, 0, NULL, 0 } },
	{ EM_X86_64, "8@-16(%rbp)", { 8, false, false, true, 6, 0, NONE, 0, -16, NULL, 0 } },
	{ EM_X86_64, "4@(%rdi)", { 4, false, false, true, 5, 0, NONE, 0, 0, NULL, 0 } },
	{ EM_X86_64, "-4@$-5", { 4, true, false, false, NONE, 0, NONE, 0, -5, NULL, 0 } },
	{ EM_X86_64, "8@8(%rax,%rdx,4)", { 8, false, false, true, 0, 0, 1, 4, 8, NULL, 0 } },
	{ EM_X86_64, "8@(,%rdx,8)", { 8, false, false, true, NONE, 0, 1, 8, 0, NULL, 0 } },
	{ EM_X86_64, "4@total(%rip)", { 4, false, false, true, 16, 0, NONE, 0, 0, "", 5 } },
	{ EM_X86_64, "4@total+8(%rip)", { 4, false, false, true, 16, 0, NONE, 0, 8, "", 5 } },
	{ EM_X86_64, "8@8+total(%rip)", { 8, false, false, true, 16, 0, NONE, 0, 8, "", 5 } },
	{ EM_X86_64, "8f@%rax", { 8, false, true, false, 0, 0, NONE, 0, 0, NULL, 0 } },
	{ EM_X86_64, "%rdi", { 8, false, false, false, 5, 0, NONE, 0, 0, NULL, 0 } },
	{ EM_AARCH64, "-4@w0", { 4, true, false, false, 0, 0, NONE, 0, 0, NULL, 0 } },
	{ EM_AARCH64, "8@x29", { 8, false, false, false, 29, 0, NONE, 0, 0, NULL, 0 } },
	{ EM_AARCH64, "8@[sp, 16]", { 8, false, false, true, 31, 0, NONE, 0, 16, NULL, 0 } },
	{ EM_AARCH64, "8@[x1]", { 8, false, false, true, 1, 0, NONE, 0, 0, NULL, 0 } },
	{ EM_AARCH64, "8@[x1, x2]", { 8, false, false, true, 1, 0, 2, 1, 0, NULL, 0 } },
	{ EM_AARCH64, "4@-7", { 4, false, false, false, NONE, 0, NONE, 0, -7, NULL, 0 } },
};

static void check(const struct expected *wanted, unsigned number, const char *text)
{
	struct usdt_argument is;

	if (!usdt_argument_parse(wanted->machine, text, number, &is))
		fail_msg("%s is refused", wanted->text);
	if (is.size != wanted->is.size || is.is_signed != wanted->is.is_signed ||
	    is.is_float != wanted->is.is_float || is.memory != wanted->is.memory ||
	    is.base != wanted->is.base || is.shift != wanted->is.shift ||
	    is.index != wanted->is.index || is.scale != wanted->is.scale ||
	    is.offset != wanted->is.offset || is.symbol_len != wanted->is.symbol_len)
		fail_msg("%s: size %u base %d index %d scale %u offset %lld", wanted->text, is.size,
			 is.base, is.index, is.scale, (long long)is.offset);
}

static void test_argument__all_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		check(&table[i], 0, table[i].text);
}

static void test_argument__by_its_number(void **state)
{
	const char *x86 = "-4@%eax 8@-16(%rbp) 4@$5", *arm = "8@[sp, 16] -4@w0";
	struct usdt_argument is;

	(void)state;
	assert_int_equal(usdt_argument_count(x86), 3);
	assert_int_equal(usdt_argument_count(arm), 2);
	assert_int_equal(usdt_argument_count(""), 0);
	check(&table[3], 1, x86);
	check(&table[13], 1, arm);
	assert_false(usdt_argument_parse(EM_X86_64, x86, 3, &is));
}

static void test_argument__malformed_is_refused(void **state)
{
	static const char *const bad[] = { "4@",       "9@%eax",  "0@%eax",
					   "4@%foo",   "4@(%rax", "4@8(",
					   "4@%eax)",  "x@%eax",  "8@(%rax,%rdx,16)",
					   "8@(%rax,)" };
	struct usdt_argument is;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (usdt_argument_parse(EM_X86_64, bad[i], 0, &is))
			fail_msg("%s is taken", bad[i]);
	assert_false(usdt_argument_parse(EM_AARCH64, "8@[x31]", 0, &is));
	assert_false(usdt_argument_parse(EM_AARCH64, "8@[sp, 16", 0, &is));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_argument__all_forms),
		cmocka_unit_test(test_argument__by_its_number),
		cmocka_unit_test(test_argument__malformed_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
