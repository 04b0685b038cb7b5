/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running kernel's functions, kept in the user's cache as the table that they become: printing
 * and parsing the kernel's list takes fifty times as long. It holds for one boot and one set of
 * modules. What BPF programs add, which come and go, is left out: recordings name those themselves.
 */
#ifndef SYMBOL_KALLSYMS_CACHE_H
#define SYMBOL_KALLSYMS_CACHE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct err;
struct kallsyms;

/* From the cache, else from /proc/kallsyms, which is then kept where that is possible. */
int kallsyms_read_running(struct kallsyms *ret, struct err *err);
/* Keeps it for readers that may not write. Does nothing when it is there already. */
void kallsyms_keep_running(void);

/* The table as bytes of this machine, and back; false for bytes that are no such table. What is
 * unpacked uses the bytes: ranges are checked when they are looked up (kallsyms_find()). */
void kallsyms_pack(const struct kallsyms *kallsyms, struct buf *ret);
bool kallsyms_unpack(const void *data, size_t len, struct kallsyms *ret);

/* The list without the lines of data and of BPF programs, in place. */
void kallsyms_keep_functions(struct buf *text);

#endif
