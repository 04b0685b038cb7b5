/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arm64 PLT entries: adrp x16, PAGE; ldr x17, [x16, #OFFSET]; add; br x17, maybe behind bti c.
 * Encoding: Arm Architecture Reference Manual, "ADRP" and "LDR (immediate)". */
#include <elf.h>

#include "proc/elf_file.h"
#include "symbol/plt_arch.h"

#define BTI_C	  0xd503245fu
#define ADRP_MASK 0x9f00001fu
#define ADRP_X16  0x90000010u
#define LDR_MASK  0xffc003ffu
#define LDR_X17	  0xf9400211u /* x17 from x16 */

/* Instructions are little-endian whatever the data is. */
static uint32_t instruction(const uint8_t *code)
{
	return (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
	       (uint32_t)code[3] << 24;
}

static bool slot_aarch64(const struct elf_file *elf, const uint8_t *code, size_t len,
			 uint64_t vaddr, uint64_t *ret)
{
	size_t at = len >= 4 && instruction(code) == BTI_C ? 4 : 0;
	uint32_t adrp, ldr;
	uint64_t page;

	(void)elf;
	if (len < at + 8)
		return false;
	adrp = instruction(code + at);
	ldr = instruction(code + at + 4);
	if ((adrp & ADRP_MASK) != ADRP_X16 || (ldr & LDR_MASK) != LDR_X17)
		return false;
	page = (uint64_t)(adrp >> 29 & 3) | (uint64_t)(adrp >> 5 & 0x7ffff) << 2;
	page = (page ^ 0x100000) - 0x100000; /* 21 bits, signed */
	*ret = ((vaddr + at) & ~(uint64_t)0xfff) + (page << 12) + (ldr >> 10 & 0xfff) * 8;
	return true;
}

const struct plt_arch plt_arch_aarch64 = {
	.machine = EM_AARCH64,
	.irelative = R_AARCH64_IRELATIVE,
	.entry_bytes = 8,
	.slot = slot_aarch64,
};
