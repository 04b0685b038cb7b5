/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of waiting threads that the kernel part could not unwind, stored by id until the ends of
 * the waits that refer to them. A thread may have several, and each may be referenced repeatedly.
 * Bounded in bytes. */
#ifndef SOURCE_BPF_RAW_WAITS_H
#define SOURCE_BPF_RAW_WAITS_H

#include <stddef.h>
#include <stdint.h>

struct cpu_sample;
struct off_cpu_open;
struct raw_waits;

struct raw_waits *raw_waits_new(void);
void raw_waits_free(struct raw_waits *waits); /* NULL is fine */
/* Stores a CPU_RAW record; its period is the id. A base other than 0 names a stack that will not be
 * referenced any more; a record without a stack only does that. */
void raw_waits_keep(struct raw_waits *waits, const struct cpu_sample *head, size_t len);
/* Stores a wait in progress at the start, with the current bytes of the stack. */
void raw_waits_keep_open(struct raw_waits *waits, const struct off_cpu_open *open);
/* The record with a name; NULL = it is not there. Borrowed until raw_waits_round(). */
struct cpu_sample *raw_waits_find(struct raw_waits *waits, uint64_t name, size_t *ret_len);
/* All rings have been read once, now: drops, after a second, what will not be referenced. */
void raw_waits_round(struct raw_waits *waits, uint64_t now_ns);

#endif
