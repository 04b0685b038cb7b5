/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel llcstat: references and misses of the last-level cache by process and CPU, as samples of
 * two hardware events stand for them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/record/record_options.h"
#include "command/tool/tool.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/load/load_live.h"
#include "session/record/recorder.h"

#define DEFAULT_SECONDS 10
#define DEFAULT_PERIOD	100

struct llcstat {
	uint64_t period;
	bool by_thread, json;
};

struct cache_row {
	uint32_t id, cpu;
	string_id comm;
	uint64_t references, misses;
};

struct cache_table {
	VEC(struct cache_row) row;
	struct map by_key;
	uint64_t references, misses;
};

static const struct option_def llcstat_rows[] = {
	{ "sample_period", 'c', OPT_UINT, "N", OPT(llcstat, period),
	  "events from sample to sample (default 100)" },
	{ "tid", 't', OPT_FLAG, NULL, OPT(llcstat, by_thread), "by thread, not by process" },
	{ "json", 0, OPT_FLAG, NULL, OPT(llcstat, json), "print JSON" },
	{ .type = OPT_END },
};

static void llcstat_defaults(void *options)
{
	((struct llcstat *)options)->period = DEFAULT_PERIOD;
}

static void sum_up(const struct llcstat *o, const struct profile *profile, struct cache_table *ret)
{
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];
		const struct profile_thread *thread = &profile->threads.item[s->thread.v];
		const char *event = profile_string(profile, profile->events.item[s->event].name);
		uint32_t id = o->by_thread ? thread->tid : thread->pid;
		bool added, miss = strncmp(event, "cache-misses", 12) == 0;
		uint64_t *index = map_add(&ret->by_key, (uint64_t)id << 32 | s->cpu, &added);
		struct cache_row *row;

		if (added) {
			*index = ret->row.count;
			vec_push(&ret->row, ((struct cache_row){ id, s->cpu, thread->comm, 0, 0 }));
		}
		row = &ret->row.item[*index];
		*(miss ? &row->misses : &row->references) += s->weight;
		*(miss ? &ret->misses : &ret->references) += s->weight;
	}
}

static double hits(uint64_t references, uint64_t misses)
{
	return references > misses ? 100.0 * (double)(references - misses) / (double)references
				   : 0.0;
}

static int by_references(const void *a, const void *b)
{
	const struct cache_row *one = a, *other = b;

	return one->references == other->references  ? 0
	       : one->references < other->references ? 1
						     : -1;
}

static void put_text(const struct llcstat *o, const struct profile *profile,
		     const struct cache_table *table, struct buf *out)
{
	(void)buf_printf(out, "%-8s NAME             CPU     REFERENCE         MISS    HIT%%\n",
			 o->by_thread ? "TID" : "PID");
	for (size_t i = 0; i < table->row.count; i++) {
		const struct cache_row *row = &table->row.item[i];

		(void)buf_printf(out,
				 "%-8" PRIu32 " %-16.16s %-4" PRIu32 " %12" PRIu64 " %12" PRIu64
				 " %6.2f%%\n",
				 row->id, profile_string(profile, row->comm), row->cpu,
				 row->references, row->misses, hits(row->references, row->misses));
	}
	(void)buf_printf(
		out, "Total References: %" PRIu64 " Total Misses: %" PRIu64 " Hit Rate: %.2f%%\n",
		table->references, table->misses, hits(table->references, table->misses));
}

static void put_json(const struct profile *profile, const struct cache_table *table,
		     struct buf *out)
{
	(void)buf_printf(
		out, "{\"cupel\":1,\"references\":%" PRIu64 ",\"misses\":%" PRIu64 ",\"rows\":[",
		table->references, table->misses);
	for (size_t i = 0; i < table->row.count; i++) {
		const struct cache_row *row = &table->row.item[i];

		(void)buf_printf(out, "%s{\"id\":%" PRIu32 ",\"comm\":", i ? "," : "", row->id);
		(void)buf_put_json(out, profile_string(profile, row->comm));
		(void)buf_printf(out,
				 ",\"cpu\":%" PRIu32 ",\"references\":%" PRIu64
				 ",\"misses\":%" PRIu64 "}",
				 row->cpu, row->references, row->misses);
	}
	(void)buf_puts(out, "]}\n");
}

static int record(const struct llcstat *o, uint64_t duration_ns, struct profile **ret,
		  struct err *err)
{
	const struct load_options load = { .symbol = { .symfs = "" },
					   .no_symbols = true,
					   .ends_only = true,
					   .keep = PROFILE_KEEP_CPU };
	struct recording_options options = { .source = { .system_wide = true, .period = o->period },
					     .duration_ns = duration_ns,
					     .no_context = true,
					     .no_build_id = true,
					     .quiet = true };
	struct recording_result result = { 0 };
	struct load_live *live;
	int code = load_live_start(&load, &live, err), loaded;

	if (code)
		return code;
	options.source.call_graph.mode = RECORDING_CALL_GRAPH_NONE;
	vec_push(&options.source.selector,
		 ((struct record_selector){ .text = "cache-references,cache-misses" }));
	options.output_queue = load_live_queue(live);
	code = session_record(&options, NULL, &result, err);
	loaded = load_live_finish(live, code || !result.samples ? NULL : ret, err);
	if (!code)
		command_print_notes(result.notes);
	recording_options_done(&options);
	recording_result_done(&result);
	return code ? code : loaded;
}

static int llcstat_run(void *options, int argc, char **argv, struct err *err)
{
	const struct llcstat *o = options;
	uint64_t duration_ns = DEFAULT_SECONDS * 1000000000ull;
	struct cache_table table = { 0 };
	struct profile *profile = NULL;
	struct buf out = { 0 };
	int code;

	if (argc > 1 || !o->period)
		return command_usage(err,
				     argc > 1 ? "unexpected argument '%s'"
					      : "-c: expected a period above 0%s",
				     argc > 1 ? argv[1] : "");
	if (argc && option_parse_number(OPT_DURATION, argv[0], &duration_ns, err))
		return EXIT_STATUS_USAGE;
	code = record(o, duration_ns, &profile, err);
	if (!code) {
		profile = profile ? profile : profile_new(PROFILE_KEEP_CPU);
		sum_up(o, profile, &table);
		if (table.row.count)
			qsort(table.row.item, table.row.count, sizeof(*table.row.item),
			      by_references);
		if (o->json)
			put_json(profile, &table, &out);
		else
			put_text(o, profile, &table, &out);
		code = command_end_output(0, NULL, &out, err);
	}
	profile_free(profile);
	vec_done(&table.row);
	map_done(&table.by_key);
	return code ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_llcstat = {
	.name = "llcstat",
	.args = "[options] [duration]",
	.summary = "show hits and misses of the last-level cache by process",
	.options = llcstat_rows,
	.options_size = sizeof(struct llcstat),
	.defaults = llcstat_defaults,
	.run = llcstat_run,
};
