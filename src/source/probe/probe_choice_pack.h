/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places to probe as bytes: they are found in the sandbox, and probed outside of it. */
#ifndef SOURCE_PROBE_PROBE_CHOICE_PACK_H
#define SOURCE_PROBE_PROBE_CHOICE_PACK_H

#include <stddef.h>

struct arena;
struct buf;
struct probe_choice;
struct unpack;

/* All but `times`, which is the user's. */
void probe_choice_pack(const struct probe_choice *choice, struct buf *ret);
/* Into an empty one, with strings in the arena. numbers: what is counted, SIZE_MAX = as many as
 * there are names. Places with other numbers or binaries than there are damage the bytes. */
void probe_choice_unpack(struct unpack *unpack, size_t numbers, struct arena *arena,
			 struct probe_choice *ret);

#endif
