/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options shared by all commands that read a profile (see load_options.h). */
#include "command/load_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_limit.h"
#include "command/command.h"
#include "command/option/accepted.h"
#include "format/perf_data/perf_data.h"
#include "profile/nameless.h"
#include "profile/profile.h"
#include "profile/redact.h"
#include "session/load/load.h"
#include "symbol/kernel/kcore.h"

static int trust(void *field, const char *value, bool negated, struct err *err)
{
	(void)field;
	(void)value;
	(void)err;
	if (!negated)
		memory_limit_trust();
	return 0;
}

const struct option_def trust_option_rows[] = {
	{ "trust", 0, OPT_CALL, NULL, 0,
	  "no limit for memory (default 64 MB and 16 times the input)", trust },
	{ 0 },
};

/* Users are known by their folders, and this one by the environment. */
static int redact(void *field, const char *value, bool negated, struct err *err)
{
	static const char *const users[] = { "USER", "LOGNAME", "SUDO_USER" };
	struct redaction **ret = field;

	(void)value;
	(void)err;
	redaction_free(*ret);
	*ret = negated ? NULL : redaction_new();
	for (size_t i = 0; *ret && i < sizeof(users) / sizeof(users[0]); i++)
		redaction_add_user(*ret, getenv(users[i]));
	return 0;
}

const struct option_def redact_option_rows[] = {
	{ "redact", 0, OPT_CALL, NULL, 0,
	  "write pseudonyms instead of users, hosts, paths and arguments; functions keep their "
	  "names",
	  redact },
	{ 0 },
};

const struct option_def input_option_rows[] = {
	{ "Input", 0, OPT_GROUP, NULL, 0, NULL },
	{ "input", 'i', OPT_STR, "FILE", OPT(input_options, input),
	  "profile to read, - for stdin (default perf.data)" },
	{ "profile", 0, OPT_INCLUDE, NULL, 0, NULL, NULL, profile_option_rows },
	{ 0 },
};

const struct option_def profile_option_rows[] = {
	{ "Profiles", 0, OPT_GROUP, NULL, 0, NULL },
	{ .type = OPT_INCLUDE, .include = accepted_reader_rows },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ .type = OPT_INCLUDE,
	  .offset = OPT(input_options, redaction),
	  .include = redact_option_rows },
	{ "comms", 0, OPT_STR, "LIST", OPT(input_options, comms), "only these commands" },
	{ "pid", 0, OPT_STR, "LIST", OPT(input_options, pids), "only these processes" },
	{ "tid", 0, OPT_STR, "LIST", OPT(input_options, tids), "only these threads" },
	{ "cpu", 'C', OPT_STR, "LIST", OPT(input_options, cpus), "only these CPUs: 0,2-3" },
	{ "time", 0, OPT_STR, "RANGE", OPT(input_options, time),
	  "only this time range: \"1.5,2.5\" in seconds from the start or absolute, "
	  "\"10%/2\", \"0%-20%\"" },
	{ "max-stack", 0, OPT_UINT, "N", OPT(input_options, max_stack),
	  "keep at most N frames per stack" },
	{ "Symbols", 0, OPT_GROUP, NULL, 0, NULL },
	{ "inline", 0, OPT_FLAG, NULL, OPT(input_options, inlines),
	  "show inlined functions as frames (default; --no-inline leaves them out)" },
	{ "demangle", 0, OPT_FLAG, NULL, OPT(input_options, demangle),
	  "demangle names (default; --no-demangle shows them raw)" },
	{ "debuginfod", 0, OPT_FLAG, NULL, OPT(input_options, debuginfod),
	  "ask debuginfod servers for missing debug information" },
	{ "symfs", 0, OPT_STR, "DIR", OPT(input_options, symfs),
	  "look for files under this directory" },
	{ "kallsyms", 0, OPT_STR, "FILE", OPT(input_options, kallsyms),
	  "kernel symbols (default /proc/kallsyms)" },
	{ "vmlinux", 'k', OPT_STR, "FILE", OPT(input_options, vmlinux),
	  "kernel image with symbols" },
	{ 0 },
};

