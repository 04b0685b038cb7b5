/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The child and its messages (see trace_reader.h). Events are sent when there are many, or when
 * the parent wants them. */
#include "session/trace/trace_reader.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/byte_queue.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/memory_limit.h"
#include "base/packing.h"
#include "base/par.h"
#include "base/thread.h"
#include "session/reader_child.h"
#include "session/recording.h"
#include "session/replay.h"
#include "session/trace/trace_asleep.h"
#include "session/trace/trace_merge.h"
#include "session/trace/trace_stack.h"

#define QUEUE_BYTES ((size_t)64 << 20)
#define SEND_BYTES  ((size_t)64 << 10)
#define MOST_BYTES  ((size_t)64 << 20) /* of what the child sends at a time */
/* What is kept of the recording needs; 16 times that is added to the limit. */
#define LIMIT_BYTES ((uint64_t)16 << 20)

enum message {
	FLUSH = BYTE_QUEUE_MESSAGE,
	ASLEEP, /* a struct trace_asleep_thread, cut after its stack; the answer has no bytes */
	FOUND,	/* items */
	DONE,	/* a struct outcome */
};

/* What begins an item. Of an event its texts follow; then the stack of those that have one. */
struct found {
	uint64_t time_ns;
	uint32_t pid, tid;
	uint8_t is_event, has_stack, unused[6];
};

struct outcome {
	int64_t code;
	char msg[sizeof(((struct err *)0)->msg)];
};

struct trace_reader {
	struct trace_reader_options options;
	struct reader_child child;
	uint64_t answers; /* of ASLEEP; under the child's lock, as all below */
	bool done;
	struct err err;
};

/* The child. */

struct child {
	const struct trace_reader_options *options;
	struct byte_queue *queue;
	struct trace_asleep *asleep;
	int socket;
	pthread_mutex_t lock; /* over all below, and what is sent */
	struct buf found;
};

static void send_found(struct child *child)
{
	if (child->found.len) /* no parent: the end */
		(void)byte_queue_send(child->socket, FOUND, child->found.data, child->found.len);
	buf_clear(&child->found);
}

static void put_stack(const struct trace_stack *stack, struct buf *ret)
{
	uint32_t stop = stack->stop, count = (uint32_t)stack->frame.count;

	pack_put(ret, &stop, sizeof(stop));
	pack_put(ret, &count, sizeof(count));
	for (uint32_t i = 0; i < count; i++) {
		const struct trace_stack_frame *frame = &stack->frame.item[i];
		uint8_t inlined = frame->inlined;

		pack_put_string(ret, stack->names.data + frame->function);
		pack_put_string(ret, stack->names.data + frame->module);
		pack_put(ret, &inlined, sizeof(inlined));
	}
}

static void put_found(struct child *child, const struct found *found,
		      const struct trace_event *event, const struct trace_stack *stack)
{
	(void)pthread_mutex_lock(&child->lock);
	pack_put(&child->found, found, sizeof(*found));
	if (event) {
		pack_put_string(&child->found, event->comm);
		pack_put_string(&child->found, event->name);
		pack_put_string(&child->found, event->text);
	}
	if (stack)
		put_stack(stack, &child->found);
	if (child->found.len >= SEND_BYTES)
		send_found(child);
	(void)pthread_mutex_unlock(&child->lock);
}

static int on_event(void *context, const struct trace_event *event, struct err *err)
{
	const struct found found = { .time_ns = event->time_ns,
				     .pid = event->pid,
				     .tid = event->tid,
				     .is_event = 1,
				     .has_stack = event->stack != NULL };

	(void)err;
	put_found(context, &found, event, event->stack);
	return 0;
}

static void on_begin(void *context, uint32_t tid, uint64_t time_ns, struct trace_stack *stack)
{
	const struct found found = { .time_ns = time_ns, .tid = tid, .has_stack = 1 };

	put_found(context, &found, NULL, stack);
	trace_stack_free(stack);
}

