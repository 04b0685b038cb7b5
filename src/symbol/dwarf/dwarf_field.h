/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The member of a variable that is at an address, as source code writes it. Reads untrusted bytes;
 * every search is bounded. */
#ifndef SYMBOL_DWARF_FIELD_H
#define SYMBOL_DWARF_FIELD_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct dwarf;

/* Appends ".stats.lock" or "[3].lock": what is `offset` bytes into the global or static variable at
 * vaddr. It ends at what is a lock by itself, and at members with names of libraries' own (_x); the
 * bytes that are left follow as "+0x8". False, and nothing is appended: the debug info has no such
 * variable, or nothing there. */
bool dwarf_field_put(struct dwarf *dwarf, uint64_t vaddr, uint64_t offset, struct buf *out);

#endif
