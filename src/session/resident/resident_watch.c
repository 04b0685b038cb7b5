/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watching resident memory (see resident_watch.h). */
#include "session/resident/resident_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "proc/page_snapshot.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/load/load_live.h"
#include "session/recording.h"
#include "session/resident/exit_snapshot.h"
#include "session/run.h"
#include "source/event_spec/tracepoint.h"
#include "source/id_list.h"

#define FILLS "flags & 0xa000" /* MAP_POPULATE, MAP_LOCKED */

/* In the order of enum resident_value. */
static const struct load_values values[] = {
	{ "syscalls:sys_enter_mremap", { "addr", "old_len", "new_len" } },
	{ "syscalls:sys_exit_mremap", { "ret" } },
	{ "syscalls:sys_enter_mmap", { "addr", "len" } },
	{ "syscalls:sys_exit_mmap", { "ret" } },
	{ "syscalls:sys_enter_madvise", { "start", "len_in" } },
	{ "syscalls:sys_enter_mlock", { "start", "len" } },
	{ "syscalls:sys_enter_mlock2", { "start", "len" } },
	{ NULL, { LOAD_VALUE_ADDR } },
};

static const struct {
	const char *name, *filter; /* NULL = none */
} calls[] = {
	{ "sys_enter_mremap", NULL },
	{ "sys_exit_mremap", NULL },
	{ "sys_enter_mmap", FILLS },
	{ "sys_exit_mmap", NULL },
	{ "sys_enter_madvise", "behavior == 22 || behavior == 23" },
	{ "sys_enter_mlock", NULL },
	{ "sys_enter_mlock2", NULL },
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

struct watcher {
	const struct resident_watch_options *options;
	struct resident_watch *result;
	struct exit_snapshot *at_exit; /* of a program */
	struct arena arena;
};

static int parse(const struct buf *bytes, struct page_map *ret, struct err *err)
{
	return page_snapshot_parse(bytes->data, bytes->len, ret, err);
}

static int look(pid_t pid, struct page_map *ret, struct err *err)
{
	struct buf bytes = { 0 };
	int code = page_snapshot_read(pid, &bytes, err);

	if (!code)
		code = parse(&bytes, ret, err);
	buf_done(&bytes);
	return code;
}

/* In the recorder's loop, before the program runs. */
static int attend(void *context, struct run *run, struct err *err)
{
	struct watcher *watcher = context;

	if (!watcher->at_exit)
		return look((pid_t)watcher->result->pid, &watcher->result->before, err);
	watcher->result->pid = (uint32_t)run->program.pid;
	return exit_snapshot_watch(watcher->at_exit, run->program.pid, err);
}

/* Kernels without tracepoints of system calls leave what these would explain unaccounted. */
static void add_calls(struct watcher *watcher, struct source_options *source)
{
	struct err ignored = { 0 };
	const char *tracefs;
	uint64_t id;

	if (tracefs_find("", &watcher->arena, &tracefs, &ignored))
		return;
	for (size_t i = 0; i < CALLS; i++) {
		struct buf name = { 0 };

		if (tracepoint_id(tracefs, "syscalls", calls[i].name, &id, &ignored))
			continue;
		(void)buf_printf(&name, "syscalls:%s", calls[i].name);
		vec_push(&source->selector,
			 ((struct record_selector){
				 .text = arena_strdup(&watcher->arena, name.data) }));
		if (calls[i].filter)
			vec_push(&source->selector,
				 ((struct record_selector){ .filter = true,
							    .text = calls[i].filter }));
		buf_done(&name);
	}
}

static int record(struct watcher *watcher, char **argv, struct err *err)
{
	const struct resident_watch_options *o = watcher->options;
	struct resident_watch *result = watcher->result;
	const struct load_options load = {
		.symbol = { .inlines = o->inlines, .demangle = true, .symfs = "" },
		.detail = RESOLVE_NAMES,
		.keep = PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_VALUES,
		.values = values,
	};
	struct recording_options options = {
		.source = { .pids = o->pid,
			    .period = 1,
			    .data = true,
			    .user_callchains = true,
			    .call_graph = { .given = true } },
		.words = o->words,
		.word_count = o->word_count,
		.output = o->save,
		.duration_ns = o->duration_ns,
		.no_context = true,
		.attend = attend,
		.attend_context = watcher,
	};
	struct load_live *live = NULL;
	int code;

	vec_push(&options.source.selector, ((struct record_selector){ .text = "page-faults" }));
	add_calls(watcher, &options.source);
	code = o->save ? 0 : load_live_start(&load, &live, err);
	if (!code && live)
		options.output_queue = load_live_queue(live);
	if (!code)
		code = session_record(&options, argv, &result->recording, err);
	if (live) {
		bool any = !code && result->recording.samples;
		int loaded = load_live_finish(live, any ? &result->profile : NULL, err);

		code = code ? code : loaded;
	} else if (!code && result->recording.samples) {
		code = session_load(o->save, &load, &result->profile, err);
	}
	vec_done(&options.source.selector);
	if (!result->profile)
		result->profile = profile_new(load.keep);
	return code;
}

static int look_at_end(struct watcher *watcher, struct err *err)
{
	struct resident_watch *result = watcher->result;
	struct buf bytes = { 0 };
	int code;

	if (!watcher->at_exit) {
		code = look((pid_t)result->pid, &result->after, err);
		if (code == -ENOENT || code == -ESRCH)
			(void)err_hint(err, "the process ended before its pages could be read; "
					    "end the watch earlier with -d");
		return code;
	}
	code = exit_snapshot_take(watcher->at_exit, &bytes, err);
	if (!code)
		code = parse(&bytes, &result->after, err);
	buf_done(&bytes);
	return code;
}

static int choose_target(struct watcher *watcher, struct err *err)
{
	const char *pid = watcher->options->pid;
	struct id_list ids = { 0 };
	int code;

	if (!pid)
		return exit_snapshot_open(&watcher->at_exit, err);
	code = id_list_parse(pid, "process", &ids, err);
	if (!code && ids.count != 1)
		code = err_usage(err, "-p: expected one process");
	if (!code)
		watcher->result->pid = (uint32_t)ids.item[0];
	vec_done(&ids);
	return code;
}

int resident_watch(const struct resident_watch_options *options, char **argv,
		   struct resident_watch *ret, struct err *err)
{
	struct watcher watcher = { .options = options, .result = ret };
	struct resident_input input = { .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE) };
	int code;

	*ret = (struct resident_watch){ 0 };
	code = choose_target(&watcher, err);
	if (!code)
		code = record(&watcher, argv, err);
	if (!code)
		code = look_at_end(&watcher, err);
	if (!code) {
		input.pid = ret->pid;
		input.before = options->pid ? &ret->before : NULL;
		input.after = &ret->after;
		resident_sum_up(ret->profile, &input, &ret->resident);
	}
	exit_snapshot_close(watcher.at_exit);
	arena_done(&watcher.arena);
	return code;
}

void resident_watch_done(struct resident_watch *watch)
{
	recording_result_done(&watch->recording);
	profile_free(watch->profile);
	resident_done(&watch->resident);
	page_map_done(&watch->before);
	page_map_done(&watch->after);
}