static void answer_asleep(struct child *child, const void *data, size_t len)
{
	struct trace_asleep_thread *thread = mem_zalloc(sizeof(*thread));

	memcpy(thread, data, len < sizeof(*thread) ? len : sizeof(*thread));
	if (!child->asleep)
		child->asleep = trace_asleep_new();
	on_begin(child, thread->tid, thread->start_ns,
		 trace_asleep_stack(child->asleep, thread, child->options->max_stack));
	free(thread);
	(void)pthread_mutex_lock(&child->lock);
	send_found(child);
	(void)byte_queue_send(child->socket, ASLEEP, NULL, 0);
	(void)pthread_mutex_unlock(&child->lock);
}

static bool serve(void *context, const struct byte_queue_frame *frame, const void *data)
{
	struct child *child = context;

	if (frame->kind == ASLEEP)
		answer_asleep(child, data, frame->len);
	if (frame->kind != FLUSH)
		return true;
	(void)pthread_mutex_lock(&child->lock);
	send_found(child);
	(void)pthread_mutex_unlock(&child->lock);
	return true;
}

static void *carry(void *context)
{
	struct child *child = context;

	byte_queue_carry(child->queue, child->socket, serve, child);
	return NULL;
}

static int read_all(struct child *child, struct err *err)
{
	const struct trace_samples_options to = { .event = on_event,
						  .context = child,
						  .stacks = child->options->stacks,
						  .max_stack = child->options->max_stack,
						  .begin = child->options->stacks ? on_begin
										  : NULL };
	const struct replay_options replay = {
		.symbol = { .inlines = true, .demangle = true, .symfs = "" }, .endless = true
	};
	struct recording *recording = recording_open_queue(child->queue, "the events");
	struct trace_samples *samples;
	struct perf_data *data;
	int code = recording_data(recording, &data, err);

	if (!code) {
		samples = trace_samples_new(&to, data);
		code = recording_replay(recording, &replay, trace_samples_handler(samples), err);
		trace_samples_free(samples);
	}
	recording_close(recording);
	byte_queue_close(child->queue); /* the recorder notices the missing reader */
	return code;
}

static void run(void *context, int socket)
{
	struct child child = { .options = context,
			       .queue = byte_queue_new(QUEUE_BYTES),
			       .socket = socket,
			       .lock = PTHREAD_MUTEX_INITIALIZER };
	struct outcome outcome = { 0 };
	struct err err = { 0 };
	pthread_t thread;

	memory_limit_begin("the events", (unsigned)par_threads() + 2);
	memory_limit_input(LIMIT_BYTES);
	outcome.code = thread_start(&thread, "reader", carry, &child, &err);
	if (!outcome.code)
		outcome.code = read_all(&child, &err);
	if (outcome.code)
		memcpy(outcome.msg, err.msg, sizeof(outcome.msg));
	(void)pthread_mutex_lock(&child.lock);
	send_found(&child);
	(void)byte_queue_send(socket, DONE, &outcome, sizeof(outcome));
}

/* The parent. */

static struct trace_stack *take_stack(struct unpack *from, struct arena *arena)
{
	struct trace_stack *stack;
	uint32_t stop, count;

	unpack_take(from, &stop, sizeof(stop));
	unpack_take(from, &count, sizeof(count));
	if (stop >= STACK_STOP_COUNT)
		from->damaged = true;
	stack = trace_stack_empty(from->damaged ? STACK_STOP_READ_FAULT : stop);
	for (uint32_t i = 0; i < count && !from->damaged; i++) {
		const char *function = unpack_string(from, false, arena);
		const char *module = unpack_string(from, false, arena);
		uint8_t inlined;

		unpack_take(from, &inlined, sizeof(inlined));
		trace_stack_add_frame(stack, function, module, inlined != 0);
	}
	return stack;
}

static void take_item(struct unpack *from, struct arena *arena, struct trace_merge *merge)
{
	struct trace_stack *stack;
	struct found found;
	struct trace_event event;

	unpack_take(from, &found, sizeof(found));
	event = (struct trace_event){ .time_ns = found.time_ns,
				      .pid = found.pid,
				      .tid = found.tid };
	if (found.is_event) {
		event.comm = unpack_string(from, false, arena);
		event.name = unpack_string(from, false, arena);
		event.text = unpack_string(from, true, arena);
	}
	event.stack = stack = found.has_stack ? take_stack(from, arena) : NULL;
	if (!from->damaged && found.is_event) {
		trace_merge_event(merge, &event); /* a copy */
	} else if (!from->damaged && stack) {
		trace_merge_begin(merge, found.tid, found.time_ns, stack);
		return;
	}
	trace_stack_free(stack);
}

