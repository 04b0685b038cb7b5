/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs in turns (see stat_compare.h). */
#include "session/stat/stat_compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/err.h"

enum { ELAPSED, USER, SYSTEM, PEAK, FIRST_EVENT };

static const struct {
	const char *name, *unit;
} times[] = {
	[ELAPSED] = { "time elapsed", "msec" },
	[USER] = { "user time", "msec" },
	[SYSTEM] = { "system time", "msec" },
	[PEAK] = { "peak resident memory", "MB" },
};

static void add_figure(struct stat_compare_result *result, const char *name, const char *unit,
		       size_t pairs)
{
	struct stat_figure figure = { .name = name, .unit = unit };

	figure.run[0] = arena_array(&result->arena, double, pairs);
	figure.run[1] = arena_array(&result->arena, double, pairs);
	figure.event = result->figure.count >= FIRST_EVENT;
	vec_push(&result->figure, figure);
}

/* After the first run, when the events are open. */
static void add_figures(struct stat_compare_result *result, const struct counts *counts,
			size_t pairs)
{
	for (size_t i = 0; i < FIRST_EVENT; i++)
		add_figure(result, times[i].name, times[i].unit, pairs);
	for (size_t i = 0; i < counts->events; i++) {
		const struct counts_event *event = &counts->event[i];

		add_figure(result, arena_strdup(&result->arena, event->name),
			   arena_strdup(&result->arena, event->unit), pairs);
		vec_last(&result->figure)->missing = !event->supported;
	}
}

static void take_run(struct stat_compare_result *result, const struct stat_result *run, int side,
		     size_t pair)
{
	const struct counts *counts = &run->counts;
	struct stat_figure *figure = result->figure.item;

	figure[ELAPSED].run[side][pair] = counts->elapsed_ns.value / 1e6;
	figure[USER].run[side][pair] = (double)run->user_ns / 1e6;
	figure[SYSTEM].run[side][pair] = (double)run->system_ns / 1e6;
	figure[PEAK].run[side][pair] = (double)run->peak_rss_bytes / 1e6;
	for (size_t i = 0; i < counts->events; i++)
		figure[FIRST_EVENT + i].run[side][pair] =
			counts_cell(counts, i, 0)->value.value * counts->event[i].scale;
}

struct comparing {
	const struct stat_options *options; /* of one run */
	char **const *commands;
	struct stat_compare_result *result;
	size_t pairs;
};

/* keep: it is not to warm up. */
static int run_side(const struct comparing *self, int side, size_t pair, bool keep, struct err *err)
{
	const struct stat_listener listener = { 0 };
	struct stat_compare_result *result = self->result;
	struct stat_result run;
	int code = session_stat(self->options, self->commands[side], &listener, &run, err);

	if (!result->interrupted)
		result->interrupted = run.stopped;
	if (!code && !run.stopped && run.exit_status)
		code = err_set(err, -ECANCELED, "program %c: exited with status %d", 'A' + side,
			       run.exit_status);
	if (!code && !result->figure.count) {
		add_figures(result, &run.counts, self->pairs);
		memcpy(result->notes, run.notes, sizeof(result->notes));
	}
	if (!code && keep && !result->interrupted)
		take_run(result, &run, side, pair);
	stat_result_done(&run);
	return code;
}

static int coin(void)
{
	uint8_t bit = 0;

	(void)getrandom(&bit, sizeof(bit), 0); /* without it the order is A, B */
	return bit & 1;
}

int session_compare(const struct stat_options *options, char **const commands[2],
		    struct stat_compare_result *ret, struct err *err)
{
	struct stat_options one = *options;
	struct comparing self = { &one, commands, ret, options->repeat };
	int code;

	*ret = (struct stat_compare_result){ .pairs = 0 };
	one.repeat = 1;
	code = run_side(&self, 0, 0, false, err);
	if (!code && !ret->interrupted)
		code = run_side(&self, 1, 0, false, err);
	while (!code && !ret->interrupted && ret->pairs < self.pairs) {
		int first = coin();

		code = run_side(&self, first, ret->pairs, true, err);
		if (!code && !ret->interrupted)
			code = run_side(&self, !first, ret->pairs, true, err);
		ret->pairs += !code && !ret->interrupted;
	}
	return code;
}

void stat_compare_result_done(struct stat_compare_result *result)
{
	vec_done(&result->figure);
	arena_done(&result->arena);
}
