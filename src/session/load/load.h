/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an input of any readable format to a symbolised profile: wires format → proc, unwind →
 * profile → symbol. This is what every reporting command starts with. */
#ifndef SESSION_LOAD_H
#define SESSION_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "event/kind.h"
#include "format/format.h"
#include "session/load/resolve.h"
#include "symbol/symbolizer.h"

struct err;
struct profile;

struct load_options {
	struct symbol_options symbol;
	unsigned keep;			 /* enum profile_keep */
	struct format_read_options read; /* of formats other than recordings */
	bool off_cpu;			 /* of perf script text read the waits, not the events */
	enum resolve_detail detail;	 /* as little as the caller needs: it loads faster */
	bool merge_threads; /* threads of one command are one: pid and tid are not kept */
	bool ends_only;	    /* of each stack only the leaf and the outermost frame: faster still */
	bool no_symbols;    /* leave frames raw */
	uint32_t max_stack; /* frames kept per stack, 0 = all */
	/* Sample filters; an empty or NULL list lets everything through. Comma-separated lists as
	 * in perf: names for comms, numbers for pids and tids, ranges for cpus. */
	const char *comms, *pids, *tids, *cpus;
	const char *time;	     /* perf's --time: "a,b", "10%/2", "10%-20%", … */
	const char *event;	     /* only this event; NULL = all */
	enum event_kind kind;	     /* only events of this kind; EVENT_KIND_OTHER = all */
	bool hide_kernel, hide_user; /* drop that half of every stack */
};

/* path NULL = "perf.data". An input without samples is an error that says why. */
int session_load(const char *path, const struct load_options *options, struct profile **ret,
		 struct err *err);

#endif
