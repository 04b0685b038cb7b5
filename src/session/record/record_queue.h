/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the thread that drains the rings and the one that writes: chunks of whole records. The
 * reader never waits for the disk unless all chunks are waiting for it. Chunks are address space
 * only until used, and the one used last is used first, so memory stays as small as the disk
 * allows. All memory is set aside in record_queue_open(). */
#ifndef SESSION_RECORD_QUEUE_H
#define SESSION_RECORD_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct record_tally;

#define RECORD_CHUNKS 8

struct record_chunk {
	uint8_t *data;
	size_t len;
	uint64_t samples;
	bool round;		    /* a full sweep of the rings ends here */
	uint64_t round_ns;	    /* that began then, 0 = not known */
	bool maps;		    /* holds MMAP2 records of code */
	struct record_tally *ended; /* a new file begins after this; of the old one, owned */
	bool last;		    /* nothing follows */
	struct record_chunk *next;
};

struct record_queue {
	uint8_t *memory;
	size_t chunk_bytes;
	struct record_chunk chunk[RECORD_CHUNKS];
	struct record_chunk *idle;	   /* stack */
	size_t away;			   /* that are not idle */
	struct record_chunk *first, *last; /* full ones, in order */
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
};

/* chunk_bytes must hold the content of the largest ring. */
int record_queue_open(struct record_queue *queue, size_t chunk_bytes, struct err *err);
void record_queue_close(struct record_queue *queue);

/* Reader's side: takes an empty chunk, waiting for one if necessary; and submits it. */
struct record_chunk *record_queue_idle(struct record_queue *queue);
void record_queue_push(struct record_queue *queue, struct record_chunk *chunk);
/* Waits until all that were submitted are given back. */
void record_queue_wait(struct record_queue *queue);
/* Writer's side: the next chunk, waiting for one; and giving it back. */
struct record_chunk *record_queue_pop(struct record_queue *queue);
void record_queue_return(struct record_queue *queue, struct record_chunk *chunk);

#endif
