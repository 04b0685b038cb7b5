/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind/arch/x86_64: register numbers, and code recognised without a table — and not recognised
 * where that would be a guess. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/arch/arch.h"
#include "unwind/expression.h"
#include "unwind/rule.h"

/* Code with the pc at byte `at`. */
#define CODE(text, at_byte)                                                                 \
	(&(struct arch_code){ (const uint8_t *)(text), (const uint8_t *)(text) + (at_byte), \
			      (const uint8_t *)(text) + sizeof(text) - 1 })

static struct unwind_rule sniff(const struct arch_code *code)
{
	struct unwind_rule rule = { .cfa = UNWIND_NONE };

	return arch_sniff(code, &rule) ? rule : (struct unwind_rule){ .cfa = UNWIND_NONE };
}

#define RULE(code, kind, cfa_offset, bp_flags, bp_offset)    \
	do {                                                 \
		struct unwind_rule found = sniff(code);      \
		assert_int_equal(kind, found.cfa);           \
		assert_int_equal(cfa_offset, found.cfa_off); \
		assert_int_equal(bp_flags, found.flags);     \
		assert_int_equal(bp_offset, found.bp_off);   \
	} while (0)

static void test_arch__maps_perf_registers_to_dwarf(void **state)
{
	struct unwind_registers r;
	uint64_t regs[24];

	(void)state;
	for (unsigned i = 0; i < 24; i++)
		regs[i] = i;
	arch_registers(0xffffff, regs, &r);
	assert_int_equal(0x1ffff, r.known);
	assert_int_equal(7, r.value[7]);   /* rsp */
	assert_int_equal(6, r.value[6]);   /* rbp */
	assert_int_equal(8, r.value[16]);  /* rip */
	assert_int_equal(1, r.value[3]);   /* rbx */
	assert_int_equal(3, r.value[1]);   /* rdx */
	assert_int_equal(16, r.value[8]);  /* r8 */
	assert_int_equal(23, r.value[15]); /* r15 */
	arch_registers(0x1c0, (const uint64_t[]){ 60, 70, 80 }, &r);
	assert_int_equal(1u << 6 | 1u << 7 | 1u << 16, r.known);
	assert_int_equal(80, r.value[16]);
}

static void test_arch__prologues(void **state)
{
	(void)state;
	RULE(CODE("\x55\x48\x89\xe5", 0), UNWIND_SP, 8, 0, 0);
	RULE(CODE("\x55\x48\x89\xe5", 1), UNWIND_SP, 16, UNWIND_BP_CFA, -16);
	RULE(CODE("\x55\x48\x83\x3d\1\2\3\4\0\x48\x89\xe5", 1), UNWIND_SP, 16, UNWIND_BP_CFA, -16);
	/* the start files' destructor function: compare, jump, push, compare, move */
	RULE(CODE("\x80\x3d\1\2\3\4\0\x75\x2b\x55", 0), UNWIND_SP, 8, 0, 0);
	RULE(CODE("\x75\x2b\x55\x48\x83\x3d\1\2\3\4\0\x48\x89\xe5", 0), UNWIND_SP, 8, 0, 0);
	RULE(CODE("\x55\x48\x83\x3d\1\2\3\4\0\x48\x89\xe5", 0), UNWIND_SP, 8, 0, 0);
	RULE(CODE("\xf3\x0f\x1e\xfa\x55", 0), UNWIND_SP, 8, 0, 0);
	assert_int_equal(UNWIND_NONE, sniff(CODE("\x48\x89\xc7\x90\x90", 0)).cfa);
	assert_int_equal(UNWIND_NONE, sniff(CODE("", 0)).cfa);
}

static void test_arch__epilogues(void **state)
{
	(void)state;
	RULE(CODE("\xc3", 0), UNWIND_SP, 8, 0, 0);
	RULE(CODE("\xc2\x08\x00", 0), UNWIND_SP, 8, 0, 0);
	RULE(CODE("\x5d\xc3", 0), UNWIND_SP, 16, UNWIND_BP_CFA, -16);
	RULE(CODE("\x5b\x5d\x41\x5c\xc3", 0), UNWIND_SP, 32, UNWIND_BP_CFA, -24);
	RULE(CODE("\x48\x83\xc4\x18\x5b\xc3", 0), UNWIND_SP, 40, 0, 0);
	RULE(CODE("\x48\x81\xc4\x00\x01\0\0\xc3", 0), UNWIND_SP, 264, 0, 0);
	assert_int_equal(UNWIND_FP, sniff(CODE("\xc9\xc3", 0)).cfa);
	assert_int_equal(UNWIND_NONE, sniff(CODE("\x5c\xc3", 0)).cfa); /* pop %rsp */
	assert_int_equal(UNWIND_NONE, sniff(CODE("\x5d\x90", 0)).cfa);
	assert_int_equal(UNWIND_NONE, sniff(CODE("\x5d", 0)).cfa);
}

