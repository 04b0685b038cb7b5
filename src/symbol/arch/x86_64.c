/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86 PLT entries: an indirect jump through a GOT slot, alone (.plt.got), before the lazy-binding
 * push (.plt), or behind endbr64 and a bnd prefix (.plt.sec). Encoding: Intel SDM, "JMP". */
#include <elf.h>

#include "proc/elf_file.h"
#include "symbol/plt_arch.h"

/* Offset of the ff /4 byte pair's second byte, 0 when the entry has no such jump in front. */
static size_t find_jump(const uint8_t *code, size_t len, uint8_t modrm)
{
	size_t at = 0;

	if (len >= 4 && code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e)
		at = 4; /* endbr64 or endbr32 */
	if (at < len && code[at] == 0xf2)
		at++; /* bnd */
	return len >= 6 && at <= len - 6 && code[at] == 0xff && code[at + 1] == modrm ? at + 1 : 0;
}

static bool slot_x86_64(const struct elf_file *elf, const uint8_t *code, size_t len, uint64_t vaddr,
			uint64_t *ret)
{
	size_t at = find_jump(code, len, 0x25); /* jmp *disp32(%rip) */

	if (at == 0)
		return false;
	*ret = vaddr + at + 5 + (uint64_t)(int32_t)elf_u32(elf, code + at + 1);
	return true;
}

static bool slot_i386(const struct elf_file *elf, const uint8_t *code, size_t len, uint64_t vaddr,
		      uint64_t *ret)
{
	size_t at = find_jump(code, len, 0x25); /* jmp *abs32 */
	const struct elf_section *got;

	(void)vaddr;
	if (at) {
		*ret = elf_u32(elf, code + at + 1);
		return true;
	}
	at = find_jump(code, len, 0xa3); /* jmp *disp32(%ebx) with %ebx = _GLOBAL_OFFSET_TABLE_ */
	got = elf_file_section(elf, ".got.plt");
	if (!got)
		got = elf_file_section(elf, ".got");
	if (at == 0 || !got)
		return false;
	*ret = (uint32_t)(got->addr + elf_u32(elf, code + at + 1));
	return true;
}

const struct plt_arch plt_arch_x86_64 = {
	.machine = EM_X86_64,
	.irelative = R_X86_64_IRELATIVE,
	.entry_bytes = 8,
	.slot = slot_x86_64,
};

const struct plt_arch plt_arch_i386 = {
	.machine = EM_386,
	.irelative = R_386_IRELATIVE,
	.entry_bytes = 8,
	.slot = slot_i386,
};
