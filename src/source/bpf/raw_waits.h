/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of waiting threads that the kernel half could not walk, kept by name for the ends of waits
 * that are said to be of that stack. A thread may have several, and be told of each again and
 * again. Bounded in bytes. */
#ifndef SOURCE_BPF_RAW_WAITS_H
#define SOURCE_BPF_RAW_WAITS_H

#include <stddef.h>
#include <stdint.h>

struct cpu_sample;
struct off_cpu_open;
struct raw_waits;

struct raw_waits *raw_waits_new(void);
void raw_waits_free(struct raw_waits *waits); /* NULL is fine */
/* Keeps a record of CPU_RAW; its period is the name. Its base, unless that is 0, names another that
 * will be told of no more; one without a stack says only that. */
void raw_waits_keep(struct raw_waits *waits, const struct cpu_sample *head, size_t len);
/* Keeps a wait that was on when watching began, with the stack's bytes as they are now. */
void raw_waits_keep_open(struct raw_waits *waits, const struct off_cpu_open *open);
/* The record with a name; NULL = it is not there. Borrowed until raw_waits_round(). */
struct cpu_sample *raw_waits_find(struct raw_waits *waits, uint64_t name, size_t *ret_len);
/* All rings were read once, now: what will not be told of is given up after a second. */
void raw_waits_round(struct raw_waits *waits, uint64_t now_ns);

#endif
