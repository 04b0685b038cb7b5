/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording and reading at once (see live.h): requests to the child, which follow the records that
 * came before them, its answers, and what it reports in between. */
#include "session/live.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/byte_queue.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/memory_limit.h"
#include "base/par.h"
#include "profile/profile.h"
#include "profile/profile_pack.h"
#include "session/live_reader.h"
#include "session/reader_child.h"
#include "session/record/recorder.h"
#include "symbol/kernel/kallsyms_cache.h"

#define SWEEP_MS    200u /* views show what happens now */
#define QUEUE_BYTES ((size_t)64 << 20)
/* What is kept of the recording needs; 16 times that is added to the limit. */
#define LIMIT_BYTES ((uint64_t)16 << 20)
#define MOST_BYTES  ((size_t)8 << 30) /* of an answer */

/* Requests have answers of the same kind; DONE answers the end of the records. */
enum message {
	SETTLE = BYTE_QUEUE_MESSAGE,
	TAKE,
	END_MOMENT,
	CLEAR,
	SAVE,
	DONE,
	SEEN,
	FORKED,
	ALARMED,
};

struct notice {
	uint32_t pid, parent;
	char comm[16]; /* of the kernel: no longer */
};

/* What an answer begins with, in front of its bytes. */
struct live_answer {
	int64_t code;
	uint64_t dropped;
	char msg[sizeof(((struct err *)0)->msg)];
};

struct live {
	const struct live_options *options;
	struct reader_child child;
	pthread_mutex_t asking; /* one question at a time: there is one place for an answer */
	uint64_t answer; /* the kind of the last one; 0 = none; under the child's lock, as all below
			  */
	struct live_answer head;
	struct buf bytes;
	bool done;
	struct err err; /* of the reader */
};

/* The child. */

struct child {
	struct live_options options;
	struct byte_queue *queue;
	struct live_reader *reader;
	int socket;
	pthread_mutex_t lock; /* over what is sent, and over known */
	struct map known;     /* pid → 1: reported since the last profile was taken */
};

static void send_to_parent(struct child *child, enum message kind, const void *data, size_t len)
{
	(void)pthread_mutex_lock(&child->lock);
	(void)byte_queue_send(child->socket, kind, data, len); /* no parent: the end */
	(void)pthread_mutex_unlock(&child->lock);
}

static void answer(struct child *child, enum message kind, const struct live_answer *head,
		   const struct buf *bytes)
{
	struct buf all = { .limit = MOST_BYTES };

	(void)buf_append(&all, head, sizeof(*head));
	if (bytes && bytes->len)
		(void)buf_append(&all, bytes->data, bytes->len);
	send_to_parent(child, kind, all.data, all.len);
	buf_done(&all);
}

static void notify(struct child *child, enum message kind, uint32_t pid, uint32_t parent,
		   const char *comm)
{
	struct notice notice = { .pid = pid, .parent = parent };

	if (comm)
		(void)strncpy(notice.comm, comm, sizeof(notice.comm) - 1);
	send_to_parent(child, kind, &notice, sizeof(notice));
}

/* Whether it was the value before. */
static bool set_known(struct child *child, uint32_t pid, bool known)
{
	bool before, added;
	uint64_t *value;

	(void)pthread_mutex_lock(&child->lock);
	value = map_add(&child->known, pid, &added);
	before = *value == known;
	*value = known;
	(void)pthread_mutex_unlock(&child->lock);
	return before;
}

/* Each process has many samples: one of them is enough. */
static void on_seen(void *context, uint32_t pid, const char *comm)
{
	if (!set_known(context, pid, true))
		notify(context, SEEN, pid, 0, comm);
}

/* Another program, or another process of this number. */
static void on_forked(void *context, uint32_t pid, uint32_t parent)
{
	(void)set_known(context, pid, false);
	notify(context, FORKED, pid, parent, NULL);
}

static void on_alarm(void *context, uint32_t pid, const char *comm)
{
	notify(context, ALARMED, pid, 0, comm);
}

static void set_error(struct live_answer *head, int code, const struct err *err)
{
	head->code = code;
	if (code)
		memcpy(head->msg, err->msg, sizeof(head->msg));
}

static void answer_profile(struct child *child, struct profile *profile)
{
	struct buf bytes = { .limit = MOST_BYTES };
	struct live_answer head = { .code = profile_pack(profile, &bytes) };

	profile_free(profile);
	answer(child, TAKE, &head, &bytes);
	buf_done(&bytes);
}

static void answer_take(struct child *child)
{
	struct profile *profile = live_reader_take(child->reader);

	(void)pthread_mutex_lock(&child->lock);
	map_done(&child->known);
	child->known = (struct map){ 0 };
	(void)pthread_mutex_unlock(&child->lock);
	answer_profile(child, profile);
}

