/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child that loads what this process records (see load_live.h). */
#include "session/load/load_live.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/byte_queue.h"
#include "base/confined.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/memory_limit.h"
#include "base/par.h"
#include "base/sandbox.h"
#include "base/thread.h"
#include "profile/heap/heap.h"
#include "profile/heap/heap_pack.h"
#include "profile/profile.h"
#include "profile/profile_pack.h"
#include "profile/redact.h"
#include "session/capture.h"
#include "session/load/load.h"
#include "session/lock/lock_names.h"
#include "session/recording.h"
#include "session/store/store_input.h"
#include "store/store.h"
#include "symbol/code/disassembler.h"
#include "symbol/kernel/kallsyms_cache.h"

/* What may wait to be read. A recorder that has to wait longer keeps its rings waiting, which count
 * what they lose. */
#define QUEUE_BYTES ((size_t)64 << 20)
/* Of what the child may send; far more than a profile has. */
#define MOST_BYTES ((size_t)8 << 30)

struct load_live {
	struct load_options options;
	struct byte_queue *queue;
	struct confined child;
};

/* The child. */

struct arrival {
	struct byte_queue *queue;
	int socket;
};

/* As of a pipe that is read: the more comes, the more it may need. */
static bool count(void *context, const struct byte_queue_frame *frame, const void *data)
{
	(void)context;
	(void)data;
	memory_limit_input(frame->len);
	return true;
}

static void *carry(void *context)
{
	const struct arrival *arrival = context;

	byte_queue_carry(arrival->queue, arrival->socket, count, NULL);
	return NULL;
}

/* The length of the profile, the profile, and the sums of the heap. */
static int pack(const struct load_options *options, const struct profile *profile, struct buf *ret,
		struct err *err)
{
	uint64_t len = 0;
	int code = buf_append(ret, &len, sizeof(len));

	code = code ? code : profile_pack(profile, ret);
	if (!code) {
		len = ret->len - sizeof(len);
		memcpy(ret->data, &len, sizeof(len));
	}
	if (!code && options->heap)
		code = heap_pack(options->heap, ret);
	return code ? err_set(err, code, "the profile is too large") : 0;
}

static int load(struct recording *recording, const struct load_options *options, struct buf *ret,
		struct err *err)
{
	struct load_options own = *options;
	struct capture capture = { 0 };
	struct profile *profile;
	int code;

	if (options->name_locks)
		own.capture = &capture;
	code = recording_load(recording, &own, &profile, err);
	if (!code && options->name_locks)
		lock_names_keep(profile, &capture, options->symbol.symfs);
	recording_close(recording);
	return code ? code : pack(options, profile, ret, err);
}

static void run(void *context, int socket)
{
	struct load_live *live = context;
	struct arrival arrival = { byte_queue_new(QUEUE_BYTES), socket };
	struct buf bytes = { .limit = MOST_BYTES };
	struct err err = { 0 };
	pthread_t thread;
	int code;

	memory_limit_begin("the recording", (unsigned)par_threads() + 2);
	code = thread_start(&thread, "reader", carry, &arrival, &err);
	if (!code)
		code = load(recording_open_queue(arrival.queue, "the recording"), &live->options,
			    &bytes, &err);
	byte_queue_close(arrival.queue);
	(void)confined_answer(socket, code, &bytes, &err); /* no parent: the end */
}

/* The parent. */

/* What the child asks for differently, and what its sandbox has no room for. */
static void choose(const struct load_options *options, struct load_options *ret)
{
	struct err ignored = { 0 };

	*ret = *options;
	if (options->capture)
		BUG("what a child reads is not here");
	ret->redaction = NULL; /* its pseudonyms go on here */
	kallsyms_keep_running();
	if (options->access == LOAD_ACCESS_STALL)
		(void)disassembler_load(&ignored); /* without it, stalls are unknown */
}

