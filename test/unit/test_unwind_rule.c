/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind/rule, walker, plain, evaluate: a packed rule and the full evaluation of the same row find
 * the same caller, and so does a step that is plain; what a rule cannot say is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cfi_bytes.h"
#include "unwind/evaluate.h"

struct frame_memory {
	struct unwind_memory memory;
	struct unwind_registers registers;
};
#define UNWIND_CONTEXT struct frame_memory

static int unwind_read(struct frame_memory *m, uint64_t addr, uint64_t *ret)
{
	return unwind_memory_read(&m->memory, addr, 8, ret) ? 0 : -1;
}

static int unwind_leaf(struct frame_memory *m, unsigned reg, uint64_t *ret)
{
	*ret = m->registers.value[reg];
	return 0;
}

#include "unwind/plain.h"
#include "unwind/walker.h"

#define STACK_ADDR 0x2007000
#define WORDS	   64

/* Word i of the stack is 0x100 + i; every register r is 0x9000 + r but sp and bp. */
struct machine {
	uint64_t word[WORDS];
	struct frame_memory frame;
	struct bytes bytes;
	struct cfi_section section;
	struct cfi_fde fde;
	struct cfi_vm vm;
};

static void start(struct machine *m, bool signal, const void *code, size_t len)
{
	size_t offset = 0;

	memset(m, 0, sizeof(*m));
	for (size_t i = 0; i < WORDS; i++)
		m->word[i] = 0x100 + i;
	m->frame.memory =
		(struct unwind_memory){ (const uint8_t *)m->word, STACK_ADDR, sizeof(m->word) };
	for (unsigned reg = 0; reg < ARCH_DWARF_REGS; reg++)
		m->frame.registers.value[reg] = 0x9000 + reg;
	m->frame.registers.value[ARCH_DWARF_SP] = STACK_ADDR;
	m->frame.registers.value[ARCH_DWARF_BP] = STACK_ADDR + 0x80;
	m->frame.registers.value[ARCH_DWARF_PC] = 0x1010;
	m->frame.registers.known = (1u << ARCH_DWARF_REGS) - 1;
	put_cie(&m->bytes, 1, signal ? "zRS" : "zR", "\0", 1);
	put_fde(&m->bytes, true, 0x1000, 0x100, code, len);
	m->section = section_of(&m->bytes);
	(void)cfi_next(&m->section, &offset, &m->fde);
	assert_int_equal(CFI_ENTRY_FDE, cfi_next(&m->section, &offset, &m->fde));
	assert_int_equal(0, cfi_vm_start(&m->vm, &m->section, &m->fde));
	assert_int_equal(1, cfi_vm_find(&m->vm, 0x1010));
}

static struct unwind_frame leaf_frame(const struct machine *m)
{
	return (struct unwind_frame){ .pc = m->frame.registers.value[ARCH_DWARF_PC],
				      .sp = m->frame.registers.value[ARCH_DWARF_SP],
				      .bp = m->frame.registers.value[ARCH_DWARF_BP],
				      .leaf = true,
				      .exact = true };
}

/* Steps both ways from the same frame and compares. */
static void both(struct machine *m, enum unwind_cfa kind, struct unwind_frame *ret)
{
	struct unwind_rule rule = rule_pack(&m->vm);
	struct unwind_registers registers = m->frame.registers;

	*ret = leaf_frame(m);
	assert_int_equal(kind, rule.cfa);
	assert_int_equal(STACK_STOP_NONE, unwind_step(&rule, ret, &m->frame));
	assert_int_equal(STACK_STOP_NONE, evaluate_row(&m->vm, &m->frame.memory, 0, &registers));
	assert_int_equal(registers.value[ARCH_DWARF_PC], ret->pc);
	assert_int_equal(registers.value[ARCH_DWARF_SP], ret->sp);
	assert_int_equal(registers.value[ARCH_DWARF_BP], ret->bp);
	assert_false(ret->leaf);
}

