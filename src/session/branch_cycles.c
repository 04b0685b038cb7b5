/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branches of samples → blocks (see branch_cycles.h). Entries come with the newest first. */
#include "session/branch_cycles.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/err.h"
#include "event/event.h"
#include "format/perf_data/perf_data.h"
#include "proc/module.h"
#include "proc/proc.h"
#include "profile/block_cycles.h"
#include "session/filter.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "session/replay.h"

struct reader {
	struct replay_handler handler; /* first */
	struct filter *filter;
	struct block_cycles *blocks;
};

/* False: in no known function. */
static bool find_place(const struct replay_sample *sample, uint64_t pc, struct block_place *ret)
{
	struct replay_frame frame;
	const struct symbol_frame *at;

	replay_resolve(sample, pc, &frame);
	if (!frame.symbol || !frame.symbol->count || frame.offset < frame.symbol->start)
		return false;
	at = &frame.symbol->frame[frame.symbol->count - 1];
	*ret = (struct block_place){ .module_id = frame.module->id.v,
				     .function = frame.symbol->start,
				     .offset = frame.offset - frame.symbol->start,
				     .symbol = at->name ? at->name : "[unknown]",
				     .module = frame.module->name,
				     .file = at->file,
				     .line = at->line };
	return true;
}

static bool passes(const struct reader *reader, const struct replay_sample *sample)
{
	const struct event *event = sample->event;
	const struct filter_subject subject = { .comm = sample->thread->comm,
						.pid = event->pid,
						.tid = event->tid,
						.cpu = event->cpu,
						.has_time = event->has_time,
						.time_ns = event->time_ns };

	return filter_match(reader->filter, &subject);
}

static int take_sample(struct replay_handler *handler, const struct replay_sample *sample,
		       struct err *err)
{
	const struct reader *reader = (const struct reader *)handler;
	const struct event_sample *s = &sample->event->sample;

	(void)err;
	if (!passes(reader, sample))
		return 0;
	for (uint64_t i = 0; i < s->branch_len; i++) {
		const struct perf_branch_entry *branch = &s->branch[i];
		struct block_place begin, end;
		bool has_begin;

		if (!branch->cycles)
			continue;
		if (!find_place(sample, branch->from, &end)) {
			block_cycles_add_unnamed(reader->blocks, branch->cycles);
			continue;
		}
		has_begin = i + 1 < s->branch_len && find_place(sample, branch[1].to, &begin);
		block_cycles_add(reader->blocks, has_begin ? &begin : NULL, &end, branch->cycles);
	}
	return 0;
}

int branch_cycles_read(struct recording *recording, const struct load_options *options,
		       struct block_cycles *ret, struct err *err)
{
	struct replay_options replay = { .symbol = options->symbol, .no_frames = true };
	struct reader reader = { .handler = { .sample = take_sample }, .blocks = ret };
	const struct filter_spec spec = load_filters(options);
	const struct perf_data_header *header;
	struct perf_data *data;
	int code = recording_data(recording, &data, err);

	if (code)
		return code;
	header = perf_data_header(data);
	replay.symbol.lines = true;
	replay.symbol.inlines = false; /* an end is one place */
	code = filter_parse(&spec, header->first_ns, header->last_ns, &reader.filter, err);
	if (!code)
		code = recording_replay(recording, &replay, &reader.handler, err);
	filter_free(reader.filter);
	block_cycles_sort(ret);
	if (!code && !ret->total)
		return err_set(err, -ENODATA,
			       "%s: no branch has cycles: this CPU does not record "
			       "them, or no sample passes the filters",
			       recording_name(recording));
	return code;
}
