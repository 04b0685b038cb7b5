/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watching waits for locks (see lock_live.h): the kernel sums them up; the recorder, its unwinder
 * and its symbols do the rest. */
#include "command/lock/lock_live.h"

#include "base/err.h"
#include "command/command.h"
#include "command/record/record_options.h"
#include "profile/profile.h"
#include "session/live.h"
#include "session/load/load.h"
#include "session/load/load_live.h"

#define SWEEP_MS 250 /* sums of a stack must not outlive its name */

static int record_all(struct lock_live *live, struct recording_options *record, char **program,
		      struct err *err)
{
	static const struct load_values no_fields[] = { { NULL, { NULL } } };
	const struct load_options load = {
		.symbol = { .inlines = !live->addresses, .demangle = true, .symfs = "" },
		.detail = live->addresses ? RESOLVE_ADDRESSES : RESOLVE_NAMES,
		.keep = PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_VALUES,
		.values = no_fields,
		.name_locks = true,
	};
	struct load_live *reader;
	int code = load_live_start(&load, &reader, err), loaded;

	if (code)
		return code;
	record->output_queue = load_live_queue(reader);
	code = session_record(record, program, &live->result, err);
	loaded = load_live_finish(reader, code || !live->result.samples ? NULL : &live->profile,
				  err);
	if (!code)
		command_print_notes(live->result.notes);
	if (!live->profile)
		live->profile = profile_new(load.keep);
	return code ? code : loaded;
}

static int show_interval(void *context, struct err *err)
{
	struct lock_live *live = context;
	int code = live->run ? live_settle(live->reader, live->run, err) : 0;
	struct profile *profile = live_take(live->reader);

	if (!code)
		code = live->show(live->context, profile, err);
	profile_free(profile);
	return code;
}

static int attend(void *context, struct run *run, struct err *err)
{
	struct lock_live *live = context;

	(void)err;
	if (live->begin)
		live->begin();
	if (!live->interval_ns)
		return 0;
	live->run = run;
	live->timer = (struct run_timer){ .interval_ns = live->interval_ns,
					  .due = show_interval,
					  .context = live };
	run_add_timer(run, &live->timer);
	return 0;
}

static int record_by_interval(struct lock_live *live, struct recording_options *record,
			      char **program, struct err *err)
{
	const struct live_options options = {
		.symbol = { .demangle = true, .symfs = "" },
		.stacks = true,
		.payloads = true,
		.addresses = live->addresses,
		.sweep_ms = SWEEP_MS,
	};
	int code = live_start(&options, &live->reader, err);

	if (code)
		return code;
	code = live_record(live->reader, record, program, &live->result, err);
	live->run = NULL;
	if (!code)
		code = show_interval(live, err);
	if (!code)
		command_print_notes(live->result.notes);
	live_free(live->reader);
	return code;
}

int lock_live_watch(struct lock_live *live, char **program, struct err *err)
{
	struct recording_options record = { .source = { .pids = live->pids,
							.tids = live->tids,
							.cpus = live->cpus,
							.lock = &live->choice,
							.heap = live->heap,
							.sweep_ms = SWEEP_MS },
					    .duration_ns = live->duration_ns,
					    .no_context = true,
					    .no_build_id = true,
					    .quiet = true };
	int code;

	if (live->begin || live->interval_ns) {
		record.attend = attend;
		record.attend_context = live;
	}
	record.source.system_wide = live->everybody || (!program && !live->pids && !live->tids);
	vec_push(&record.source.selector,
		 ((struct record_selector){ .text = "lock-wait,lock-holder" }));
	if (live->heap)
		vec_push(&record.source.selector,
			 ((struct record_selector){ .text = "heap-alloc,heap-free" }));
	if (recording_options_check(&record, program != NULL, err))
		code = EXIT_STATUS_USAGE;
	else
		code = (live->interval_ns ? record_by_interval : record_all)(live, &record, program,
									     err)
			       ? -1
			       : 0;
	recording_options_done(&record);
	return code;
}

int lock_live_done(struct lock_live *live, int code, const struct err *err)
{
	int status = code > 0 ? code
			      : command_program_status(code, live->result.launched,
						       live->result.exit_status, err);

	profile_free(live->profile);
	recording_result_done(&live->result);
	return status;
}
