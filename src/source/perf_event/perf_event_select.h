/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events the options select. */
#ifndef SOURCE_PERF_EVENT_PERF_EVENT_SELECT_H
#define SOURCE_PERF_EVENT_PERF_EVENT_SELECT_H

struct err;
struct perf_source;

/* Fills source->list from source->options. */
int perf_source_select(struct perf_source *source, struct err *err);

#endif