#define START(code)  start(&m, false, code, sizeof(code) - 1)
#define CALLER(kind) both(&m, UNWIND_##kind, &caller)
#define EXPECT(at, up, base)                                    \
	do {                                                    \
		assert_int_equal(0x100 + (at), caller.pc);      \
		assert_int_equal(STACK_ADDR + (up), caller.sp); \
		assert_int_equal(base, caller.bp);              \
	} while (0)
#define OLD_BP (STACK_ADDR + 0x80)

static void test_rule__stack_and_frame_pointer(void **state)
{
	struct unwind_frame caller;
	struct machine m;

	(void)state;
	START("");
	CALLER(SP);
	EXPECT(0, 8, OLD_BP);
	START("\x0e\x20\x86\x02");
	CALLER(SP);
	EXPECT(3, 0x20, 0x102);
	START("\x0c\x06\x10\x86\x02");
	CALLER(BP);
	EXPECT(17, 0x90, 0x110);
}

static void test_rule__realigned_stacks(void **state)
{
	struct unwind_frame caller;
	struct machine m;

	(void)state;
	/* CFA is the word at rbp - 8, rbp is saved at rbp */
	START("\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x00");
	m.word[15] = STACK_ADDR + 0xc0;
	CALLER(DEREF_BP);
	EXPECT(23, 0xc0, 0x110);
	/* OpenSSL: CFA is the word at rsp + 48, plus 8 */
	START("\x0f\x05\x77\x30\x06\x23\x08");
	m.word[6] = STACK_ADDR + 0x60;
	CALLER(DEREF_SP);
	EXPECT(12, 0x68, OLD_BP);
}

static void test_rule__leaf_registers(void **state)
{
	struct unwind_frame caller;
	struct unwind_rule rule;
	struct machine m;

	(void)state;
	START("\x0c\x0a\x10"); /* r10 + 16 */
	m.frame.registers.value[10] = STACK_ADDR + 0x40;
	CALLER(REG);
	EXPECT(9, 0x50, OLD_BP);
	START("\x0e\x00\x09\x10\x05"); /* vfork: the return address is in rdi */
	m.frame.registers.value[5] = 0x4242;
	CALLER(SP);
	assert_int_equal(0x4242, caller.pc);
	assert_int_equal(STACK_ADDR, caller.sp);
	/* in a caller these registers are gone */
	rule = rule_pack(&m.vm);
	caller = leaf_frame(&m);
	caller.leaf = false;
	assert_int_equal(STACK_STOP_UNSUPPORTED, unwind_step(&rule, &caller, &m.frame));
}

static void test_rule__plt_slots(void **state)
{
	struct unwind_frame caller;
	struct machine m;

	(void)state;
	for (uint64_t pc = 0x1010; pc < 0x1020; pc++) {
		START("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22");
		m.frame.registers.value[ARCH_DWARF_PC] = pc;
		CALLER(PLT);
		EXPECT(pc >= 0x101b, pc >= 0x101b ? 16 : 8, OLD_BP);
	}
}

static void test_rule__signal_frames(void **state)
{
	static const char code[] = "\x0f\x04\x77\xa0\x01\x06\x10\x06\x03\x77\xf8\x00\x10\x07\x03"
				   "\x77\xa0\x01\x10\x10\x03\x77\xa8\x01\x10\x03\x03\x77\x80\x01";
	struct unwind_frame caller;
	struct unwind_registers registers;
	struct machine m;

	(void)state;
	start(&m, true, code, sizeof(code) - 1);
	m.word[20] = 0x500; /* sigaltstack: the interrupted stack may lie below */
	CALLER(SIGNAL);
	assert_int_equal(0x115, caller.pc);
	assert_int_equal(0x500, caller.sp);
	assert_int_equal(0x10f, caller.bp);
	assert_true(caller.exact);
	registers = m.frame.registers;
	assert_int_equal(0, evaluate_row(&m.vm, &m.frame.memory, 0, &registers));
	assert_int_equal(0x110, registers.value[3]);
	assert_int_equal(0x9000, registers.value[0]); /* no rule: unchanged */
}

