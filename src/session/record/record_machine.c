/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampling the machine while recording (see record_machine.h). It costs the reader about as much as
 * a few hundred samples a second do. */
#include "session/record/record_machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "format/perf_data/machine_text.h"
#include "session/record/record_loop.h"
#include "source/machine/machine_sampler.h"

#define INTERVAL_NS	1000000000ull
#define MIN_INTERVAL_NS 20000000ull /* the kernel counts CPU time in ticks of up to 10 ms */

/* perf's own clock, which is the default, differs little from the monotonic one. */
static uint64_t clock_now_ns(const struct recorder *recorder)
{
	const struct recording_clock *clock = &recorder->source->clock;
	return clock_ns(clock->given ? clock->id : CLOCK_MONOTONIC);
}

void record_machine_start(struct recorder *recorder)
{
	const struct recording_options *options = recorder->options;

	recorder->machine_due_ns = UINT64_MAX;
	if (options->no_context)
		return;
	recorder->context = machine_sampler_new(
		options->pids ? (pid_t)strtol(options->pids, NULL, 10) : 0, clock_now_ns(recorder));
	recorder->machine_due_ns = clock_ns(CLOCK_MONOTONIC) + INTERVAL_NS;
}

void record_machine_take(struct recorder *recorder)
{
	struct machine_sample sample;
	struct buf record = { 0 };

	machine_sampler_take(recorder->context, clock_now_ns(recorder), &sample);
	context_record_put(&sample, &record);
	memcpy(recorder_place(recorder, record.len), record.data, record.len);
	buf_done(&record);
	machine_sample_done(&sample);
	recorder->machine_due_ns = clock_ns(CLOCK_MONOTONIC) + INTERVAL_NS;
}

void record_machine_end(struct recorder *recorder)
{
	uint64_t last_ns = recorder->machine_due_ns - INTERVAL_NS;

	if (recorder->context && recorder->end_ns >= last_ns + MIN_INTERVAL_NS)
		record_machine_take(recorder);
}