static bool take_found(struct trace_reader *reader, const struct buf *bytes)
{
	struct unpack from = { .data = (const uint8_t *)bytes->data, .len = bytes->len };
	struct arena arena = { 0 };

	while (from.at < from.len && !from.damaged)
		take_item(&from, &arena, reader->options.merge);
	arena_done(&arena);
	return !from.damaged;
}

static bool take_outcome(struct trace_reader *reader, const struct buf *bytes)
{
	struct outcome outcome;

	if (bytes->len != sizeof(outcome))
		return false;
	memcpy(&outcome, bytes->data, sizeof(outcome));
	outcome.msg[sizeof(outcome.msg) - 1] = '\0';
	text_tidy(outcome.msg, strlen(outcome.msg));
	(void)pthread_mutex_lock(&reader->child.lock);
	reader->done = true;
	if (outcome.code)
		(void)err_set(&reader->err, (int)outcome.code, "%s", outcome.msg);
	(void)pthread_mutex_unlock(&reader->child.lock);
	return true;
}

static bool take_message(struct trace_reader *reader, uint64_t kind, const struct buf *bytes)
{
	if (kind == FOUND)
		return take_found(reader, bytes);
	if (kind == DONE)
		return take_outcome(reader, bytes);
	(void)pthread_mutex_lock(&reader->child.lock);
	reader->answers++;
	(void)pthread_cond_broadcast(&reader->child.answered);
	(void)pthread_mutex_unlock(&reader->child.lock);
	return kind == ASLEEP;
}

static bool receive(void *owner, int socket)
{
	struct trace_reader *reader = owner;
	struct buf bytes = { .limit = MOST_BYTES };
	struct byte_queue_frame frame;
	bool fine = fd_read_full(socket, &frame, sizeof(frame)) == (ssize_t)sizeof(frame) &&
		    frame.len <= MOST_BYTES && !buf_extend(&bytes, frame.len) &&
		    fd_read_full(socket, bytes.data, frame.len) == (ssize_t)frame.len &&
		    take_message(reader, frame.kind, &bytes);

	buf_done(&bytes);
	return fine;
}

int trace_reader_start(const struct trace_reader_options *options, struct trace_reader **ret,
		       struct err *err)
{
	struct trace_reader *reader = mem_zalloc(sizeof(*reader));
	const struct reader_child_options how = {
		.run = run, .context = &reader->options, .receive = receive, .owner = reader
	};
	int code;

	reader->options = *options;
	code = reader_child_open(&reader->child, &how, err);
	if (code)
		trace_reader_free(reader);
	else
		*ret = reader;
	return code;
}

struct byte_queue *trace_reader_queue(const struct trace_reader *reader)
{
	return reader->child.queue;
}

void trace_reader_flush(struct trace_reader *reader)
{
	(void)byte_queue_message(reader->child.queue, FLUSH, NULL, 0);
}

void trace_reader_asleep(struct trace_reader *reader, const struct syscall_line *line)
{
	struct trace_asleep_thread *thread = mem_zalloc(sizeof(*thread));
	uint64_t before;

	trace_asleep_read(line, thread);
	(void)pthread_mutex_lock(&reader->child.lock);
	before = reader->answers;
	(void)pthread_mutex_unlock(&reader->child.lock);
	if (!byte_queue_message(reader->child.queue, ASLEEP, thread,
				offsetof(struct trace_asleep_thread, stack) + thread->stack_len)) {
		(void)pthread_mutex_lock(&reader->child.lock);
		while (!reader->child.gone && reader->answers == before)
			(void)pthread_cond_wait(&reader->child.answered, &reader->child.lock);
		(void)pthread_mutex_unlock(&reader->child.lock);
	}
	free(thread);
}

int trace_reader_join(struct trace_reader *reader, struct err *err)
{
	byte_queue_end(reader->child.queue);
	reader_child_join(&reader->child);
	if (!reader->done)
		return err_set(err, -ECHILD, "the process that reads binaries ended");
	if (reader->err.code)
		*err = reader->err;
	return reader->err.code;
}

void trace_reader_free(struct trace_reader *reader)
{
	if (!reader)
		return;
	reader_child_close(&reader->child);
	free(reader);
}
