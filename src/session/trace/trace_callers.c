/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording of system calls by caller (see trace_callers.h): the off-CPU source counts calls
 * instead of waits, and the recorder, its unwinder and its symbols do the rest. */
#include "session/trace/trace_callers.h"

#include <string.h>

#include "base/vec.h"
#include "session/load/load.h"
#include "session/load/load_live.h"
#include "source/syscall/syscall_table.h"

#define SWEEP_MS 250 /* sums of a stack that is unwound here must not outlive it */

static void choose(const struct trace_callers_options *options, struct recording_options *ret)
{
	const struct source_options *targets = options->targets;

	*ret = (struct recording_options){
		.source = { .pids = targets->pids,
			    .tids = targets->tids,
			    .system_wide = targets->system_wide,
			    .no_inherit = targets->no_inherit,
			    .off_cpu = { .cgroup_id = targets->cgroup_id },
			    .max_stack = (uint32_t)options->max_stack,
			    .sweep_ms = SWEEP_MS,
			    .syscalls = options->calls },
		.no_context = true,
		.no_build_id = true,
		.duration_ns = options->duration_ns,
		.quiet = true,
	};
	vec_push(&ret->source.selector, ((struct record_selector){ .text = "off-cpu" }));
}

static int record(const struct trace_callers_options *options, char **argv,
		  struct trace_callers_result *ret, struct err *err)
{
	const struct load_options load = {
		.symbol = { .inlines = true, .demangle = true, .symfs = "" },
		.detail = RESOLVE_FUNCTIONS,
	};
	struct recording_options record;
	struct load_live *live;
	int code, loaded;

	if (load_live_start(&load, &live, err))
		return -1;
	choose(options, &record);
	record.output_queue = load_live_queue(live);
	code = session_record(&record, argv, &ret->recording, err);
	loaded =
		load_live_finish(live, code || !ret->recording.samples ? NULL : &ret->profile, err);
	vec_done(&record.source.selector);
	return code ? code : loaded;
}

int trace_callers(const struct trace_callers_options *options, char **argv,
		  struct trace_callers_result *ret, struct err *err)
{
	int code;

	memset(ret, 0, sizeof(*ret));
	code = record(options, argv, ret, err);
	if (code)
		return code;
	if (!ret->profile) /* no calls */
		ret->profile = profile_new(0);
	syscall_callers_collect(ret->profile, syscall_label, &ret->callers);
	ret->lost = ret->recording.lost_samples + ret->recording.lost_records;
	return 0;
}

void trace_callers_result_done(struct trace_callers_result *result)
{
	syscall_callers_done(&result->callers);
	profile_free(result->profile);
	recording_result_done(&result->recording);
}
