/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel funclatency --by EXPRESSION: a distribution for each value that an argument had. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "bpf/probe_values.h"
#include "command/output.h"
#include "command/tool/funclatency.h"
#include "command/tool/value_rows.h"
#include "session/probe/argument_set.h"

#define MOST_VALUES 20 /* in text, those that took longest */

static_assert(PROBE_VALUE_STEPS == CALL_TIME_SLOTS, "slots are those of the view");

struct by_run {
	struct tool_run run; /* first */
	struct argument_set set;
	struct value_rows rows;
	struct probe_times_choice times;
	const char *typed;
};

struct by_value {
	struct call_latency times;
	uint64_t slot[CALL_TIME_SLOTS];
};

struct by_values {
	VEC(struct by_value *) item;
	struct map index; /* hash of the name → index */
	struct arena arena;
};

static struct by_run *self_of(struct tool_run *run)
{
	return (struct by_run *)run;
}

/* "c:read" → r:c:read, with its latency and the value. */
static struct argument_collection collection_of(struct by_run *self, const char *word,
						const char *by)
{
	struct argument_collection ret = {
		.spec = { .kind = 'r', .label = word, .expressions = 2, .types = 2 },
		.histogram = true,
		.unit = self->times.unit_ns,
		.from = self->times.from,
		.step = self->times.step
	};
	struct arena *arena = &self->set.arena;
	struct buf text = { 0 };

	(void)buf_printf(&text, "r:%s", word);
	ret.spec.place = arena_strdup(arena, text.data);
	ret.spec.expression[0] = "$latency";
	buf_clear(&text);
	(void)buf_printf(&text, "$entry(%s)", by);
	ret.spec.expression[1] = arena_strdup(arena, text.data);
	buf_done(&text);
	return ret;
}

static int find_functions(struct by_run *self, struct option_words functions, struct err *err)
{
	const struct funclatency_options *o = self->run.options;
	const struct probe_set_options how = { .pid = probe_tool_pid(&o->probe.tool),
					       .at_start = o->probe.at_start,
					       .returns = true,
					       .times = true };
	VEC(struct argument_collection) wanted = { 0 };
	int code;

	for (int i = 0; i < functions.argc; i++)
		vec_push(&wanted, collection_of(self, functions.argv[i], o->by));
	code = argument_set_find(&self->set, wanted.item, wanted.count, &how, err);
	for (size_t i = 0; !code && i < self->set.collections.count; i++) {
		const struct probe_set *set = &self->set.collections.item[i]->set;

		if (set->others)
			code = command_usage(err, "only whole functions have a duration");
		else
			probe_tool_notes(set, o->probe.verbose);
	}
	vec_done(&wanted);
	return code;
}

static int set_up(struct tool_run *run, struct option_words words, struct err *err)
{
	const struct funclatency_options *o = run->options;
	const struct tool_options *tool = &o->probe.tool;
	struct by_run *self = self_of(run);
	struct option_words probes;
	int code = funclatency_choose(o, &self->times, err);

	if (!code && o->by_function)
		code = command_usage(err, "--by and -F cannot be combined");
	if (!code)
		code = probe_tool_words(words, &tool->threads, &probes, &run->watch.argv, err);
	if (!code)
		code = find_functions(self, probes, err);
	if (code)
		return code < 0 ? (err->usage ? EXIT_STATUS_USAGE : -1) : code;
	self->typed = probes.argv[0];
	run->interval.ns = o->probe.interval_ns;
	run->interval.prints = o->probe.interval_ns != 0;
	run->watch.options.values = &self->set.values;
	return probe_tool_user(o->probe.user, &run->watch.options.uid_plus_one, err);
}

static void put_head(const struct tool_run *run, struct buf *out)
{
	const struct by_run *self = (const struct by_run *)run;
	const struct funclatency_options *o = run->options;
	const struct probe_choice *choice = &self->set.values.returns;
	size_t count = choice->places.count + choice->kernel.count;

	(void)buf_printf(out, "Tracing %zu function%s for \"%s\" by %s... Hit Ctrl-C to end.\n",
			 count, count == 1 ? "" : "s", self->typed, o->by);
}

static void take(struct tool_run *run, const struct event *event)
{
	value_rows_take(&self_of(run)->rows, event, !run->interval.prints);
}

/* "length = 10", with the function if there are several. */
static void put_name(const struct by_run *self, const struct fetch_result *result, struct buf *out)
{
	const struct funclatency_options *o = self->run.options;
	const struct argument_collection *collection = self->set.collections.item[result->number];

	if (self->set.collections.count > 1)
		(void)buf_printf(out, "%s: ", collection->spec.label);
	(void)buf_printf(out, "%s = ", o->by);
	fetch_put(&collection->output[1], result, out);
}

static struct by_value *value_named(struct by_values *all, const char *name)
{
	bool added;
	uint64_t *at = map_add(&all->index, hash_bytes(name, strlen(name)), &added);

	if (added) {
		struct by_value *value = arena_new(&all->arena, struct by_value);

		value->times.name = arena_strdup(&all->arena, name);
		value->times.slot = value->slot;
		*at = all->item.count;
		vec_push(&all->item, value);
	}
	return all->item.item[*at];
}

static void sum_up(const struct by_run *self, struct by_values *all)
{
	for (size_t i = 0; i < self->rows.fresh.count; i++) {
		const struct probe_value *row = &self->rows.fresh.item[i];
		struct buf name = { 0 };
		struct by_value *value;

		put_name(self, &row->result, &name);
		value = value_named(all, name.data);
		value->times.calls += row->count;
		value->times.returned += row->count;
		value->times.total_ns += row->total;
		value->slot[row->result.value[0] % CALL_TIME_SLOTS] += row->count;
		buf_done(&name);
	}
}

static int by_total(const void *a, const void *b)
{
	const struct call_latency *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void print(const struct tool_run *run, struct buf *out)
{
	const struct by_run *self = (const struct by_run *)run;
	const struct funclatency_options *o = run->options;
	struct call_latency_view view = funclatency_view(o, &self->times);
	struct by_values all = { 0 };
	struct call_latency *times;
	size_t shown;

	sum_up(self, &all);
	times = mem_zalloc((all.item.count + 1) * sizeof(*times));
	for (size_t i = 0; i < all.item.count; i++)
		times[i] = all.item.item[i]->times;
	qsort(times, all.item.count, sizeof(*times), by_total);
	shown = all.item.count > MOST_VALUES ? MOST_VALUES : all.item.count;
	view.heading = "";
	if (o->probe.tool.json)
		call_latency_json(times, all.item.count, &view, out);
	else
		call_latency_text(times, shown, &view, out);
	if (!o->probe.tool.json && shown < all.item.count)
		(void)buf_printf(out, "\n%zu other values took less: --json prints all\n",
				 all.item.count - shown);
	free(times);
	vec_done(&all.item);
	map_done(&all.index);
	arena_done(&all.arena);
}

static void done(struct tool_run *run)
{
	argument_set_done(&self_of(run)->set);
	value_rows_done(&self_of(run)->rows);
}

const struct tool funclatency_by = {
	.source = "probe_values",
	.state_size = sizeof(struct by_run),
	.own_words = true,
	.map = { .thing = "calls" },
	.set_up = set_up,
	.put_head = put_head,
	.take = take,
	.print = print,
	.done = done,
};
