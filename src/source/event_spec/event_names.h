/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's generic events by name: software, hardware and cache events with all of perf's
 * aliases. Numbers: include/uapi/linux/perf_event.h. */
#ifndef SOURCE_EVENT_NAMES_H
#define SOURCE_EVENT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct suggest;

bool event_name_find(const char *name, uint32_t *ret_type, uint64_t *ret_config);
/* Offers every name to a "did you mean" search. */
void event_name_offer(struct suggest *suggest);

#endif
