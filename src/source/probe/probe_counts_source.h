/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the source "probe_counts" has counted so far. */
#ifndef SOURCE_PROBE_PROBE_COUNTS_SOURCE_H
#define SOURCE_PROBE_PROBE_COUNTS_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct source;

/* On that CPU; -1 = on all. */
uint64_t probe_counts_get(const struct source *source, size_t number, int cpu);

#endif
