/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame sections: the first byte chooses .eh_frame or .debug_frame, the rest is the section.
 * Every row must be in order and inside its function. */
#include <stdint.h>
#include <stdlib.h>

#include "unwind/cfi/cfi_index.h"
#include "unwind/evaluate.h"

static void run_rows(const struct cfi_section *section, const struct cfi_fde *fde)
{
	static const uint8_t stack[256];
	struct unwind_memory memory = { stack, fde->start, sizeof(stack) };
	struct unwind_registers registers;
	uint64_t end = fde->start;
	struct cfi_vm vm;

	if (cfi_vm_start(&vm, section, fde))
		return;
	while (cfi_vm_next(&vm) == 1) {
		if (vm.row.start != end || vm.row.end <= end || vm.row.end > fde->end)
			abort();
		end = vm.row.end;
		(void)rule_pack(&vm);
		registers = (struct unwind_registers){ .known = UINT32_MAX };
		registers.value[ARCH_DWARF_SP] = fde->start;
		(void)evaluate_row(&vm, &memory, 0x1000, &registers);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfi_section section = { .addr = 0x10000, .text_addr = 0x1000, .data_addr = 0x2000 };
	struct cfi_index index;
	struct cfi_fde fde;
	enum cfi_entry what;
	size_t offset = 0, last = 0;

	if (!size)
		return 0;
	section.debug_frame = data[0] & 1;
	section.data = data + 1;
	section.len = size - 1;
	while ((what = cfi_next(&section, &offset, &fde)) != CFI_ENTRY_END) {
		if (offset <= last)
			abort();
		last = offset;
		if (what == CFI_ENTRY_FDE)
			run_rows(&section, &fde);
	}
	cfi_index_open(&section, NULL, 0, &index);
	for (size_t i = 0; i < index.count; i++)
		(void)cfi_index_find(&index, index.entry[i].start + 1, &fde);
	cfi_index_close(&index);
	return 0;
}
