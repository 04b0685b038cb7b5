/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording and reading at once (see live.h). */
#include "session/live.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/arena.h"
#include "base/byte_queue.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/thread.h"
#include "base/vec.h"
#include "event/desc.h"
#include "proc/proc.h"
#include "profile/profile.h"
#include "session/load/resolve.h"
#include "session/record/recorder.h"
#include "session/recording.h"
#include "session/replay.h"

#define SWEEP_MS    200u /* whoever looks wants to see what happens now */
#define QUEUE_BYTES ((size_t)64 << 20)

struct live {
	struct replay_handler handler; /* first */
	const struct live_options *options;
	const struct recording_options *recording;
	struct byte_queue *queue;
	int end_fd;
	pthread_t recorder, reader;
	bool has_recorder, has_reader;
	struct err recorder_err, reader_err;
	struct live_result result;
	pthread_mutex_t lock; /* over all below */
	struct profile *profile;
	uint64_t since_ns;	/* the profile began */
	VEC(uint32_t) frame_of; /* by place; + 1, 0 = not in this profile yet */
};

static struct profile *begin_profile(struct live *live)
{
	live->since_ns = clock_ns(CLOCK_MONOTONIC);
	live->frame_of.count = 0;
	return profile_new(0);
}

static frame_id make_frame(struct live *live, const struct replay_frame *from)
{
	const struct symbol *symbol = from->symbol;
	const char *path = resolve_module_path(from->module);
	struct frame frame = { .module = profile_module(live->profile, path, ""),
			       .kind = resolve_frame_kind(from->module, from->kernel) };

	if (symbol) {
		const char *name = symbol->frame[symbol->count - 1].name;

		frame.binding = symbol->binding;
		frame.symbol_start = symbol->start;
		frame.symbol_end = symbol->end;
		if (name)
			frame.function = strtab_intern(live->profile->strings, name, strlen(name));
	} else {
		frame.offset = from->offset;
		frame.pc = from->pc;
	}
	return profile_frame(live->profile, &frame);
}

static frame_id frame_of(struct live *live, const struct replay_frame *from)
{
	uint32_t *known;

	while (live->frame_of.count <= from->place)
		vec_push(&live->frame_of, 0);
	known = &live->frame_of.item[from->place];
	if (!*known)
		*known = make_frame(live, from).v + 1;
	return (frame_id){ *known - 1 };
}

static stack_id stack_of(struct live *live, const struct replay_sample *sample)
{
	stack_id stack = STACK_EMPTY;

	if (!sample->count || !live->options->stacks)
		return profile_stack_push(
			live->profile, stack,
			frame_of(live, sample->count ? sample->frame : &sample->ip));
	for (size_t i = sample->count; i-- > 0;)
		stack = profile_stack_push(live->profile, stack, frame_of(live, &sample->frame[i]));
	return stack;
}

static int on_sample(struct replay_handler *handler, const struct replay_sample *sample,
		     struct err *err)
{
	struct live *live = (struct live *)handler;
	const struct event *event = sample->event;
	const struct event_desc *desc = event->desc;
	struct profile_sample one = { .cpu = PROFILE_NO_CPU,
				      .weight = event->sample.period,
				      .stop = (uint8_t)sample->stop,
				      .count = 1 };

	(void)err;
	(void)pthread_mutex_lock(&live->lock);
	one.stack = stack_of(live, sample);
	one.thread = profile_thread(live->profile, sample->thread->pid, sample->thread->tid,
				    sample->thread->comm);
	one.event = desc ? profile_event_of_kind(live->profile, desc->name,
						 event_unit_name(desc->unit), desc->kind)
			 : profile_event(live->profile, "unknown", "count");
	profile_add(live->profile, &one);
	(void)pthread_mutex_unlock(&live->lock);
	return 0;
}

