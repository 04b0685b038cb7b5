/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address spaces: sorted, non-overlapping mappings, copied on write (see struct address_space in
 * proc.h).
 */
#ifndef PROC_ADDRESS_SPACE_H
#define PROC_ADDRESS_SPACE_H

#include <stdint.h>

#include "proc/proc.h"

struct address_space *address_space_new(uint32_t id, uint32_t pid);
struct address_space *address_space_ref(struct address_space *space);
void address_space_unref(struct address_space *space); /* NULL is fine */
/* Adds a mapping, replacing those it overlaps. If *space is shared, replaces it with a private
 * copy; its id becomes `id`. */
void address_space_insert(struct address_space **space, uint32_t id, const struct mapping *mapping);
/* True for a program's copy of its own text in huge pages: anonymous memory over a file mapping,
 * with the code of the file. Do not insert such a mapping. */
bool address_space_is_text_copy(const struct address_space *space, const struct mapping *mapping);
/* Removes [start, end). */
void address_space_remove(struct address_space **space, uint32_t id, uint64_t start, uint64_t end);

#endif
