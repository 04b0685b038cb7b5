/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The letters behind an event's colon: u k h G H p P S D W e. */
#ifndef SOURCE_EVENT_MODIFIERS_H
#define SOURCE_EVENT_MODIFIERS_H

#include <stdbool.h>

struct err;
struct event_spec;

/* True when every letter is a modifier (an empty string is not). */
bool event_modifiers_valid(const char *modifiers);
/* Applies them in addition to those of the spec. An event's own modifiers come first and override
 * guest and host; those of a group do so only if they contain G or H. */
int event_modifiers_apply(struct event_spec *spec, const char *modifiers, bool group,
			  struct err *err);

#endif
