/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The writing process (see writer.h). */
#include "server/writer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/fork_server.h"
#include "base/memory_limit.h"
#include "server/ingest.h"
#include "server/message.h"
#include "server/reply.h"
#include "server/request.h"

#define LOCATION_MAX   ((size_t)4096)
#define HEADER_MAX     ((size_t)1024)
#define BODY_MAX       ((size_t)1 << 30)
#define STORES	       16 /* open at a time: one for each tenant */
#define UPKEEP_NS      ((uint64_t)60 * 1000000000u)
#define UNPACKED_MAX   ((uint64_t)256 << 20)
#define UNPACKED_TIMES 64 /* the packed bytes */
#define UNPACKED_LEAST ((uint64_t)4 << 20)

struct writer {
	struct writer_limits limits;
	struct fork_server *forks;
	pthread_mutex_t lock;
	int socket; /* -1 = there is no process */
	pid_t pid;
};

struct header {
	uint32_t location, target, type, encoding; /* lengths */
	uint32_t uid;
	uint64_t now_ns, body, id;
	struct writer_limits limits;
};

/* In the process. */

struct open_store {
	char *location;
	struct store *store;
	uint64_t used_ns, kept_ns; /* CLOCK_MONOTONIC */
};

struct taken {
	struct header header;
	char *location, *target, *type, *encoding, *body;
};

static void taken_done(struct taken *taken)
{
	free(taken->location);
	free(taken->target);
	free(taken->type);
	free(taken->encoding);
	free(taken->body);
	*taken = (struct taken){ 0 };
}

static bool take(int socket, struct taken *t)
{
	struct header *h = &t->header;

	return fd_read_full(socket, h, sizeof(*h)) == (ssize_t)sizeof(*h) &&
	       message_take_text(socket, h->location, LOCATION_MAX, &t->location) &&
	       message_take_text(socket, h->target, REQUEST_TARGET_MAX, &t->target) &&
	       message_take_text(socket, h->type, HEADER_MAX, &t->type) &&
	       message_take_text(socket, h->encoding, HEADER_MAX, &t->encoding) &&
	       message_take_text(socket, h->body, BODY_MAX, &t->body);
}

/* The store, opened; the one that was not used for longest makes room. */
static struct open_store *find_store(struct open_store *stores, const char *location,
				     struct err *err)
{
	const struct store_options where = { location, true };
	struct open_store *at = stores;

	for (size_t i = 0; i < STORES; i++) {
		if (stores[i].location && strcmp(stores[i].location, location) == 0)
			return &stores[i];
		if (stores[i].used_ns < at->used_ns)
			at = &stores[i];
	}
	store_close(at->store);
	free(at->location);
	*at = (struct open_store){ 0 };
	if (store_open(&where, &at->store, err))
		return NULL;
	at->location = mem_strdup(location);
	return at;
}

static void write_one(const struct taken *t, struct open_store *stores, struct reply *reply)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), most = t->header.body * UNPACKED_TIMES;
	struct err err = { 0 };
	struct open_store *place = find_store(stores, t->location, &err);
	struct ingest ingest = { .target = t->target,
				 .type = t->type,
				 .encoding = t->encoding,
				 .body = { (const uint8_t *)t->body, t->header.body },
				 .uid = t->header.uid,
				 .now_ns = t->header.now_ns,
				 .id = t->header.id };

	if (!place) {
		reply_err(reply, &err);
		return;
	}
	place->used_ns = now;
	ingest.store = place->store;
	ingest.unpacked_max = most > UNPACKED_MAX     ? UNPACKED_MAX
			      : most < UNPACKED_LEAST ? UNPACKED_LEAST
						      : most;
	ingest_run(&ingest, reply);
	if (place->kept_ns && now - place->kept_ns < UPKEEP_NS)
		return;
	place->kept_ns = now;
	/* what cannot be deleted or rolled up now can be a minute later */
	(void)store_maintain(place->store, &t->header.limits.store, clock_ns(CLOCK_REALTIME), &err);
}

static void run(int socket)
{
	struct open_store stores[STORES] = { { 0 } };
	const struct rlimit none = { 0, 0 };
	struct taken taken = { 0 };

	(void)setrlimit(RLIMIT_CORE, &none);
	/* After a killed server nothing gets into the store behind the next one's back. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (bool told = true; told && take(socket, &taken); taken_done(&taken)) {
		uint64_t most = taken.header.limits.memory_bytes;
		const struct rlimit memory = { most, most };
		struct reply reply = { .type = REPLY_TEXT };

		if (MEMORY_LIMIT_METERED && most)
			(void)setrlimit(RLIMIT_DATA, &memory);
		write_one(&taken, stores, &reply);
		told = message_tell(socket, &reply);
		reply_done(&reply);
		/* a process that has grown ends, and another one begins */
		if (most && memory_limit_used() > most / 2)
			break;
	}
	taken_done(&taken);
	for (size_t i = 0; i < STORES; i++) {
		store_close(stores[i].store);
		free(stores[i].location);
	}
}

