/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of waiting threads that the kernel half could not walk, kept by name until the wait is
 * over and said to be of that stack. A thread may have several: its next ones may be read before
 * the end of a wait, which came through another CPU's ring. Bounded in bytes. */
#ifndef SOURCE_BPF_RAW_WAITS_H
#define SOURCE_BPF_RAW_WAITS_H

#include <stddef.h>
#include <stdint.h>

struct cpu_sample;
struct off_cpu_open;
struct raw_waits;

struct raw_waits *raw_waits_new(void);
void raw_waits_free(struct raw_waits *waits); /* NULL is fine */
/* Keeps a record of CPU_RAW; its period is the name. */
void raw_waits_keep(struct raw_waits *waits, const struct cpu_sample *head, size_t len);
/* Keeps a wait that was on when watching began, with the stack's bytes as they are now. */
void raw_waits_keep_open(struct raw_waits *waits, const struct off_cpu_open *open);
/* The record with a name; NULL = it is not there. Borrowed until raw_waits_round(). */
struct cpu_sample *raw_waits_find(const struct raw_waits *waits, uint64_t name, size_t *ret_len);
/* All rings were read once: what its thread has left for another is forgotten after some rounds. */
void raw_waits_round(struct raw_waits *waits);

#endif
