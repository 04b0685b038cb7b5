/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind/bare and the instruction decoder: a function without a table gets rules from its
 * instructions, and none where two paths join with different stacks. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "unwind/arch/instruction.h"
#include "unwind/bare/code_flow.h"
#include "unwind/bare/code_rules.h"
#include "unwind/bare/code_starts.h"
#include "unwind/bare/code_state.h"
#include "unwind/table.h"

#define ADDR 0x1000u

/* A file of one executable segment, which no section or symbol describes. */
struct program {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	uint8_t code[512];
};

struct world {
	struct program program;
	struct elf_file *elf;
	struct unwind_table *table;
};

static void open_code(struct world *world, const char *code, size_t len)
{
	struct program *program = &world->program;
	struct err err = { 0 };

	*program = (struct program){
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_DYN,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_phoff = offsetof(struct program, segment),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1 },
		.segment = { .p_type = PT_LOAD,
			     .p_flags = PF_R | PF_X,
			     .p_offset = offsetof(struct program, code),
			     .p_vaddr = ADDR,
			     .p_filesz = len,
			     .p_memsz = len },
	};
	memcpy(program->code, code, len);
	assert_int_equal(0, elf_file_parse(program, sizeof(*program), &world->elf, &err));
	world->table = unwind_table_of_elf(world->elf);
}

static void close_code(struct world *world)
{
	unwind_table_close(world->table);
	elf_file_close(world->elf);
}

static struct unwind_rule rule_at(const struct world *world, uint64_t offset, bool returns)
{
	struct unwind_place place = { .offset = offsetof(struct program, code) + offset,
				      .returns = returns };

	return unwind_table_rule(world->table, place);
}

#define OPEN(world, code) open_code(world, code, sizeof(code) - 1)

#define RULE(world, offset, kind, offset_of_cfa, bp_flags, offset_of_bp) \
	do {                                                             \
		struct unwind_rule rule = rule_at(world, offset, false); \
		assert_int_equal(kind, rule.cfa);                        \
		assert_int_equal(offset_of_cfa, rule.cfa_off);           \
		assert_int_equal(bp_flags, rule.flags);                  \
		assert_int_equal(offset_of_bp, rule.bp_off);             \
	} while (0)

static struct instruction decode(const char *bytes, size_t len)
{
	struct instruction ret;

	assert_true(instruction_decode((const uint8_t *)bytes, len, &ret));
	return ret;
}

#define DECODE(bytes) decode(bytes, sizeof(bytes) - 1)

static void test_instruction__kinds(void **state)
{
	struct instruction call = DECODE("\xe8\x10\0\0\0");

	(void)state;
	assert_int_equal(INSTRUCTION_CALL, call.kind);
	assert_int_equal(5 + 0x10, call.target);
	assert_int_equal(INSTRUCTION_PUSH, DECODE("\x55").kind);
	assert_true(DECODE("\x55").is_bp);
	assert_false(DECODE("\x41\x55").is_bp); /* %r13 */
	assert_int_equal(-0x88, DECODE("\x48\x81\xec\x88\0\0\0").value);
	assert_int_equal(INSTRUCTION_ADD, DECODE("\x48\x83\xc4\x10").kind);
	assert_int_equal(INSTRUCTION_ADD, DECODE("\x48\x8d\x64\x24\x58").kind);
	assert_int_equal(INSTRUCTION_BP_FROM_SP, DECODE("\x48\x89\xe5").kind);
	assert_int_equal(INSTRUCTION_SP_FROM_BP, DECODE("\x48\x8d\x65\xd8").kind);
	assert_int_equal(-0x28, DECODE("\x48\x8d\x65\xd8").value);
	assert_int_equal(INSTRUCTION_SAVE_BP, DECODE("\x48\x89\x6c\x24\x08").kind);
	assert_int_equal(INSTRUCTION_LOAD_BP, DECODE("\x48\x8b\x6c\x24\x08").kind);
	assert_int_equal(INSTRUCTION_RETURN, DECODE("\xf3\xc3").kind);
	assert_int_equal(INSTRUCTION_STOP, DECODE("\x0f\x0b").kind);
	assert_int_equal(INSTRUCTION_BRANCH, DECODE("\x0f\x84\0\0\0\0").kind);
	assert_int_equal(INSTRUCTION_JUMP, DECODE("\x3e\xff\xe0").kind);
	assert_int_equal(INSTRUCTION_OTHER, DECODE("\x48\x83\xe4\xf0").kind); /* and $-16,%rsp */
}

