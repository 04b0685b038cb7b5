/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacking of .gnu_debugdata. */
#include <stddef.h>
#include <stdint.h>

#include "proc/elf_file.h"
#include "symbol/elf/gnu_debugdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_file *elf;

	if (gnu_debugdata_unpack(data, size, &elf))
		elf_file_close(elf);
	return 0;
}