static void test_rule__ends_where_the_return_address_is_undefined(void **state)
{
	struct unwind_registers registers;
	struct machine m;

	(void)state;
	START("\x07\x10");
	assert_int_equal(UNWIND_END, rule_pack(&m.vm).cfa);
	registers = m.frame.registers;
	assert_int_equal(STACK_STOP_ROOT, evaluate_row(&m.vm, &m.frame.memory, 0, &registers));
}

static void test_rule__frames_of_any_size(void **state)
{
	struct unwind_frame caller;
	struct machine m;

	(void)state;
	START("\x0e\xa0\x80\x04"); /* 64 KiB and 32 bytes */
	m.frame.registers.value[ARCH_DWARF_SP] = STACK_ADDR - 0x10000ull;
	CALLER(SP_FAR);
	EXPECT(3, 0x20, OLD_BP);
	START("\x0e\xa0\x80\x82\x08\x86\x02"); /* 16 MiB and more; rbp saved */
	m.frame.registers.value[ARCH_DWARF_SP] = STACK_ADDR - 0x1008000ull;
	CALLER(SP_FAR);
	EXPECT(3, 0x20, 0x102);
}

static void test_rule__refuses_what_does_not_fit(void **state)
{
	struct machine m;

	(void)state;
#define REFUSED(code) (START(code), assert_int_equal(UNWIND_UNSUPPORTED, rule_pack(&m.vm).cfa))
	REFUSED("\x0c\x06\x80\x80\x04");	 /* 64 KiB above rbp */
	REFUSED("\x0f\x03\x77\x08\x22");	 /* arithmetic */
	REFUSED("\x0f\x05\x77\x30\x06\x23\x04"); /* addend of half a word */
	REFUSED("\x0f\x03\x73\x08\x06");	 /* word at another register */
	REFUSED("\x14\x06\x02");		 /* rbp is CFA - 16 */
	REFUSED("\x09\x06\x03");		 /* rbp is in rbx */
	REFUSED("\x10\x06\x02\x73\x00");	 /* rbp saved at rbx */
	REFUSED("\x14\x10\x02");		 /* return address computed */
	REFUSED("\x09\x07\x08");		 /* longjmp: rsp is in r8 */
}

static void test_walker__popped_registers_are_back(void **state)
{
	struct unwind_frame caller;
	struct machine m;

	(void)state;
	START("\x86\x02"); /* saved at CFA - 16, which is below the stack pointer */
	CALLER(SP);
	EXPECT(0, 8, OLD_BP);
}

static void test_walker__restores_a_frame_pointer_that_tables_do_not_mention(void **state)
{
	struct unwind_rule rule = { .cfa = UNWIND_SP, .cfa_off = 0x20, .ra_off = -8 };
	struct unwind_frame frame;
	struct machine m;

	(void)state;
	START("");
	m.frame.registers.value[ARCH_DWARF_BP] = STACK_ADDR + 0x10; /* CFA - 16 */
	frame = leaf_frame(&m);
	assert_int_equal(STACK_STOP_NONE, unwind_step(&rule, &frame, &m.frame));
	assert_int_equal(0x102, frame.bp);
}

static enum stack_stop step_with(struct unwind_rule rule, struct machine *m)
{
	struct unwind_frame frame = leaf_frame(m);

	return unwind_step(&rule, &frame, &m->frame);
}

