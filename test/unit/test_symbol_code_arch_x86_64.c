// SPDX-License-Identifier: GPL-2.0-or-later
/* symbol/code/arch/x86_64: text as objdump has it, targets, data, and lengths without a decoder. */
#include <elf.h>

#include "disassembly.h"

#define COUNT(cases) (sizeof(cases) / sizeof((cases)[0]))

/* As `objdump -d` prints them. */
static void test_x86__text_is_that_of_objdump(void **state)
{
	static const struct instruction_case cases[] = {
		{ "\x89\xc8", 2, "mov", "%ecx,%eax", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x83\xc2\x01", 3, "add", "$0x1,%edx", INSTRUCTION_PLAIN, 0, 0 },
		{ "\xc7\x45\xfc\x05\0\0\0", 7, "movl", "$0x5,-0x4(%rbp)", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x8d\x0c\x10", 3, "lea", "(%rax,%rdx,1),%ecx", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x48\x8b\x04\xd8", 4, "mov", "(%rax,%rbx,8),%rax", INSTRUCTION_PLAIN, 0, 0 },
		{ "\xc1\xe0\x0d", 3, "shl", "$0xd,%eax", INSTRUCTION_PLAIN, 0, 0 },
		{ "\xd3\x20", 2, "shll", "%cl,(%rax)", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x0f\x1f\x44\x00\x00", 5, "nopl", "0x0(%rax,%rax,1)", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x44\x88\x4f\x02", 4, "mov", "%r9b,0x2(%rdi)", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x9b\xd9\x7c\x24\x02", 5, "fstcw", "0x2(%rsp)", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x66\x48\x0f\x6e\xc0", 5, "movq", "%rax,%xmm0", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x66\x0f\x6e\xc0", 4, "movd", "%eax,%xmm0", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x66\x90", 2, "xchg", "%ax,%ax", INSTRUCTION_PLAIN, 0, 0 },
		{ "\xd1\xe8", 2, "shr", "%eax", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0", 11, "data16 cs nopw", "0x0(%rax,%rax,1)",
		  INSTRUCTION_PLAIN, 0, 0 },
		{ "\x62\xa1\x05\x05\xfc\xc9", 6, "vpaddb", "%xmm17,%xmm31,%xmm17{%k5}",
		  INSTRUCTION_PLAIN, 0, 0 },
		{ "\x9b\x90", 1, "wait", "", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x55", 1, "push", "%rbp", INSTRUCTION_PLAIN, 0, 0 },
		{ "\xc3", 1, "ret", "", INSTRUCTION_RETURN, 0, 0 },
		{ "\xf3\x0f\x1e\xfa", 4, "endbr64", "", INSTRUCTION_PLAIN, 0, 0 },
	};

	(void)state;
	check_cases(&(struct disassembler_options){ .machine = EM_X86_64 }, cases, COUNT(cases));
}

static void test_x86__intel_syntax(void **state)
{
	static const struct instruction_case cases[] = {
		{ "\xc7\x45\xfc\x05\0\0\0", 7, "mov", "DWORD PTR [rbp-0x4],0x5", INSTRUCTION_PLAIN,
		  0, 0 },
		{ "\x48\x8b\x04\xd8", 4, "mov", "rax,QWORD PTR [rax+rbx*8]", INSTRUCTION_PLAIN, 0,
		  0 },
		{ "\x48\x8d\x05\x10\0\0\0", 7, "lea", "rax,[rip+0x10]", INSTRUCTION_PLAIN, 0,
		  CASE_ADDRESS + 0x17 },
		{ "\x64\x48\x8b\x04\x25\x28\0\0\0", 9, "mov", "rax,QWORD PTR fs:0x28",
		  INSTRUCTION_PLAIN, 0, 0 },
		{ "\x0f\xb6\x04\x25\x21\0\0\0", 8, "movzx", "eax,BYTE PTR ds:0x21",
		  INSTRUCTION_PLAIN, 0, 0 },
		{ "\x0f\x1f\x44\x00\x00", 5, "nop", "DWORD PTR [rax+rax*1+0x0]", INSTRUCTION_PLAIN,
		  0, 0 },
		{ "\x41\x80\x7d\0\x2f", 5, "cmp", "BYTE PTR [r13+0x0],0x2f", INSTRUCTION_PLAIN, 0,
		  0 },
		{ "\x2e\x66\x0f\x1f\x84\0\0\0\0\0", 10, "cs nop", "WORD PTR [rax+rax*1+0x0]",
		  INSTRUCTION_PLAIN, 0, 0 },
		{ "\xd1\xe8", 2, "shr", "eax,1", INSTRUCTION_PLAIN, 0, 0 },
		{ "\xdb\x6c\x24\x18", 4, "fld", "TBYTE PTR [rsp+0x18]", INSTRUCTION_PLAIN, 0, 0 },
	};

	(void)state;
	check_cases(&(struct disassembler_options){ .machine = EM_X86_64, .intel = true }, cases,
		    COUNT(cases));
}

/* Immediates have no sign, displacements have one: as objdump prints them. */
static void test_x86__immediates_have_no_sign(void **state)
{
	static const struct instruction_case att[] = {
		{ "\x48\xc7\xc0\xff\xff\xff\xff", 7, "mov", "$0xffffffffffffffff,%rax",
		  INSTRUCTION_PLAIN, 0, 0 },
		{ "\x83\xf8\xff", 3, "cmp", "$0xffffffff,%eax", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x66\x83\xf8\xfb", 4, "cmp", "$0xfffb,%ax", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x6a\xff", 2, "push", "$0xffffffffffffffff", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x48\x83\xc4\x80", 4, "add", "$0xffffffffffffff80,%rsp", INSTRUCTION_PLAIN, 0,
		  0 },
		{ "\x6b\xc0\xfd", 3, "imul", "$0xfffffffd,%eax,%eax", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x48\xf7\x40\xf8\xfe\xff\xff\xff", 8, "testq", "$0xfffffffffffffffe,-0x8(%rax)",
		  INSTRUCTION_PLAIN, 0, 0 },
		{ "\xc4\xe3\x7b\xf0\xc8\xff", 6, "rorx", "$0xff,%eax,%ecx", INSTRUCTION_PLAIN, 0,
		  0 },
	};
	static const struct instruction_case intel[] = {
		{ "\x83\xf8\xff", 3, "cmp", "eax,0xffffffff", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x6a\xff", 2, "push", "0xffffffffffffffff", INSTRUCTION_PLAIN, 0, 0 },
		{ "\x48\xf7\x40\xf8\xfe\xff\xff\xff", 8, "test",
		  "QWORD PTR [rax-0x8],0xfffffffffffffffe", INSTRUCTION_PLAIN, 0, 0 },
	};

	(void)state;
	check_cases(&(struct disassembler_options){ .machine = EM_X86_64 }, att, COUNT(att));
	check_cases(&(struct disassembler_options){ .machine = EM_X86_64, .intel = true }, intel,
		    COUNT(intel));
}

static void test_x86__targets_and_data_are_addresses(void **state)
{
	static const struct instruction_case cases[] = {
		{ "\xe8\x10\0\0\0", 5, "call", "", INSTRUCTION_CALL, CASE_ADDRESS + 0x15, 0 },
		{ "\x75\xfe", 2, "jne", "", INSTRUCTION_JUMP, CASE_ADDRESS, 0 },
		{ "\xe2\x02", 2, "loop", "", INSTRUCTION_JUMP, CASE_ADDRESS + 4, 0 },
		{ "\xff\xd0", 2, "call", "*%rax", INSTRUCTION_CALL, 0, 0 },
		{ "\xff\x25\x08\0\0\0", 6, "jmp", "*0x8(%rip)", INSTRUCTION_JUMP, 0,
		  CASE_ADDRESS + 0xe },
		{ "\x8b\x05\x20\0\0\0", 6, "mov", "0x20(%rip),%eax", INSTRUCTION_PLAIN, 0,
		  CASE_ADDRESS + 0x26 },
	};

	(void)state;
	check_cases(&(struct disassembler_options){ .machine = EM_X86_64 }, cases, COUNT(cases));
}

/* vaddph (AVX512-FP16), vpdpbusd in its VEX form, uiret, sha512rnds2, and a byte that is none. */
static void test_x86__unknown_instructions_have_their_length(void **state)
{
	static const struct instruction_case cases[] = {
		{ "\x62\xf5\x7c\x48\x58\xc1", 6, ".byte", "0x62,0xf5,0x7c,0x48,0x58,0xc1",
		  INSTRUCTION_UNKNOWN, 0, 0 },
		{ "\xc4\xe2\x75\x50\x44\x88\x10", 7, ".byte", "0xc4,0xe2,0x75,0x50,0x44,0x88,0x10",
		  INSTRUCTION_UNKNOWN, 0, 0 },
		{ "\xc4\xe2\x77\xcb\xc2", 5, ".byte", "0xc4,0xe2,0x77,0xcb,0xc2",
		  INSTRUCTION_UNKNOWN, 0, 0 },
		{ "\x06", 1, ".byte", "0x06", INSTRUCTION_UNKNOWN, 0, 0 },
	};

	(void)state;
	check_cases(&(struct disassembler_options){ .machine = EM_X86_64 }, cases, COUNT(cases));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86__text_is_that_of_objdump),
		cmocka_unit_test(test_x86__intel_syntax),
		cmocka_unit_test(test_x86__immediates_have_no_sign),
		cmocka_unit_test(test_x86__targets_and_data_are_addresses),
		cmocka_unit_test(test_x86__unknown_instructions_have_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
