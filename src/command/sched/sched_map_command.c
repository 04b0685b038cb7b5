/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel sched map: which thread had which CPU. */
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "command/command.h"
#include "command/sched/sched_input.h"
#include "session/filter.h"
#include "view/sched/sched_map.h"

struct map_options {
	struct sched_input_options input;
	const char *cpus, *color_cpus, *color_pids, *names;
	bool compact, fuzzy;
};

static const struct option_def map_rows[] = {
	{ "compact", 0, OPT_FLAG, NULL, OPT(map_options, compact),
	  "show only CPUs that were used, in order of first use" },
	{ "cpus", 0, OPT_STR, "LIST", OPT(map_options, cpus), "show only these CPUs" },
	{ "task-name", 0, OPT_STR, "NAMES", OPT(map_options, names),
	  "show only threads with these names, others as -" },
	{ "fuzzy-name", 0, OPT_FLAG, NULL, OPT(map_options, fuzzy),
	  "match parts of names with --task-name" },
	{ "color-pids", 0, OPT_STR, "LIST", OPT(map_options, color_pids),
	  "show these threads in colour" },
	{ "color-cpus", 0, OPT_STR, "LIST", OPT(map_options, color_cpus),
	  "show these CPUs in colour" },
	{ .type = OPT_INCLUDE, .include = sched_input_rows, .offset = OPT(map_options, input) },
	{ 0 },
};

struct map_selection {
	const struct map_options *options;
	struct filter *cpus, *color_cpus, *color_pids;
};

static bool cpu_in(const struct filter *filter, uint32_t cpu)
{
	struct filter_subject subject = { .comm = "", .cpu = cpu };

	return filter_match(filter, &subject);
}

static bool has_cpu(const void *context, uint32_t cpu)
{
	return cpu_in(((const struct map_selection *)context)->cpus, cpu);
}

static bool marks_cpu(const void *context, uint32_t cpu)
{
	return cpu_in(((const struct map_selection *)context)->color_cpus, cpu);
}

static bool marks_task(const void *context, uint32_t tid)
{
	struct filter_subject subject = { .comm = "", .tid = tid };

	return filter_match(((const struct map_selection *)context)->color_pids, &subject);
}

static bool contains(const char *text, const char *part, size_t len)
{
	for (; strlen(text) >= len; text++)
		if (strncmp(text, part, len) == 0)
			return true;
	return false;
}

static bool has_name(const void *context, const char *comm)
{
	const struct map_options *o = ((const struct map_selection *)context)->options;

	for (const char *word = o->names; *word; word += *word == ',') {
		size_t len = strcspn(word, ",");

		if (len && (o->fuzzy ? contains(comm, word, len)
				     : strlen(comm) == len && strncmp(comm, word, len) == 0))
			return true;
		word += len;
	}
	return false;
}

static int select_columns(const struct map_options *o, struct map_selection *ret, struct err *err)
{
	struct filter_spec cpus = { .cpus = o->cpus };
	struct filter_spec color_cpus = { .cpus = o->color_cpus };
	struct filter_spec color_pids = { .tids = o->color_pids };
	int code = filter_parse(&cpus, 0, 0, &ret->cpus, err);

	ret->options = o;
	if (!code)
		code = filter_parse(&color_cpus, 0, 0, &ret->color_cpus, err);
	if (!code)
		code = filter_parse(&color_pids, 0, 0, &ret->color_pids, err);
	return code;
}

static int print_map(const struct map_options *o, const struct map_selection *selection,
		     struct sched_input *input, struct err *err)
{
	struct sched_map_options view = { .compact = o->compact,
					  .has_cpu = selection->cpus ? has_cpu : NULL,
					  .has_name = o->names ? has_name : NULL,
					  .marks_cpu = selection->color_cpus ? marks_cpu : NULL,
					  .marks_task = selection->color_pids ? marks_task : NULL,
					  .context = selection,
					  .cpu_count = sched_input_cpus(input) };
	struct sched_map map;
	int code;

	input->coloured = o->color_cpus || o->color_pids;
	sched_map_start(&map, &view, &input->out);
	code = sched_input_read(input, &o->input, &map.sink, 0, err);
	if (!code)
		code = sched_input_flush(input, err);
	sched_map_done(&map);
	return code;
}

static int show(void *context, struct sched_input *input, struct err *err)
{
	const struct map_options *o = context;
	struct map_selection selection = { 0 };
	int code = select_columns(o, &selection, err);

	if (!code)
		code = print_map(o, &selection, input, err);
	filter_free(selection.cpus);
	filter_free(selection.color_cpus);
	filter_free(selection.color_pids);
	return code;
}

static int map_run(void *options, int argc, char **argv, struct err *err)
{
	const struct map_options *o = options;

	return sched_input_run(&o->input, (struct option_words){ argc, argv }, show, options, err);
}

const struct command cmd_sched_map = {
	.name = "sched map",
	.args = "[options] [FILE]",
	.summary = "show which thread ran on which CPU, one line per context switch",
	.options = map_rows,
	.options_size = sizeof(struct map_options),
	.run = map_run,
	.reads = true,
	.names_outputs = true,
};
