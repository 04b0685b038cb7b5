/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages to the child and its answers (see finisher_child.h). They are sent when there are enough
 * of them, or an answer is wanted. */
#include "session/record/finisher_child.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/confined.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/memory_limit.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/perf_record.h"
#include "format/perf_data/perf_data_write_record.h"
#include "proc/module.h"
#include "session/python/python_apart.h"
#include "session/python/python_finder.h"
#include "session/record/raw_record.h"
#include "session/record/stack_finisher.h"

#define SEND_BYTES   ((size_t)256 << 10)
#define MOST_BYTES   ((size_t)256 << 20) /* of the samples of one run */
#define MOST_MS	     30000		 /* without any byte that it reads or writes */
#define MOST_RECORDS 1000		 /* that wait without any sample */
#define RECORD_BYTES ((size_t)1 << 16)

enum message_kind {
	MESSAGE_EVENT,
	MESSAGE_RECORD,
	MESSAGE_RUN,
	MESSAGE_PYTHON,
	MESSAGE_FUNCTION,
};

/* A record follows, or of MESSAGE_PYTHON a question, of MESSAGE_FUNCTION that of python_apart.h; of
 * MESSAGE_RUN nothing. */
struct message {
	uint64_t kind;
	uint64_t time_ns;
};

/* The records of samples follow. */
struct run_answer {
	uint64_t bytes;
	struct stack_finished finished;
};

struct question {
	struct module module; /* its pointers mean nothing; the path follows */
	uint64_t pgoff, path_bytes;
};

struct python_answer {
	int64_t code;
	struct python_found found;
};

struct finisher_child {
	const struct event_set *events;
	struct confined confined;
	struct buf pending; /* messages */
	uint64_t waiting;   /* samples that it has */
	size_t records;	    /* that it took since it ran */
	bool running;	    /* an answer is to come */
	struct buf early;   /* samples of an answer that came between runs */
	struct stack_finished early_finished;
	uint64_t lost;
};

/* The child. */

/* What comes from the parent: many small messages, read together. */
struct inbox {
	int socket;
	size_t at, len;
	char bytes[RECORD_BYTES];
};

static bool take(struct inbox *in, void *data, size_t len)
{
	for (size_t done = 0; done < len;) {
		size_t step = in->len - in->at;

		if (!step) {
			ssize_t n = read(in->socket, in->bytes, sizeof(in->bytes));

			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return false;
			in->at = 0;
			in->len = step = (size_t)n;
		}
		step = step < len - done ? step : len - done;
		memcpy((char *)data + done, in->bytes + in->at, step);
		in->at += step;
		done += step;
	}
	return true;
}

/* The whole record, in a place of RECORD_BYTES. */
static bool take_record(struct inbox *in, struct perf_event_header *record)
{
	return take(in, record, sizeof(*record)) && record->size >= sizeof(*record) &&
	       take(in, record + 1, record->size - sizeof(*record));
}

static bool answer_run(struct stack_finisher *finisher, uint64_t until_ns, int socket)
{
	struct run_answer answer = { 0 };
	struct buf records = { .limit = MOST_BYTES };
	bool fine;

	stack_finisher_run(finisher, until_ns, &records, &answer.finished);
	answer.bytes = records.len;
	fine = !fd_write_all(socket, &answer, sizeof(answer)) &&
	       !fd_write_all(socket, records.data, records.len);
	buf_done(&records);
	return fine;
}

static bool answer_python(struct inbox *in)
{
	struct python_answer answer = { 0 };
	struct question question;
	char path[PATH_MAX];

	if (!take(in, &question, sizeof(question)) || question.path_bytes >= sizeof(path) ||
	    !take(in, path, question.path_bytes))
		return false;
	path[question.path_bytes] = '\0';
	question.module.path = question.module.name = path;
	answer.code = python_find(&question.module, question.pgoff, &answer.found);
	return !fd_write_all(in->socket, &answer, sizeof(answer));
}

static bool channel_take(void *context, void *data, size_t len)
{
	return take(context, data, len);
}

static bool channel_write(void *context, const void *data, size_t len)
{
	return !fd_write_all(((struct inbox *)context)->socket, data, len);
}

static bool take_message(struct stack_finisher *finisher, const struct event_set *events,
			 struct inbox *in, struct perf_event_header *record)
{
	struct err ignored = { 0 };
	struct message message;
	struct event event;

