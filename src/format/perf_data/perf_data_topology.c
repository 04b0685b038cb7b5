/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sockets of the recorded machine's CPUs, from the section CPU_TOPOLOGY: a list of sibling
 * cores, one of sibling threads, then core and socket of each CPU. */
#include "format/perf_data/perf_data_private.h"

static void skip_list(struct blob *blob)
{
	uint32_t count = blob_u32(blob);

	for (uint32_t i = 0; i < count && blob_left(blob); i++)
		(void)blob_string(blob);
}

uint32_t perf_data_socket(const struct perf_data *data, uint32_t cpu)
{
	const uint8_t *bytes;
	size_t len;
	struct blob blob;

	if (cpu >= data->header.cpus_available ||
	    !perf_data_feature(data, PERF_FEATURE_CPU_TOPOLOGY, &bytes, &len))
		return PERF_DATA_NO_SOCKET;
	blob = perf_data_blob(data, bytes, len);
	skip_list(&blob);
	skip_list(&blob);
	if (!blob_bytes(&blob, (size_t)cpu * 8) || blob_left(&blob) < 8)
		return PERF_DATA_NO_SOCKET;
	(void)blob_u32(&blob); /* the core */
	return blob_u32(&blob);
}
