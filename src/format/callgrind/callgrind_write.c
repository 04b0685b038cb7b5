/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile → callgrind, for callgrind_annotate and KCachegrind. A function is identified by name,
 * file and module; costs are by line. Each call counts once per sample, even if the stack repeats
 * it; "calls" are samples, because profiles have no call counts. */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/callgrind/callgrind.h"
#include "format/format.h"
#include "profile/profile.h"

/* Own costs of a line of a function, or costs of the calls that a line makes. */
struct cost_row {
	uint32_t function, line, callee; /* callee UINT32_MAX = own */
	uint32_t first;			 /* of its costs */
	uint64_t samples;
};

struct callgrind_writer {
	const struct profile *profile;
	struct buf *out;
	struct map by_name;	 /* hash of name, file and module → function */
	uint32_t *function_of;	 /* by frame */
	VEC(uint32_t) functions; /* → a frame of each */
	struct map by_key;	 /* hash of function, line and callee → row */
	struct map paid;	 /* hash of function and callee → sample that paid last, + 1 */
	VEC(struct cost_row) rows;
	VEC(uint64_t) costs;
	size_t *event_at; /* column by event; events without samples have none */
	size_t columns;
};

static struct cost_row *row_of(struct callgrind_writer *w, uint32_t function, uint32_t line,
			       uint32_t callee)
{
	uint64_t key = hash_u64((uint64_t)function << 32 | line) ^ hash_u64(~(uint64_t)callee);
	bool added;
	uint64_t *place = map_add(&w->by_key, hash_u64(key), &added);

	if (added) {
		*place = w->rows.count;
		vec_push(&w->rows, ((struct cost_row){ .function = function,
						       .line = line,
						       .callee = callee,
						       .first = (uint32_t)w->costs.count }));
		for (size_t i = 0; i < w->columns; i++)
			vec_push(&w->costs, 0);
	}
	return &w->rows.item[*place];
}

static void find_functions(struct callgrind_writer *w)
{
	const struct profile *p = w->profile;

	w->function_of = mem_alloc((p->frames.count + 1) * sizeof(*w->function_of));
	for (uint32_t i = 0; i < p->frames.count; i++) {
		const struct frame *f = &p->frames.item[i];
		uint64_t key = hash_u64((uint64_t)f->function.v << 32 | f->file.v);
		bool added;
		uint64_t *place = map_add(&w->by_name, key ^ hash_u64(f->module), &added);

		if (added) {
			*place = w->functions.count;
			vec_push(&w->functions, i);
		}
		w->function_of[i] = (uint32_t)*place;
	}
}

static void add_cost(struct callgrind_writer *w, struct cost_row *row, size_t sample)
{
	const struct profile_sample *s = &w->profile->samples.item[sample];

	row->samples += s->count;
	w->costs.item[row->first + w->event_at[s->event]] += s->weight;
}

/* Whether this sample has not paid for that call yet, from whatever line. */
static bool pays(struct callgrind_writer *w, uint32_t function, uint32_t callee, size_t sample)
{
	uint64_t key = hash_u64((uint64_t)function << 32 | callee);
	bool added;
	uint64_t *last = map_add(&w->paid, key, &added), before = added ? 0 : *last;

	*last = sample + 1;
	return before != sample + 1;
}

static void add_sample(struct callgrind_writer *w, size_t sample)
{
	const struct profile *p = w->profile;
	stack_id at = p->samples.item[sample].stack;
	uint32_t callee = UINT32_MAX;

	for (; at.v; at = p->nodes.item[at.v].parent) {
		uint32_t frame = p->nodes.item[at.v].frame.v, function = w->function_of[frame];

		if (callee == UINT32_MAX || pays(w, function, callee, sample))
			add_cost(w, row_of(w, function, p->frames.item[frame].line, callee),
				 sample);
		callee = function;
	}
}

