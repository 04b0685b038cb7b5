/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/arch/aarch64: the GOT slot of PLT entries as ld writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/plt_arch.h"

static void test_aarch64__finds_the_slot(void **state)
{
	/* adrp x16, 20000; ldr x17, [x16, #8]; add x16, x16, #8; br x17 at 0x680 */
	static const uint8_t plain[] = { 0x10, 0x01, 0x00, 0x90, 0x11, 0x06, 0x40, 0xf9,
					 0x10, 0x22, 0x00, 0x91, 0x20, 0x02, 0x1f, 0xd6 };
	/* the page before that of the entry: adrp x16, -0x1000; ldr x17, [x16, #4040] */
	static const uint8_t back[] = { 0xf0, 0xff, 0xff, 0xf0, 0x11, 0xe6, 0x47, 0xf9 };
	uint8_t with_bti[20] = { 0x5f, 0x24, 0x03, 0xd5 };
	uint64_t slot = 0;

	(void)state;
	assert_true(plt_arch_aarch64.slot(NULL, plain, sizeof(plain), 0x680, &slot));
	assert_int_equal(0x20008, slot);
	memcpy(with_bti + 4, plain, sizeof(plain));
	assert_true(plt_arch_aarch64.slot(NULL, with_bti, sizeof(with_bti), 0x67c, &slot));
	assert_int_equal(0x20008, slot);
	assert_true(plt_arch_aarch64.slot(NULL, back, sizeof(back), 0x2680, &slot));
	assert_int_equal(0x1fc8, slot);
	assert_false(plt_arch_aarch64.slot(NULL, plain + 4, sizeof(plain) - 4, 0x684, &slot));
	assert_false(plt_arch_aarch64.slot(NULL, plain, 7, 0x680, &slot));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aarch64__finds_the_slot),
	};

	return cmocka_run_group_tests_name("symbol/arch/aarch64", tests, NULL, NULL);
}
