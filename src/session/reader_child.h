/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child in the sandbox (base/confined.h) that is sent bytes and messages through a queue. A
 * thread of this process receives its answers. session/live.h and session/trace/trace_reader.h have
 * one. */
#ifndef SESSION_READER_CHILD_H
#define SESSION_READER_CHILD_H

#include <pthread.h>
#include <stdbool.h>

#include "base/confined.h"

struct byte_queue;
struct err;

struct reader_child {
	struct confined confined;
	struct byte_queue *queue; /* to the child */
	pthread_t receiver;
	bool has_receiver;
	pthread_mutex_t lock; /* over what the receiver shares with other threads */
	pthread_cond_t answered;
	bool gone; /* there will be no more of the child; under the lock */
	bool (*receive)(void *owner, int socket);
	void *owner;
};

struct reader_child_options {
	bool network; /* without the sandbox */
	/* In the child; the context is borrowed for the call that starts it. */
	void (*run)(void *context, int socket);
	void *context;
	/* In a thread, again and again: takes a frame. False: at the end, or for a wrong one. */
	bool (*receive)(void *owner, int socket);
	void *owner;
};

/* Starts the child and the thread. Call it before starting other threads. In any case the result is
 * to be closed. The owner is borrowed until then. */
int reader_child_open(struct reader_child *child, const struct reader_child_options *options,
		      struct err *err);
/* Waits for the thread: until the child has ended. */
void reader_child_join(struct reader_child *child);
/* Ends both, and frees what it has. */
void reader_child_close(struct reader_child *child);

#endif
