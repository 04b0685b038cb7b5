/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording played event by event in time order, with every sample's stack unwound and resolved:
 * what script and other event-wise commands see. One file, one pass. */
#ifndef SESSION_REPLAY_H
#define SESSION_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "event/stop.h"
#include "symbol/symbolizer.h"

struct buf;
struct err;
struct module;
struct module_table;
struct perf_data; /* format/perf_data/perf_data.h */
struct proc_table;
struct replay;
struct thread;

struct replay_frame {
	uint64_t pc;		     /* absolute, as recorded */
	uint64_t offset;	     /* in the module */
	const struct module *module; /* kind MODULE_UNKNOWN if nothing is mapped there */
	const struct symbol *symbol; /* NULL: unknown; count > 1 if functions are inlined here */
	bool kernel, caller; /* caller: pc is a return address (capture_is_caller()), and symbol is
				that of the call */
	uint32_t place; /* dense id of (module, offset, caller): equal places are the same frame but
			   for the pc */
};

struct replay_sample {
	const struct event *event;
	const struct thread *thread;
	struct replay_frame ip;		  /* the sampled instruction */
	const struct replay_frame *frame; /* leaf first; user frames after kernel frames; count 0
					     when the event has no call chain */
	size_t count;
	bool has_chain; /* the event records call chains (even if this one is empty) */
	enum stack_stop stop;
	struct replay *replay; /* for replay_resolve() */
};

struct replay_options {
	struct symbol_options symbol;
	bool no_symbols;
	bool no_frames; /* samples come without `ip` and `frame`, which is faster */
	/* Frames have no symbols until replay_name() adds them; symbol tables load in the
	 * background until then. */
	bool late_names;
	bool names_on_demand; /* with late_names: tables load only for what is named */
	uint32_t max_stack;
	bool endless;	 /* what ended long ago is forgotten */
	bool background; /* the handler is called on another thread (perf_data_in_background()) */
	bool progress;	 /* show it on stderr when that is a terminal and stdout is none */
};

struct replay_handler {
	int (*sample)(struct replay_handler *handler, const struct replay_sample *sample,
		      struct err *err);
	/* As make_digest() and take_digests() of struct sink; may be NULL. */
	bool (*make_digest)(struct replay_handler *handler, struct timed_record *item);
	int (*take_digests)(struct replay_handler *handler, struct replay *replay,
			    struct timed_records *records, struct err *err);
	/* Everything that is not a sample, after it was applied; may be NULL. */
	int (*other)(struct replay_handler *handler, const struct event *event,
		     const struct thread *thread, struct err *err);
	/* After the last event, while frames may still be named; may be NULL. */
	int (*end)(struct replay_handler *handler, struct err *err);
};

/* The recording is open already (perf_data_open), so that headers can be looked at first. */
int session_replay(struct perf_data *data, const struct replay_options *options,
		   struct replay_handler *handler, struct err *err);
/* The thread as of the events so far. */
const struct thread *replay_thread(struct replay *replay, uint32_t pid, uint32_t tid);
/* All processes as of the events so far. */
struct proc_table *replay_procs(struct replay *replay);
/* All modules so far. */
const struct module_table *replay_modules(const struct replay *replay);
/* The file that most places without a name are in, if it is gone or another than the recorded one,
 * with the reason; false: none is. While frames may still be named. */
bool replay_missing(const struct replay *replay, struct buf *ret);
/* Adds the symbol to a frame of this replay. */
void replay_name(struct replay *replay, struct replay_frame *frame);
/* Resolves one more address in a sample's context (data addresses, branch entries). */
void replay_resolve(const struct replay_sample *sample, uint64_t pc, struct replay_frame *ret);

#endif
