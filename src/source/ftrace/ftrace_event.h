/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of an instance of ftrace, with their filters and triggers. */
#ifndef SOURCE_FTRACE_EVENT_H
#define SOURCE_FTRACE_EVENT_H

#include <stddef.h>

struct buf;
struct err;
struct ftrace_event;
struct ftrace_instance;

/* Adds triggers and filters, and enables the events. */
int ftrace_enable_events(struct ftrace_instance *instance, const struct ftrace_event *event,
			 size_t count, struct err *err);
/* Appends what triggers of the type "hist" have collected. */
int ftrace_read_histograms(struct ftrace_instance *instance, const struct ftrace_event *event,
			   size_t count, struct buf *ret, struct err *err);

#endif
