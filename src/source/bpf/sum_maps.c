/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Empties maps of sums in batches (see sum_maps.h). A program runs for microseconds, so when a map
 * has not been selected for a round, no program adds to it any more, and its contents are
 * complete. */
#include "source/bpf/sum_maps.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>

#include "base/arena.h"

#define BATCH 4096u

struct sum_maps {
	struct sum_maps_options options;
	uint8_t *key, *sum; /* BATCH of each */
};

struct sum_maps *sum_maps_new(const struct sum_maps_options *options)
{
	struct sum_maps *maps = mem_zalloc(sizeof(*maps));

	maps->options = *options;
	maps->key = mem_alloc(BATCH * options->key_size);
	maps->sum = mem_alloc(BATCH * options->sum_size);
	return maps;
}

void sum_maps_free(struct sum_maps *maps)
{
	if (!maps)
		return;
	free(maps->key);
	free(maps->sum);
	free(maps);
}

static int empty(struct sum_maps *maps, int map_fd, sum_maps_fn *take, void *context,
		 bool *ret_told)
{
	const struct sum_maps_options *o = &maps->options;
	uint32_t position, *in = NULL;
	int code = 0, more = 0;

	while (!code && !more) {
		uint32_t count = BATCH;

		more = bpf_map_lookup_and_delete_batch(map_fd, in, &position, maps->key, maps->sum,
						       &count, NULL);
		if (more && more != -ENOENT)
			return more;
		for (uint32_t i = 0; !code && i < count; i++)
			code = take(context, maps->key + i * o->key_size,
				    maps->sum + i * o->sum_size);
		in = &position;
	}
	*ret_told = code;
	return code;
}

int sum_maps_read(struct sum_maps *maps, bool last, sum_maps_fn *take, void *context,
		  bool *ret_told)
{
	uint32_t over = !*maps->options.odd_turn;
	int code;

	*ret_told = false;
	code = empty(maps, maps->options.map_fd[over], take, context, ret_told);
	*maps->options.odd_turn = over;
	if (!code && last)
		code = empty(maps, maps->options.map_fd[!over], take, context, ret_told);
	return code;
}
