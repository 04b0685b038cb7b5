/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compact unwind tables of hostile ELF files: what is built passes the check that files must pass.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "unwind/compact/compact.h"
#include "unwind/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct build_id id = { .len = 1 };
	struct compact *made, *read;
	struct unwind_table *table;
	struct buf file = { 0 };
	struct err err = { 0 };
	struct elf_file *elf;

	if (elf_file_parse(data, size, &elf, &err))
		return 0;
	table = unwind_table_of_elf(elf);
	made = compact_build(table);
	for (uint64_t offset = 0; offset < size; offset += 13)
		(void)compact_rule(made, offset, offset & 1);
	compact_file_write(made, &id, &file);
	if (compact_file_parse(file.data, file.len, &id, &read, &err))
		abort();
	compact_free(read);
	compact_free(made);
	buf_done(&file);
	unwind_table_close(table);
	elf_file_close(elf);
	return 0;
}
