/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The users of processes that make code while they run, looked up while they do: perf maps and
 * jitdumps count only if they are that user's (symbol/process_file.h), also once the process is
 * gone. Not thread-safe. */
#ifndef SESSION_RECORD_OWNERS_H
#define SESSION_RECORD_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct event;

struct record_owners {
	struct map users; /* PID to uid */
};

/* Whether a mapping holds code that is in no file. */
bool record_owners_is_code(const char *path);
void record_owners_event(struct record_owners *owners, const struct event *event);
/* Records as they come from rings. */
void record_owners_records(struct record_owners *owners, const uint8_t *data, size_t len);
void record_owners_done(struct record_owners *owners);

#endif
