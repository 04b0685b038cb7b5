/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of short waits that the kernel half adds to: what came since they were read last. */
#ifndef SOURCE_BPF_WAIT_SUMS_H
#define SOURCE_BPF_WAIT_SUMS_H

#include <stdbool.h>

struct off_cpu_sum;
struct off_cpu_sum_key;
struct wait_sums;

/* What was added to a sum; 0 or -errno, which ends the reading. */
typedef int wait_sums_fn(void *context, const struct off_cpu_sum_key *key,
			 const struct off_cpu_sum *more);

struct wait_sums *wait_sums_new(int map_fd); /* borrows the descriptor */
void wait_sums_free(struct wait_sums *sums); /* NULL is fine */
/* 0 or -errno; *ret_told: it is take's. */
int wait_sums_read(struct wait_sums *sums, wait_sums_fn *take, void *context, bool *ret_told);

#endif
