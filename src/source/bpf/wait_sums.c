/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Empties maps of sums in batches (see wait_sums.h). A program runs for microseconds, so when a map
 * has not been selected for a round, no program adds to it any more, and its contents are
 * complete. */
#include "source/bpf/wait_sums.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <bpf/bpf.h>

#include "base/arena.h"
#include "bpf/off_cpu.h"

#define BATCH 4096u

struct wait_sums {
	int map_fd[2];
	volatile uint32_t *odd_turn;
	struct off_cpu_sum_key key[BATCH];
	struct off_cpu_sum sum[BATCH];
};

struct wait_sums *wait_sums_new(const int map_fd[2], volatile uint32_t *odd_turn)
{
	struct wait_sums *sums = mem_zalloc(sizeof(*sums));

	sums->map_fd[0] = map_fd[0];
	sums->map_fd[1] = map_fd[1];
	sums->odd_turn = odd_turn;
	return sums;
}

void wait_sums_free(struct wait_sums *sums)
{
	free(sums); /* NULL is fine */
}

static int empty(struct wait_sums *sums, int map_fd, wait_sums_fn *take, void *context,
		 bool *ret_told)
{
	uint32_t position, *in = NULL;
	int code = 0, more = 0;

	while (!code && !more) {
		uint32_t count = BATCH;

		more = bpf_map_lookup_and_delete_batch(map_fd, in, &position, sums->key, sums->sum,
						       &count, NULL);
		if (more && more != -ENOENT)
			return more;
		for (uint32_t i = 0; !code && i < count; i++)
			if (sums->sum[i].ns)
				code = take(context, &sums->key[i], &sums->sum[i]);
		in = &position;
	}
	*ret_told = code;
	return code;
}

int wait_sums_read(struct wait_sums *sums, bool last, wait_sums_fn *take, void *context,
		   bool *ret_told)
{
	uint32_t over = !*sums->odd_turn;
	int code;

	*ret_told = false;
	code = empty(sums, sums->map_fd[over], take, context, ret_told);
	*sums->odd_turn = over;
	if (!code && last)
		code = empty(sums, sums->map_fd[!over], take, context, ret_told);
	return code;
}
