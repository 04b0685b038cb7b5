/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks as massif's snapshots (see heap_export.h): live bytes over time, and the tree of callers
 * at the peak of the process that has the highest. Format: Valgrind's manual of massif and
 * ms_print. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "profile/heap/heap.h"
#include "profile/profile.h"
#include "view/heap/heap_export.h"
#include "view/heap/heap_view.h"

#define DEPTH	  30   /* as massif's --depth */
#define THRESHOLD 0.01 /* of a snapshot, as massif's */
#define NS_PER_MS 1000000

/* Bytes by what is left of their stack, innermost first. */
struct part {
	stack_id stack;
	double bytes;
};

struct tree {
	const struct profile *profile;
	struct buf *out;
	double least;
};

static frame_id frame_of(const struct profile *profile, stack_id stack)
{
	return profile->nodes.item[stack.v].frame;
}

/* Those without a caller first. */
static int by_frame(const void *a, const void *b, void *context)
{
	const struct part *x = a, *y = b;
	uint32_t first = x->stack.v ? frame_of(context, x->stack).v + 1 : 0;
	uint32_t second = y->stack.v ? frame_of(context, y->stack).v + 1 : 0;

	return first < second ? -1 : first > second;
}

static void put_frame(const struct tree *tree, const struct frame *frame)
{
	const struct profile *profile = tree->profile;
	const char *function = strtab_get(profile->strings, frame->function);
	const char *file = strtab_get(profile->strings, frame->file);
	string_id module = profile->modules.item[frame->module].path;

	(void)buf_printf(tree->out, "0x%" PRIX64 ": ", frame->pc ? frame->pc : frame->offset);
	(void)buf_put_tidy(tree->out, function[0] ? function : "???");
	if (file[0]) {
		(void)buf_puts(tree->out, " (");
		(void)buf_put_tidy(tree->out, file);
		(void)buf_printf(tree->out, ":%" PRIu32 ")\n", frame->line);
		return;
	}
	(void)buf_puts(tree->out, " (in ");
	(void)buf_put_tidy(tree->out, strtab_get(profile->strings, module));
	(void)buf_puts(tree->out, ")\n");
}

/* A group of parts with the same frame. */
struct group {
	size_t first, count;
	double bytes;
};

struct groups {
	VEC(struct group) group;
};

static int by_bytes(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

/* Callers with few bytes are one line together. */
static void split(const struct tree *tree, struct part *part, size_t count, struct groups *ret,
		  struct group *few)
{
	qsort_r(part, count, sizeof(*part), by_frame, (void *)tree->profile);
	for (size_t i = 0, end; i < count; i = end) {
		struct group group = { .first = i };

		for (end = i; end < count && !by_frame(&part[i], &part[end], (void *)tree->profile);
		     end++)
			group.bytes += part[end].bytes;
		group.count = end - i;
		if (!part[i].stack.v)
			continue; /* the root: nothing is above it */
		if (group.bytes >= tree->least) {
			vec_push(&ret->group, group);
			continue;
		}
		few->count++;
		few->bytes += group.bytes;
	}
	if (ret->group.count)
		qsort(ret->group.item, ret->group.count, sizeof(struct group), by_bytes);
}

/* frame: what the parts are the callers of; NULL: the allocator. */
static void put_callers(const struct tree *tree, const struct frame *frame, struct part *part,
			size_t count, int depth)
{
	struct groups groups = { 0 };
	struct group few = { 0 };
	double bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += part[i].bytes;
	if (depth < DEPTH)
		split(tree, part, count, &groups, &few);
	(void)buf_printf(tree->out, "%*sn%zu: %.0f ", depth, "",
			 groups.group.count + (few.count > 0), bytes);
	if (frame)
		put_frame(tree, frame);
	else
		(void)buf_puts(tree->out,
			       "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n");
	for (size_t i = 0; i < groups.group.count; i++) {
		const struct group *group = &groups.group.item[i];
		struct part *callers = part + group->first;
		frame_id callee = frame_of(tree->profile, callers->stack);

		for (size_t j = 0; j < group->count; j++)
			callers[j].stack = tree->profile->nodes.item[callers[j].stack.v].parent;
		put_callers(tree, &tree->profile->frames.item[callee.v], callers, group->count,
			    depth + 1);
	}
	if (few.count)
		(void)buf_printf(
			tree->out, "%*sn0: %.0f in %zu place%s below massif's threshold (1.00%%)\n",
			depth + 1, "", few.bytes, few.count, few.count > 1 ? "s, all" : ",");
	vec_done(&groups.group);
}

static void put_snapshot(struct buf *out, size_t number, uint64_t time_ns, double bytes)
{
	(void)buf_printf(out,
			 "#-----------\nsnapshot=%zu\n#-----------\ntime=%" PRIu64
			 "\nmem_heap_B=%.0f\nmem_heap_extra_B=0\nmem_stacks_B=0\n",
			 number, time_ns / NS_PER_MS, bytes);
}

/* What was live at the peak, of the process that has it. */
static void put_peak(const struct heap_view *view, uint64_t first_ns, size_t number,
		     struct buf *out)
{
	const struct heap_summary *summary = view->summary;
	const struct heap_lives *lives = &summary->lives;
	uint64_t at = first_ns + summary->peak_ns;
	struct part *part = mem_zalloc((lives->life.count + 1) * sizeof(*part));
	struct tree tree = { .profile = view->profile, .out = out };
	size_t count = 0;

	for (size_t i = 0; i < lives->life.count; i++) {
		const struct heap_life *life = &lives->life.item[i];
		const struct heap_process *process = &lives->process.item[life->process];

		if (process->pid != summary->peak_pid || at < process->first_ns ||
		    at > process->last_ns || life->begin_ns > at ||
		    (life->end_ns && life->end_ns <= at))
			continue;
		part[count++] = (struct part){ life->stack, life->size * life->blocks };
		tree.least += THRESHOLD * part[count - 1].bytes;
	}
	put_snapshot(out, number, summary->peak_ns, tree.least / THRESHOLD);
	(void)buf_puts(out, "heap_tree=peak\n");
	put_callers(&tree, NULL, part, count, 0);
	free(part);
}

static uint64_t first_of(const struct heap_lives *lives)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < lives->process.count; i++)
		if (lives->process.item[i].first_ns < first)
			first = lives->process.item[i].first_ns;
	return first;
}

void heap_massif(const struct heap_view *view, struct buf *out)
{
	const struct heap_summary *summary = view->summary;
	double over_time[HEAP_VIEW_PARTS];
	uint64_t length = heap_over_time(&summary->lives, over_time, HEAP_VIEW_PARTS);
	bool any = summary->lives.process.count && summary->peak_ns != UINT64_MAX;
	size_t number = 0;

	(void)buf_puts(out, "desc: (none)\ncmd:");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_putc(out, ' ');
		(void)buf_put_tidy(out, view->words[i]);
	}
	(void)buf_puts(out, "\ntime_unit: ms\n");
	put_snapshot(out, number++, 0, 0);
	(void)buf_puts(out, "heap_tree=empty\n");
	for (size_t i = 0; any && i < HEAP_VIEW_PARTS; i++) {
		uint64_t time_ns = length / HEAP_VIEW_PARTS * (i + 1);

		if (summary->peak_ns <= time_ns &&
		    (!i || summary->peak_ns > length / HEAP_VIEW_PARTS * i))
			put_peak(view, first_of(&summary->lives), number++, out);
		put_snapshot(out, number++, time_ns, over_time[i]);
		(void)buf_puts(out, "heap_tree=empty\n");
	}
}