/* In the server. */

int writer_open(const struct writer_limits *limits, struct writer **ret, struct err *err)
{
	struct writer *writer = mem_zalloc(sizeof(*writer));

	writer->limits = *limits;
	writer->socket = -1;
	if (fork_server_open(&writer->forks, err)) {
		free(writer);
		return err->code;
	}
	(void)pthread_mutex_init(&writer->lock, NULL);
	*ret = writer;
	return 0;
}

const int *writer_end_fd(const struct writer *writer)
{
	return fork_server_end_fd(writer->forks);
}

/* Lets it close its stores, unless it is to be killed. Returns the signal that ended it. */
static int end_process(struct writer *writer, bool kill)
{
	char byte;

	if (writer->socket < 0)
		return 0;
	(void)shutdown(writer->socket, SHUT_WR);
	while (!kill && recv(writer->socket, &byte, 1, 0) > 0)
		;
	(void)close(writer->socket);
	writer->socket = -1;
	return fork_server_end(writer->forks, writer->pid);
}

void writer_close(struct writer *writer)
{
	if (!writer)
		return;
	(void)end_process(writer, false);
	fork_server_close(writer->forks);
	(void)pthread_mutex_destroy(&writer->lock);
	free(writer);
}

static int send_request(const struct writer *writer, const struct writer_request *request,
			uint64_t id)
{
	const struct header header = { .location = (uint32_t)strlen(request->location),
				       .target = (uint32_t)strlen(request->target),
				       .type = (uint32_t)strlen(request->type),
				       .encoding = (uint32_t)strlen(request->encoding),
				       .uid = request->uid,
				       .now_ns = request->now_ns,
				       .body = request->len,
				       .id = id,
				       .limits = writer->limits };
	const struct {
		const void *data;
		size_t len;
	} parts[] = { { &header, sizeof(header) },
		      { request->location, header.location },
		      { request->target, header.target },
		      { request->type, header.type },
		      { request->encoding, header.encoding },
		      { request->body, request->len } };
	int code = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !code; i++)
		code = message_send(writer->socket, parts[i].data, parts[i].len);
	return code;
}

/* -EPIPE: the process ended; -EINTR: it was killed; -ECHILD: there is none. */
static int try(struct writer *writer, const struct writer_request *request, uint64_t id,
	       struct reply *reply)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + writer->limits.time_ns;
	int code, ended_by = 0;

	if (writer->socket < 0) {
		writer->socket = fork_server_start(writer->forks, run, &writer->pid);
		if (writer->socket < 0)
			return -ECHILD;
	}
	code = send_request(writer, request, id);
	if (!code)
		code = message_hear(writer->socket, until_ns, reply);
	if (code)
		ended_by = end_process(writer, true);
	return code == -EPIPE && (ended_by == SIGKILL || ended_by < 0) ? -EINTR : code;
}

void writer_send(struct writer *writer, const struct writer_request *request, struct reply *reply)
{
	uint64_t id = 0;
	bool old;
	int code;

	if (strlen(request->type) > HEADER_MAX || strlen(request->encoding) > HEADER_MAX) {
		reply_error(reply, 400, "a header is too long");
		return;
	}
	if (getrandom(&id, sizeof(id), GRND_NONBLOCK) != (ssize_t)sizeof(id))
		id = 0; /* so what is tried again, below, may be stored twice */
	(void)pthread_mutex_lock(&writer->lock);
	old = writer->socket >= 0;
	code = try(writer, request, id, reply);
	if ((code == -EPIPE || code == -EINTR) && old) { /* it may have ended before this request */
		buf_clear(&reply->body);
		code = try(writer, request, id, reply);
	}
	(void)pthread_mutex_unlock(&writer->lock);
	if (code == -ETIMEDOUT)
		reply_error(reply, 503, "this takes too long");
	else if (code == -EINTR)
		reply_error(reply, 503, "the process that stores was killed: send it again");
	else if (code == -EPIPE)
		reply_error(reply, 413, "the profile needs more memory than --memory");
	else if (code)
		reply_error(reply, 503, "no process can be started");
}