/* Files of the parent's are written by the parent. */
static int save(struct child *child, struct buf *ret, uint64_t *ret_dropped, struct err *err)
{
	AUTO_CLOSE int fd = memfd_create("recording", MFD_CLOEXEC);
	struct file_map map;
	int code;

	if (fd < 0)
		return err_errno(err, "memfd_create");
	code = live_reader_save(child->reader, fd, ret_dropped, err);
	code = code ? code : file_map_fd(fd, &map, err);
	if (code)
		return code;
	(void)buf_append(ret, map.data, map.len);
	file_map_close(&map);
	return 0;
}

static void answer_save(struct child *child)
{
	struct buf bytes = { .limit = MOST_BYTES };
	struct live_answer head = { 0 };
	struct err err = { 0 };

	set_error(&head, save(child, &bytes, &head.dropped, &err), &err);
	answer(child, SAVE, &head, &bytes);
	buf_done(&bytes);
}

static void answer_done(struct child *child)
{
	struct live_answer head = { 0 };
	struct err err = { 0 };

	set_error(&head, live_reader_join(child->reader, &err), &err);
	answer(child, DONE, &head, NULL);
}

static bool serve(void *context, const struct byte_queue_frame *frame, const void *data)
{
	struct live_answer head = { 0 };
	struct child *child = context;

	(void)data;
	switch (frame->kind) {
	case BYTE_QUEUE_END:
		answer_done(child);
		break;
	case SETTLE:
		byte_queue_wait(child->queue);
		answer(child, SETTLE, &head, NULL);
		break;
	case TAKE:
		answer_take(child);
		break;
	case END_MOMENT:
		live_reader_end_moment(child->reader);
		break;
	case CLEAR:
		live_reader_clear(child->reader);
		break;
	case SAVE:
		answer_save(child);
		break;
	}
	return true;
}

static void run(void *context, int socket)
{
	struct child child = { .options = *(const struct live_options *)context,
			       .queue = byte_queue_new(QUEUE_BYTES),
			       .socket = socket,
			       .lock = PTHREAD_MUTEX_INITIALIZER };
	struct err err = { 0 };

	if (child.options.seen)
		child.options.seen = on_seen;
	if (child.options.forked)
		child.options.forked = on_forked;
	if (child.options.alarmed)
		child.options.alarmed = on_alarm;
	child.options.context = &child;
	memory_limit_begin("the recording", (unsigned)par_threads() + 2);
	memory_limit_input(LIMIT_BYTES);
	if (live_reader_start(&child.options, child.queue, &child.reader, &err))
		return;
	byte_queue_carry(child.queue, socket, serve, &child);
}

/* The parent. */

static void take_notice(const struct live *live, uint64_t kind, struct notice *notice)
{
	const struct live_options *options = live->options;

	notice->comm[sizeof(notice->comm) - 1] = '\0';
	if (kind == SEEN && options->seen)
		options->seen(options->context, notice->pid, notice->comm);
	else if (kind == FORKED && options->forked)
		options->forked(options->context, notice->pid, notice->parent);
	else if (kind == ALARMED && options->alarmed)
		options->alarmed(options->context, notice->pid, notice->comm);
}

static bool take_answer(struct live *live, int socket, const struct byte_queue_frame *frame)
{
	struct live_answer head;
	struct buf bytes = { .limit = MOST_BYTES };
	size_t len = frame->len - sizeof(head);

	if (frame->len < sizeof(head) || len > MOST_BYTES ||
	    fd_read_full(socket, &head, sizeof(head)) != (ssize_t)sizeof(head) ||
	    buf_extend(&bytes, len) || fd_read_full(socket, bytes.data, len) != (ssize_t)len) {
		buf_done(&bytes);
		return false;
	}
	head.msg[sizeof(head.msg) - 1] = '\0';
	text_tidy(head.msg, strlen(head.msg));
	(void)pthread_mutex_lock(&live->child.lock);
	if (frame->kind == DONE) {
		live->done = true;
		if (head.code)
			(void)err_set(&live->err, (int)head.code, "%s", head.msg);
		buf_done(&bytes);
	} else {
		buf_done(&live->bytes);
		live->answer = frame->kind;
		live->head = head;
		live->bytes = bytes;
	}
	(void)pthread_cond_broadcast(&live->child.answered);
	(void)pthread_mutex_unlock(&live->child.lock);
	return true;
}

static bool receive(void *owner, int socket)
{
	struct live *live = owner;
	struct byte_queue_frame frame;
	struct notice notice;

	if (fd_read_full(socket, &frame, sizeof(frame)) != (ssize_t)sizeof(frame))
		return false;
	if (frame.kind != SEEN && frame.kind != FORKED && frame.kind != ALARMED)
		return take_answer(live, socket, &frame);
	if (frame.len != sizeof(notice) ||
	    fd_read_full(socket, &notice, sizeof(notice)) != (ssize_t)sizeof(notice))
		return false;
	take_notice(live, frame.kind, &notice);
	return true;
}

