/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many of the recorded threads ran at the time of a sample, by context switches: a sample's
 * share of the time that passed is its weight divided by that. As perf's --latency. */
#ifndef SESSION_LOAD_LATENCY_H
#define SESSION_LOAD_LATENCY_H

#include <stdint.h>

struct err;
struct event;
struct event_set;
struct load_latency;
struct load_options;
struct profile_sample;

struct load_latency *load_latency_new(void);
void load_latency_free(struct load_latency *latency); /* NULL is fine */
/* Every event that is not a sample, in order of time. */
void load_latency_apply(struct load_latency *latency, const struct event *event);
/* The weight of a sample as latency. What divisions leave goes to the next samples. */
uint64_t load_latency_weight(struct load_latency *latency, const struct event *event);
/* The same in the weight, or, as options want it, in the addr of `sample`. */
void load_latency_set(struct load_latency *latency, const struct load_options *options,
		      const struct event *event, struct profile_sample *sample);
/* At the end: -ENODATA without switches in the recording, unless the kernel was asked for them. */
int load_latency_check(const struct load_latency *latency, const struct event_set *events,
		       const char *path, struct err *err);

#endif
