/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of the last moments of a live recording, as they came, so that what a view shows can
 * be written as a recording. Of what is older, the records stay that tell which programs and
 * mappings there are (COMM, FORK, MMAP, …), as long as their processes live. Samples above the
 * limit are counted instead of kept. All records come in the order of time. Not thread-safe. */
#ifndef SESSION_LIVE_WINDOW_H
#define SESSION_LIVE_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct live_window;
struct perf_data_writer;
struct perf_event_header;

/* Moments to keep, at least 1, beside the one that has not ended; bytes for their records. */
struct live_window *live_window_new(size_t moments, size_t most_bytes);
void live_window_free(struct live_window *window); /* NULL is fine */

void live_window_add(struct live_window *window, const struct perf_event_header *record);
/* The moment ends, and the oldest leaves the window. */
void live_window_push(struct live_window *window);
/* All samples are forgotten. */
void live_window_clear(struct live_window *window);

/* Writes what is in the window, without the moment that has not ended. */
int live_window_write(const struct live_window *window, struct perf_data_writer *writer,
		      struct err *err);
/* Samples in the window that were not kept. */
uint64_t live_window_dropped(const struct live_window *window);
/* Of all records that are kept. */
size_t live_window_bytes(const struct live_window *window);

#endif
