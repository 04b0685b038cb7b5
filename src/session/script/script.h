/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording as text in the shape of perf script (6.1): one paragraph or line per sample, and the
 * other events on request. */
#ifndef SESSION_SCRIPT_H
#define SESSION_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "session/filter.h"
#include "session/replay.h"
#include "session/script/script_fields.h"

struct buf;
struct err;
struct perf_data;
struct redaction;

struct script_options {
	struct script_fields fields;
	struct replay_options replay;
	struct filter_spec filter;
	const char *symbols, *dsos;  /* only samples there; comma lists, NULL = all */
	const char *name;	     /* of the recording, for dumps */
	const char *stop_frames;     /* call chains end at these functions; comma list */
	struct redaction *redaction; /* text has pseudonyms of it; NULL = none */
	bool dump;		     /* include the bytes of all records */
	bool no_samples;	     /* only the other requested parts */
	bool no_chain;		     /* perf's -G */
	bool ns;		     /* times with nine digits */
	bool reltime, deltatime;     /* since the first, since the previous sample */
	bool show_tasks, show_mmaps, show_switches, show_lost, show_namespaces, show_rounds,
		show_cgroups, show_bpf;
};

/* Takes the text as it grows; the buffer is cleared afterwards. 0 or -errno with err set. */
struct script_output {
	int (*write)(struct script_output *output, struct buf *text, struct err *err);
	struct buf missing; /* see replay_missing(); the caller's */
};

int session_script(struct perf_data *data, const struct script_options *options,
		   struct script_output *output, struct err *err);

#endif