static void test_arch__plt_slots(void **state)
{
	static const char slot[] = "\xff\x25\1\2\3\4\x68\x05\0\0\0\xe9\1\2\3\4";
	static const char first[] = "\xff\x35\1\2\3\4\xff\x25\1\2\3\4";

	(void)state;
	RULE(CODE(slot, 0), UNWIND_SP, 8, 0, 0);
	RULE(CODE(slot, 6), UNWIND_SP, 8, 0, 0);
	RULE(CODE(slot, 11), UNWIND_SP, 16, 0, 0);
	RULE(CODE(first, 0), UNWIND_SP, 16, 0, 0);
	RULE(CODE(first, 6), UNWIND_SP, 24, 0, 0);
}

static void test_arch__plt_expressions(void **state)
{
	uint8_t form[] = { 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 };

	(void)state;
	assert_int_equal(11, arch_plt_threshold(form, sizeof(form)));
	form[6] = 0x3a;
	assert_int_equal(10, arch_plt_threshold(form, sizeof(form)));
	assert_int_equal(0, arch_plt_threshold(form, sizeof(form) - 1));
	form[1] = 0x10;
	assert_int_equal(0, arch_plt_threshold(form, sizeof(form)));
}

static void test_arch__signal_stubs(void **state)
{
	struct unwind_rule rule;

	(void)state;
	assert_true(arch_signal_stub(CODE("\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 0), &rule));
	assert_int_equal(UNWIND_SIGNAL, rule.cfa);
	assert_int_equal(168, rule.ra_off);
	assert_true(arch_signal_stub(CODE("\xb8\x0f\0\0\0\x0f\x05", 0), &rule));
	assert_true(arch_signal_stub(CODE("\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 7), &rule));
	assert_true(arch_signal_stub(CODE("\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9), &rule));
	assert_true(arch_after_syscall(CODE("\x0f\x05", 2)));
	assert_false(arch_after_syscall(CODE("\x0f\x05", 1)));
	assert_false(arch_signal_stub(CODE("\xb8\x0e\0\0\0\x0f\x05", 0), &rule));
	assert_false(arch_signal_stub(CODE("\x0f\x05", 0), &rule));
}

static void test_arch__thread_starts(void **state)
{
	(void)state;
	assert_true(arch_thread_start(CODE("\x89\xc7\x31\xc0\xb0\x3c\x0f\x05\xf4", 0)));
	assert_false(arch_thread_start(CODE("\x89\xc7\x31\xc0\xb0\x3d\x0f\x05\xf4", 0)));
}

static void test_arch__calls(void **state)
{
	(void)state;
	assert_true(arch_after_call(CODE("\xe8\1\2\3\4", 5)));
	assert_true(arch_after_call(CODE("\x90\x90\x90\xff\xd0", 5))); /* *%rax */
	assert_true(arch_after_call(CODE("\x90\x90\x41\xff\xd4", 5))); /* *%r12 */
	assert_true(arch_after_call(CODE("\xff\x15\1\2\3\4", 6)));     /* *x(%rip) */
	assert_true(arch_after_call(CODE("\xff\x50\x08", 3)));	       /* *8(%rax) */
	assert_true(arch_after_call(CODE("\xff\x54\x24\x08", 4)));     /* *8(%rsp) */
	assert_true(arch_after_call(CODE("\xff\x14\xc5\1\2\3\4", 7))); /* *x(,%rax,8) */
	assert_false(arch_after_call(CODE("\x90\x90\x90\x90\x90", 5)));
	assert_false(arch_after_call(CODE("\x90\xff\xe0", 3))); /* a jump */
	assert_false(arch_after_call(CODE("\xe8\1\2\3\4", 4)));
}

static void test_arch__call_targets(void **state)
{
	int64_t relative = 0;

	(void)state;
	assert_true(arch_call_target(CODE("\xe8\xf0\xff\xff\xff", 5), &relative));
	assert_int_equal(-16, relative);
	assert_false(arch_call_target(CODE("\x90\x90\x90\xff\xd0", 5), &relative));
	assert_true(arch_goroutine_exit(CODE("\x90\xe8\1\2\3\4\x90", 1)));
	assert_false(arch_goroutine_exit(CODE("\x90\xe8\1\2\3\4", 1)));
	/* mcall: call *%r12; pop %rax; jmp, with and without a nop */
	assert_true(arch_go_switch(CODE("\x41\xff\xd4\x58\xe9", 3)));
	assert_true(arch_go_switch(CODE("\x41\xff\xd4\x90\x58\xe9", 3)));
	assert_false(arch_go_switch(CODE("\x41\x90\x90\x58\xe9", 3)));
	/* morestack: call newstack; call abort; ret; abort: int $3; jmp */
	assert_true(arch_go_switch(CODE("\xe8\1\2\3\4\xe8\1\0\0\0\xc3\xcd\x03\xeb\xfe", 5)));
	assert_false(arch_go_switch(CODE("\xe8\1\2\3\4\xe8\1\0\0\0\xc3\x90\x90\xeb\xfe", 5)));
	assert_false(arch_go_switch(CODE("\xe8\1\2\3\4\xe8\0\0\0\x7f\xc3\xcd\x03\xeb\xfe", 5)));
	assert_false(arch_go_switch(CODE("\xe8\1\2\3\4\xe8\0\0\0\x80\xc3\xcd\x03\xeb\xfe", 5)));
	assert_true(arch_thread_begins(CODE("\x0f\x05\x48\x85\xc0\x7c\x18\x74\x01\xc3", 2)));
	assert_false(arch_thread_begins(CODE("\x0f\x05\x48\x85\xc0\x7c\x18\x74\x01", 2)));
	assert_false(arch_thread_begins(CODE("\x90\x90\x48\x85\xc0\x7c\x18\x74\x01\xc3", 2)));
	assert_true(arch_context_exit(CODE("\x48\x89\xdc\x48\x8b\x3c\x24\x48\x85\xff\x74", 0)));
	assert_false(arch_context_exit(CODE("\x48\x89\xdc\x48\x8b\x3c\x24\x48\x85\xff", 0)));
	assert_true(arch_context_exit(CODE("\x55\xff\xe3\x48\x31\xff\xe8\x49\xfe\xff\xff\xf4", 3)));
	assert_false(
		arch_context_exit(CODE("\x54\xff\xe3\x48\x31\xff\xe8\x49\xfe\xff\xff\xf4", 3)));
}

/* crosscall2 from its call on. */
#define GO_ENTRY                                                               \
	"\xe8\x7f\xa3\xff\xff"		   /* call runtime.cgocallback */      \
	"\x48\x83\xc4\x18\x48\x8b\x1c\x24" /* add $24,%rsp; mov (%rsp),%rbx */ \
	"\x4c\x8b\x64\x24\x08"		   /* mov 8(%rsp),%r12 */              \
	"\x48\x8b\x6c\x24\x28"		   /* mov 40(%rsp),%rbp */             \
	"\x48\x83\xc4\x30\x5d\xc3"	   /* add $48,%rsp; pop %rbp; ret */

static void test_arch__the_way_from_c_into_go(void **state)
{
	struct arch_code text = *CODE("\x90\x90" GO_ENTRY, 0);
	struct unwind_rule rule;
	uint64_t from, to;

	(void)state;
	assert_true(arch_go_entry(CODE(GO_ENTRY, 5), &rule));
	assert_int_equal(UNWIND_SP, rule.cfa);
	assert_int_equal(24 + 48 + 16, rule.cfa_off);
	assert_int_equal(UNWIND_BP_CFA, rule.flags);
	assert_int_equal(-16, rule.bp_off);
	assert_false(arch_go_entry(CODE(GO_ENTRY, 0), &rule));
	assert_true(arch_next_spot(&text, true, &from, &to));
	assert_int_equal(2 + 4, from);
	assert_int_equal(2 + 5, to);
	assert_false(arch_next_spot(&text, true, &from, &to));
	text = *CODE("\x90\x90" GO_ENTRY, 0);
	assert_false(arch_next_spot(&text, false, &from, &to));
}

static struct unwind_rule prologue(const struct arch_code *code, bool returns)
{
	struct unwind_rule rule = { .cfa = UNWIND_NONE };

	(void)arch_prologue(code, returns, &rule);
	return rule;
}

static void test_arch__functions_by_their_first_instructions(void **state)
{
	static const char code[] = "\x53\x55\x48\x83\xec\x08\x90\x90\x48\x83\xc4\x08\x5d\x5b\xc3";

	(void)state;
	assert_int_equal(UNWIND_NONE, prologue(CODE(code, 0), false).cfa);
	assert_int_equal(16, prologue(CODE(code, 1), false).cfa_off);
	assert_int_equal(24, prologue(CODE(code, 2), false).cfa_off);
	assert_int_equal(-24, prologue(CODE(code, 2), false).bp_off);
	assert_int_equal(32, prologue(CODE(code, 7), false).cfa_off);
	assert_int_equal(32, prologue(CODE(code, 7), true).cfa_off);
	assert_int_equal(24, prologue(CODE(code, 12), false).cfa_off);
	assert_int_equal(16, prologue(CODE(code, 13), false).cfa_off);
	assert_int_equal(0, prologue(CODE(code, 13), false).flags);
	assert_int_equal(8, prologue(CODE(code, 14), false).cfa_off);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arch__maps_perf_registers_to_dwarf),
		cmocka_unit_test(test_arch__prologues),
		cmocka_unit_test(test_arch__epilogues),
		cmocka_unit_test(test_arch__plt_slots),
		cmocka_unit_test(test_arch__plt_expressions),
		cmocka_unit_test(test_arch__signal_stubs),
		cmocka_unit_test(test_arch__thread_starts),
		cmocka_unit_test(test_arch__calls),
		cmocka_unit_test(test_arch__call_targets),
		cmocka_unit_test(test_arch__the_way_from_c_into_go),
		cmocka_unit_test(test_arch__functions_by_their_first_instructions),
	};

	return cmocka_run_group_tests_name("unwind/arch", tests, NULL, NULL);
}
