/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of every command that reads a profile: its path and symbol settings. Rows for a command's
 * table (OPT_INCLUDE). */
#ifndef COMMAND_LOAD_OPTIONS_H
#define COMMAND_LOAD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "command/option/option.h"

struct kcore;
struct load_options;
struct perf_data_stats;
struct profile;
struct redaction;

struct input_options {
	const char *input;
	const char *symfs, *kallsyms, *vmlinux;
	const char *comms, *pids, *tids, *cpus, *time;
	bool inlines, demangle, debuginfod;
	uint64_t max_stack;
	struct redaction *redaction; /* NULL = none */
	struct kcore *kcore; /* for code; opened by the command, before the sandbox. NULL = none */
};

/* --trust, in the tables of all commands that read what others wrote. */
extern const struct option_def trust_option_rows[];
/* --redact, for a struct redaction * that the command frees. */
extern const struct option_def redact_option_rows[];
extern const struct option_def input_option_rows[];
/* The same without --input, for commands that take inputs as arguments. */
extern const struct option_def profile_option_rows[];
void input_options_defaults(struct input_options *options);
void input_options_done(struct input_options *options);
/* Fills what `ret` needs to load; `ret` must be zeroed. Strings stay borrowed. */
void input_options_apply(const struct input_options *options, struct load_options *ret);
/* Tells on stderr what of a recording could not be read. */
void recording_warn_damage(const char *name, const struct perf_data_stats *stats);
/* Tells on stderr what the recorder could not keep. */
void recording_warn_lost(const char *name, const struct perf_data_stats *stats);
/* The same as both for any input, including what was never recorded. */
void input_warn_missing(const char *name, const struct profile *profile);

#endif
