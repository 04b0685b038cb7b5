/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples the machine's state (event/machine.h) from /proc, /sys and cgroups. Files are opened
 * once; values of missing or hidden files stay unknown. */
#ifndef SOURCE_MACHINE_SAMPLER_H
#define SOURCE_MACHINE_SAMPLER_H

#include <stdint.h>
#include <sys/types.h>

#include "event/machine.h"

struct machine_sampler;

/* `pid`: a process in the cgroup to sample, 0: this one. The first interval begins
 * now, at time_ns of the recording's clock. */
struct machine_sampler *machine_sampler_new(pid_t pid, uint64_t time_ns);
/* The interval since the last call. *ret is to be freed with machine_sample_done(). */
void machine_sampler_take(struct machine_sampler *sampler, uint64_t time_ns,
			  struct machine_sample *ret);
void machine_sampler_free(struct machine_sampler *sampler); /* NULL is fine */

#endif
