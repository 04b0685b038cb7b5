/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes for answers (see worker.h). A message is a header and the bytes behind it. */
#include "server/worker.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
#include "base/sandbox.h"
#include "server/answer.h"
#include "server/message.h"
#include "server/question.h"
#include "server/reply.h"
#include "server/request.h"

#define LOCATION_MAX ((size_t)4096)
#define SECOND_NS    ((uint64_t)1000000000)

struct workers {
	struct worker_limits limits;
	struct fork_server *forks;
	pthread_mutex_t lock;
	pthread_cond_t idle;
	unsigned busy;
};

struct ask {
	uint32_t location, target; /* lengths */
	uint32_t viewer;
	uint64_t now_ns, memory_bytes, cpu_s;
};

/* In the process. */

static void set_limits(const struct ask *ask)
{
	const struct rlimit time = { ask->cpu_s, ask->cpu_s + 1 };
	const struct rlimit memory = { ask->memory_bytes, ask->memory_bytes };
	const struct rlimit none = { 0, 0 };

	(void)setrlimit(RLIMIT_CPU, &time);
	(void)setrlimit(RLIMIT_CORE, &none);
	if (MEMORY_LIMIT_METERED && ask->memory_bytes)
		(void)setrlimit(RLIMIT_DATA, &memory);
}

static void run(int socket)
{
	struct question_place place = { 0 };
	struct reply reply = { .type = REPLY_TEXT };
	struct err ignored = { 0 };
	struct ask ask;
	char *location = NULL, *target = NULL;

	if (fd_read_full(socket, &ask, sizeof(ask)) != (ssize_t)sizeof(ask) ||
	    !message_take_text(socket, ask.location, LOCATION_MAX, &location) ||
	    !message_take_text(socket, ask.target, REQUEST_TARGET_MAX, &target))
		return;
	set_limits(&ask);
	if (!strstr(location, "://"))
		(void)sandbox_enter(&ignored); /* an old kernel; the limits stay */
	place.location = location;
	place.viewer = ask.viewer;
	place.now_ns = ask.now_ns;
	answer(target, &place, &reply);
	message_tell(socket, &reply);
}

/* In the server. */

int workers_open(const struct worker_limits *limits, struct workers **ret, struct err *err)
{
	struct workers *workers = mem_zalloc(sizeof(*workers));

	workers->limits = *limits;
	if (fork_server_open(&workers->forks, err)) {
		free(workers);
		return err->code;
	}
	(void)pthread_mutex_init(&workers->lock, NULL);
	(void)pthread_cond_init(&workers->idle, NULL);
	*ret = workers;
	return 0;
}

void workers_close(struct workers *workers)
{
	if (!workers)
		return;
	fork_server_close(workers->forks);
	(void)pthread_cond_destroy(&workers->idle);
	(void)pthread_mutex_destroy(&workers->lock);
	free(workers);
}

const int *workers_end_fd(const struct workers *workers)
{
	return fork_server_end_fd(workers->forks);
}

/* False: none gets free in time. */
static bool enter(struct workers *workers)
{
	struct timespec until;
	int code = 0;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += (time_t)(workers->limits.time_ns / SECOND_NS);
	(void)pthread_mutex_lock(&workers->lock);
	while (!code && workers->busy >= workers->limits.processes)
		code = pthread_cond_timedwait(&workers->idle, &workers->lock, &until);
	if (!code)
		workers->busy++;
	(void)pthread_mutex_unlock(&workers->lock);
	return !code;
}

static void leave(struct workers *workers)
{
	(void)pthread_mutex_lock(&workers->lock);
	workers->busy--;
	(void)pthread_cond_signal(&workers->idle);
	(void)pthread_mutex_unlock(&workers->lock);
}

static int ask_one(const struct workers *workers, const char *target,
		   const struct question_place *place, int socket)
{
	const struct ask ask = { .location = (uint32_t)strlen(place->location),
				 .target = (uint32_t)strlen(target),
				 .viewer = place->viewer,
				 .now_ns = place->now_ns,
				 .memory_bytes = workers->limits.memory_bytes,
				 .cpu_s = workers->limits.time_ns / SECOND_NS + 1 };
	int code = message_send(socket, &ask, sizeof(ask));

	if (!code)
		code = message_send(socket, place->location, ask.location);
	return code ? code : message_send(socket, target, ask.target);
}

static void converse(struct workers *workers, const char *target,
		     const struct question_place *place, struct reply *reply)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + workers->limits.time_ns;
	pid_t pid;
	int code;
	AUTO_CLOSE int socket = fork_server_start(workers->forks, run, &pid);

	if (socket < 0) {
		reply_error(reply, 503, "no process can be started");
		return;
	}
	code = ask_one(workers, target, place, socket);
	if (!code)
		code = message_hear(socket, until_ns, reply);
	(void)fork_server_end(workers->forks, pid);
	if (code == -ETIMEDOUT)
		reply_error(reply, 504, "this takes too long: ask for less time or fewer labels");
	else if (code)
		reply_error(reply, 500,
			    "the process of this answer ended: it may need more memory than "
			    "--memory; ask for less time or fewer labels");
}

void workers_answer(struct workers *workers, const char *target, const struct question_place *place,
		    struct reply *reply)
{
	if (!enter(workers)) {
		reply_error(reply, 503, "too many questions at a time");
		return;
	}
	converse(workers, target, place, reply);
	leave(workers);
}