void input_options_defaults(struct input_options *options)
{
	options->inlines = true;
	options->demangle = true;
	options->max_stack = UINT32_MAX;
}

void input_options_done(struct input_options *options)
{
	redaction_free(options->redaction);
	options->redaction = NULL;
	kcore_close(options->kcore);
	options->kcore = NULL;
}

void input_options_apply(const struct input_options *options, struct load_options *ret)
{
	ret->symbol.inlines = options->inlines;
	ret->symbol.lines = options->inlines;
	ret->symbol.demangle = options->demangle;
	ret->symbol.debuginfod = options->debuginfod;
	ret->symbol.symfs = options->symfs ? options->symfs : "";
	ret->symbol.kallsyms_path = options->kallsyms;
	ret->symbol.vmlinux_path = options->vmlinux;
	ret->symbol.kcore = options->kcore;
	/* 0 as in perf: functions without their callers */
	ret->max_stack = options->max_stack ? (uint32_t)options->max_stack : 1;
	ret->comms = options->comms;
	ret->pids = options->pids;
	ret->tids = options->tids;
	ret->cpus = options->cpus;
	ret->time = options->time;
	ret->redaction = options->redaction;
}

static void warn_aux(const char *name, uint64_t bytes)
{
	if (bytes)
		command_warn("%s: %llu bytes of hardware trace (AUX data) are not decoded: decode "
			     "them with perf script --itrace, and read its text",
			     name, (unsigned long long)bytes);
}

void recording_warn_damage(const char *name, const struct perf_data_stats *stats)
{
	if (stats->damage[0])
		command_warn("%s: damaged: %s", name, stats->damage);
	if (stats->truncated_bytes)
		command_warn("%s: %llu bytes could not be read", name,
			     (unsigned long long)stats->truncated_bytes);
	warn_aux(name, stats->aux_bytes);
	if (stats->bad_records)
		command_warn("%s: %llu invalid records skipped", name,
			     (unsigned long long)stats->bad_records);
}

void recording_warn_lost(const char *name, const struct perf_data_stats *stats)
{
	if (stats->lost_events || stats->lost_samples)
		command_warn("%s: the recorder lost %llu event%s and %llu sample%s", name,
			     (unsigned long long)stats->lost_events,
			     stats->lost_events == 1 ? "" : "s",
			     (unsigned long long)stats->lost_samples,
			     stats->lost_samples == 1 ? "" : "s");
}

static void warn_nameless(const char *name, const struct profile *profile)
{
	struct nameless nameless;

	if (!nameless_find(profile, &nameless))
		return;
	command_warn("%s: %s: %.0f%% of all frames have no symbol: %s (%s)", name, nameless.path,
		     nameless.share * 100, nameless.problem, nameless.advice);
}

void input_warn_missing(const char *name, const struct profile *profile)
{
	const struct profile_meta *meta = &profile->meta;

	if (!name)
		name = "perf.data";
	warn_nameless(name, profile);
	if (meta->damage.v)
		command_warn("%s: damaged: %s", name, profile_string(profile, meta->damage));
	if (meta->unknown_records)
		command_warn("%s: %llu unrecognized line%s skipped", name,
			     (unsigned long long)meta->unknown_records,
			     meta->unknown_records == 1 ? " or record" : "s or records");
	warn_aux(name, meta->aux_bytes);
	if (meta->truncated_bytes)
		command_warn("%s: %llu bytes are missing at the end of the file", name,
			     (unsigned long long)meta->truncated_bytes);
	if (meta->lost_samples)
		command_warn("%s: %llu sample%s lost while recording", name,
			     (unsigned long long)meta->lost_samples,
			     meta->lost_samples == 1 ? " was" : "s were");
}
