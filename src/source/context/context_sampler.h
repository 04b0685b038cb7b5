/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples what the machine is like (event/context.h) from /proc, /sys and control groups. Files are
 * opened once; those that this kernel does not have, or hides, leave their values unknown. */
#ifndef SOURCE_CONTEXT_SAMPLER_H
#define SOURCE_CONTEXT_SAMPLER_H

#include <stdint.h>
#include <sys/types.h>

#include "event/context.h"

struct context_sampler;

/* `pid` is the process whose control group's throttling is told, 0 = this one. The first interval
 * begins now, at time_ns of the recording's clock. */
struct context_sampler *context_sampler_new(pid_t pid, uint64_t time_ns);
/* The interval since the last call. *ret is to be freed with context_sample_done(). */
void context_sampler_take(struct context_sampler *sampler, uint64_t time_ns,
			  struct context_sample *ret);
void context_sampler_free(struct context_sampler *sampler); /* NULL is fine */

#endif
