/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tools that probe functions share (see probe_tool.h). */
#include "command/tool/probe_tool.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "command/output.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/tracepoint.h"
#include "source/id_list.h"

#define FIELD(name) OPT(probe_tool_options, name)

const struct option_def probe_tool_rows[] = {
	{ "interval", 'i', OPT_DURATION, "TIME", FIELD(interval_ns),
	  "print at this interval (1, 500ms), not at the end alone" },
	{ "duration", 'd', OPT_DURATION, "TIME", FIELD(tool.duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "timestamp", 'T', OPT_FLAG, NULL, FIELD(tool.timestamp),
	  "print the time of day at each interval" },
	{ .type = OPT_INCLUDE, .include = tool_thread_rows },
	{ "uid", 0, OPT_STR, "USER", FIELD(user), "only threads of this user" },
	{ "json", 0, OPT_FLAG, NULL, FIELD(tool.json), "print JSON, one line per interval" },
	{ "verbose", 'v', OPT_FLAG, NULL, FIELD(verbose),
	  "print where each probe is, and what the instruction there costs" },
	{ "at-start", 0, OPT_FLAG, NULL, FIELD(at_start),
	  "probe the first instruction of functions, not the cheapest one" },
	{ .type = OPT_END },
};

static struct probe_tool_run *self_of(struct tool_run *run)
{
	return (struct probe_tool_run *)run;
}

int probe_tool_user(const char *user, uint32_t *ret_plus_one, struct err *err)
{
	const struct passwd *entry;
	unsigned long uid;
	char *end;

	*ret_plus_one = 0;
	if (!user)
		return 0;
	uid = strtoul(user, &end, 10);
	if (*end || !*user || uid >= UINT32_MAX) {
		entry = getpwnam(user);
		if (!entry) {
			(void)err_set(err, -ENOENT, "no user '%s'", user);
			return -1;
		}
		uid = entry->pw_uid;
	}
	*ret_plus_one = (uint32_t)uid + 1;
	return 0;
}

int probe_tool_pid(const struct tool_options *options)
{
	struct err ignored = { 0 };
	struct id_list ids = { 0 };
	int pid = 0;

	if (options->threads.pids &&
	    !id_list_parse(options->threads.pids, "process", &ids, &ignored) && ids.count)
		pid = ids.item[0];
	vec_done(&ids);
	return pid;
}

void probe_tool_notes(const struct probe_set *set, bool verbose)
{
	if (set->notes.len)
		command_print_notes(set->notes.data);
	if (verbose && set->placed.len)
		(void)fputs(set->placed.data, stderr);
}

/* "sched:sched_switch" as users of perf write it: there is no program of that name. */
static bool is_tracepoint(const char *word)
{
	struct name_list names = { 0 };
	struct arena arena = { 0 };
	struct err ignored = { 0 };
	const char *colon = strchr(word, ':'), *tracefs;
	bool found = false;

	if (colon && !strchr(word, '/') && !strchr(colon + 1, ':') &&
	    !tracefs_find("", &arena, &tracefs, &ignored))
		found = !tracepoint_match(tracefs, word, &arena, &names, &ignored) && names.count;
	name_list_done(&names);
	arena_done(&arena);
	return found;
}

int probe_tool_find(struct probe_set *set, struct option_words probes,
		    const struct probe_set_options *how, const char **ret_typed, struct err *err)
{
	VEC(const char *) specs = { 0 };
	struct buf typed = { 0 }, spec = { 0 };
	int code;

	for (int i = 0; i < probes.argc; i++) {
		const char *word = probes.argv[i];

		(void)buf_printf(&typed, "%s%s", i ? " " : "", word);
		buf_clear(&spec);
		(void)buf_printf(&spec, "%s%s", is_tracepoint(word) ? "t:" : "", word);
		vec_push(&specs, arena_strdup(&set->arena, spec.data));
	}
	code = probe_set_find(set, specs.item, specs.count, how, err);
	*ret_typed = arena_strdup(&set->arena, typed.data);
	vec_done(&specs);
	buf_done(&typed);
	buf_done(&spec);
	return code ? -1 : 0;
}

int probe_tool_words(struct option_words words, const struct tool_threads *threads,
		     struct option_words *ret_probes, char ***ret_argv, struct err *err)
{
	*ret_probes = words;
	*ret_argv = NULL;
	for (int i = 0; i < words.argc; i++) {
		if (strcmp(words.argv[i], "--") != 0)
			continue;
		if (i + 1 == words.argc)
			return command_usage(err, "missing program after --");
		*ret_argv = words.argv + i + 1;
		ret_probes->argc = i;
		break;
	}
	if (!ret_probes->argc)
		return command_usage(err, "name a function: c:malloc, /usr/bin/bash:readline; "
					  "a static probe: usdt:BINARY:NAME; "
					  "or a tracepoint: t:sched:sched_switch");
	if (*ret_argv && (threads->pids || threads->tids))
		return command_usage(err, "-p and -t cannot be combined with a program");
	return 0;
}

int probe_tool_set_up(struct tool_run *run, struct option_words words, struct err *err)
{
	struct probe_tool_run *self = self_of(run);
	const struct probe_tool_options *options = run->options;
	const struct probe_set_options how = { .pid = probe_tool_pid(&options->tool),
					       .at_start = options->at_start,
					       .returns = self->returns,
					       .times = self->returns,
					       .kernel = self->kernel };
	struct option_words probes;
	int code;

	run->interval.ns = options->interval_ns;
	run->interval.prints = options->interval_ns != 0;
	code = probe_tool_words(words, &options->tool.threads, &probes, &run->watch.argv, err);
	if (!code)
		code = probe_tool_find(&self->set, probes, &how, &self->patterns, err);
	if (code)
		return code;
	run->watch.options.probes = &self->set.choice;
	probe_tool_notes(&self->set, options->verbose);
	return probe_tool_user(options->user, &run->watch.options.uid_plus_one, err);
}

void probe_tool_announce(const struct probe_set *set, const char *typed, struct buf *out)
{
	size_t count =
		set->choice.places.count + set->choice.tracepoints.count + set->choice.kernel.count;

	(void)buf_printf(out, "Tracing %zu function%s for \"%s\"... Hit Ctrl-C to end.\n", count,
			 count == 1 ? "" : "s", typed);
}

void probe_tool_head(const struct tool_run *run, struct buf *out)
{
	const struct probe_tool_run *self = (const struct probe_tool_run *)run;

	probe_tool_announce(&self->set, self->patterns, out);
}

void probe_tool_done(struct tool_run *run)
{
	probe_set_done(&self_of(run)->set);
}