	if (!take(in, &message, sizeof(message)))
		return false;
	if (message.kind == MESSAGE_RUN)
		return answer_run(finisher, message.time_ns, in->socket);
	if (message.kind == MESSAGE_PYTHON)
		return answer_python(in);
	if (message.kind == MESSAGE_FUNCTION)
		return python_apart_answer(
			&(struct python_channel){ channel_write, channel_take, in });
	if (!take_record(in, record))
		return false;
	if (message.kind == MESSAGE_RECORD)
		stack_finisher_take(finisher, record, message.time_ns);
	else if (!perf_record_decode(events, record, &event, &ignored))
		stack_finisher_event(finisher, &event);
	return true;
}

static void run(void *context, int socket)
{
	const struct event_set *events = context;
	struct stack_finisher *finisher = stack_finisher_new(events);
	struct perf_event_header *record = mem_alloc(RECORD_BYTES);
	struct inbox *in = mem_alloc(sizeof(*in));

	in->socket = socket;
	in->at = in->len = 0;
	memory_limit_child();
	while (take_message(finisher, events, in, record))
		;
	free(in);
	free(record);
	stack_finisher_free(finisher);
}

/* The parent. */

int finisher_child_start(const struct event_set *events, struct finisher_child **ret,
			 struct err *err)
{
	const struct confined_options options = { .name = "cupel-stacks", .keep = -1 };
	struct finisher_child *child = mem_zalloc(sizeof(*child));
	int code;

	child->events = events;
	code = confined_start(&options, run, (void *)(uintptr_t)events, &child->confined, err);
	if (code)
		free(child);
	else
		*ret = child;
	return code;
}

void finisher_child_end(struct finisher_child *child)
{
	if (!child)
		return;
	confined_end(&child->confined);
	buf_done(&child->pending);
	buf_done(&child->early);
	free(child);
}

uint64_t finisher_child_lost(const struct finisher_child *child)
{
	return child->lost;
}

static bool is_gone(const struct finisher_child *child)
{
	return child->confined.socket < 0;
}

static void give_up(struct finisher_child *child)
{
	child->lost += child->waiting;
	child->waiting = 0;
	buf_done(&child->pending);
	confined_end(&child->confined);
}

