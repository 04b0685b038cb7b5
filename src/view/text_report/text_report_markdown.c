/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A summary of a profile in Markdown (see answer.h): what was recorded, the functions that cost
 * most, the hottest way down, and what is missing. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "view/text_report/text_report.h"

#define TOP	10
#define DEEPEST 24  /* lines of the hottest way */
#define FORK	0.5 /* it ends where no callee has this part of its caller */

struct function {
	uint32_t frame; /* one of its frames */
	uint64_t self, total, last_sample;
};

struct summary {
	const struct profile *profile;
	const bool *picked;
	struct buf *out;
	struct map ids;	       /* name and module → index in functions */
	uint32_t *function_of; /* by frame */
	VEC(struct function) functions;
	uint64_t weight, samples;
};

/* Text in a cell or outside code: pipes and backquotes would end it. */
static void put_text(struct buf *out, const char *s)
{
	for (; *s; s++)
		(void)buf_putc(out, *s == '|' || *s == '`' ? '\'' : *s);
}

static void put_fact(struct summary *s, const char *what, string_id value)
{
	if (!value.v)
		return;
	(void)buf_printf(s->out, "- %s: `", what);
	put_text(s->out, profile_string(s->profile, value));
	(void)buf_puts(s->out, "`\n");
}

static void put_head(struct summary *s)
{
	const struct profile_meta *meta = &s->profile->meta;

	(void)buf_puts(s->out, "## Profile\n\n");
	put_fact(s, "command", meta->command);
	put_fact(s, "host", meta->hostname);
	put_fact(s, "kernel", meta->os_release);
	put_fact(s, "CPU", meta->cpu_desc);
	if (meta->duration_ns)
		(void)buf_printf(s->out, "- time: %.3f s\n", (double)meta->duration_ns / 1e9);
	for (size_t i = 0; i < s->profile->events.count; i++) {
		const struct profile_event *event = &s->profile->events.item[i];

		if (!event->samples)
			continue;
		(void)buf_puts(s->out, s->picked[i] ? "- event: `" : "- not shown here: `");
		put_text(s->out, profile_string(s->profile, event->name));
		(void)buf_printf(s->out, "`, %" PRIu64 " samples", event->samples);
		if (event->unit_type == EVENT_UNIT_NS)
			(void)buf_printf(s->out, ", %.3f s", (double)event->weight / 1e9);
		(void)buf_putc(s->out, '\n');
	}
}

static uint32_t function_of(struct summary *s, uint32_t frame)
{
	const struct frame *f = &s->profile->frames.item[frame];
	uint64_t *place;
	bool added;

	if (s->function_of[frame] != UINT32_MAX)
		return s->function_of[frame];
	place = map_add(&s->ids, (uint64_t)f->function.v << 32 | f->module, &added);
	if (added) {
		*place = s->functions.count;
		vec_push(&s->functions,
			 ((struct function){ .frame = frame, .last_sample = UINT64_MAX }));
	}
	s->function_of[frame] = (uint32_t)*place;
	return (uint32_t)*place;
}

/* A function counts once per stack, however often it is in it. */
static void add_sample(struct summary *s, size_t index)
{
	const struct profile_sample *sample = &s->profile->samples.item[index];
	const struct stack_node *nodes = s->profile->nodes.item;
	bool leaf = true;

	for (stack_id at = sample->stack; at.v; at = nodes[at.v].parent, leaf = false) {
		uint32_t id = function_of(s, nodes[at.v].frame.v);
		struct function *f = &s->functions.item[id];

		if (leaf)
			f->self += sample->weight;
		if (f->last_sample != index)
			f->total += sample->weight;
		f->last_sample = index;
	}
	s->weight += sample->weight;
	s->samples += sample->count;
}

static void count(struct summary *s)
{
	size_t frames = s->profile->frames.count;

	s->function_of = mem_alloc((frames + 1) * sizeof(*s->function_of));
	memset(s->function_of, 0xff, frames * sizeof(*s->function_of));
	for (size_t i = 0; i < s->profile->samples.count; i++)
		if (s->picked[s->profile->samples.item[i].event])
			add_sample(s, i);
}

static int by_self(const void *pa, const void *pb)
{
	const struct function *a = pa, *b = pb;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return (a->frame > b->frame) - (a->frame < b->frame);
}

