/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of live.h that reads the recording: a thread takes it from a queue, event by event, into
 * a profile, which can be taken at any time. The functions may be called by another thread. */
#ifndef SESSION_LIVE_READER_H
#define SESSION_LIVE_READER_H

#include <stdint.h>

struct byte_queue;
struct err;
struct live_options;
struct live_reader;
struct profile;

/* The options and the queue are borrowed. */
int live_reader_start(const struct live_options *options, struct byte_queue *queue,
		      struct live_reader **ret, struct err *err);
/* Waits for the end of the queue; the reader's error. */
int live_reader_join(struct live_reader *reader, struct err *err);
struct profile *live_reader_take(struct live_reader *reader);
void live_reader_end_moment(struct live_reader *reader);
void live_reader_clear(struct live_reader *reader);
int live_reader_save(struct live_reader *reader, int fd, uint64_t *ret_dropped, struct err *err);
void live_reader_free(struct live_reader *reader); /* NULL is fine */

#endif
