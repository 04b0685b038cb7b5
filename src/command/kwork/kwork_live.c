/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watching the kernel's work (see kwork_live.h): the events of `kwork record`, without a file. */
#include "command/kwork/kwork_live.h"

#include "base/err.h"
#include "command/command.h"
#include "command/record/record_options.h"
#include "profile/kwork.h"
#include "session/load/load.h"
#include "session/load/load_live.h"

static int attend(void *context, struct run *run, struct err *err)
{
	(void)run;
	(void)err;
	((const struct kwork_live *)context)->begin();
	return 0;
}

static int record_all(struct kwork_live *live, struct recording_options *record,
		      const struct load_options *load, struct err *err)
{
	struct load_live *reader;
	int code = load_live_start(load, &reader, err), loaded;

	if (code)
		return code;
	record->output_queue = load_live_queue(reader);
	code = session_record(record, live->program, &live->result, err);
	loaded = load_live_finish(reader, code || !live->result.samples ? NULL : &live->profile,
				  err);
	if (!code)
		command_print_notes(live->result.notes);
	return code ? code : loaded;
}

int kwork_live_watch(struct kwork_live *live, const struct load_options *load, struct err *err)
{
	struct recording_options record = {
		.source = { .cpus = live->cpus,
			    .system_wide = true,
			    .raw = true,
			    .period = 1,
			    .call_graph = { .mode = RECORDING_CALL_GRAPH_NONE } },
		.no_context = true,
		.no_build_id = true,
		.quiet = true,
	};
	int code;

	if (live->begin) {
		record.attend = attend;
		record.attend_context = live;
	}
	for (unsigned i = 0; i < KWORK_CLASSES; i++)
		if (live->classes >> i & 1)
			vec_push(&record.source.selector,
				 ((struct record_selector){
					 .text = kwork_events((enum kwork_class)i) }));
	if (recording_options_check(&record, live->program != NULL, err))
		code = EXIT_STATUS_USAGE;
	else
		code = record_all(live, &record, load, err) ? -1 : 0;
	recording_options_done(&record);
	return code;
}

int kwork_live_done(struct kwork_live *live, int code, const struct err *err)
{
	int status = code > 0 ? code
			      : command_program_status(code, live->result.launched,
						       live->result.exit_status, err);

	recording_result_done(&live->result);
	return status;
}