static int on_other(struct replay_handler *handler, const struct event *event,
		    const struct thread *thread, struct err *err)
{
	struct live *live = (struct live *)handler;

	(void)thread;
	(void)err;
	if (event->type != EVENT_LOST && event->type != EVENT_THROTTLE)
		return 0;
	(void)pthread_mutex_lock(&live->lock);
	if (event->type == EVENT_LOST)
		live->profile->meta.lost_samples += event->lost.count;
	else
		live->profile->meta.throttled++;
	(void)pthread_mutex_unlock(&live->lock);
	return 0;
}

static void *read_all(void *context)
{
	struct live *live = context;
	const struct replay_options options = { .symbol = live->options->symbol, .endless = true };
	struct recording *recording = recording_open_queue(live->queue, "the recording");
	uint64_t one = 1;

	(void)recording_replay(recording, &options, &live->handler, &live->reader_err);
	recording_close(recording);
	byte_queue_close(live->queue); /* the recorder notices when nobody reads any more */
	(void)fd_write_all(live->end_fd, &one, sizeof(one));
	return NULL;
}

static void *record(void *context)
{
	struct live *live = context;
	struct recording_options own = *live->recording;
	struct recording_result result;

	own.output_queue = live->queue;
	own.source.sweep_ms = SWEEP_MS;
	own.no_context = true;
	(void)session_record(&own, NULL, &result, &live->recorder_err);
	(void)snprintf(live->result.notes, sizeof(live->result.notes), "%s", result.notes);
	recording_result_done(&result);
	byte_queue_end(live->queue);
	return NULL;
}

static int start_threads(struct live *live, struct err *err)
{
	int code;

	live->end_fd = eventfd(0, EFD_CLOEXEC);
	if (live->end_fd < 0)
		return err_errno(err, "eventfd");
	code = thread_start(&live->recorder, "recorder", record, live, err);
	live->has_recorder = !code;
	if (!code)
		code = thread_start(&live->reader, "reader", read_all, live, err);
	live->has_reader = !code;
	return code;
}

int live_start(const struct recording_options *recording, const struct live_options *options,
	       struct live **ret, struct err *err)
{
	struct live *live = mem_zalloc(sizeof(*live));
	int code;

	live->handler = (struct replay_handler){ .sample = on_sample, .other = on_other };
	live->options = options;
	live->recording = recording;
	live->queue = byte_queue_new(QUEUE_BYTES);
	live->end_fd = -1;
	(void)pthread_mutex_init(&live->lock, NULL);
	live->profile = begin_profile(live);
	code = start_threads(live, err);
	if (code) {
		struct live_result ignored;
		struct err later = { 0 };

		(void)live_end(live, &ignored, &later);
		return code;
	}
	*ret = live;
	return 0;
}

int live_fd(const struct live *live)
{
	return live->end_fd;
}

struct profile *live_take(struct live *live)
{
	struct profile *profile;

	(void)pthread_mutex_lock(&live->lock);
	profile = live->profile;
	profile->meta.duration_ns = clock_ns(CLOCK_MONOTONIC) - live->since_ns;
	live->profile = begin_profile(live);
	(void)pthread_mutex_unlock(&live->lock);
	return profile;
}

void live_stop(const struct live *live)
{
	if (live->has_recorder)
		(void)pthread_kill(live->recorder, SIGINT);
}

/* A recorder that nobody reads any more has no error of its own. */
static const struct err *cause_of(const struct live *live)
{
	const struct err *recorder = &live->recorder_err;

	return recorder->code && recorder->code != -EPIPE ? recorder : &live->reader_err;
}

int live_end(struct live *live, struct live_result *ret, struct err *err)
{
	int code;

	live_stop(live);
	if (!live->has_reader)
		byte_queue_close(live->queue);
	if (live->has_recorder)
		(void)pthread_join(live->recorder, NULL);
	if (live->has_reader)
		(void)pthread_join(live->reader, NULL);
	*ret = live->result;
	code = cause_of(live)->code;
	if (code)
		*err = *cause_of(live);
	fd_close(&live->end_fd);
	byte_queue_free(live->queue);
	profile_free(live->profile);
	vec_done(&live->frame_of);
	(void)pthread_mutex_destroy(&live->lock);
	free(live);
	return code;
}
