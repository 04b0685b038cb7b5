/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the map of sums in batches and remembers what each said (see wait_sums.h). */
#include "source/bpf/wait_sums.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <bpf/bpf.h>

#include "base/arena.h"
#include "base/map.h"
#include "bpf/off_cpu.h"

#define BATCH 4096u

struct wait_sums {
	int map_fd;
	struct map told_ns; /* by hash of the key */
	struct off_cpu_sum_key key[BATCH];
	struct off_cpu_sum sum[BATCH];
};

struct wait_sums *wait_sums_new(int map_fd)
{
	struct wait_sums *sums = mem_zalloc(sizeof(*sums));

	sums->map_fd = map_fd;
	return sums;
}

void wait_sums_free(struct wait_sums *sums)
{
	if (!sums)
		return;
	map_done(&sums->told_ns);
	free(sums);
}

static int take_one(struct wait_sums *sums, uint32_t i, wait_sums_fn *take, void *context)
{
	struct off_cpu_sum more = sums->sum[i];
	bool added;
	uint64_t *told_ns =
		map_add(&sums->told_ns, hash_bytes(&sums->key[i], sizeof(sums->key[i])), &added);

	more.ns -= *told_ns;
	*told_ns += more.ns;
	return more.ns ? take(context, &sums->key[i], &more) : 0;
}

int wait_sums_read(struct wait_sums *sums, wait_sums_fn *take, void *context, bool *ret_told)
{
	uint32_t position, *in = NULL;
	int code = 0, more = 0;

	while (!code && !more) {
		uint32_t count = BATCH;

		more = bpf_map_lookup_batch(sums->map_fd, in, &position, sums->key, sums->sum,
					    &count, NULL);
		if (more && more != -ENOENT)
			return more;
		for (uint32_t i = 0; !code && i < count; i++)
			code = take_one(sums, i, take, context);
		in = &position;
	}
	*ret_told = code;
	return code;
}
