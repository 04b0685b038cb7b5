/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind/arch/aarch64: the instructions that it knows, as GNU as encodes them. Walks with it are
 * tested in a guest (test/guest/aarch64/stacks.sh). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unwind/arch/aarch64_code.h"

#define STP_48 0xa9bd7bfdu /* stp x29, x30, [sp, #-48]! */
#define LDP_48 0xa8c37bfdu /* ldp x29, x30, [sp], #48 */

static void test_aarch64__knows_calls(void **state)
{
	(void)state;
	assert_true(aarch64_is_bl(0x94000010u));
	assert_int_equal(64, aarch64_bl_distance(0x94000010u));
	assert_int_equal(-4, aarch64_bl_distance(0x97ffffffu));
	assert_int_equal(-(1 << 27), aarch64_bl_distance(0x96000000u));
	assert_false(aarch64_is_bl(0x14000010u));  /* b */
	assert_true(aarch64_is_blr(0xd63f0100u));  /* blr x8 */
	assert_false(aarch64_is_blr(0xd61f0100u)); /* br x8 */
}

static void check_entry(uint32_t before, uint32_t at)
{
	struct unwind_rule rule;

	assert_true(aarch64_sniff(before, at, &rule));
	assert_int_equal(UNWIND_SP, rule.cfa);
	assert_int_equal(0, rule.cfa_off);
	assert_int_equal(UNWIND_RA_REG, rule.flags);
	assert_int_equal(30, rule.ra_off);
}

static void check_frame(uint32_t before, uint32_t at)
{
	struct unwind_rule rule;

	assert_true(aarch64_sniff(before, at, &rule));
	assert_int_equal(UNWIND_SP, rule.cfa);
	assert_int_equal(48, rule.cfa_off);
	assert_int_equal(UNWIND_BP_CFA, rule.flags);
	assert_int_equal(-48, rule.bp_off);
	assert_int_equal(-40, rule.ra_off);
}

static void test_aarch64__prologues_and_epilogues(void **state)
{
	struct unwind_rule rule;

	(void)state;
	check_entry(0, STP_48);
	check_entry(0, AARCH64_BTI_C);
	check_entry(LDP_48, AARCH64_RET);
	check_frame(STP_48, AARCH64_SET_FP);
	check_frame(0, LDP_48);
	assert_false(aarch64_sniff(0, AARCH64_SET_FP, &rule));
	assert_false(aarch64_sniff(0, AARCH64_NOP, &rule));
	assert_false(aarch64_sniff(0, 0xa8c153f3u, &rule)); /* ldp x19, x20, [sp], #16 */
	assert_false(aarch64_sniff(0, 0xa9bf53f3u, &rule)); /* stp x19, x20, [sp, #-16]! */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aarch64__knows_calls),
		cmocka_unit_test(test_aarch64__prologues_and_epilogues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