int live_start(const struct live_options *options, struct live **ret, struct err *err)
{
	struct live *live = mem_zalloc(sizeof(*live));
	const struct reader_child_options how = { .network = options->symbol.debuginfod,
						  .run = run,
						  .context = (void *)(uintptr_t)options,
						  .receive = receive,
						  .owner = live };
	int code;

	live->options = options;
	(void)pthread_mutex_init(&live->asking, NULL);
	kallsyms_keep_running(); /* for which the sandbox has no room */
	code = reader_child_open(&live->child, &how, err);
	if (code)
		live_free(live);
	else
		*ret = live;
	return code;
}

/* Waits for an answer; false when there will be none. ret_bytes is the caller's to free. May be
 * called by several threads. */
static bool ask(struct live *live, enum message kind, struct live_answer *ret_head,
		struct buf *ret_bytes)
{
	bool fine = false;

	*ret_bytes = (struct buf){ 0 };
	(void)pthread_mutex_lock(&live->asking);
	(void)pthread_mutex_lock(&live->child.lock);
	live->answer = 0;
	(void)pthread_mutex_unlock(&live->child.lock);
	if (!byte_queue_message(live->child.queue, kind, NULL, 0)) {
		(void)pthread_mutex_lock(&live->child.lock);
		while (!live->child.gone && live->answer != kind)
			(void)pthread_cond_wait(&live->child.answered, &live->child.lock);
		fine = live->answer == kind;
		if (fine) {
			*ret_head = live->head;
			*ret_bytes = live->bytes;
			live->bytes = (struct buf){ 0 };
		}
		(void)pthread_mutex_unlock(&live->child.lock);
	}
	(void)pthread_mutex_unlock(&live->asking);
	return fine;
}

/* Waits until all was read; the error of the reader. */
static int join(struct live *live, struct err *err)
{
	int code;

	byte_queue_end(live->child.queue);
	(void)pthread_mutex_lock(&live->child.lock);
	while (!live->done && !live->child.gone)
		(void)pthread_cond_wait(&live->child.answered, &live->child.lock);
	if (!live->done)
		(void)err_set(&live->err, -ECHILD, "the process that reads binaries ended");
	code = live->err.code;
	if (code)
		*err = live->err;
	(void)pthread_mutex_unlock(&live->child.lock);
	return code;
}

int live_record(struct live *live, const struct recording_options *record, char **argv,
		struct recording_result *ret, struct err *err)
{
	struct recording_options own = *record;
	struct err reader_err = { 0 };
	int code;

	own.output_queue = live->child.queue;
	own.source.sweep_ms = live->options->sweep_ms ? live->options->sweep_ms : SWEEP_MS;
	own.no_context = true;
	code = session_record(&own, argv, ret, err);
	/* Without a reader, the recorder's error is only a consequence. */
	if (join(live, &reader_err) && (!code || code == -EPIPE)) {
		*err = reader_err;
		code = err->code;
	}
	return code;
}

int live_settle(struct live *live, struct run *run, struct err *err)
{
	int code = session_record_settle(run, err);
	struct live_answer head;
	struct buf bytes;

	if (!code && ask(live, SETTLE, &head, &bytes)) /* the recorder notices that it is gone */
		buf_done(&bytes);
	return code;
}

struct profile *live_take(struct live *live)
{
	struct err ignored = { 0 };
	struct profile *profile = NULL;
	struct live_answer head;
	struct buf bytes;

	if (ask(live, TAKE, &head, &bytes) && !head.code &&
	    profile_unpack(bytes.data, bytes.len, &profile, &ignored))
		profile = NULL;
	buf_done(&bytes);
	return profile ? profile : profile_new(0); /* the recorder notices that it is gone */
}

void live_end_moment(struct live *live)
{
	(void)byte_queue_message(live->child.queue, END_MOMENT, NULL, 0);
}

void live_clear(struct live *live)
{
	(void)byte_queue_message(live->child.queue, CLEAR, NULL, 0);
}

int live_save(struct live *live, int fd, uint64_t *ret_dropped, struct err *err)
{
	struct live_answer head;
	struct buf bytes;
	int code;

	if (!ask(live, SAVE, &head, &bytes))
		return err_set(err, -ECHILD, "the process that reads binaries ended");
	code = head.code ? 0 : fd_write_all(fd, bytes.data, bytes.len);
	buf_done(&bytes);
	if (head.code)
		return err_set(err, (int)head.code, "%s", head.msg);
	if (code)
		return err_set(err, code, "%s", strerror(-code));
	*ret_dropped = head.dropped;
	return 0;
}

void live_free(struct live *live)
{
	if (!live)
		return;
	reader_child_close(&live->child);
	buf_done(&live->bytes);
	(void)pthread_mutex_destroy(&live->asking);
	free(live);
}
