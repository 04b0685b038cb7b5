/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU-specific knowledge of procedure linkage tables. One file per CPU in symbol/arch/, one line in
 * the table of elf_plt.c. */
#ifndef SYMBOL_PLT_ARCH_H
#define SYMBOL_PLT_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

struct plt_arch {
	uint16_t machine;   /* EM_* */
	uint32_t irelative; /* relocation type of a slot that a resolver function fills */
	size_t entry_bytes; /* of the shortest entries; for sections without sh_entsize */
	/* The address of the GOT slot that the entry at `code` jumps through; false if it is not
	 * such an entry. */
	bool (*slot)(const struct elf_file *elf, const uint8_t *code, size_t len, uint64_t vaddr,
		     uint64_t *ret);
};

extern const struct plt_arch plt_arch_aarch64, plt_arch_i386, plt_arch_x86_64;

#endif
