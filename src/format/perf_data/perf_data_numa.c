/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads NUMA_TOPOLOGY: for each node its number, its bytes and its CPUs as text, "0-3,8". */
#include "format/perf_data/perf_data_numa.h"

#include <stdlib.h>

#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_private.h"

#define MAX_CPU 65535

static void set_node(uint32_t node, unsigned long first, unsigned long last, numa_nodes *ret)
{
	while (ret->count <= last)
		vec_push(ret, NUMA_NO_NODE);
	for (unsigned long cpu = first; cpu <= last; cpu++)
		ret->item[cpu] = node;
}

/* Ends at the first thing that is no list. */
static void take_list(const char *text, uint32_t node, numa_nodes *ret)
{
	while (*text >= '0' && *text <= '9') {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (first > last || last > MAX_CPU)
			return;
		set_node(node, first, last, ret);
		text = *end == ',' ? end + 1 : end;
	}
}

bool perf_data_numa(const struct perf_data *data, numa_nodes *ret)
{
	const uint8_t *bytes;
	size_t len;
	struct blob blob;
	uint32_t count;

	*ret = (numa_nodes){ 0 };
	if (!perf_data_feature(data, PERF_FEATURE_NUMA_TOPOLOGY, &bytes, &len))
		return false;
	blob = perf_data_blob(data, bytes, len);
	count = blob_u32(&blob);
	for (uint32_t i = 0; i < count && blob_left(&blob); i++) {
		uint32_t node = blob_u32(&blob);
		const char *cpus;

		(void)blob_u64(&blob); /* its bytes, */
		(void)blob_u64(&blob); /* and the free ones */
		cpus = blob_string(&blob);
		if (!cpus)
			break;
		take_list(cpus, node, ret);
	}
	return ret->count > 0;
}
