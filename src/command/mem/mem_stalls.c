/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel mem --stalls: where a program waits for data, by what the data is. */
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/mem/mem_look.h"
#include "command/picture_write.h"
#include "profile/access/access.h"
#include "profile/profile.h"
#include "session/heap/heap_program.h"
#include "session/load/load.h"
#include "session/record/recording_options.h"
#include "session/record_profile.h"
#include "view/access/access_view.h"

static int draw(struct mem_look *look, struct profile *profile, struct err *err)
{
	struct buf out = { 0 };
	int code = picture_draw(&look->picture, profile, look->flame_graph, &out, err);

	if (!code)
		code = picture_write(profile, look->flame_graph, false, &out, err);
	buf_done(&out);
	return code;
}

static int show(struct mem_look *look, struct profile *profile, struct err *err)
{
	const struct option_words *words = command_words();
	struct access_table table;
	const struct access_view view = { .profile = profile,
					  .table = &table,
					  .lost = profile->meta.lost_samples +
						  profile->meta.lost_events,
					  .rows = look->rows,
					  .words = (const char *const *)words->argv,
					  .word_count = (size_t)words->argc };
	struct buf out = { 0 };
	int code;

	access_sum_up(profile, &table);
	if (!table.samples)
		command_warn("no samples: the program used too little CPU time");
	if (look->output.json)
		access_json(&view, &out);
	else
		access_text(&view, &out);
	code = command_end_output(0, look->output.path, &out, err);
	access_table_done(&table);
	return code || !look->flame_graph ? code : draw(look, profile, err);
}

/* Blocks of the heap are followed where the library can be loaded; else they are anonymous memory,
 * and a warning says so. */
static bool begin_heap(const struct mem_look *look, char **argv, struct heap_program *program)
{
	struct err why = { 0 };

	if (!look->heap || !argv[0])
		return false;
	if (!heap_program_check(argv[0], &why) &&
	    !heap_program_begin(program, look->rate, false, &why))
		return true;
	command_warn("blocks of the heap are not followed: %s", why.msg);
	return false;
}

static int record(struct mem_look *look, char **argv, const struct heap_program *program,
		  struct recorded *ret, struct err *err)
{
	const struct load_options load = {
		.symbol = { .inlines = look->inlines, .demangle = true, .symfs = "" },
		.detail = RESOLVE_NAMES,
		.keep = PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_ACCESS,
		.access = LOAD_ACCESS_STALL,
	};
	struct recording_options options = {
		.source = { .pids = look->pid,
			    .data = true,
			    .registers = true,
			    .call_graph = { .given = true,
					    .otherwise = RECORDING_CALL_GRAPH_DWARF },
			    .heap = program ? &program->choice : NULL },
		.words = (const char *const *)command_words()->argv,
		.word_count = (size_t)command_words()->argc,
		.output = look->save,
		.duration_ns = look->duration_ns,
		.no_context = true,
	};
	int code;

	vec_push(&options.source.selector, ((struct record_selector){ .text = "cpu-clock" }));
	if (program)
		vec_push(&options.source.selector,
			 ((struct record_selector){ .text = "heap-alloc,heap-free" }));
	code = record_profile(&options, &load, argv, ret, err);
	vec_done(&options.source.selector);
	return code;
}

int mem_stalls_run(struct mem_look *look, char **argv, struct err *err)
{
	struct heap_program program = { 0 };
	struct recorded recorded;
	bool heap = begin_heap(look, argv, &program);
	int status, code = record(look, argv, heap ? &program : NULL, &recorded, err);

	if (program.choice.object)
		heap_program_end(&program);
	if (!code) {
		command_print_notes(recorded.result.notes);
		code = show(look, recorded.profile, err);
	}
	status = command_program_status(code, recorded.result.launched, recorded.result.exit_status,
					err);
	recorded_done(&recorded);
	return status;
}
