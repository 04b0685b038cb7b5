/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel c2c -p PID: finds the cache line that threads take from one another, and watches it. The
 * search samples where threads wait for data, as mem --stalls does; who writes is seen by watching,
 * so a line that is only read is left. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "command/command.h"
#include "command/mem/mem_look.h"
#include "profile/access/shared_lines.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/record/recording_options.h"
#include "session/record_profile.h"

#define SEARCH_NS 1000000000ull
#define MOST	  4 /* lines that are tried */

static int sample(const struct mem_look *look, struct recorded *ret, struct err *err)
{
	static char *const no_program[] = { NULL };
	const struct load_options load = {
		.symbol = { .demangle = true, .symfs = "" },
		.detail = RESOLVE_NAMES,
		.keep = PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_ACCESS,
		.access = LOAD_ACCESS_STALL,
	};
	struct recording_options options = {
		.source = { .pids = look->pid,
			    .data = true,
			    .registers = true,
			    .frequency = { .hz = 4000 },
			    .call_graph = { .given = true,
					    .otherwise = RECORDING_CALL_GRAPH_DWARF } },
		.words = (const char *const *)command_words()->argv,
		.word_count = (size_t)command_words()->argc,
		.duration_ns = look->duration_ns ? look->duration_ns : SEARCH_NS,
		.no_context = true,
	};
	int code;

	vec_push(&options.source.selector, ((struct record_selector){ .text = "cpu-clock" }));
	code = record_profile(&options, &load, (char **)no_program, ret, err);
	vec_done(&options.source.selector);
	return code;
}

static void name_line(const struct profile *profile, const struct shared_line *line, char *ret,
		      size_t size)
{
	const char *object = profile_string(profile, line->object);
	const char *module = profile_string(profile, line->module);

	if (*object && (int64_t)line->offset > 0)
		(void)snprintf(ret, size, "%s+%" PRIu64, object, line->offset);
	else if (*object || *module)
		(void)snprintf(ret, size, "%s", *object ? object : module);
	else
		(void)snprintf(ret, size, "%#" PRIx64, line->address);
}

static int watch(struct mem_look *look, const struct profile *profile,
		 const struct shared_lines *lines, struct err *err)
{
	size_t most = lines->line.count < MOST ? lines->line.count : MOST;

	for (size_t i = 0; i < most; i++) {
		const struct shared_line *line = &lines->line.item[i];
		bool shared = false;
		char name[256];
		int code;

		name_line(profile, line, name, sizeof(name));
		code = mem_watch_line(look, line->address, name, &shared, err);
		if (code || shared)
			return code;
	}
	(void)err_set(err, -ENODATA,
		      "process %s: no cache line that two threads write to was found", look->pid);
	return err_hint(err,
			"a line that is suspected: cupel c2c --watch VARIABLE -p %s; longer: -d 10",
			look->pid);
}

int c2c_find_run(struct mem_look *look, struct err *err)
{
	struct shared_lines lines = { 0 };
	struct recorded recorded;
	int code = sample(look, &recorded, err);

	if (!code) {
		shared_lines_find(recorded.profile, &lines);
		code = watch(look, recorded.profile, &lines, err);
	}
	shared_lines_done(&lines);
	recorded_done(&recorded);
	return code ? (code == -EINVAL ? EXIT_STATUS_USAGE : -1) : EXIT_STATUS_OK;
}
