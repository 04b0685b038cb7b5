/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel lock watch: waits for locks of programs and of the kernel while a program runs, or
 * processes or the machine are watched. The kernel sums them up; the recorder, its unwinder and its
 * symbols do the rest. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/lock/lock_live.h"
#include "command/option/option.h"
#include "command/output.h"
#include "command/picture_options.h"
#include "command/picture_write.h"
#include "command/tool/probe_tool.h"
#include "command/tool/tool.h"
#include "profile/lock/lock_blocks.h"
#include "profile/lock/lock_flame.h"
#include "profile/lock/lock_table.h"
#include "profile/profile.h"
#include "session/heap/heap_program.h"
#include "session/lock/lock_names.h"
#include "session/probe/probe_set.h"
#include "source/probe/kernel_links.h"
#include "view/lock/lock_view.h"

struct lock_watch {
	struct tool_threads threads;
	bool everybody, user, kernel, hold, heap;
	uint64_t duration_ns, least_ns, rows, stacks;
	const char *lock, *flame_graph;
	struct output_options output;
};

static const struct option_def lock_watch_rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", OPT(lock_watch, threads.pids),
	  "watch these processes and what they start" },
	{ "tid", 't', OPT_STR, "LIST", OPT(lock_watch, threads.tids), "watch these threads" },
	{ "all", 'a', OPT_FLAG, NULL, OPT(lock_watch, everybody), "watch all threads" },
	{ "cgroup", 0, OPT_STR, "PATH", OPT(lock_watch, threads.cgroup),
	  "only threads in this cgroup (version 2)" },
	{ "duration", 'd', OPT_DURATION, "TIME", OPT(lock_watch, duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "lock", 0, OPT_STR, "NAME", OPT(lock_watch, lock),
	  "only locks with this in their name, or at this address (0x...)" },
	{ "threshold", 0, OPT_DURATION, "TIME", OPT(lock_watch, least_ns),
	  "only waits of at least this time (10us, 1ms)" },
	{ "user", 0, OPT_FLAG, NULL, OPT(lock_watch, user), "only locks of programs" },
	{ "kernel", 0, OPT_FLAG, NULL, OPT(lock_watch, kernel), "only locks of the kernel" },
	{ "hold", 0, OPT_FLAG, NULL, OPT(lock_watch, hold),
	  "also how long locks of the C library are held, with --kernel those of the kernel; each "
	  "lock taken stops the program twice" },
	{ "heap", 0, OPT_FLAG, NULL, OPT(lock_watch, heap),
	  "name locks in blocks of the heap by the function that allocated them; stops the "
	  "program at each allocation, as heap --exact does" },
	{ "rows", 0, OPT_UINT, "N", OPT(lock_watch, rows),
	  "rows of each table, 0 = all (default 20)" },
	{ "stacks", 0, OPT_UINT, "N", OPT(lock_watch, stacks),
	  "waiters and holders with stacks of each lock (default 3)" },
	{ .type = OPT_INCLUDE, .include = output_option_rows, .offset = OPT(lock_watch, output) },
	{ "flamegraph", 0, OPT_OUTPUT, "FILE", OPT(lock_watch, flame_graph),
	  "also write a flame graph (.svg or .html): waiters, the lock, its holders" },
	{ .type = OPT_END },
};

static void lock_watch_defaults(void *options)
{
	struct lock_watch *o = options;

	o->rows = 20;
	o->stacks = 3;
}

static int check(const struct lock_watch *o, bool program, struct err *err)
{
	bool some = o->threads.pids || o->threads.tids;

	if (o->user && o->kernel)
		return command_usage(err, "--user and --kernel cannot be combined");
	if (o->heap && (!program || o->kernel))
		return command_usage(err,
				     "--heap needs a program after --, and locks of programs: it "
				     "follows blocks from their allocation");
	if (!program && !some && !o->everybody && !o->threads.cgroup)
		return command_usage(err, "nothing to watch: give -p, -a, --cgroup, or a program "
					  "after --");
	if (some && (program || o->everybody))
		return command_usage(err, "-p and -t cannot be combined with -a and a program");
	if (picture_check_name(o->flame_graph, err))
		return EXIT_STATUS_USAGE;
	if (o->flame_graph && command_check_output(o->flame_graph, err))
		return -1;
	return tool_threads_check(&o->threads, err);
}

/* Only what was asked for by name. */
static void select_locks(const struct lock_watch *o, const struct lock_view *view,
			 struct lock_table *table)
{
	size_t kept = 0;

	if (!o->lock || strncmp(o->lock, "0x", 2) == 0)
		return;
	for (size_t i = 0; i < table->row.count; i++) {
		struct lock_row row = table->row.item[i];
		struct buf name = { 0 };

		lock_put_name(view, &row, &name);
		if (strstr(name.data, o->lock)) {
			table->row.item[kept++] = row;
		} else {
			vec_done(&row.waiter);
			vec_done(&row.holder);
			vec_done(&row.keeper);
		}
		buf_done(&name);
	}
	if (kept < table->row.count)
		table->cycle.count = 0; /* links refer to rows */
	table->row.count = kept;
}

