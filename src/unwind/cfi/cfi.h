/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame information: the entries of .eh_frame and .debug_frame and the machine that runs
 * their instructions into rows (pc range → where the caller's registers are). Reads untrusted
 * bytes: every access is checked, and no entry can make it loop or allocate. Formats: DWARF 5
 * section 6.4; LSB 5.0 Core, "Exception Frames". */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/arch/arch.h"
#include "unwind/cfi/cfi_cursor.h"

/* One section in memory. Addresses are link-time addresses. */
struct cfi_section {
	const uint8_t *data;
	size_t len;		       /* below 2 GiB, see cfi_section_fits() */
	uint64_t addr;		       /* of data[0]: base of pc-relative pointers */
	uint64_t text_addr, data_addr; /* bases of text- and data-relative pointers */
	bool debug_frame;	       /* .debug_frame conventions instead of .eh_frame ones */
};

static inline bool cfi_section_fits(uint64_t len)
{
	return len <= INT32_MAX;
}

/* A frame description entry with the fields of its CIE. */
struct cfi_fde {
	uint64_t start, end; /* code it describes */
	uint64_t code_align;
	int64_t data_align;
	const uint8_t *cie_code, *cie_code_end, *code, *code_end; /* instructions */
	uint8_t pointer_encoding;
	uint8_t ra;  /* DWARF register of the return address */
	bool signal; /* 'S': the frame was interrupted, its pc is exact */
};

enum cfi_entry {
	CFI_ENTRY_END, /* terminator or end of section */
	CFI_ENTRY_FDE,
	CFI_ENTRY_OTHER, /* a CIE, or an entry that cannot be used */
};

/* The entry at *offset; *offset moves to the next one. *ret is set for CFI_ENTRY_FDE only. */
enum cfi_entry cfi_next(const struct cfi_section *section, size_t *offset, struct cfi_fde *ret);

/* Reads a pointer in one of the DW_EH_PE encodings. Sets cursor->bad when it cannot be known. */
uint64_t cfi_pointer(struct cfi_cursor *cursor, const struct cfi_section *section,
		     uint8_t encoding);

enum cfi_kind {
	CFI_UNSET = 0, /* not set: the ABI's default, callee-saved registers unchanged */
	CFI_SAME,
	CFI_UNDEFINED,
	CFI_OFFSET,	/* at CFA + value */
	CFI_VAL_OFFSET, /* is CFA + value */
	CFI_REGISTER,	/* in register `value`; CFA: register reg + value */
	CFI_EXPRESSION, /* at the address of an expression; value: its offset in the section, of its
			   ULEB128 length */
	CFI_VAL_EXPRESSION, /* the value of an expression */
};

struct cfi_rule {
	uint8_t kind; /* enum cfi_kind */
	uint8_t reg;  /* CFA only */
	int32_t value;
};

struct cfi_row {
	uint64_t start, end;
	struct cfi_rule cfa; /* CFI_REGISTER, CFI_VAL_EXPRESSION, or CFI_UNSET */
	struct cfi_rule reg[ARCH_DWARF_REGS];
};

#define CFI_STATES 16 /* nested remember_state; compilers nest one or two */

/* Runs one FDE row by row. */
struct cfi_vm {
	const struct cfi_section *section;
	const struct cfi_fde *fde;
	struct cfi_row row;
	struct cfi_cursor code;
	uint64_t location;
	size_t depth;
	struct cfi_rule initial[ARCH_DWARF_REGS];
	struct cfi_row saved[CFI_STATES];
};

/* Both pointers must outlive the machine. 0 or -EINVAL when the CIE's instructions are bad. */
int cfi_vm_start(struct cfi_vm *vm, const struct cfi_section *section, const struct cfi_fde *fde);
/* Returns 1: vm->row is the next row (never empty, in order, no gaps); 0: end; -EINVAL: bad
 * instructions, earlier rows remain valid. */
int cfi_vm_next(struct cfi_vm *vm);
/* The row of a pc inside the FDE: 1, or -EINVAL. */
int cfi_vm_find(struct cfi_vm *vm, uint64_t pc);

#endif
