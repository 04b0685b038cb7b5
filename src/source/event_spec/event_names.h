/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's generic events by name: software, hardware and cache events with all of perf's
 * aliases. Numbers: include/uapi/linux/perf_event.h. */
#ifndef SOURCE_EVENT_NAMES_H
#define SOURCE_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/event_spec/event_parse.h"

struct suggest;

struct event_name {
	const char *name;
	uint32_t type, config;
};

/* The nth hardware or software event, aliases behind their first name; NULL past the end. */
const struct event_name *event_name_at(size_t n);
/* The usual spelling of the nth cache event that some CPU may have, and its config:
 * "LLC-load-misses". False past the end. */
bool event_cache_name_at(size_t n, char *ret, size_t size, uint64_t *ret_config);

bool event_name_find(const char *name, uint32_t *ret_type, uint64_t *ret_config);
/* EVENT_TOOL_NONE: it is none of them. */
enum event_tool event_tool_find(const char *name);
/* NULL past the last one. */
const char *event_tool_name(enum event_tool tool);
/* Offers every name to a "did you mean" search. */
void event_name_offer(struct suggest *suggest);

#endif
