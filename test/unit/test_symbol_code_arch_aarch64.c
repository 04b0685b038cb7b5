// SPDX-License-Identifier: GPL-2.0-or-later
/* symbol/code/arch/aarch64: targets are cut out of the text, adrp has an address. */
#include <elf.h>

#include "disassembly.h"

static void test_aarch64__targets_and_data_are_addresses(void **state)
{
	static const struct instruction_case cases[] = {
		{ "\x02\x00\x00\x94", 4, "bl", "", INSTRUCTION_CALL, CASE_ADDRESS + 8, 0 },
		{ "\x41\x00\x00\x54", 4, "b.ne", "", INSTRUCTION_JUMP, CASE_ADDRESS + 8, 0 },
		{ "\x40\x00\x00\xb4", 4, "cbz", "x0, ", INSTRUCTION_JUMP, CASE_ADDRESS + 8, 0 },
		{ "\x00\x00\x00\xb0", 4, "adrp", "x0, #0x2000", INSTRUCTION_PLAIN, 0, 0x2000 },
		{ "\xc0\x03\x5f\xd6", 4, "ret", "", INSTRUCTION_RETURN, 0, 0 },
		{ "\xff\xff\xff\xff", 4, ".byte", "0xff,0xff,0xff,0xff", INSTRUCTION_UNKNOWN, 0,
		  0 },
	};

	(void)state;
	check_cases(&(struct disassembler_options){ .machine = EM_AARCH64 }, cases,
		    sizeof(cases) / sizeof(cases[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aarch64__targets_and_data_are_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
