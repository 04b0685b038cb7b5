/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .eh_frame_hdr: the first byte is the length of the header in bytes (times 4), then the header,
 * then the section it leads to. */
#include <stdint.h>
#include <stdlib.h>

#include "unwind/cfi/cfi_index.h"

#define HDR_ADDR 0x8000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfi_section section;
	struct cfi_index index;
	struct cfi_hdr hdr;
	struct cfi_fde fde;
	size_t len;
	bool has_hdr;

	if (!size)
		return 0;
	len = data[0] * 4u;
	len = len < size - 1 ? len : size - 1;
	has_hdr = cfi_hdr_parse(data + 1, len, HDR_ADDR, &hdr);
	section = (struct cfi_section){ .data = data + 1 + len,
					.len = size - 1 - len,
					.addr = has_hdr ? hdr.eh_frame_addr : 0x9000 };
	cfi_index_open(&section, has_hdr ? &hdr : NULL, HDR_ADDR, &index);
	for (uint64_t pc = 0; pc < 0x10000; pc += 0x123)
		if (cfi_index_find(&index, pc, &fde) && (pc < fde.start || pc >= fde.end))
			abort();
	cfi_index_close(&index);
	return 0;
}