static void test_instruction__reads_of_the_stack_pointer_are_plain(void **state)
{
	(void)state;
	assert_int_equal(INSTRUCTION_PLAIN, DECODE("\x48\x89\xe0").kind);     /* mov %rsp,%rax */
	assert_int_equal(INSTRUCTION_PLAIN, DECODE("\x48\x39\xe0").kind);     /* cmp */
	assert_int_equal(INSTRUCTION_PLAIN, DECODE("\x84\xe4").kind);	      /* test %ah,%ah */
	assert_int_equal(INSTRUCTION_PLAIN, DECODE("\x0f\x28\xe5").kind);     /* %xmm5 → %xmm4 */
	assert_int_equal(INSTRUCTION_PLAIN, DECODE("\xc5\xfc\x28\xe5").kind); /* likewise, %ymm */
	assert_true(DECODE("\x48\x89\xc4").writes_sp);			      /* mov %rax,%rsp */
	assert_true(DECODE("\xbd\x01\0\0\0").writes_bp);		      /* mov $1,%ebp */
	assert_true(DECODE("\x48\x0f\x44\xe8").writes_bp);		      /* cmove %rax,%rbp */
}

static void test_instruction__what_is_cut_off_or_unknown_is_none(void **state)
{
	static const uint8_t code[] = { 0x48, 0x81, 0xec, 0x88, 0, 0, 0 };
	struct instruction ignored;

	(void)state;
	for (size_t len = 0; len < sizeof(code); len++)
		assert_false(instruction_decode(code, len, &ignored));
	assert_false(instruction_decode((const uint8_t *)"\x06\0\0\0", 4, &ignored));
	assert_false(instruction_decode((const uint8_t *)"\xd5\x11\x58\0", 4, &ignored)); /* APX */
}

/* push %rbp; push %rbx; sub $8; call the other; add $8; pop; pop; ret. The other: sub $24 … */
static const char two[] = "\x55"
			  "\x53"
			  "\x48\x83\xec\x08"
			  "\xe8\x15\0\0\0"
			  "\x48\x83\xc4\x08"
			  "\x5b"
			  "\x5d"
			  "\xc3"
			  "\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
			  "\x48\x83\xec\x18"
			  "\x31\xed" /* xor %ebp,%ebp, which is not saved */
			  "\x48\x83\xc4\x18"
			  "\xc3";

static void test_code_rules__follow_pushes_and_pops(void **state)
{
	struct world world;

	(void)state;
	OPEN(&world, two);
	RULE(&world, 0, UNWIND_SP, 8, UNWIND_BP_SAME, 0);
	RULE(&world, 1, UNWIND_SP, 16, UNWIND_BP_CFA, -16);
	RULE(&world, 2, UNWIND_SP, 24, UNWIND_BP_CFA, -16);
	RULE(&world, 6, UNWIND_SP, 32, UNWIND_BP_CFA, -16);
	assert_int_equal(32, rule_at(&world, 11, true).cfa_off); /* behind the call */
	RULE(&world, 15, UNWIND_SP, 24, UNWIND_BP_CFA, -16);
	RULE(&world, 17, UNWIND_SP, 8, UNWIND_BP_SAME, 0);
	RULE(&world, 32, UNWIND_SP, 8, UNWIND_BP_SAME, 0);
	RULE(&world, 36, UNWIND_SP, 32, UNWIND_BP_SAME, 0);
	RULE(&world, 38, UNWIND_SP, 32, UNWIND_BP_UNDEFINED, 0);
	close_code(&world);
}

