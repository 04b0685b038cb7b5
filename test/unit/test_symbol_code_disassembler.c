// SPDX-License-Identifier: GPL-2.0-or-later
/* symbol/code/disassembler: other machines are refused, ends of the bytes are respected. */
#include <elf.h>
#include <errno.h>

#include "disassembly.h"

static void test_disassembler__other_machines_are_refused(void **state)
{
	struct disassembler_options options = { .machine = EM_RISCV };
	struct disassembler *disassembler;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(-ENOTSUP, disassembler_open(&options, &disassembler, &err));
	assert_string_equal("no disassembler for the code of this CPU (ELF machine 243)", err.msg);
}

/* All that is cut off anywhere, and every byte as the first: the length is from 1 to what is there.
 */
static void test_disassembler__length_stays_inside(void **state)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64 };

	(void)state;
	for (size_t m = 0; m < 3; m++) {
		struct disassembler_options options = { .machine = machines[m] };
		struct disassembler *disassembler;
		struct instruction found;
		struct err err = { 0 };

		assert_int_equal(0, disassembler_open(&options, &disassembler, &err));
		for (unsigned first = 0; first < 65536; first++) {
			uint8_t bytes[17] = { (uint8_t)first, (uint8_t)(first >> 8), 0x3a, 0x84 };
			size_t len = 1 + first % sizeof(bytes);

			disassembler_decode(disassembler, bytes, len, 0, &found);
			assert_in_range(found.len, 1, len);
			assert_true(found.mnemonic[0]);
		}
		disassembler_close(disassembler);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_disassembler__other_machines_are_refused),
		cmocka_unit_test(test_disassembler__length_stays_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