static void test_walker__names_the_reason(void **state)
{
	struct machine m;

	(void)state;
	START("");
	assert_int_equal(STACK_STOP_NO_RULE, step_with((struct unwind_rule){ 0 }, &m));
	assert_int_equal(STACK_STOP_UNSUPPORTED,
			 step_with((struct unwind_rule){ .cfa = UNWIND_UNSUPPORTED }, &m));
	assert_int_equal(STACK_STOP_BAD_CFA,
			 step_with((struct unwind_rule){ .cfa = UNWIND_SP, .cfa_off = -8 }, &m));
	assert_int_equal(STACK_STOP_BAD_CFA,
			 step_with((struct unwind_rule){ .cfa = UNWIND_SP, .ra_off = -8 }, &m));
	assert_int_equal(
		STACK_STOP_READ_FAULT,
		step_with((struct unwind_rule){ .cfa = UNWIND_SP, .cfa_off = 0x2000 }, &m));
	assert_int_equal(
		STACK_STOP_READ_FAULT,
		step_with((struct unwind_rule){ .cfa = UNWIND_DEREF_SP, .cfa_off = 0x2000 }, &m));
	m.frame.registers.value[ARCH_DWARF_SP] = STACK_ADDR + 0x20;
	m.frame.registers.value[ARCH_DWARF_BP] = STACK_ADDR + 8; /* on another stack */
	assert_int_equal(STACK_STOP_FP_LOST,
			 step_with((struct unwind_rule){ .cfa = UNWIND_FP }, &m));
	assert_int_equal(
		STACK_STOP_NONE,
		step_with((struct unwind_rule){ .cfa = UNWIND_FP, .flags = UNWIND_ANY_STACK }, &m));
	m.frame.registers.value[ARCH_DWARF_SP] = STACK_ADDR;
	m.frame.registers.value[ARCH_DWARF_BP] = STACK_ADDR - 8;
	assert_int_equal(STACK_STOP_FP_LOST,
			 step_with((struct unwind_rule){ .cfa = UNWIND_FP }, &m));
	m.frame.registers.value[ARCH_DWARF_BP] = 0;
	assert_int_equal(
		STACK_STOP_FP_LOST,
		step_with((struct unwind_rule){ .cfa = UNWIND_FP, .flags = UNWIND_ANY_STACK }, &m));
	m.frame.registers.value[ARCH_DWARF_BP] = STACK_ADDR + 3;
	assert_int_equal(STACK_STOP_FP_LOST,
			 step_with((struct unwind_rule){ .cfa = UNWIND_FP }, &m));
}

static void test_evaluate__tracks_registers_that_rules_do_not(void **state)
{
	struct unwind_registers registers;
	struct machine m;

	(void)state;
	START("\x0e\x20\x83\x02\x14\x0c\x03\x09\x0d\x0e\x16\x0f\x02\x77\x28\x07\x06");
	registers = m.frame.registers;
	assert_int_equal(0, evaluate_row(&m.vm, &m.frame.memory, 0, &registers));
	assert_int_equal(0x102, registers.value[3]);
	assert_int_equal(STACK_ADDR + 0x20 - 24, registers.value[12]);
	assert_int_equal(0x900e, registers.value[13]);
	assert_int_equal(STACK_ADDR + 0x28, registers.value[15]);
	assert_int_equal(0x900e, registers.value[14]);	    /* callee-saved: unchanged */
	assert_false(registers.known >> ARCH_DWARF_BP & 1); /* undefined */
	assert_false(registers.known >> 0 & 1);		    /* rax does not survive calls */
}

/* The caller, by the plain step: STACK_STOP_READ_FAULT when a word is not there. */
static enum stack_stop step_plainly(const struct unwind_plain *plain, struct unwind_frame *frame,
				    struct frame_memory *memory)
{
	struct unwind_frame caller = { .sp = frame->sp + plain->size, .bp = frame->bp };

	if (unwind_read(memory, caller.sp - 8, &caller.pc) ||
	    (plain->bp_at != UNWIND_BP_STAYS &&
	     unwind_read(memory, frame->sp + plain->bp_at, &caller.bp)))
		return STACK_STOP_READ_FAULT;
	*frame = caller;
	return STACK_STOP_NONE;
}

/* A frame pointer that has no part in the step may be any other. */
static void check_part_of_bp(const struct unwind_rule *rule, const struct unwind_frame *from,
			     const struct unwind_plain *plain)
{
	struct unwind_plain other;

	for (uint64_t bp = 0; bp < from->sp + 0x100; bp += bp + 8 < from->sp ? from->sp / 16 : 8) {
		if (plain->by_bp || unwind_bp_is_base(plain->size, from->sp, bp))
			continue;
		assert_true(unwind_plain_of(rule, from->sp, bp, &other));
		assert_memory_equal(plain, &other, sizeof(other));
	}
}