static void put_name(struct callgrind_writer *w, const char *key, uint32_t function)
{
	const struct profile *p = w->profile;
	const struct frame *f = &p->frames.item[w->functions.item[function]];
	const char *module = f->module ? profile_string(p, p->modules.item[f->module].path) : "???";

	(void)buf_printf(w->out, "%sob=%s\n%s=%s\n", key, module, *key ? "cfi" : "fl",
			 f->file.v ? profile_string(p, f->file) : "???");
	if (f->function.v)
		(void)buf_printf(w->out, "%sfn=%s\n", key, profile_string(p, f->function));
	else
		(void)buf_printf(w->out, "%sfn=[%s]\n", key,
				 f->module ? profile_string(p, p->modules.item[f->module].name)
					   : "unknown");
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct cost_row *a = pa, *b = pb;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if ((a->callee == UINT32_MAX) != (b->callee == UINT32_MAX))
		return a->callee == UINT32_MAX ? -1 : 1;
	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static void put_rows(struct callgrind_writer *w)
{
	if (w->rows.count)
		qsort(w->rows.item, w->rows.count, sizeof(struct cost_row), compare_rows);
	for (size_t i = 0; i < w->rows.count; i++) {
		const struct cost_row *row = &w->rows.item[i];

		if (i == 0 || row->function != row[-1].function) {
			(void)buf_putc(w->out, '\n');
			put_name(w, "", row->function);
		}
		if (row->callee != UINT32_MAX) {
			put_name(w, "c", row->callee);
			(void)buf_printf(w->out, "calls=%llu 0\n",
					 (unsigned long long)row->samples);
		}
		(void)buf_put_u64(w->out, row->line);
		for (size_t c = 0; c < w->columns; c++) {
			(void)buf_putc(w->out, ' ');
			(void)buf_put_u64(w->out, w->costs.item[row->first + c]);
		}
		(void)buf_putc(w->out, '\n');
	}
}

/* Event names are words there, and never empty. The name contains the scale of fractions. */
static void put_event(struct callgrind_writer *w, const struct profile_event *event)
{
	const char *name = profile_string(w->profile, event->name);

	name = *name ? name : "samples";
	for (; *name; name++)
		(void)buf_putc(w->out, *name == ' ' || *name == ':' ? '_' : *name);
	if (event->scale > 1)
		(void)buf_printf(w->out, "/%u", event->scale);
}

/* The columns, and in long names the units that have a name. */
static void put_events(struct callgrind_writer *w)
{
	const struct profile *p = w->profile;

	for (size_t i = 0; i < p->events.count; i++) {
		const struct profile_event *event = &p->events.item[i];

		if (!event->samples || !event->name.v || event->unit_type == EVENT_UNIT_NONE ||
		    event->unit_type == EVENT_UNIT_COUNT)
			continue;
		(void)buf_puts(w->out, "event: ");
		put_event(w, event);
		(void)buf_printf(w->out, " : %s (%s)\n", profile_string(p, event->name),
				 profile_string(p, event->unit));
	}
	(void)buf_puts(w->out, "events:");
	for (size_t i = 0; i < p->events.count; i++) {
		w->event_at[i] = w->columns;
		if (!p->events.item[i].samples)
			continue;
		w->columns++;
		(void)buf_putc(w->out, ' ');
		put_event(w, &p->events.item[i]);
	}
	(void)buf_putc(w->out, '\n');
}

/* The costs of the whole program: own costs of all functions. */
static void put_sums(struct callgrind_writer *w, const char *key)
{
	(void)buf_puts(w->out, key);
	for (size_t c = 0; c < w->columns; c++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < w->rows.count; i++)
			if (w->rows.item[i].callee == UINT32_MAX)
				sum += w->costs.item[w->rows.item[i].first + c];
		(void)buf_putc(w->out, ' ');
		(void)buf_put_u64(w->out, sum);
	}
	(void)buf_putc(w->out, '\n');
}

static int callgrind_write(const struct profile *profile,
			   const struct format_write_options *options, struct buf *ret,
			   struct err *err)
{
	struct callgrind_writer w = { .profile = profile, .out = ret };
	const char *command = profile_string(profile, profile->meta.command);

	(void)options; /* names stay as they are */
	(void)err;     /* the caller's buffer says when it is full */
	w.event_at = mem_zalloc((profile->events.count + 1) * sizeof(*w.event_at));
	(void)buf_printf(ret,
			 "# callgrind format\nversion: 1\ncreator: cupel\n%s%s%s"
			 "positions: line\n",
			 *command ? "cmd: " : "", command, *command ? "\n" : "");
	put_events(&w);
	find_functions(&w);
	for (size_t i = 0; i < profile->samples.count; i++)
		if (profile->samples.item[i].count)
			add_sample(&w, i);
	put_sums(&w, "summary:");
	put_rows(&w);
	put_sums(&w, "\ntotals:");
	free(w.event_at);
	free(w.function_of);
	map_done(&w.by_name);
	map_done(&w.by_key);
	map_done(&w.paid);
	vec_done(&w.functions);
	vec_done(&w.rows);
	vec_done(&w.costs);
	return 0;
}

const struct format_ops format_callgrind = {
	.name = "callgrind",
	.suffix = ".callgrind",
	.help = "callgrind function and call costs",
	.sniff = callgrind_sniff,
	.read = callgrind_read,
	.write = callgrind_write,
	.places = true,
	.names_all = true,
};
