/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples what the machine is like (event/machine.h) from /proc, /sys and control groups. Files are
 * opened once; those that this kernel does not have, or hides, leave their values unknown. */
#ifndef SOURCE_MACHINE_SAMPLER_H
#define SOURCE_MACHINE_SAMPLER_H

#include <stdint.h>
#include <sys/types.h>

#include "event/machine.h"

struct machine_sampler;

/* `pid` is the process whose control group's throttling is told, 0 = this one. The first interval
 * begins now, at time_ns of the recording's clock. */
struct machine_sampler *machine_sampler_new(pid_t pid, uint64_t time_ns);
/* The interval since the last call. *ret is to be freed with machine_sample_done(). */
void machine_sampler_take(struct machine_sampler *sampler, uint64_t time_ns,
			  struct machine_sample *ret);
void machine_sampler_free(struct machine_sampler *sampler); /* NULL is fine */

#endif
