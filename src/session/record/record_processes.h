/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and mappings of processes, as the records so far say. Each file of a switched recording
 * begins with them, so that it can be read without those before it. /proc does not suffice: when
 * a file begins, a program with samples in it may have ended, or may have executed another.
 *
 * Memory grows with what programs map; without more of it mappings are left out and counted. */
#ifndef SESSION_RECORD_PROCESSES_H
#define SESSION_RECORD_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct err;
struct event;
struct event_set;
struct perf_event_header;
struct record_processes;
struct sink;

/* What changes processes and their mappings. */
bool record_processes_is_news(const struct perf_event_header *header);

/* events must outlive it. */
struct record_processes *record_processes_new(const struct event_set *events);
void record_processes_free(struct record_processes *processes); /* NULL is fine */
/* From /proc. The records count more, where they have the same thread or the same addresses. */
void record_processes_event(struct record_processes *processes, const struct event *event);
/* Records as they come from rings. They count once nothing older can come. */
void record_processes_records(struct record_processes *processes, const uint8_t *data, size_t len);
/* Everything that was in the rings when this round began has come. */
void record_processes_round(struct record_processes *processes);
/* FORK, COMM and MMAP of all threads and processes. Appends to *later the records that do not count
 * yet: the file must have them as well. */
int record_processes_emit(struct record_processes *processes, struct sink *sink, struct buf *later,
			  struct err *err);
/* Mappings, for lack of memory. */
uint64_t record_processes_left_out(const struct record_processes *processes);

#endif