static bool receive(const struct finisher_child *child, void *data, size_t len)
{
	struct pollfd wait = { .fd = child->confined.socket, .events = POLLIN };

	for (size_t done = 0; done < len;) {
		ssize_t n;
		int ready = poll(&wait, 1, MOST_MS);

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return false;
		n = read(child->confined.socket, (char *)data + done, len - done);
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* The number of records, all of them samples; 0 = they are not what was asked for. */
static uint64_t count_samples(const char *data, size_t len)
{
	uint64_t count = 0;

	for (size_t at = 0; at < len; count++) {
		const struct perf_event_header *header = (const void *)(data + at);

		if (len - at < sizeof(*header) || header->size < sizeof(*header) ||
		    header->size % 8 || header->size > len - at ||
		    header->type != PERF_RECORD_SAMPLE)
			return 0;
		at += header->size;
	}
	return count;
}

static bool take_answer(struct finisher_child *child, struct buf *ret,
			struct stack_finished *ret_finished)
{
	struct run_answer answer;
	size_t before = ret->len;
	uint64_t count;

	if (!receive(child, &answer, sizeof(answer)) || answer.bytes > MOST_BYTES)
		return false;
	ret_finished->left_out += answer.finished.left_out;
	if (!ret_finished->fault_pid) {
		ret_finished->fault_pid = answer.finished.fault_pid;
		ret_finished->fault = answer.finished.fault;
	}
	if (!answer.bytes)
		return true;
	if (buf_extend(ret, answer.bytes))
		return false;
	if (receive(child, ret->data + before, answer.bytes)) {
		count = count_samples(ret->data + before, answer.bytes);
		child->waiting -= count < child->waiting ? count : child->waiting;
		if (count)
			return true;
	}
	ret->len = before;
	return false;
}

static void take_outstanding(struct finisher_child *child, struct buf *ret,
			     struct stack_finished *ret_finished)
{
	if (child->running && !is_gone(child) && !take_answer(child, ret, ret_finished))
		give_up(child);
	child->running = false;
}

/* An answer that the child is writing is taken first: until then it reads nothing, and both would
 * wait for each other. */
static bool wait_until_sent(struct finisher_child *child)
{
	struct pollfd wait = { .fd = child->confined.socket,
			       .events = (short)(POLLOUT | (child->running ? POLLIN : 0)) };
	int ready = poll(&wait, 1, MOST_MS);

	if (ready <= 0)
		return ready < 0 && errno == EINTR;
	if (child->running && (wait.revents & POLLIN))
		take_outstanding(child, &child->early, &child->early_finished);
	return !is_gone(child);
}

static bool send_pending(struct finisher_child *child)
{
	size_t done = 0;

	while (done < child->pending.len) {
		ssize_t n = send(child->confined.socket, child->pending.data + done,
				 child->pending.len - done, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR && (errno != EAGAIN || !wait_until_sent(child)))
			return false;
	}
	buf_clear(&child->pending);
	return true;
}

static void put(struct finisher_child *child, enum message_kind kind, uint64_t time_ns,
		const struct perf_event_header *record)
{
	const struct message message = { kind, time_ns };

	if (buf_append(&child->pending, &message, sizeof(message)) ||
	    (record && buf_append(&child->pending, record, record->size)) ||
	    (child->pending.len >= SEND_BYTES && !send_pending(child)))
		give_up(child);
}

void finisher_child_event(struct finisher_child *child, const struct event *event)
{
	struct buf record = { 0 };

	/* what is no record does not matter for stacks */
	if (!is_gone(child) && !perf_data_encode(child->events, event, &record) && record.len)
		put(child, MESSAGE_EVENT, 0, (const void *)record.data);
	buf_done(&record);
}

void finisher_child_take(struct finisher_child *child, const struct perf_event_header *header,
			 uint64_t time_ns)
{
	bool sample = header->type == RECORD_RAW_TYPE;

	if (is_gone(child)) {
		child->lost += sample;
		return;
	}
	child->waiting += sample;
	child->records++;
	put(child, MESSAGE_RECORD, time_ns, header);
}

static void take_early(struct finisher_child *child, struct buf *ret,
		       struct stack_finished *ret_finished)
{
	if (child->early.len)
		(void)buf_append(ret, child->early.data, child->early.len);
	buf_clear(&child->early);
	*ret_finished = child->early_finished;
	child->early_finished = (struct stack_finished){ 0 };
}

static bool ask_python(struct finisher_child *child, const struct module *module, uint64_t pgoff,
		       struct python_answer *ret)
{
	const struct question question = { *module, pgoff, strlen(module->path) };

	take_outstanding(child, &child->early, &child->early_finished);
	if (is_gone(child))
		return true; /* said already */
	put(child, MESSAGE_PYTHON, 0, NULL);
	return !is_gone(child) && !buf_append(&child->pending, &question, sizeof(question)) &&
	       !buf_append(&child->pending, module->path, question.path_bytes) &&
	       send_pending(child) && receive(child, ret, sizeof(*ret));
}

int finisher_child_python(struct finisher_child *child, const struct module *module, uint64_t pgoff,
			  struct python_found *ret)
{
	struct python_answer answer = { .code = -ECHILD };

	if (!ask_python(child, module, pgoff, &answer))
		give_up(child);
	if (!answer.code && (answer.found.binary.layout.frames > PYTHON_FRAME_SHIMS ||
			     answer.found.binary.layout.lines > PYTHON_LINES_LOCATIONS))
		answer.code = -EINVAL;
	if (!answer.code)
		*ret = answer.found;
	return (int)answer.code;
}

static bool channel_send(void *context, const void *data, size_t len)
{
	struct finisher_child *child = context;

	return !buf_append(&child->pending, data, len) && send_pending(child);
}

static bool channel_receive(void *context, void *data, size_t len)
{
	return receive(context, data, len);
}

bool finisher_child_python_read(struct finisher_child *child, const struct python_source *source,
				uint64_t code, struct python_read *ret)
{
	const struct python_channel channel = { channel_send, channel_receive, child };
	bool good = false;

	take_outstanding(child, &child->early, &child->early_finished);
	if (is_gone(child))
		return false; /* said already */
	put(child, MESSAGE_FUNCTION, 0, NULL);
	if (!is_gone(child) && !python_apart_read(&channel, source, code, ret, &good))
		give_up(child);
	return good;
}

void finisher_child_run(struct finisher_child *child, uint64_t until_ns, struct buf *ret,
			struct stack_finished *ret_finished)
{
	take_early(child, ret, ret_finished);
	take_outstanding(child, ret, ret_finished);
	if (is_gone(child) || (!child->waiting && child->records < MOST_RECORDS))
		return;
	child->records = 0;
	child->running = true;
	put(child, MESSAGE_RUN, until_ns, NULL);
	if (!is_gone(child) && !send_pending(child))
		give_up(child);
	if (until_ns == UINT64_MAX)
		take_outstanding(child, ret, ret_finished);
}