static double percent(const struct summary *s, uint64_t weight)
{
	return s->weight ? (double)weight / (double)s->weight * 100 : 0;
}

static void put_functions(struct summary *s)
{
	uint64_t rest = s->weight;
	size_t shown = 0;

	if (s->functions.count)
		qsort(s->functions.item, s->functions.count, sizeof(struct function), by_self);
	(void)buf_puts(s->out, "\n### Functions\n\n| self | total | function | module |\n"
			       "|---:|---:|---|---|\n");
	for (; shown < s->functions.count && shown < TOP; shown++) {
		const struct function *f = &s->functions.item[shown];
		const struct frame *frame = &s->profile->frames.item[f->frame];

		if (!f->self)
			break;
		(void)buf_printf(s->out, "| %.1f %% | %.1f %% | `", percent(s, f->self),
				 percent(s, f->total));
		put_text(s->out, text_report_frame_name(s->profile, frame));
		(void)buf_puts(s->out, "` | ");
		put_text(s->out,
			 profile_string(s->profile, s->profile->modules.item[frame->module].name));
		(void)buf_puts(s->out, " |\n");
		rest -= f->self < rest ? f->self : rest;
	}
	if (s->functions.count > shown)
		(void)buf_printf(s->out, "| %.1f %% | | %zu more | |\n", percent(s, rest),
				 s->functions.count - shown);
}

/* From the root to the child that costs most, as long as that is most of its parent. */
static void put_way(struct summary *s, const struct call_tree *tree,
		    const struct text_report_names *names)
{
	uint32_t id = tree->nodes.item[0].first_child;

	(void)buf_puts(s->out, "\n### Hottest path\n\n```\n");
	for (size_t depth = 0; id && depth < DEEPEST; depth++) {
		const struct call_node *node = &tree->nodes.item[id];
		uint32_t child = node->first_child;

		(void)buf_printf(s->out, "%6.2f %%  ", percent(s, node->total));
		put_text(s->out, strtab_get(names->names, (string_id){ node->label }));
		(void)buf_putc(s->out, '\n');
		id = child && (double)tree->nodes.item[child].total > FORK * (double)node->total
			     ? child
			     : 0;
	}
	(void)buf_puts(s->out, "```\n");
}

static void put_missing(struct summary *s)
{
	const struct profile_meta *meta = &s->profile->meta;
	uint64_t frames = 0, unknown = 0;

	for (size_t i = 0; i < s->profile->events.count; i++) {
		frames += s->profile->events.item[i].frames;
		unknown += s->profile->events.item[i].unknown_frames;
	}
	(void)buf_puts(s->out, "\n### Missing data\n\n");
	(void)buf_printf(s->out, "- lost: %" PRIu64 " samples, %" PRIu64 " other records\n",
			 meta->lost_samples, meta->lost_events);
	(void)buf_printf(s->out, "- frames without a symbol: %.1f %%\n",
			 frames ? (double)unknown / (double)frames * 100 : 0);
	for (size_t stop = STACK_STOP_NONE + 1; stop < STACK_STOP_COUNT; stop++) {
		uint64_t samples = 0;

		for (size_t i = 0; i < s->profile->events.count; i++)
			samples += s->picked[i] ? s->profile->events.item[i].stop[stop] : 0;
		if (samples && stop != STACK_STOP_ROOT)
			(void)buf_printf(s->out, "- incomplete stacks: %" PRIu64 ", %s\n", samples,
					 stack_stop_text((enum stack_stop)stop));
	}
	if (meta->unknown_records)
		(void)buf_printf(s->out, "- unrecognized: %" PRIu64 " lines or records\n",
				 meta->unknown_records);
}

int text_report_markdown(const struct profile *profile, const struct text_report_options *options,
			 struct buf *ret, struct err *err)
{
	struct summary s = { .profile = profile, .out = ret };
	struct text_report_names names;
	int r = text_report_tree_build(profile, options->event, &names, err);

	if (r)
		return r;
	s.picked = names.picked;
	count(&s);
	put_head(&s);
	put_functions(&s);
	put_way(&s, &names.tree, &names);
	put_missing(&s);
	text_report_names_done(&names);
	map_done(&s.ids);
	vec_done(&s.functions);
	free(s.function_of);
	return 0;
}
