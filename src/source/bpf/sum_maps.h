/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums that the kernel part adds to, in two maps by turns. */
#ifndef SOURCE_BPF_SUM_MAPS_H
#define SOURCE_BPF_SUM_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sum_maps;

/* A sum; 0 or -errno, which ends the reading. */
typedef int sum_maps_fn(void *context, const void *key, const void *sum);

struct sum_maps_options {
	int map_fd[2];		     /* borrowed */
	volatile uint32_t *odd_turn; /* selects the map for the kernel part */
	size_t key_size, sum_size;
};

struct sum_maps *sum_maps_new(const struct sum_maps_options *options);
void sum_maps_free(struct sum_maps *maps); /* NULL is fine */
/* Delivers the sums of the map that the kernel part stopped using since the last call, and switches
 * maps; last: no more additions, delivers both. Returns 0 or -errno; *ret_told is for `take`. */
int sum_maps_read(struct sum_maps *maps, bool last, sum_maps_fn *take, void *context,
		  bool *ret_told);

#endif
