/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address spaces: sorted, non-overlapping mappings, copied on write (see struct space in proc.h).
 */
#ifndef PROC_SPACE_H
#define PROC_SPACE_H

#include <stdint.h>

#include "proc/proc.h"

struct space *space_new(uint32_t id, uint32_t pid);
struct space *space_ref(struct space *space);
void space_unref(struct space *space); /* NULL is fine */
/* Puts a mapping over whatever was there. Replaces *space by a private copy when it is shared; its
 * id becomes `id`. */
void space_insert(struct space **space, uint32_t id, const struct mapping *mapping);
/* Whether a mapping is a program's copy of its own text in huge pages: anonymous memory over it, in
 * which the code stays that of the file. Such a mapping is not to be inserted. */
bool space_is_text_copy(const struct space *space, const struct mapping *mapping);
/* Removes [start, end). */
void space_remove(struct space **space, uint32_t id, uint64_t start, uint64_t end);

#endif
