/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads the events of a perf.data into a symbolized profile: connects format → proc, unwind →
 * profile → symbol. Commands use it through session/recording.h, which also reads the other
 * formats. */
#ifndef SESSION_LOAD_H
#define SESSION_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "event/kind.h"
#include "format/format.h"
#include "session/filter.h"
#include "session/load/resolve.h"
#include "symbol/symbolizer.h"

struct capture;
struct err;
struct event_desc;
struct heap_summary;
struct perf_data;
struct profile;
struct redaction;

/* A field of tracepoints. */
struct load_field {
	const char *event; /* "sched:sched_switch" or "sched_switch"; NULL = of any */
	const char *name;
	bool raw; /* the plain value */
};

/* What PROFILE_ADDR_IS_ACCESS is about. */
enum load_access {
	LOAD_ACCESS_SAMPLED, /* the sample's own address, cost and source */
	LOAD_ACCESS_COST,    /* the same, and its cost is the sample's weight */
	LOAD_ACCESS_STALL,   /* what a clock's sample waited for (session/data/stall.h) */
};

#define LOAD_VALUES 8

/* Numbers that samples of an event keep with PROFILE_ADDR_IS_VALUES: fields of a tracepoint, or
 * LOAD_VALUE_ADDR and so on. "$name" is a field's text, a string_id; "$%name" is the one that the
 * event's own text has. One that a sample does not have is 0. */
struct load_values {
	const char *event; /* "kmem:kmalloc"; NULL = any other */
	const char *name[LOAD_VALUES + 1];
};

#define LOAD_VALUE_ADDR	     "@addr"
#define LOAD_VALUE_IP	     "@ip"
#define LOAD_VALUE_WEIGHT    "@weight"
#define LOAD_VALUE_DATA_SRC  "@data_src"
#define LOAD_VALUE_PHYS_ADDR "@phys_addr"

struct load_options {
	struct symbol_options symbol;
	unsigned keep;			 /* enum profile_keep */
	const struct load_field *fields; /* with PROFILE_ADDR_IS_FIELDS */
	size_t field_count;
	bool raw_trace; /* of fields and payloads the plain values */
	/* With PROFILE_ADDR_IS_VALUES; the last one has no event. */
	const struct load_values *values;
	/* The first of these values, if it is not 0, is the place of the sample: instead of its
	 * stack, or if it has none. */
	bool value_is_stack, value_is_place;
	enum load_access access;	 /* with PROFILE_ADDR_IS_ACCESS */
	struct format_read_options read; /* of formats other than recordings */
	bool off_cpu;			 /* of perf script text read the waits, not the events */
	enum resolve_detail detail;	 /* as little as the caller needs: it loads faster */
	bool merge_threads; /* threads of one command are one: pid and tid are not kept */
	bool ends_only;	    /* of each stack only the leaf and the outermost frame: faster still */
	bool no_symbols;    /* leave frames raw */
	/* The recording is still being made: symbols are read after its last event, and threads
	 * that ended long ago are forgotten. */
	bool live;
	bool faults;  /* page faults have a frame that says what they were for */
	bool latency; /* weights are shares of the time that passed (load_latency.h) */
	/* Both weights: the one that samples do not have by `latency` is in their addr. */
	bool both_weights;
	bool branch_history; /* stacks begin with the branches before (load_history.h) */
	bool branches;	    /* samples are the branches that were recorded with each, of weight 1 */
	uint32_t max_stack; /* frames kept per stack, 0 = all */
	/* Sample filters; an empty or NULL list lets everything through. Comma-separated lists as
	 * in perf: names for comms, numbers for pids and tids, ranges for cpus. */
	const char *comms, *pids, *tids, *cpus;
	const char *time;	     /* perf's --time: "a,b", "10%/2", "10%-20%", … */
	const char *event;	     /* only this event; NULL = all */
	struct heap_summary *heap;   /* receives what blocks of memory sum up to, unless NULL */
	enum event_kind kind;	     /* only events of this kind; EVENT_KIND_OTHER = all */
	bool hide_kernel, hide_user; /* drop that half of every stack */
	struct redaction *redaction; /* profiles get pseudonyms of it; NULL = none */
	bool name_locks; /* into profile->objects (lock/lock_names.h); of load_live_start() only */
	/* Receives the modules and processes of a recording, to look into their files later, unless
	 * NULL; close it with capture_close(). Zeroed for other inputs. Not of load_live_start().
	 */
	struct capture *capture;
};

/* Whether it means fields of that event. */
bool load_field_is_of(const struct load_field *field, const struct event_desc *desc);
/* Reads the events of an open perf.data into an empty profile; `name` is for messages. */
int load_perf_data(struct perf_data *data, const char *name, const struct load_options *options,
		   struct profile *profile, struct err *err);
struct filter_spec load_filters(const struct load_options *options);

#endif
