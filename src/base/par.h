/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work on all cores: a parallel for over independent items, with threads for the duration of the
 * call, and a queue that runs in the background. */
#ifndef BASE_PAR_H
#define BASE_PAR_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes between two fields that keep them out of one cache line (and of the pair of lines that
 * is fetched together): for fields that two threads write all the time. */
#define PAR_APART 128

/* Stack size of threads in a process with a memory limit. */
#define PAR_STACK_BYTES ((size_t)2 << 20)

/* CPUs this process may run on (its affinity mask), at least 1, at most 256. */
size_t par_threads(void);

/* Limits this process to `most` CPUs. */
void par_limit(size_t most);

/* Calls work(context, i, worker) for every i in [0, count), each once, from up to par_threads()
 * threads (worker < par_threads()); items are handed out in order, `grain` at a time. Returns when
 * all are done. Runs on the caller's thread alone when count is small or threads cannot start. */
void par_for(size_t count, size_t grain, void (*work)(void *context, size_t i, size_t worker),
	     void *context);

/* Work in the background, begun in the order given, by one thread; none when threads cannot start.
 * No more than `at_once` items are worked on at a time: with 1 each ends before the next begins. */
struct par_queue;
struct par_queue *par_queue_new(void (*work)(void *item), size_t at_once);
void par_queue_push(struct par_queue *queue, void *item);
/* Waits until at most `most` items are left (none without a background thread). The caller's thread
 * works on the queue as well. */
void par_queue_wait(struct par_queue *queue, size_t most);
/* Whether the background thread still has something to do. */
bool par_queue_busy(struct par_queue *queue);
void par_queue_free(struct par_queue *queue); /* waits first; NULL is fine */

#endif
