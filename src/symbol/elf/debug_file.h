/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the separate file that holds a module's symbols and DWARF: by build id in the usual
 * folders, by .gnu_debuglink with its checksum, or by name under /usr/lib/debug. */
#ifndef SYMBOL_DEBUG_FILE_H
#define SYMBOL_DEBUG_FILE_H

#include <stdint.h>

struct build_id;
struct elf_file;
struct err;

/* The debug file of an opened ELF file. Does not accept a file with another build id or checksum.
 * Returns -ENOENT if there is none. Its text is NOBITS: map offsets to addresses with the main
 * file. */
int debug_file_open(const struct elf_file *elf, const char *symfs, struct elf_file **ret,
		    struct err *err);
/* By build id alone, for modules without a file. */
int debug_file_open_build_id(const struct build_id *id, const char *symfs, struct elf_file **ret,
			     struct err *err);
/* Makes a debug file replace its main file: offsets of the main file then map to addresses,
 * although its bytes are missing. objcopy --only-keep-debug empties and moves segments; their
 * former offsets follow from the layout of linkers: in sequence, each at the next offset that
 * equals its address modulo the page size. */
void debug_file_restore_offsets(struct elf_file *debug);
/* What to add to an address of `debug` to get one of `elf` (not 0 after prelinking). */
uint64_t debug_file_bias(const struct elf_file *elf, const struct elf_file *debug);

#endif
