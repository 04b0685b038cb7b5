/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structs and sets with a table of fields (syscall_struct()), as strace writes them. Pure
 * functions. */
#ifndef SESSION_TRACE_STRUCT_H
#define SESSION_TRACE_STRUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/syscall/syscall_structs.h"

struct buf;

/* False: nothing was written, because the kind is another, or too little was copied. */
bool trace_put_fields(enum syscall_arg kind, const uint8_t *data, size_t len, struct buf *out);
/* "[INT CHLD]", "~[KILL]" */
void trace_put_signals(uint64_t set, struct buf *out);
/* "[3 7]": the numbers of bits that are set, below `limit`. */
void trace_put_numbers(const uint8_t *set, size_t bytes, size_t limit, struct buf *out);

#endif
