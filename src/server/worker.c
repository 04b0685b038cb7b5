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
#include "server/question.h"
#include "server/reply.h"
#include "server/request.h"

#define LOCATION_MAX ((size_t)4096)
#define REPLY_MAX    ((uint64_t)1 << 30)
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

struct told {
	uint32_t status, type; /* the type's length */
	char download[64];
	uint64_t body;
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

static bool take_text(int socket, size_t len, size_t max, char **ret)
{
	if (len > max)
		return false;
	*ret = mem_zalloc(len + 1);
	return fd_read_full(socket, *ret, len) == (ssize_t)len;
}

static void tell(int socket, const struct reply *reply)
{
	struct told told = { .status = reply->status,
			     .type = (uint32_t)strlen(reply->type),
			     .body = reply->body.len };

	memcpy(told.download, reply->download, sizeof(told.download));
	if (!fd_write_all(socket, &told, sizeof(told)) &&
	    !fd_write_all(socket, reply->type, told.type) && reply->body.len)
		(void)fd_write_all(socket, reply->body.data, reply->body.len);
}

static void run(int socket)
{
	struct question_place place = { 0 };
	struct reply reply = { .type = REPLY_TEXT };
	struct err ignored = { 0 };
	struct ask ask;
	char *location = NULL, *target = NULL;

	if (fd_read_full(socket, &ask, sizeof(ask)) != (ssize_t)sizeof(ask) ||
	    !take_text(socket, ask.location, LOCATION_MAX, &location) ||
	    !take_text(socket, ask.target, REQUEST_TARGET_MAX, &target))
		return;
	set_limits(&ask);
	if (!strstr(location, "://"))
		(void)sandbox_enter(&ignored); /* an old kernel; the limits stay */
	place.location = location;
	place.viewer = ask.viewer;
	place.now_ns = ask.now_ns;
	answer(target, &place, &reply);
	tell(socket, &reply);
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

/* As many bytes, before a moment; 0, -ETIMEDOUT or -EPIPE. */
static int receive(int socket, void *data, size_t len, uint64_t until_ns)
{
	for (size_t at = 0; at < len;) {
		struct pollfd fd = { .fd = socket, .events = POLLIN };
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		ssize_t got;

		if (now >= until_ns)
			return -ETIMEDOUT;
		if (poll(&fd, 1, (int)((until_ns - now) / 1000000) + 1) <= 0)
			continue;
		got = recv(socket, (char *)data + at, len - at, MSG_DONTWAIT);
		if (!got || (got < 0 && errno != EAGAIN && errno != EINTR))
			return -EPIPE;
		at += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

/* Types are constants here as well. */
static const char *type_of(const char *text)
{
	static const char *const types[] = { REPLY_HTML, REPLY_JSON, "application/octet-stream" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i], text) == 0)
			return types[i];
	return REPLY_TEXT;
}

static int hear(int socket, uint64_t until_ns, struct reply *reply)
{
	struct told told;
	char type[64] = "";
	int code = receive(socket, &told, sizeof(told), until_ns);

	if (code)
		return code;
	if (told.type >= sizeof(type) || told.body > REPLY_MAX || told.status < 200 ||
	    told.status > 599)
		return -EPIPE;
	code = receive(socket, type, told.type, until_ns);
	if (code || buf_extend(&reply->body, told.body))
		return code ? code : -EPIPE;
	reply->status = told.status;
	reply->type = type_of(type);
	told.download[sizeof(told.download) - 1] = '\0';
	memcpy(reply->download, told.download, sizeof(reply->download));
	return receive(socket, reply->body.data, told.body, until_ns);
}

static int send_all(int socket, const void *data, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t sent = send(socket, (const char *)data + at, len - at, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return -EPIPE;
		at += sent > 0 ? (size_t)sent : 0;
	}
	return 0;
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
	int code = send_all(socket, &ask, sizeof(ask));

	if (!code)
		code = send_all(socket, place->location, ask.location);
	return code ? code : send_all(socket, target, ask.target);
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
		code = hear(socket, until_ns, reply);
	fork_server_end(workers->forks, pid);
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
