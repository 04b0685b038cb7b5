/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From records to a profile, as they come (see live_reader.h). */
#include "session/live_reader.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/byte_queue.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/thread.h"
#include "base/vec.h"
#include "event/desc.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_write.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/proc.h"
#include "profile/profile.h"
#include "session/live.h"
#include "session/live_window.h"
#include "session/load/resolve.h"
#include "session/recording.h"
#include "session/replay.h"

#define KEPT_BYTES ((size_t)64 << 20) /* of samples */

/* Records of higher types are the recorder's own (perf.data-file-format.txt). */
#define PERF_RECORD_USER 64

/* Those of a place follow each other, the outermost first. */
struct live_frame {
	frame_id frame;
	bool more;
};

struct live_reader {
	struct replay_handler handler; /* first */
	const struct live_options *options;
	struct byte_queue *queue;
	pthread_t reader;
	bool has_reader;
	struct err reader_err;
	pthread_mutex_t lock; /* over all below */
	struct profile *profile;
	uint64_t since_ns;	/* the profile began */
	VEC(uint32_t) frame_of; /* by place: index below + 1, 0 = not in this profile yet */
	VEC(struct live_frame) frames;
	struct live_window *window; /* NULL = nothing is kept */
	struct perf_data *data;	    /* while it is read */
};

static struct profile *begin_profile(struct live_reader *live)
{
	live->since_ns = clock_ns(CLOCK_MONOTONIC);
	live->frame_of.count = live->frames.count = 0;
	return profile_new(
		(live->options->payloads ? PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_VALUES : 0) |
		(live->options->times ? PROFILE_KEEP_TIME : 0));
}

/* A place that has the same name everywhere. */
static bool stays_place(const struct live_reader *live, const struct replay_frame *from)
{
	return live->options->places && !from->kernel && from->module->build_id.len &&
	       (from->module->kind == MODULE_FILE || from->module->kind == MODULE_VDSO);
}

static void push_raw(struct live_reader *live, const struct replay_frame *from)
{
	char id[2 * BUILD_ID_MAX + 1];
	struct frame frame = { .kind = FRAME_USER, .offset = from->offset, .caller = from->caller };

	build_id_hex(&from->module->build_id, id);
	frame.module = profile_module(live->profile, resolve_module_path(from->module), id);
	vec_push(&live->frames,
		 ((struct live_frame){ profile_frame(live->profile, &frame), false }));
}

/* depth: of the inlined functions there, 0 = the innermost. */
static frame_id make_frame(struct live_reader *live, const struct replay_frame *from, size_t depth)
{
	const struct symbol *symbol = from->symbol;
	const char *path = resolve_module_path(from->module);
	struct frame frame = { .module = profile_module(live->profile, path, ""),
			       .kind = resolve_frame_kind(from->module, from->kernel) };

	if (symbol) {
		const char *name = symbol->frame[depth].name;

		frame.inlined = depth + 1 < symbol->count;
		frame.binding = symbol->binding;
		frame.symbol_start = symbol->start;
		frame.symbol_end = symbol->end;
		if (name)
			frame.function = strtab_intern(live->profile->strings, name, strlen(name));
	}
	if (!symbol || live->options->addresses) {
		frame.offset = from->offset;
		frame.pc = from->pc;
		frame.caller = from->caller;
	}
	return profile_frame(live->profile, &frame);
}

static void push_named(struct live_reader *live, const struct replay_frame *from)
{
	size_t count = from->symbol ? from->symbol->count : 1;

	for (size_t depth = count; depth-- > (live->options->inlined ? 0 : count - 1);)
		vec_push(&live->frames,
			 ((struct live_frame){ make_frame(live, from, depth), depth }));
	vec_last(&live->frames)->more = false;
}

static stack_id push_place(struct live_reader *live, stack_id stack,
			   const struct replay_sample *sample, const struct replay_frame *from)
{
	const struct live_frame *frame;
	uint32_t *known;

	while (live->frame_of.count <= from->place)
		vec_push(&live->frame_of, 0);
	known = &live->frame_of.item[from->place];
	if (!*known) {
		struct replay_frame named = *from;

		*known = (uint32_t)live->frames.count + 1;
		if (stays_place(live, from)) {
			push_raw(live, from);
		} else {
			if (live->options->places)
				replay_name(sample->replay, &named);
			push_named(live, &named);
		}
	}
	frame = &live->frames.item[*known - 1];
	do
		stack = profile_stack_push(live->profile, stack, frame->frame);
	while ((frame++)->more);
	return stack;
}

