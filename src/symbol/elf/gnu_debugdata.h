/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .gnu_debugdata: a small xz-compressed ELF file with a .symtab of the functions that .dynsym
 * lacks, which some distributions leave in stripped programs. */
#ifndef SYMBOL_GNU_DEBUGDATA_H
#define SYMBOL_GNU_DEBUGDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

/* Returns false if there is none or it cannot be unpacked within the limits. *ret owns its
 * memory. */
bool gnu_debugdata_open(const struct elf_file *elf, struct elf_file **ret);
/* The unpacking alone. */
bool gnu_debugdata_unpack(const uint8_t *data, size_t len, struct elf_file **ret);

#endif