int load_live_start(const struct load_options *options, struct load_live **ret, struct err *err)
{
	const struct confined_options child = { .name = "cupel-reader",
						.keep = -1,
						.network = options->symbol.debuginfod };
	struct load_live *live = mem_zalloc(sizeof(*live));
	int code;

	choose(options, &live->options);
	live->options.live = true;
	code = confined_start(&child, run, live, &live->child, err);
	live->options = *options;
	if (code) {
		free(live);
		return code;
	}
	live->queue = byte_queue_new_socket(live->child.socket);
	*ret = live;
	return 0;
}

struct byte_queue *load_live_queue(const struct load_live *live)
{
	return live->queue;
}

static int unpack(const struct load_options *options, const struct buf *bytes, struct profile **ret,
		  struct err *err)
{
	struct profile *profile;
	uint64_t len = 0;
	const char *at = bytes->data;
	int code;

	if (bytes->len >= sizeof(len))
		memcpy(&len, at, sizeof(len));
	if (bytes->len < sizeof(len) || len > bytes->len - sizeof(len))
		return err_set(err, -EINVAL, "the process that reads binaries sent no profile");
	at += sizeof(len);
	code = profile_unpack(at, len, &profile, err);
	if (!code && options->heap) {
		code = heap_unpack(at + len, bytes->len - sizeof(len) - len, profile, options->heap,
				   err);
		if (code)
			profile_free(profile);
	}
	if (code)
		return code;
	if (options->redaction) {
		profile = profile_redact(options->redaction, profile);
		profile_count(profile);
	}
	*ret = profile;
	return 0;
}

static int take(struct confined *child, const struct load_options *options, struct profile **ret,
		struct err *err)
{
	struct buf bytes = { .limit = MOST_BYTES };
	int code = confined_take(child, &bytes, err);

	code = code ? code : unpack(options, &bytes, ret, err);
	buf_done(&bytes);
	return code;
}

int load_live_finish(struct load_live *live, struct profile **ret, struct err *err)
{
	int code = 0;

	byte_queue_end(live->queue);
	if (ret) /* else what is left need not be read */
		code = take(&live->child, &live->options, ret, err);
	confined_end(&live->child);
	byte_queue_free(live->queue);
	free(live);
	return code;
}

struct apart {
	const char *path;
	const struct load_options *options;
};

static void run_apart(void *context, int socket)
{
	const struct apart *apart = context;
	struct buf bytes = { .limit = MOST_BYTES };
	struct err err = { 0 };
	struct recording *recording;
	int code = recording_open(apart->path, &recording, &err);

	code = code ? code : load(recording, apart->options, &bytes, &err);
	(void)confined_answer(socket, code, &bytes, &err); /* no parent: the end */
}

/* The descriptor that a path names; -1 = none. */
static int descriptor_of(const char *path)
{
	int fd = -1, end = 0;

	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0)
		return STDIN_FILENO;
	if (sscanf(path, "/proc/self/fd/%d%n", &fd, &end) == 1 && !path[end])
		return fd;
	return sscanf(path, "/dev/fd/%d%n", &fd, &end) == 1 && !path[end] ? fd : -1;
}

int session_load(const char *path, const struct load_options *options, struct profile **ret,
		 struct err *err)
{
	struct load_options own;
	const struct apart apart = { path ? path : "perf.data", &own };
	const struct confined_options how = { .name = "cupel-reader",
					      .keep = descriptor_of(apart.path) };
	bool network = options->symbol.debuginfod ||
		       (store_input_is(path) && !store_is_folder(path));
	struct recording *recording;
	struct confined child;
	int code;

	/* Sanitizers: no sandbox, and a fork beside other threads can wait for ever. */
	if (MEMORY_LIMIT_METERED && sandbox_is_privileged() && !options->capture && !network &&
	    !memory_limit_trusted()) {
		choose(options, &own);
		code = confined_start(&how, run_apart, (void *)(uintptr_t)&apart, &child, err);
		code = code ? code : take(&child, options, ret, err);
		confined_end(&child);
		return code;
	}
	code = recording_open(path, &recording, err);
	if (code)
		return code;
	code = recording_load(recording, options, ret, err);
	recording_close(recording);
	return code;
}
