/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for keeping (see keep_names.h). */
#include "session/keep_names.h"

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "proc/module.h"
#include "session/capture.h"
#include "session/recording.h"
#include "session/replay.h"
#include "symbol/kept/kept_names.h"
#include "symbol/symbolizer.h"

struct keeper {
	struct replay_handler handler;
	struct replay *replay;
	VEC(struct replay_frame) frames; /* one of each place */
	VEC(bool) seen;			 /* by place */
	struct kept_names_writer *names;
	const struct keep_names_visit *visit; /* NULL = the modules are not wanted */
	bool stacks;
};

static void see(struct keeper *keeper, const struct replay_frame *frame)
{
	while (keeper->seen.count <= frame->place)
		vec_push(&keeper->seen, false);
	if (keeper->seen.item[frame->place])
		return;
	keeper->seen.item[frame->place] = true;
	vec_push(&keeper->frames, *frame);
}

static int on_sample(struct replay_handler *handler, const struct replay_sample *sample,
		     struct err *err)
{
	struct keeper *keeper = (struct keeper *)handler;
	const struct event_sample *s = &sample->event->sample;
	struct replay_frame frame;

	(void)err;
	keeper->replay = sample->replay;
	keeper->stacks = keeper->stacks || capture_has_user_stack(sample->event);
	see(keeper, &sample->ip);
	for (size_t i = 0; i < sample->count; i++)
		see(keeper, &sample->frame[i]);
	for (uint64_t i = 0; i < s->branch_len; i++) {
		replay_resolve(sample, s->branch[i].from, &frame);
		see(keeper, &frame);
		replay_resolve(sample, s->branch[i].to, &frame);
		see(keeper, &frame);
	}
	return 0;
}

/* Each once, in the order of their ids. */
static int visit_modules(struct keeper *keeper, struct err *err)
{
	const struct module_table *all = replay_modules(keeper->replay);
	VEC(bool) hit = { 0 };
	int code = 0;

	for (size_t i = 0; i < module_table_count(all); i++)
		vec_push(&hit, false);
	for (size_t i = 0; i < keeper->frames.count; i++)
		hit.item[keeper->frames.item[i].module->id.v] = true;
	for (size_t i = 0; i < hit.count && !code; i++)
		if (hit.item[i])
			code = keeper->visit->module(
				keeper->visit->context,
				module_table_get(all, (module_id){ (uint32_t)i }), all,
				keeper->stacks, err);
	vec_done(&hit);
	return code;
}

static int on_end(struct replay_handler *handler, struct err *err)
{
	struct keeper *keeper = (struct keeper *)handler;

	for (size_t i = 0; i < keeper->frames.count; i++) {
		struct replay_frame *frame = &keeper->frames.item[i];

		replay_name(keeper->replay, frame);
		if (frame->symbol)
			kept_names_add(keeper->names, frame->module, frame->offset - frame->caller,
				       frame->symbol);
	}
	return keeper->visit && keeper->replay ? visit_modules(keeper, err) : 0;
}

static int find_names(struct recording *recording, const struct keep_names_visit *visit,
		      const struct symbol_options *symbol, struct buf *ret, struct err *err)
{
	const struct replay_options options = { .symbol = *symbol, .late_names = true };
	struct keeper keeper = { .handler = { .sample = on_sample, .end = on_end },
				 .names = kept_names_writer_new(),
				 .visit = visit };
	int code = recording_replay(recording, &options, &keeper.handler, err);

	if (!code)
		kept_names_write(keeper.names, ret);
	kept_names_writer_free(keeper.names);
	vec_done(&keeper.frames);
	vec_done(&keeper.seen);
	return code;
}

int keep_names_visit(struct recording *recording, const struct keep_names_visit *visit,
		     struct buf *ret, struct err *err)
{
	const struct symbol_options options = {
		.inlines = true, .lines = true, .demangle = true, .symfs = ""
	};

	return find_names(recording, visit, &options, ret, err);
}

int keep_names_of(const struct keep_names_request *request, struct buf *ret, struct err *err)
{
	const struct symbol_options options = { .inlines = request->lines,
						.lines = request->lines,
						.demangle = true,
						.symfs = "",
						.users = request->users,
						.unpacked = request->unpacked };
	struct recording *recording;
	int code = recording_open(request->path, &recording, err);

	if (code)
		return code;
	if (request->binaries)
		recording_use_binaries(recording, request->binaries);
	code = find_names(recording, NULL, &options, ret, err);
	recording_close(recording);
	return code;
}
