/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See probe_times_read.h. */
#include "source/probe/probe_times_read.h"

#include <errno.h>

#include <bpf/bpf.h>

#include "bpf/probe_times.h"
#include "source/bpf/bpf_error.h"
#include "source/source.h"

#define WORDS (sizeof(struct probe_times) / sizeof(uint64_t))
/* The kernel follows so many returns of a thread at a time; deeper calls begin, and never end. */
#define MOST_RETURNS 64

int probe_times_read(int map_fd, uint32_t cpus, uint32_t numbers, struct probe_times *ret,
		     struct err *err)
{
	uint64_t *sum = (uint64_t *)ret;

	for (uint32_t key = 0; key < cpus * numbers; key++) {
		uint64_t one[WORDS];

		if (bpf_map_lookup_elem(map_fd, &key, one))
			return bpf_fail(err, -errno, "reading the times");
		for (size_t i = 0; i < WORDS; i++)
			sum[key % numbers * WORDS + i] += one[i];
	}
	return 0;
}

void probe_times_note(const struct probe_times *sum, uint32_t numbers, struct source *source)
{
	uint64_t calls = 0, returned = 0;

	for (uint32_t i = 0; i < numbers; i++) {
		calls += sum[i].calls;
		returned += sum[i].returned;
	}
	if (calls > returned)
		source_note(
			source,
			"%llu of %llu calls were not measured: they have not returned yet, were "
			"left by longjmp or an exception, or are nested deeper than the %d "
			"returns of a thread that the kernel follows",
			(unsigned long long)(calls - returned), (unsigned long long)calls,
			MOST_RETURNS);
}