static stack_id stack_of(struct live_reader *live, const struct replay_sample *sample)
{
	stack_id stack = STACK_EMPTY;

	if (!sample->count || !live->options->stacks)
		return push_place(live, stack, sample, sample->count ? sample->frame : &sample->ip);
	for (size_t i = sample->count; i-- > 0;)
		stack = push_place(live, stack, sample, &sample->frame[i]);
	return stack;
}

static void keep(struct live_reader *live, const struct event *event)
{
	if (live->window && event->raw && event->raw->type < PERF_RECORD_USER)
		live_window_add(live->window, event->raw);
}

/* Returns where it is among the profile's values. */
static uint64_t keep_payload(struct profile *profile, const struct event *event)
{
	size_t first = profile->values.count, count = event->sample.raw_len / sizeof(uint64_t);

	vec_push(&profile->values, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t word;

		memcpy(&word, (const char *)event->sample.raw + i * sizeof(word), sizeof(word));
		vec_push(&profile->values, word);
	}
	return first;
}

static int on_sample(struct replay_handler *handler, const struct replay_sample *sample,
		     struct err *err)
{
	struct live_reader *live = (struct live_reader *)handler;
	const struct event *event = sample->event;
	const struct event_desc *desc = event->desc;
	struct profile_sample one = { .cpu = PROFILE_NO_CPU,
				      .time_ns = event->time_ns,
				      .weight = event->sample.period,
				      .stop = (uint8_t)sample->stop,
				      .count = 1 };

	(void)err;
	if (live->options->alarm && desc && strcmp(desc->name, live->options->alarm) == 0) {
		(void)pthread_mutex_lock(&live->lock);
		keep(live, event);
		(void)pthread_mutex_unlock(&live->lock);
		live->options->alarmed(live->options->context, sample->thread->pid,
				       sample->thread->comm);
		return 0;
	}
	if (live->options->seen)
		live->options->seen(live->options->context, sample->thread->pid,
				    sample->thread->comm);
	(void)pthread_mutex_lock(&live->lock);
	one.stack = stack_of(live, sample);
	one.thread = profile_thread(live->profile, sample->thread->pid, sample->thread->tid,
				    sample->thread->comm);
	one.event = desc ? profile_event_of_kind(live->profile, desc->name,
						 event_unit_name(desc->unit), desc->kind)
			 : profile_event(live->profile, "unknown", "count");
	if (live->options->payloads)
		one.addr = keep_payload(live->profile, event);
	profile_add(live->profile, &one);
	keep(live, event);
	(void)pthread_mutex_unlock(&live->lock);
	return 0;
}

static int on_other(struct replay_handler *handler, const struct event *event,
		    const struct thread *thread, struct err *err)
{
	struct live_reader *live = (struct live_reader *)handler;

	(void)thread;
	(void)err;
	if (event->type == EVENT_FORK && live->options->forked && event->pid != event->task.ppid)
		live->options->forked(live->options->context, event->pid, event->task.ppid);
	if (event->type == EVENT_COMM && live->options->forked && event->comm.exec)
		live->options->forked(live->options->context, event->pid, 0);
	(void)pthread_mutex_lock(&live->lock);
	if (event->type == EVENT_LOST)
		live->profile->meta.lost_samples += event->lost.count;
	else if (event->type == EVENT_THROTTLE)
		live->profile->meta.throttled++;
	keep(live, event);
	(void)pthread_mutex_unlock(&live->lock);
	return 0;
}

static void set_data(struct live_reader *live, struct perf_data *data)
{
	(void)pthread_mutex_lock(&live->lock);
	live->data = data;
	(void)pthread_mutex_unlock(&live->lock);
}

