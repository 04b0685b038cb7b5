/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tools that probe functions share: words that name probes and a program, and options. */
#ifndef COMMAND_TOOL_PROBE_TOOL_H
#define COMMAND_TOOL_PROBE_TOOL_H

#include <stdbool.h>

#include "command/tool/tool.h"
#include "session/probe/probe_set.h"

struct probe_tool_options {
	struct tool_options tool; /* first */
	uint64_t interval_ns;
	bool verbose, at_start;
	const char *user;
};

/* For OPT_INCLUDE. */
extern const struct option_def probe_tool_rows[];

struct probe_tool_run {
	struct tool_run run; /* first */
	struct probe_set set;
	bool returns;	      /* set by the tool: it probes returns, too */
	bool kernel;	      /* set by the tool: it probes functions of the kernel, too */
	const char *patterns; /* as typed, for the first line; in the set's arena */
};

/* PROBE... [-- program arguments], taken apart; *ret_argv is NULL without a program. 0 or the
 * status of wrong usage. */
int probe_tool_words(struct option_words words, const struct tool_threads *threads,
		     struct option_words *ret_probes, char ***ret_argv, struct err *err);
/* Adds them to the set. *ret_typed, all as typed, is in the set's arena. */
int probe_tool_find(struct probe_set *set, struct option_words probes,
		    const struct probe_set_options *how, const char **ret_typed, struct err *err);
/* words: PROBE... [-- program arguments]. Fills the set and what the source needs. As set_up() of
 * struct tool. */
int probe_tool_set_up(struct tool_run *run, struct option_words words, struct err *err);
/* A user's name or number, NULL = any, as source_options has it. 0, or -1 with err set. */
int probe_tool_user(const char *user, uint32_t *ret_plus_one, struct err *err);
/* The first process of -p, 0 = none: libraries and paths are those that it has. */
int probe_tool_pid(const struct tool_options *options);
/* Prints what was left out, and if verbose where each probe is. */
void probe_tool_notes(const struct probe_set *set, bool verbose);
/* "Tracing 5 functions for "c:malloc*"... Hit Ctrl-C to end." */
void probe_tool_announce(const struct probe_set *set, const char *typed, struct buf *out);
/* The same of a run. */
void probe_tool_head(const struct tool_run *run, struct buf *out);
void probe_tool_done(struct tool_run *run);

#endif