/* That nothing waited is a good answer, not a failure. */
static int draw(const struct lock_watch *o, const struct lock_table *table, struct profile *profile,
		struct err *err)
{
	const struct flame_graph_options picture = { .title = "Waits for locks",
						     .measure = FLAME_MEASURE_WEIGHT };

	if (!table->row.count) {
		command_warn("%s: no waits to draw, not written", o->flame_graph);
		return 0;
	}
	lock_flame_make(table, profile);
	return picture_write_flame(profile, &picture, o->flame_graph, err);
}

static int show(const struct lock_watch *o, struct lock_live *live, struct err *err)
{
	const struct recording_result *result = &live->result;
	struct profile *profile = live->profile;
	const struct option_words *words = command_words();
	struct lock_table table = { 0 };
	const struct lock_view view = { .profile = profile,
					.table = &table,
					.rows = o->rows,
					.stacks = o->stacks,
					.duration_ns = result->duration_ns,
					.lost = result->lost_samples + result->lost_records,
					.words = (const char *const *)words->argv,
					.word_count = (size_t)words->argc };
	struct buf out = { 0 };
	int code;

	lock_table_fill(&table, profile);
	lock_names_find(&table, profile);
	if (o->heap)
		lock_blocks_name(&table, profile);
	select_locks(o, &view, &table);
	if (o->output.json)
		lock_json(&view, &out);
	else
		lock_text(&view, &out);
	code = command_end_output(0, o->output.path, &out, err);
	if (!code && o->flame_graph)
		code = draw(o, &table, profile, err);
	lock_table_done(&table);
	return code;
}

/* Functions of the C library that take locks and let them go. */
static int find_functions(const struct lock_watch *o, struct probe_set *set, struct err *err)
{
	static const char *const functions[] = { "c:pthread_mutex_*lock", "c:pthread_rwlock_*lock",
						 "c:pthread_cond_*wait" };
	const struct tool_options of = { .threads = o->threads };
	const struct probe_set_options how = { .pid = probe_tool_pid(&of) };

	if (probe_set_find(set, functions, sizeof(functions) / sizeof(*functions), &how, err))
		return err_wrap(err, "hold times");
	if (set->choice.names.count > HOLD_FUNCTIONS)
		return err_set(err, -E2BIG, "hold times: too many functions of the C library");
	return 0;
}

/* The library of heap is in the program while it runs. */
static int watch_heap(struct lock_live *live, char **program, struct err *err)
{
	struct heap_program heap = { 0 };
	int code = heap_program_check(program[0], err);

	if (code) {
		(void)err_hint(err, "without --heap such locks have their addresses");
	} else {
		code = heap_program_begin(&heap, 0, false, err);
		live->heap = &heap.choice;
		if (!code)
			code = lock_live_watch(live, program, err);
		live->heap = NULL;
		heap_program_end(&heap);
	}
	return code;
}

static int refuse_hold(struct err *err)
{
	(void)err_set(err, -EOPNOTSUPP,
		      "hold times: this kernel has no probes in its functions (CONFIG_KPROBES, "
		      "CONFIG_FPROBE)");
	return err_hint(err, "without --hold, waits are shown");
}

static int lock_watch_run(void *options, int argc, char **argv, struct err *err)
{
	const struct lock_watch *o = options;
	struct lock_live live = {
		.choice = { .user = !o->kernel, .kernel = !o->user, .least_ns = o->least_ns },
		.pids = o->threads.pids,
		.tids = o->threads.tids,
		.everybody = o->everybody,
		.duration_ns = o->duration_ns
	};
	char **program = argc ? argv : NULL;
	struct probe_set functions = { 0 };
	int code = check(o, program != NULL, err);

	if (!code)
		code = tool_cgroup(o->threads.cgroup, &live.choice.cgroup_id, err);
	if (code)
		return code;
	if (o->hold && o->kernel) {
		if (!kernel_links_possible())
			return refuse_hold(err);
		live.choice.kernel_hold = true;
	} else if (o->hold) {
		if (find_functions(o, &functions, err)) {
			probe_set_done(&functions);
			return -1;
		}
		live.choice.hold = &functions.choice;
	}
	if (o->lock && strncmp(o->lock, "0x", 2) == 0)
		live.choice.address = strtoull(o->lock, NULL, 16);
	code = (o->heap ? watch_heap : lock_live_watch)(&live, program, err);
	if (!code)
		code = show(o, &live, err);
	probe_set_done(&functions);
	return lock_live_done(&live, code, err);
}

const struct command cmd_lock_watch = {
	.name = "lock watch",
	.args = "[options] [-- program arguments]",
	.summary = "show who waits for which lock, and what its holder does",
	.options = lock_watch_rows,
	.options_size = sizeof(struct lock_watch),
	.defaults = lock_watch_defaults,
	.run = lock_watch_run,
	.takes_program = true,
};
