/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel mem --cold of blocks: how much of what each stack allocated is not touched for a while. */
#include <errno.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/mem/mem_cold.h"
#include "profile/heap/heap.h"
#include "profile/profile.h"
#include "session/heap/heap_attach.h"
#include "session/heap/heap_cold_watch.h"
#include "session/heap/heap_program.h"
#include "session/load/load.h"
#include "session/record/recording_options.h"
#include "session/record_profile.h"
#include "source/damon.h"
#include "view/heap/heap_cold_view.h"

#define DEFAULT_AFTER_NS 5000000000ull

struct sites {
	struct heap_cold_watch watch;
	struct heap_program program;
	struct heap_attach attach;
	struct heap_summary summary;
	struct recorded recorded;
};

static int attend(void *context, struct run *run, struct err *err)
{
	struct sites *sites = context;

	(void)err;
	heap_cold_attend(&sites->watch, run);
	return 0;
}

static int record(const struct mem_look *look, char **argv, struct sites *sites, struct err *err)
{
	const struct load_options load = {
		.symbol = { .inlines = look->inlines, .demangle = true, .symfs = "" },
		.detail = RESOLVE_NAMES,
		.keep = PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_BLOCK,
		.heap = &sites->summary,
	};
	struct recording_options options = {
		.source = { .pids = look->pid,
			    .heap = look->pid ? &sites->attach.choice : &sites->program.choice },
		.words = (const char *const *)command_words()->argv,
		.word_count = (size_t)command_words()->argc,
		.output = look->save,
		.no_context = true,
		.attend = attend,
		.attend_context = sites,
	};
	int code;

	vec_push(&options.source.selector,
		 ((struct record_selector){ .text = "heap-alloc,heap-free" }));
	code = record_profile(&options, &load, argv, &sites->recorded, err);
	vec_done(&options.source.selector);
	return code;
}

static int watch_process(const struct mem_look *look, struct sites *sites, struct err *err)
{
	int code = mem_cold_process(look->pid, &sites->watch.pid, err);

	if (!code)
		code = heap_attach_begin(&sites->attach, sites->watch.pid, look->rate, err);
	if (code)
		return code;
	code = record(look, NULL, sites, err);
	heap_attach_end(&sites->attach);
	return code;
}

static int watch_program(const struct mem_look *look, char **argv, struct sites *sites,
			 struct err *err)
{
	int code = heap_program_check(argv[0], err);

	if (!code)
		code = heap_program_begin(&sites->program, look->rate, true, err);
	if (!code)
		code = record(look, argv, sites, err);
	if (sites->program.choice.object)
		heap_program_end(&sites->program);
	return code;
}

static int show(const struct mem_look *look, const struct sites *sites, struct err *err)
{
	const struct heap_cold_pages *pages = &sites->watch.pages;
	const struct profile *profile = sites->recorded.profile;
	struct heap_cold_table table;
	const struct heap_cold_view view = {
		.profile = profile,
		.table = &table,
		.seconds = (double)(pages->end_ns - pages->begin_ns) / 1e9,
		.looked = pages->page.count,
		.anonymous = sites->watch.anonymous,
		.lost = profile->meta.lost_samples + profile->meta.lost_events,
		.rows = look->rows,
	};
	struct buf out = { 0 }, member = { 0 };

	heap_cold_collect(&sites->summary.lives, pages, &table);
	if (look->output.json) {
		heap_cold_json(&view, &member);
		mem_cold_json(&sites->watch.map, view.seconds, member.data, &out);
	} else {
		heap_cold_text(&view, &out);
		mem_cold_text(look, &sites->watch.map, view.seconds, &out);
	}
	buf_done(&member);
	heap_cold_done(&table);
	return command_end_output(0, look->output.path, &out, err);
}

int mem_cold_sites_run(struct mem_look *look, char **argv, struct err *err)
{
	struct sites sites = {
		.watch = { .after_ns = look->after_ns ? look->after_ns : DEFAULT_AFTER_NS,
			   .interval_ns = look->duration_ns ? look->duration_ns : MEM_COLD_NS },
	};
	int status, code = damon_check(err);

	if (code) {
		(void)err_hint(err, "by mapping, without it: cupel mem --cold -p PID");
		return -1;
	}
	mem_cold_warn(look->pid);
	code = look->pid ? watch_process(look, &sites, err)
			 : watch_program(look, argv, &sites, err);
	if (!code) {
		command_print_notes(sites.recorded.result.notes);
		code = heap_cold_check(&sites.watch, err);
	}
	if (!code)
		code = show(look, &sites, err);
	status = command_program_status(code, sites.recorded.result.launched,
					sites.recorded.result.exit_status, err);
	heap_summary_done(&sites.summary);
	heap_cold_watch_done(&sites.watch);
	recorded_done(&sites.recorded);
	return status;
}
