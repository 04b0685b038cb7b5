/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of short waits that the kernel part adds to, in two maps by turns. */
#ifndef SOURCE_BPF_WAIT_SUMS_H
#define SOURCE_BPF_WAIT_SUMS_H

#include <stdbool.h>
#include <stdint.h>

struct off_cpu_sum;
struct off_cpu_sum_key;
struct wait_sums;

/* A sum; 0 or -errno, which ends the reading. */
typedef int wait_sums_fn(void *context, const struct off_cpu_sum_key *key,
			 const struct off_cpu_sum *sum);

/* Borrows the descriptors; *odd_turn selects the map for the kernel part. */
struct wait_sums *wait_sums_new(const int map_fd[2], volatile uint32_t *odd_turn);
void wait_sums_free(struct wait_sums *sums); /* NULL is fine */
/* Delivers the sums of the map that the kernel part stopped using since the last call, and switches
 * maps; last: no more additions, delivers both. Returns 0 or -errno; *ret_told is for `take`. */
int wait_sums_read(struct wait_sums *sums, bool last, wait_sums_fn *take, void *context,
		   bool *ret_told);

#endif