/* push %rbp; mov %rsp,%rbp; and $-32,%rsp; sub %rax,%rsp; call *%rbx; leave; ret */
static void test_code_rules__frame_pointers_survive_an_unknown_stack(void **state)
{
	struct world world;

	(void)state;
	OPEN(&world, "\x55\x48\x89\xe5\x48\x83\xe4\xe0\x48\x29\xc4\xff\xd3\x31\xc0\xc9\xc3");
	RULE(&world, 4, UNWIND_SP, 16, UNWIND_BP_CFA, -16);
	RULE(&world, 11, UNWIND_BP, 16, UNWIND_BP_CFA, -16);
	RULE(&world, 16, UNWIND_SP, 8, UNWIND_BP_SAME, 0);
	close_code(&world);
}

/* sub $24; test; je to the ret with the stack still moved; add $24; ret */
static void test_code_rules__paths_that_disagree_give_none(void **state)
{
	struct world world;

	(void)state;
	OPEN(&world, "\x48\x83\xec\x18\x85\xff\x74\x04\x48\x83\xc4\x18\x90\xc3\x90\x90");
	assert_int_equal(UNWIND_FP, rule_at(&world, 4, false).cfa);
	assert_int_equal(UNWIND_FP, rule_at(&world, 6, false).cfa);
	close_code(&world);
}

/* push %rbx; call a function that ends in a trap; then, with no more than padding between, a
 * function starts, and one that calls the first. */
static void test_code_rules__calls_that_do_not_return_end_functions(void **state)
{
	static const char code[] = "\x53"
				   "\xe8\x2a\0\0\0"
				   "\x66\x90\x66\x90\x66\x90\x66\x90\x66\x90"
				   "\x53\x31\xc0\x5b\xc3" /* 16 */
				   "\x66\x90\x66\x90\x66\x90\x66\x90\x66\x90\x90"
				   "\x48\x83\xec\x08" /* 32 */
				   "\xe8\xd7\xff\xff\xff"
				   "\x90\x90\x90\x90\x90\x90\x90"
				   "\x0f\x0b" /* 48 */
				   "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90";
	struct world world;

	(void)state;
	OPEN(&world, code);
	RULE(&world, 1, UNWIND_SP, 16, UNWIND_BP_SAME, 0);
	RULE(&world, 16, UNWIND_SP, 8, UNWIND_BP_SAME, 0);
	RULE(&world, 17, UNWIND_SP, 16, UNWIND_BP_SAME, 0);
	RULE(&world, 36, UNWIND_SP, 16, UNWIND_BP_SAME, 0);
	close_code(&world);
}

/* sub $24; test; je over a jmp *%rax; add $24; ret; a label, with a jump back. */
static void test_code_rules__labels_of_jump_tables(void **state)
{
	struct world world;

	(void)state;
	OPEN(&world,
	     "\x48\x83\xec\x18\x85\xff\x74\x02\xff\xe0\x48\x83\xc4\x18\xc3\x31\xc0\xeb\xf7");
	RULE(&world, 8, UNWIND_SP, 32, UNWIND_BP_SAME, 0);
	RULE(&world, 14, UNWIND_SP, 8, UNWIND_BP_SAME, 0);
	RULE(&world, 15, UNWIND_SP, 32, UNWIND_BP_SAME, 0);
	close_code(&world);
}

/* Instructions that overlap others are not followed. */
static void test_code_rules__data_between_code_is_given_up(void **state)
{
	struct world world;

	(void)state;
	OPEN(&world, "\x53\x5b\xc3\x06\x06\x06\x06\x06\x53\xeb\xfe\x48\xb8\x53\x5b\xc3");
	RULE(&world, 1, UNWIND_SP, 16, UNWIND_BP_SAME, 0);
	assert_int_equal(UNWIND_FP, rule_at(&world, 5, false).cfa);
	close_code(&world);
}

