/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory node of each CPU, from a recording's feature NUMA_TOPOLOGY. */
#ifndef FORMAT_PERF_DATA_NUMA_H
#define FORMAT_PERF_DATA_NUMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct perf_data;

#define NUMA_NO_NODE UINT32_MAX

typedef VEC(uint32_t) numa_nodes; /* by CPU; NUMA_NO_NODE = unknown */

/* Returns false if the recording does not have it. vec_done() afterwards in any case. */
bool perf_data_numa(const struct perf_data *data, numa_nodes *ret);

#endif
