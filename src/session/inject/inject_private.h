/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of inject: build ids (inject_ids.c), generated code (inject_jit.c) and waits
 * (inject_waits.c). Only these files include this header. */
#ifndef SESSION_INJECT_PRIVATE_H
#define SESSION_INJECT_PRIVATE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"
#include "session/inject/inject.h"

struct perf_data;
struct perf_data_writer;
struct recording;

typedef VEC(struct event) event_list;

/* Appends EVENT_BUILD_ID events: those of the header, and what else was requested. Their paths live
 * in the arena. */
int inject_find_ids(struct recording *base, const struct inject_options *options,
		    struct arena *arena, event_list *ret, struct err *err);

struct inject_jit {
	struct arena arena;
	event_list maps; /* of the ELF files that were written */
	struct map pids; /* of processes with a jitdump → 1 */
	size_t functions;
};

/* Reads the jitdumps that the recording names, and writes an ELF file for each function beside
 * them. */
int inject_find_jit(struct recording *base, struct inject_jit *ret, struct buf *notes,
		    struct err *err);
/* Whether a record maps a jitdump or anonymous memory of such a process: the ELF files replace it.
 */
bool inject_jit_replaces(const struct inject_jit *jit, const uint8_t *record,
			 struct perf_event_header header);
void inject_jit_done(struct inject_jit *jit);

struct inject_waits;

/* NULL when the recording has no sched_stat tracepoints with sched_switch; err has the reason. */
struct inject_waits *inject_waits_new(struct perf_data *data, struct err *err);
/* What becomes of a sample: the record to write instead, valid until the next call, or NULL. */
const struct perf_event_header *inject_waits_sample(struct inject_waits *waits,
						    const struct event *event);
size_t inject_waits_count(const struct inject_waits *waits);
void inject_waits_free(struct inject_waits *waits); /* NULL is fine */

#endif