#define BEHIND_CALLS(end)                                                      \
	"\x53\x85\xff\x74\x02\x5b\xc3\xe8\x0c\0\0\0\x31\xc0\xe8\x05\0\0\0" end \
	"\x0f\x1f\0\xff\x25\0\x10\0\0"

/* push; test; je over pop, ret; two calls of an import, which may not return; the end. What is
 * behind them has a rule only if it returns. */
static void test_code_rules__code_behind_calls_confirms_itself(void **state)
{
	struct world world;

	(void)state;
	OPEN(&world, BEHIND_CALLS("\x5b\xc3")); /* pop, ret */
	RULE(&world, 7, UNWIND_SP, 16, UNWIND_BP_SAME, 0);
	RULE(&world, 14, UNWIND_SP, 16, UNWIND_BP_SAME, 0);
	close_code(&world);
	OPEN(&world, BEHIND_CALLS("\x0f\x0b")); /* ud2 */
	RULE(&world, 7, UNWIND_SP, 16, UNWIND_BP_SAME, 0);
	assert_int_equal(UNWIND_FP, rule_at(&world, 12, false).cfa);
	assert_int_equal(UNWIND_FP, rule_at(&world, 14, false).cfa);
	close_code(&world);
}

static void test_code_state__merges_what_agrees(void **state)
{
	struct code_state a = { .depth = 32, .base = 16, .bp_saved = 16 }, b = a, merged;

	(void)state;
	b.depth = 48;
	assert_true(code_state_merge(&a, &b, &merged)); /* the frame pointer is still known */
	assert_int_equal(CODE_UNKNOWN, merged.depth);
	b.base = 0;
	assert_false(code_state_merge(&a, &b, &merged));
	b = a;
	b.bp_saved = CODE_BP_SAME;
	assert_true(code_state_merge(&a, &b, &merged));
	assert_int_equal(CODE_BP_LOST, merged.bp_saved);
}

static void test_code_state__frames_of_more_than_32_kib(void **state)
{
	struct code_state deep = { .depth = 100008 };
	struct unwind_rule rule = code_state_rule(&deep);

	(void)state;
	assert_int_equal(UNWIND_SP_FAR, rule.cfa);
	assert_int_equal(100008, unwind_rule_far(&rule));
}

static void test_code_starts__without_sections_all_code_is_a_gap(void **state)
{
	struct code_starts starts;
	struct code_flow flow;
	struct world world;

	(void)state;
	OPEN(&world, two);
	code_starts_find(world.table, &starts);
	assert_int_equal(1, starts.gaps.count);
	assert_int_equal(ADDR, starts.gaps.item[0].from);
	assert_int_equal(ADDR + sizeof(two) - 1, starts.gaps.item[0].to);
	assert_true(code_flow_open(world.table, &starts, &flow));
	assert_int_equal(3, code_flow_index(&flow, ADDR + 3));
	assert_int_equal(FLOW_NONE, code_flow_index(&flow, ADDR + sizeof(two)));
	code_flow_close(&flow);
	code_starts_done(&starts);
	close_code(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instruction__kinds),
		cmocka_unit_test(test_instruction__reads_of_the_stack_pointer_are_plain),
		cmocka_unit_test(test_instruction__what_is_cut_off_or_unknown_is_none),
		cmocka_unit_test(test_code_rules__follow_pushes_and_pops),
		cmocka_unit_test(test_code_rules__frame_pointers_survive_an_unknown_stack),
		cmocka_unit_test(test_code_rules__paths_that_disagree_give_none),
		cmocka_unit_test(test_code_rules__calls_that_do_not_return_end_functions),
		cmocka_unit_test(test_code_rules__labels_of_jump_tables),
		cmocka_unit_test(test_code_rules__data_between_code_is_given_up),
		cmocka_unit_test(test_code_rules__code_behind_calls_confirms_itself),
		cmocka_unit_test(test_code_state__merges_what_agrees),
		cmocka_unit_test(test_code_state__frames_of_more_than_32_kib),
		cmocka_unit_test(test_code_starts__without_sections_all_code_is_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
