/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel mem --watch and cupel c2c --watch: who writes to an address, with the CPU's breakpoints. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/mem/mem_look.h"
#include "profile/access/writers.h"
#include "profile/profile.h"
#include "session/data/watch_address.h"
#include "session/load/load.h"
#include "session/record/recording_options.h"
#include "session/record_profile.h"
#include "source/id_list.h"
#include "view/access/writers_view.h"

#define WORD	   8
#define LINE	   64
#define SLOTS	   4 /* breakpoints of a CPU */
#define ROUND_NS   50000000ull
#define MAX_ROUNDS 1000
#define DEFAULT_NS 1000000000ull /* of a line */

/* The largest that the CPU can watch there. */
static unsigned watched_bytes(const struct watch_address *at)
{
	uint64_t room = at->size ? at->size : 4;
	unsigned bytes = WORD;

	while (bytes > 1 && (bytes > room || at->address % bytes))
		bytes /= 2;
	return bytes;
}

static int record(struct mem_look *look, const char *events, char **argv, struct recorded *ret,
		  struct err *err)
{
	const struct load_options load = {
		.symbol = { .inlines = look->inlines, .demangle = true, .symfs = "" },
		.detail = RESOLVE_FUNCTIONS,
	};
	struct recording_options options = {
		.source = { .pids = look->pid,
			    .period = 1,
			    .call_graph = { .given = true,
					    .otherwise = RECORDING_CALL_GRAPH_DWARF } },
		.words = (const char *const *)command_words()->argv,
		.word_count = (size_t)command_words()->argc,
		.output = look->save,
		.duration_ns = look->duration_ns,
		.no_context = true,
	};
	int code;

	vec_push(&options.source.selector, ((struct record_selector){ .text = events }));
	code = record_profile(&options, &load, argv, ret, err);
	vec_done(&options.source.selector);
	return code;
}

static int show(struct mem_look *look, const struct profile *profile, struct writers_view *view,
		struct err *err)
{
	const struct option_words *words = command_words();
	struct writers writers;
	struct buf out = { 0 };
	int code;

	writers_sum_up(profile, &writers);
	view->profile = profile;
	view->writers = &writers;
	view->reads = look->reads;
	view->rows = look->rows;
	view->words = (const char *const *)words->argv;
	view->word_count = (size_t)words->argc;
	if (look->output.json)
		writers_json(view, &out);
	else
		writers_text(view, &out);
	code = command_end_output(0, look->output.path, &out, err);
	writers_done(&writers);
	return code;
}

static int find_address(const struct mem_look *look, char **argv, struct watch_address *ret,
			struct err *err)
{
	struct id_list ids = { 0 };
	int code;

	if (argv[0])
		return watch_address_of_program(look->watch, argv[0], ret, err);
	code = id_list_parse(look->pid, "process", &ids, err);
	if (!code && ids.count != 1)
		code = err_usage(err, "-p: expected one process");
	if (!code)
		code = watch_address_of_process(look->watch, ids.item[0], ret, err);
	vec_done(&ids);
	return code;
}

int mem_watch_run(struct mem_look *look, char **argv, struct err *err)
{
	struct watch_address at;
	struct recorded recorded = { 0 };
	char event[64];
	int status, before = -1, code = find_address(look, argv, &at, err);

	if (code)
		return code == -EINVAL ? EXIT_STATUS_USAGE : -1;
	(void)snprintf(event, sizeof(event), "mem:%#" PRIx64 "/%u:%s", at.address,
		       watched_bytes(&at), look->reads ? "rw" : "w");
	if (argv[0] && at.fixed)
		before = watch_address_fix(true, 0);
	code = record(look, event, argv, &recorded, err);
	if (before >= 0)
		(void)watch_address_fix(false, before);
	if (!code) {
		struct writers_view view = { .name = at.name,
					     .base = at.address,
					     .lost = recorded.result.lost_samples +
						     recorded.result.lost_records };

		command_print_notes(recorded.result.notes);
		code = show(look, recorded.profile, &view, err);
	}
	status = command_program_status(code, recorded.result.launched, recorded.result.exit_status,
					err);
	recorded_done(&recorded);
	return status;
}

/* One turn: the words [first, first + SLOTS) of the line. */
static int watch_words(struct mem_look *look, uint64_t line, unsigned first, struct profile *all,
		       struct err *err)
{
	static char *const no_program[] = { NULL };
	struct recorded recorded;
	struct buf events = { 0 };
	int code;

	for (unsigned i = first; i < first + SLOTS; i++)
		(void)buf_printf(&events, "%smem:%#" PRIx64 "/%d:%s", i == first ? "" : ",",
				 line + i * WORD, WORD, look->reads ? "rw" : "w");
	code = record(look, events.data, (char **)no_program, &recorded, err);
	if (!code) {
		profile_merge(all, recorded.profile);
		all->meta.lost_samples += recorded.profile->meta.lost_samples;
		all->meta.lost_events += recorded.profile->meta.lost_events;
	}
	recorded_done(&recorded);
	buf_done(&events);
	return code;
}

/* Whether samples are of more than one thread. */
static bool has_threads(const struct profile *profile)
{
	uint32_t first = 0;

	for (size_t i = 0; i < profile->samples.count; i++) {
		uint32_t tid = profile->threads.item[profile->samples.item[i].thread.v].tid;

		if (first && tid != first)
			return true;
		first = tid;
	}
	return false;
}

int mem_watch_line(const struct mem_look *look, uint64_t line, const char *name, bool *shared,
		   struct err *err)
{
	uint64_t duration = look->duration_ns ? look->duration_ns : DEFAULT_NS;
	uint64_t rounds = (duration + ROUND_NS - 1) / ROUND_NS;
	struct profile *all = profile_new(0);
	struct mem_look turn = *look;
	int code = 0;

	rounds = rounds < 2 ? 2 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
	turn.duration_ns = ROUND_NS;
	for (uint64_t i = 0; !code && i < rounds; i++) {
		code = watch_words(&turn, line, i % 2 ? SLOTS : 0, all, err);
		if (code == -ESRCH && i > 1) { /* the process ended: there is something to show */
			code = 0;
			break;
		}
	}
	if (shared)
		*shared = has_threads(all);
	if (!code && (!shared || *shared)) {
		struct writers_view view = { .name = name,
					     .base = line,
					     .words_of_line = LINE / WORD,
					     .lost = all->meta.lost_samples +
						     all->meta.lost_events };

		code = show(&turn, all, &view, err);
	}
	profile_free(all);
	return code;
}

int mem_watch_line_run(struct mem_look *look, struct err *err)
{
	struct watch_address at;
	char *none[] = { NULL };
	int code = find_address(look, none, &at, err);

	if (!code)
		code = mem_watch_line(look, at.address & ~(uint64_t)(LINE - 1), at.name, NULL, err);
	return code ? (code == -EINVAL ? EXIT_STATUS_USAGE : -1) : EXIT_STATUS_OK;
}
