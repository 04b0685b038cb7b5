/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kind of an event and the unit of its weights. Only kind.c looks at names, when an event comes
 * from a recording, a text or the command line. Later code uses kind and unit. */
#ifndef EVENT_KIND_H
#define EVENT_KIND_H

#include <linux/perf_event.h>
#include <stdbool.h>

/* Unit of a sample's weight. */
enum event_unit {
	EVENT_UNIT_NONE,    /* a plain number */
	EVENT_UNIT_COUNT,   /* of what the event counts: cycles, page faults */
	EVENT_UNIT_SAMPLES, /* each sample has weight 1 */
	EVENT_UNIT_NS,
	EVENT_UNIT_BYTES,
	EVENT_UNIT_OTHER, /* a unit of some format's own */
};

/* One row per kind: X(ID, unit). */
#define EVENT_KINDS(X)                                                                            \
	X(OTHER, EVENT_UNIT_COUNT)	     /* anything that is counted */                       \
	X(CPU_TIME, EVENT_UNIT_NS)	     /* running: cpu-clock, task-clock */                 \
	X(OFF_CPU, EVENT_UNIT_NS)	     /* waits, at the stack that waits */                 \
	X(WAKEUP, EVENT_UNIT_NS)	     /* the same waits, at the stack that ended them */   \
	X(LOCK_WAIT, EVENT_UNIT_NS)	     /* waits for locks, at the stack that waits */       \
	X(IO, EVENT_UNIT_NS)		     /* requests for I/O, at the stack that makes them */ \
	X(LOCK_HOLDER, EVENT_UNIT_NS)	     /* the same, at the stack that lets the lock go */   \
	X(WAIT_CHAIN, EVENT_UNIT_NS)	     /* waits with their wakers, made of both */          \
	X(WALL_TIME, EVENT_UNIT_NS)	     /* CPU time and waits, made of both */               \
	X(FUNCTION_TIME, EVENT_UNIT_NS)	     /* in functions, running or not, by their calls */   \
	X(HEAP_ALLOC, EVENT_UNIT_BYTES)	     /* allocated, at the stack that allocates */         \
	X(HEAP_FREE, EVENT_UNIT_COUNT)	     /* blocks of those samples, freed */                 \
	X(HEAP_COUNT, EVENT_UNIT_COUNT)	     /* allocations, made of samples of bytes */          \
	X(HEAP_LIVE, EVENT_UNIT_BYTES)	     /* not freed at the end, made of both */             \
	X(HEAP_PEAK, EVENT_UNIT_BYTES)	     /* live when most was, made of both */               \
	X(HEAP_LIVE_COUNT, EVENT_UNIT_COUNT) /* blocks of HEAP_LIVE */                            \
	X(HEAP_LEAKED, EVENT_UNIT_BYTES)     /* held by stacks that grow, made of both */         \
	X(HEAP_TEMPORARY, EVENT_UNIT_BYTES)  /* freed at once, made of both */                    \
	X(FAULT_WAIT, EVENT_UNIT_NS)	     /* in major page faults, made of those */

enum event_kind {
#define X(id, unit) EVENT_KIND_##id,
	EVENT_KINDS(X)
#undef X
		EVENT_KIND_COUNT,
};

static inline bool event_kind_is_lock(enum event_kind kind)
{
	return kind == EVENT_KIND_LOCK_WAIT || kind == EVENT_KIND_LOCK_HOLDER;
}

/* Samples of blocks of memory, with a struct heap_block. */
static inline bool event_kind_is_heap(enum event_kind kind)
{
	return kind == EVENT_KIND_HEAP_ALLOC || kind == EVENT_KIND_HEAP_FREE;
}

/* Samples carry words of a layout of their own. */
static inline bool event_kind_has_words(enum event_kind kind)
{
	return event_kind_is_lock(kind) || kind == EVENT_KIND_IO;
}

/* Whether a BPF program of ours samples it. */
static inline bool event_kind_is_served(enum event_kind kind)
{
	return kind == EVENT_KIND_OFF_CPU || kind == EVENT_KIND_WAKEUP ||
	       event_kind_is_heap(kind) || event_kind_has_words(kind);
}

/* Made of blocks. */
static inline bool event_kind_is_made_of_heap(enum event_kind kind)
{
	return kind >= EVENT_KIND_HEAP_COUNT && kind <= EVENT_KIND_HEAP_TEMPORARY;
}

/* The first of its names; empty for OTHER. */
const char *event_kind_name(enum event_kind kind);
/* The source that serves it, if BPF programs take its samples. */
const char *event_kind_server(enum event_kind kind);
enum event_unit event_kind_unit(enum event_kind kind);
/* From a name such as "cpu-clock:u"; modifiers do not matter. */
enum event_kind event_kind_of_name(const char *name);
/* From a description in a recording. Clocks are known by their attr; perf's off-CPU events are BPF
 * output, known by their name. */
enum event_kind event_kind_of_attr(const struct perf_event_attr *attr, const char *name);

/* "ns", "bytes", "count", …; "" for NONE and OTHER. */
const char *event_unit_name(enum event_unit unit);
/* OTHER for text that is none of these. */
enum event_unit event_unit_of_name(const char *text);

#endif