static void *read_all(void *context)
{
	struct live_reader *live = context;
	const struct replay_options options = { .symbol = live->options->symbol,
						.endless = true,
						.late_names = live->options->places,
						.names_on_demand = live->options->places };
	struct recording *recording = recording_open_queue(live->queue, "the recording");
	struct perf_data *data;

	if (!recording_data(recording, &data, &live->reader_err)) {
		set_data(live, data);
		(void)recording_replay(recording, &options, &live->handler, &live->reader_err);
		set_data(live, NULL);
	}
	recording_close(recording);
	byte_queue_close(live->queue); /* the recorder notices the missing reader */
	return NULL;
}

int live_reader_start(const struct live_options *options, struct byte_queue *queue,
		      struct live_reader **ret, struct err *err)
{
	struct live_reader *live = mem_zalloc(sizeof(*live));
	int code;

	live->handler = (struct replay_handler){ .sample = on_sample, .other = on_other };
	live->options = options;
	live->queue = queue;
	(void)pthread_mutex_init(&live->lock, NULL);
	live->profile = begin_profile(live);
	if (options->moments)
		live->window = live_window_new(
			options->moments, options->kept_bytes ? options->kept_bytes : KEPT_BYTES);
	code = thread_start(&live->reader, "reader", read_all, live, err);
	live->has_reader = !code;
	if (code)
		live_reader_free(live);
	else
		*ret = live;
	return code;
}

int live_reader_join(struct live_reader *live, struct err *err)
{
	if (live->has_reader)
		(void)pthread_join(live->reader, NULL);
	live->has_reader = false;
	if (live->reader_err.code)
		*err = live->reader_err;
	return live->reader_err.code;
}

struct profile *live_reader_take(struct live_reader *live)
{
	struct profile *profile;

	(void)pthread_mutex_lock(&live->lock);
	profile = live->profile;
	profile->meta.duration_ns = clock_ns(CLOCK_MONOTONIC) - live->since_ns;
	live->profile = begin_profile(live);
	if (live->window)
		live_window_push(live->window);
	(void)pthread_mutex_unlock(&live->lock);
	return profile;
}

void live_reader_end_moment(struct live_reader *live)
{
	(void)pthread_mutex_lock(&live->lock);
	if (live->window)
		live_window_push(live->window);
	(void)pthread_mutex_unlock(&live->lock);
}

void live_reader_clear(struct live_reader *live)
{
	(void)pthread_mutex_lock(&live->lock);
	profile_free(live->profile);
	live->profile = begin_profile(live);
	if (live->window)
		live_window_clear(live->window);
	(void)pthread_mutex_unlock(&live->lock);
}

/* Its events come before its samples, so they do not change any more. */
static int save(const struct live_reader *live, int fd, struct err *err)
{
	const struct perf_data_header *header = perf_data_header(live->data);
	const struct perf_data_facts facts = { .fd = fd,
					       .from = live->data,
					       .part = true,
					       .tracing_data = header->tracing_data,
					       .tracing_data_len = header->tracing_data_len };
	struct perf_data_writer *writer;
	int code = perf_data_writer_open(perf_data_events(live->data), &facts, &writer, err);

	if (code)
		return code;
	code = live_window_write(live->window, writer, err);
	if (!code)
		code = perf_data_writer_finish(writer, &(struct perf_data_summary){ 0 }, err);
	perf_data_writer_free(writer);
	return code;
}

int live_reader_save(struct live_reader *live, int fd, uint64_t *ret_dropped, struct err *err)
{
	int code;

	(void)pthread_mutex_lock(&live->lock);
	if (live->window && live->data)
		code = save(live, fd, err);
	else
		code = err_set(err, -ENODATA, "no samples yet");
	if (!code)
		*ret_dropped = live_window_dropped(live->window);
	(void)pthread_mutex_unlock(&live->lock);
	return code;
}

void live_reader_free(struct live_reader *live)
{
	struct err ignored = { 0 };

	if (!live)
		return;
	byte_queue_close(live->queue);
	byte_queue_end(live->queue);
	(void)live_reader_join(live, &ignored);
	profile_free(live->profile);
	live_window_free(live->window);
	vec_done(&live->frame_of);
	vec_done(&live->frames);
	(void)pthread_mutex_destroy(&live->lock);
	free(live);
}