/* Whether the rule's step is plain in that frame; if it is, then it leads where the rule leads. */
static bool check_plain(struct machine *m, const struct unwind_rule *rule,
			const struct unwind_frame *from)
{
	struct unwind_frame by_rule = *from, plainly = *from;
	struct unwind_plain plain;
	enum stack_stop stop;

	if (!unwind_plain_of(rule, from->sp, from->bp, &plain))
		return false;
	check_part_of_bp(rule, from, &plain);
	stop = unwind_step(rule, &by_rule, &m->frame);
	assert_int_equal(stop, step_plainly(&plain, &plainly, &m->frame));
	if (stop)
		return true;
	assert_int_equal(by_rule.pc, plainly.pc);
	assert_int_equal(by_rule.sp, plainly.sp);
	assert_int_equal(by_rule.bp, plainly.bp);
	assert_false(by_rule.leaf || by_rule.exact);
	return true;
}

/* Every rule of few words in frames with a frame pointer anywhere, below and right at the stack
 * pointer, too. */
static void test_plain__leads_where_the_rule_leads(void **state)
{
	struct machine m;
	unsigned plain = 0, all = 0;

	(void)state;
	start(&m, false, "", 0);
	for (unsigned word = 0; word < 11 * 16 * 8 * 8 * 2; word++) {
		const struct unwind_rule rule = {
			.cfa = word % 11,
			.flags = word / 11 % 16,
			.cfa_off = (int16_t)((int)(word / 11 / 16 % 8) * 8 - 16),
			.bp_off = (int16_t)(16 - (int)(word / 11 / 16 / 8 % 8) * 8),
			.ra_off = word / 11 / 16 / 8 / 8 ? -16 : -8,
		};

		for (int bp = -4; bp < WORDS + 2; bp++, all++) {
			const struct unwind_frame from = { .pc = 0x1010,
							   .sp = STACK_ADDR + 32,
							   .bp = STACK_ADDR + 32 + (uint64_t)bp * 8,
							   .exact = bp & 1 };

			plain += check_plain(&m, &rule, &from);
		}
	}
	assert_in_range(plain, all / 200, all / 2);
}

/* A function that has just set up its frame keeps its caller's frame pointer right at the stack
 * pointer, so that place 0 is not the same as none. */
static void test_plain__frame_pointer_saved_at_the_stack_pointer(void **state)
{
	const struct unwind_rule by_bp = {
		.cfa = UNWIND_BP, .flags = UNWIND_BP_CFA, .cfa_off = 16, .bp_off = -16, .ra_off = -8
	};
	const struct unwind_rule same = { .cfa = UNWIND_SP, .cfa_off = 16, .ra_off = -8 };
	struct unwind_plain plain;

	(void)state;
	assert_true(unwind_plain_of(&by_bp, 0x7000, 0x7000, &plain));
	assert_int_equal(16, plain.size);
	assert_int_equal(0, plain.bp_at);
	assert_true(unwind_plain_of(&same, 0x7000, 0x7000, &plain));
	assert_int_equal(0, plain.bp_at);
	assert_true(unwind_plain_of(&same, 0x7000, 0x7008, &plain));
	assert_int_equal(UNWIND_BP_STAYS, plain.bp_at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rule__stack_and_frame_pointer),
		cmocka_unit_test(test_rule__realigned_stacks),
		cmocka_unit_test(test_rule__leaf_registers),
		cmocka_unit_test(test_rule__plt_slots),
		cmocka_unit_test(test_rule__signal_frames),
		cmocka_unit_test(test_rule__ends_where_the_return_address_is_undefined),
		cmocka_unit_test(test_rule__frames_of_any_size),
		cmocka_unit_test(test_rule__refuses_what_does_not_fit),
		cmocka_unit_test(test_walker__popped_registers_are_back),
		cmocka_unit_test(test_walker__restores_a_frame_pointer_that_tables_do_not_mention),
		cmocka_unit_test(test_walker__names_the_reason),
		cmocka_unit_test(test_plain__leads_where_the_rule_leads),
		cmocka_unit_test(test_plain__frame_pointer_saved_at_the_stack_pointer),
		cmocka_unit_test(test_evaluate__tracks_registers_that_rules_do_not),
	};

	return cmocka_run_group_tests_name("unwind/rule", tests, NULL, NULL);
}
